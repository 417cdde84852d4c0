// Uses a list that came from hostile bytes as an app would: reads rows, edits, undoes.
//
// Always holds: the work is bounded, however many rows the bytes claim.

@testable import ListModel

/// Records in an array.
final class FuzzLog: CommitSource, @unchecked Sendable {
    struct Missing: Error {}

    // Only the thread that runs a target uses it.
    private(set) var records: [[UInt8]]

    init(_ records: [[UInt8]] = []) { self.records = records }

    func append(_ record: [UInt8]) { records.append(record) }

    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard version.rawValue >= 1, version.rawValue <= UInt64(records.count) else { throw Missing() }
        try records[Int(version.rawValue) - 1].withUnsafeBytes(body)
    }
}

/// Runs `body`. An error of hostile bytes is an answer; others are passed on.
@discardableResult
func answer(_ body: () throws -> Void) throws -> Bool {
    do {
        try body()
        return true
    } catch  where error is RecordError || error is ListError || error is NodeError || error is FuzzLog.Missing {
        return false
    }
}

enum ListUse {
    /// The most sections, and rows of a section, that are looked at.
    private static let most = 40

    /// Reads some rows of a snapshot: the first, the last, and one in the middle; looks each up.
    static func read(_ snapshot: UntypedSnapshot, _ source: some CommitSource) throws {
        for section in snapshot.sections.prefix(most) {
            let count = section.items.count
            for (row, item) in section.items.prefix(most).enumerated() {
                try answer { _ = try source.withContent(of: item.content) { $0.count } }
                if row % 8 == 0 { _ = section.outline.subtree(of: row) }
            }
            for row in [count / 2, count - 1] where 0..<count ~= row {
                _ = section.items[row].id
                _ = section.outline.parent(of: row)
            }
        }
    }

    /// Edits, undoes, redoes and checks out, each as a commit of its own. An edit that throws must change nothing.
    static func edit(_ editor: inout UntypedEditor, _ log: FuzzLog) throws {
        let time = Timestamp(microseconds: 7)
        func attempt(_ editor: inout UntypedEditor, _ body: (inout UntypedEditor) throws -> Commit?) throws {
            let before = editor.state.version
            let isDone = try answer { if let commit = try body(&editor) { log.append(commit.record) } }
            try BrokenPromise.check(
                isDone || editor.state.version == before, "an edit that threw made version \(editor.state.version)")
        }
        func edit(_ editor: inout UntypedEditor, _ body: (inout UntypedEditor) throws -> Void) throws {
            try attempt(&editor) { try $0.commit(CommitDraft(name: "edit", time: time), body) }
        }
        try edit(&editor) { list in
            let rows = [NewRow(id: "new", content: [1]), NewRow(id: -9, content: [])]
            try list.insertSection(NewSection(id: "fresh", title: "f", items: rows))
        }
        try edit(&editor) { try $0.insert(NewRow(id: "first", content: [2]), at: .at(ListIndexPath(0, 0))) }
        try edit(&editor) { try $0.toggle(.at(ListIndexPath(0, 1))) }
        try edit(&editor) { try $0.move(.at(ListIndexPath(0, 1)), to: .end(ofSection: "fresh")) }
        try edit(&editor) { try $0.delete(.run(ListIndexPath(0, 1), count: 3)) }
        try edit(&editor) { try $0.changeDepth(of: .at(ListIndexPath(0, 0)), by: 1) }
        try edit(&editor) { try $0.moveSection(.at(0), to: .end) }
        try attempt(&editor) { try $0.undo(time: time).commit }
        try attempt(&editor) { try $0.undo(time: time, onConflict: .skip).commit }
        try attempt(&editor) { try $0.redo(time: time).commit }
        let newest = editor.state.version
        for version in [Version(newest.rawValue / 2), .empty, newest] {
            try attempt(&editor) { try $0.go(to: version, time: time, onConflict: .skip).commit }
        }
        for version in [Version(1), Version(newest.rawValue / 2 + 1)] {
            try attempt(&editor) {
                try $0.revert(version, as: CommitDraft(name: "", time: time), onConflict: .skip).commit
            }
        }
        try attempt(&editor) { try $0.restore(Version(1), as: CommitDraft(name: "", time: time)) }
        try edit(&editor) { try $0.deleteSection(.at(0)) }
        try edit(&editor) { try $0.deleteAll() }
    }
}
