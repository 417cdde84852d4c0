// Tests the table of merges in `Docs/Design/History.md`, row by row: an edit of one origin, then an edit of another,
// then the undo of the first. Rows are written in the format of `MergeRows`.

@testable import ListModel
import TestSupport
import Testing

/// The rows of a list as text: "s0[1 2* 3=99] s1(title)[]".
enum MergeRows {
    /// - Parameter list: content that equals the row's number, and a title that equals the section's id, are left out.
    static func text(_ list: ReferenceList) -> String {
        list.sections.map { section in
            let id = text(section.id)
            let title = section.title == id ? "" : "(\(section.title))"
            return "\(id)\(title)[\(section.items.map(text).joined(separator: " "))]"
        }.joined(separator: " ")
    }

    private static func text(_ id: UntypedID) -> String {
        if case .string(let text) = id { text } else { "\(id)" }
    }

    private static func text(_ item: ReferenceItem) -> String {
        var text = text(item.id)
        if item.content.map({ "\($0)" }) != [text] { text += "=" + item.content.map { "\($0)" }.joined(separator: ",") }
        if item.isChecked { text += "*" }
        if item.depth > 0 { text += ">\(item.depth)" }
        if item.isCollapsed { text += "-" }
        return text
    }
}

/// A row of the table: an edit of one origin, then an edit of another, and the result of the first one's undo.
struct MergeCase: CustomTestStringConvertible, Sendable {
    typealias Edit = @Sendable (inout UntypedEditor) throws -> Void

    let testDescription: String
    let mine: Edit
    let others: Edit
    let rows: String
    let conflicts: [MergeConflict]
    /// Whether nothing is left to do, so that the undo is a commit without events.
    let isEmpty: Bool

    init(
        _ name: String, _ mine: @escaping Edit, others: @escaping Edit, gives rows: String,
        _ conflicts: MergeConflict..., isEmpty: Bool = false
    ) {
        (testDescription, self.mine, self.others, self.rows) = (name, mine, others, rows)
        (self.conflicts, self.isEmpty) = (conflicts, isEmpty)
    }

    /// The rows before both edits.
    static let start = "s0[1 2 3 4 5] s1[11 12] s2[21 22] s3[]"

    /// A list of these rows.
    static func list() throws -> KeptList {
        var list = KeptList()
        try list.commit(tracking: .untracked) { editor in
            for (index, rows) in [Array(1...5), [11, 12], [21, 22], []].enumerated() {
                try editor.insertSection(NewSection(index, rows))
            }
        }
        return list
    }
}

extension MergeConflict {
    static func item(_ id: UntypedID, _ reason: Reason) -> MergeConflict { MergeConflict(.item(id), reason) }
    static func section(_ id: UntypedID, _ reason: Reason) -> MergeConflict { MergeConflict(.section(id), reason) }
}

@Suite("Undo among edits of others, case by case")
struct MergeTableTests {
    /// The list after both edits.
    private func edited(_ row: MergeCase) throws -> KeptList {
        var list = try MergeCase.list()
        #expect(MergeRows.text(try list.contents()) == MergeCase.start)
        try list.commit("mine", by: "a", row.mine)
        try list.commit("others", by: "b", row.others)
        return list
    }

    @Test("If conflicts are skipped, the rest is applied", arguments: MergeCase.all)
    func skip(row: MergeCase) throws {
        var list = try edited(row)
        let histories = list.editor.state.histories
        let reversal = try list.undo("a", onConflict: .skip)
        #expect(MergeRows.text(try list.contents()) == row.rows)
        #expect(reversal.conflicts == row.conflicts)
        let commit = try #require(reversal.commit)
        #expect(commit.eventCount == 0 || !row.isEmpty)
        #expect(commit.cause == .undo(of: Version(2)) && commit.name == "mine" && commit.origin == "a")
        // The position moves even if conflicts were skipped; the other origin's position does not.
        #expect(list.editor.state.history(of: .origin("a")).undoCount == 0)
        #expect(list.editor.state.history(of: .origin("a")).redoCount == 1)
        #expect(list.editor.state.history(of: .origin("b")) == histories[.origin("b")])
        try list.editor.checkInvariants()
        var other = try list.replayed()
        #expect(other.snapshot().stateHash == list.editor.snapshot().stateHash)
        #expect(throws: ListError.nothingToUndo(requested: 1, available: 0)) {
            try list.undo("a", onConflict: .skip)
        }
    }

    @Test(
        "If conflicts are refused, nothing changes; without conflicts all policies have the same result",
        arguments: MergeCase.all)
    func refuse(row: MergeCase) throws {
        var list = try edited(row)
        let (before, head, histories) = (try list.contents(), list.log.head, list.editor.state.histories)
        let hash = list.editor.snapshot().stateHash
        if row.conflicts.isEmpty {
            for policy in [.refuse, .mine] as [ConflictPolicy] {
                var list = try edited(row)
                let reversal = try list.undo("a", onConflict: policy)
                #expect(MergeRows.text(try list.contents()) == row.rows, "\(policy)")
                #expect(reversal.conflicts.isEmpty)
                try list.editor.checkInvariants()
            }
        } else {
            #expect(throws: ListError.conflicts(row.conflicts)) { try list.undo("a") }
            #expect(try list.contents() == before)
            #expect(list.log.head == head)
            #expect(list.editor.snapshot().stateHash == hash && list.editor.state.histories == histories)
            #expect(!list.editor.isEditing && list.editor.pendingEventCount == 0)
            // Later edits are not affected either.
            try list.commit(by: "b") { try $0.insertSection(NewSection(7), at: .end) }
            #expect(list.log.head == head.next)
        }
        try list.editor.checkInvariants()
    }

    @Test("A revert of the same commit by a third origin has the same result", arguments: MergeCase.all)
    func revert(row: MergeCase) throws {
        var list = try edited(row)
        let draft = CommitDraft(name: "revert", origin: "c", time: list.now(), tracking: .own)
        let reversal = try list.editor.revert(Version(2), as: draft, onConflict: .skip)
        list.keep(reversal.commit)
        #expect(MergeRows.text(try list.contents()) == row.rows)
        #expect(reversal.conflicts == row.conflicts)
        #expect((reversal.commit == nil) == row.isEmpty)
        try list.editor.checkInvariants()
        if row.isEmpty { return }
        // The revert can itself be undone, which restores the results of both edits, because there was no edit since.
        try list.undo("c")
        let before = try list.log.commit(Version(3)).stateHash
        #expect(list.editor.snapshot().stateHash == before)
    }

    @Test("Without edits of others undo and redo are exact", arguments: MergeCase.all)
    func alone(row: MergeCase) throws {
        var list = try MergeCase.list()
        try list.commit(by: "a", row.mine)
        let after = try list.contents()
        try list.undo("a")
        #expect(MergeRows.text(try list.contents()) == MergeCase.start)
        try list.redo("a")
        #expect(try list.contents() == after)
    }

    @Test("Every kind of conflict is in the table")
    func completeness() {
        let reasons = Set(MergeCase.all.flatMap(\.conflicts).map(\.reason))
        #expect(reasons == Set(MergeConflict.Reason.allCases))
    }
}
