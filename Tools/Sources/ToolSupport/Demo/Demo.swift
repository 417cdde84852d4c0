// The guided demo: a real list is edited, undone, branched, shared and shown in its past; a writer is killed, and the
// store recovers.
//
// Always holds: the library does everything that is shown on a real file; all printed results are computed.

import ListModel
import Listory

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Shows the purpose of the project in a few seconds.
public struct Demo {
    let style: TerminalStyle
    private let folder: URL
    let print: (String) -> Void

    var path: String { folder.appendingPathComponent("release.listory").path }

    /// A demo in a folder of its own.
    ///
    /// - Parameters:
    ///   - style: colours and weights of the text.
    ///   - print: prints a line.
    public init(style: TerminalStyle, print: @escaping (String) -> Void) throws {
        self.style = style
        self.print = print
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("listory-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Runs the demo from beginning to end.
    ///
    /// - Parameter writer: the command that lets a child process write to a store: see ``DemoWriter``.
    public func run(writer: (_ path: String) -> [String]) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        print(style.bold("Listory: a list with a history"))
        print(style.faint("Every edit is an event in a log; the rows are the fold of the log."))
        let store = try importList()
        try edit(store)
        try undoAndRedo(store)
        try branchOff(store)
        try store.close()
        try undoOwnSteps()
        try timeTravel()
        let crash = DemoCrash(path: path, style: style, print: print)
        heading("7  Killed in mid-write, three times")
        for round in 1...3 { try crash.run(round: round, command: writer(path)) }
        try verify()
        whatNext()
    }

    func heading(_ text: String) {
        print("")
        print(style.bold(text))
    }

    // MARK: Steps

    private func importList() throws -> UntypedStore {
        heading("1  The project's own release checklist, imported from Markdown")
        let markdown = folder.appendingPathComponent("ReleaseChecklist.md")
        try Data(PackageResources.ReleaseChecklist_md).write(to: markdown)
        let store = try UntypedStore.create(at: path)
        var list = try ListImport(path: markdown.path, format: .markdown)
        try list.apply(to: store)
        try show(store.snapshot, store)
        return store
    }

    private func edit(_ store: UntypedStore) throws {
        heading("2  Some edits, each with what a list view would play")
        let snapshot = try store.snapshot
        let docs = snapshot.sections[0]
        let tests = snapshot.sections[1]
        try change(store, "Check \"Read the architecture page …\"") { try $0.toggle(.item(docs.items[2].id)) }
        try change(store, "Move \"300 kills …\" to the top") { list in
            try list.move(.item(tests.items[2].id), to: .section(tests.id, at: 0))
        }
        try change(store, "Hand the README over to the release section") { list in
            try list.move(.item(docs.items[4].id), to: .before(snapshot.sections[3].items[0].id))
        }
        try change(store, "Add a task, and check three others: one commit") { list in
            let content = Array(#"{"title":"Thank everybody who reported a bug"}"#.utf8)
            try list.insert(NewRow(id: "thanks", content: content), at: .end(ofSection: snapshot.sections[3].id))
            try list.setChecked(true, for: .items(snapshot.sections[2].items.map(\.id)))
        }
        try change(store, "Move the figures before the tests") { list in
            try list.moveSection(.at(2), to: .at(1))
        }
    }

    func change(
        _ store: UntypedStore, _ name: String, origin: String = "demo", _ body: (inout UntypedEditor) throws -> Void
    ) throws {
        let before = try store.snapshot
        try store.edit(name, origin: origin, body)
        try tell(name, from: before, store)
    }

    private func undoAndRedo(_ store: UntypedStore) throws {
        heading("3  Undo and redo: they append, nothing is rewritten")
        let before = try store.snapshot
        for _ in 0..<3 { try revert(store, "undo") { try store.undo() } }
        for _ in 0..<3 { try revert(store, "redo") { try store.redo() } }
        let after = try store.snapshot
        print("")
        print("  the rows before  \(before.stateHash)  version \(before.version)")
        print("  the rows after   \(after.stateHash)  version \(after.version)")
        let verdict = before.stateHash == after.stateHash ? style.green("the same") : style.red("not the same")
        print("  three undos and three redos: \(verdict)")
    }

    func revert(_ store: UntypedStore, _ verb: String, _ body: () throws -> Reversal) throws {
        let before = try store.snapshot
        let commit = try body().commit
        try tell("\(verb): \(commit?.name ?? "")", from: before, store)
    }

    private func timeTravel() throws {
        heading("6  Any moment of the past")
        let store = try UntypedStore.open(at: path)
        for version in try [Version(1), Version(3), store.version] {
            let snapshot = try store.snapshot(at: version)
            let checked = snapshot.sections.reduce(0) { $0 + $1.items.count(where: \.isChecked) }
            print("  version \(version): \(snapshot.itemCount) rows, \(checked) checked, hash \(snapshot.stateHash)")
        }
        let changes = try store.changeset(from: Version(1), to: store.version)
        print("  from version 1 to now: \(changes.summary)")
        print("")
        try show(store.snapshot, store)
        try store.close()
    }

    private func verify() throws {
        let verification = try StoreVerification(path: path)
        print(
            "  \(style.green("verified")): every page, \(verification.commitCount) commits, "
                + "\(verification.eventCount) events, the hash of every version")
    }

    private func whatNext() {
        heading("Try next")
        print("  Tools/run new my.listory")
        print("  Tools/run import my.listory README.md --format lines")
        print("  Tools/run log my.listory")
    }

    // MARK: Telling

    private func show(_ snapshot: UntypedSnapshot, _ store: UntypedStore) throws {
        try SnapshotReport(snapshot, source: store.source).text(style) { bytes in
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") { print("  \(line)") }
        }
    }

    private func tell(_ name: String, from before: UntypedSnapshot, _ store: UntypedStore) throws {
        print("")
        print("  \(style.bold(name))")
        let report = DifferenceReport(from: before, to: try store.snapshot, source: store.source)
        for line in try report.text(style).split(separator: "\n").dropFirst() { print("    \(line)") }
    }
}

extension Changeset {
    /// How many changes of each kind.
    fileprivate var summary: String {
        let counts = [
            (items.deleted.count + sections.deleted.count, "deleted"),
            (items.inserted.count + sections.inserted.count, "inserted"),
            (items.moved.count + sections.moved.count, "moved"),
            (items.updated.count + sections.updated.count, "updated"),
        ]
        return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}
