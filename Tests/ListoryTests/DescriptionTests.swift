// Tests what people see of values in `print`, in `dump` and in a debugger: the rows and what changed, and no bytes, references or locks.

import Foundation
import Listory
import TestSupport
import Testing

private struct Note: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
}

/// What `dump` prints.
private func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
}

@Suite("What people see of values")
struct DescriptionTests {
    private let folder: TemporaryFolder
    private let path: String
    private let store: ListStore<String, Note>

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/notes.listory"
        store = try ListStore<String, Note>.open(at: path, createIfMissing: true)
    }

    private func edit() throws {
        try store.edit("Add", origin: "anna") { list in
            try list.insert([Note(id: 1, title: "Milk"), Note(id: 2, title: "Tea")], at: .end(of: "today"))
            try list.toggle(2)
        }
    }

    @Test("an empty snapshot, changeset and transition say that there is nothing")
    func empty() throws {
        let snapshot = try store.snapshot
        let transition = ListTransition(from: snapshot.core, to: snapshot.core)
        #expect("\(snapshot)" == "version 0")
        #expect("\(Changeset())" == "no changes")
        #expect("\(transition)" == "0 → 0: no changes")
        #expect(dumped(snapshot).contains("version: 0"))
        #expect(String(reflecting: transition) == "0 → 0: no changes")
    }

    @Test("snapshots, sections and rows show the rows")
    func rows() throws {
        try edit()
        let snapshot = try store.snapshot
        let section = try #require(snapshot.sections.first)
        #expect("\(snapshot)" == "version 1\ntoday\n  [ ] Milk\n  [x] Tea")
        #expect("\(section)" == "today (2 rows)")
        #expect(section.rows.map(\.description) == ["[ ] Milk", "[x] Tea"])
        for text in [dumped(snapshot), dumped(section), dumped(Array(section.rows))] {
            #expect(text.contains("title: \"Milk\"") && text.contains("isChecked: true"), "\(text)")
            #expect(!text.contains("coder") && !text.contains("Mutex"), "\(text)")
        }
    }

    @Test("updates, transitions, changesets and commits show what changed, who did it and when")
    func changes() async throws {
        let updates = try store.updates()
        let before = try store.snapshot
        try edit()
        var iterator = updates.makeAsyncIterator()
        let update = try #require(await iterator.next())
        let transition = ListTransition(from: before.core, to: try store.snapshot.core)
        let changed = "inserted section 0, inserted [0, 0] [0, 1]"
        #expect("\(update.changeset)" == changed)
        #expect("\(transition)" == "0 → 1: \(changed)")
        #expect("\(update)".hasPrefix("1 \"Add\" by anna, 20") && "\(update)".hasSuffix(": \(changed)"))
        #expect("\(update.cause)".hasPrefix("1 \"Add\" by anna, 20"))
        #expect(String(reflecting: update) == "\(update)")
        for text in [dumped(update), dumped(transition)] {
            #expect(text.contains("changeset") && text.contains(changed), "\(text)")
            #expect(!text.contains("coder") && !text.contains("Mutex") && !text.contains("tree"), "\(text)")
        }
    }

    @Test("a row that cannot be decoded says so, and why")
    func damaged() throws {
        try edit()
        try store.close()
        struct Other: Codable, Identifiable, Sendable { var id: Int; var other: Bool }
        let other = try ListStore<String, Other>.open(at: path)
        let snapshot = try other.snapshot
        let row = try #require(snapshot.rows.first)
        #expect("\(row)".hasPrefix("[ ] 1: unreadable: "))
        #expect("\(snapshot)".contains("  [ ] 1: unreadable: "))
        #expect(String(reflecting: row).hasPrefix("[ ] 1: unreadable: "))
        #expect(dumped(row).contains("unreadable"))
    }

    @Test("an error says in every form what failed")
    func errors() throws {
        try edit()
        let error = try #require(throws: (any Error).self) { try store.edit("Check") { try $0.toggle(9) } }
        #expect("\(error)".contains("9"))
        #expect(String(reflecting: error) == "\(error)")
        #expect(error.localizedDescription == "\(error)")
    }
}
