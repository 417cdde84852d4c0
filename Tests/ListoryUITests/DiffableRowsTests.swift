// Tests the rows that fill Apple's diffable snapshots.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport
import Testing

private struct Word: Codable, Identifiable, Sendable {
    var id: String
}

@MainActor
@Suite("Rows for a diffable data source")
struct DiffableRowsTests {
    @Test("They have all ids in order, and the ids of rows whose content changed")
    func rows() throws {
        let fixture = try DriverFixture([["a", "b"], ["c"], []])
        let before = try fixture.store.snapshot
        let rows = try DiffableRows(before)
        #expect(rows.sections.map(\.id) == ["A", "B", "C"] && rows.sections.map(\.items) == [[1, 2], [3], []])
        #expect(rows.reconfigured.isEmpty && rows.retitled.isEmpty)
        try fixture.store.edit("Edit") { list in
            try list.toggle(2)
            try list.move(2, to: .end(of: "C"))
            try list.delete(1)
            try list.renameSection("B", to: "Later")
        }
        let changed = try DiffableRows(from: before, to: fixture.store.snapshot)
        #expect(changed.sections.map(\.items) == [[], [3], [2]])
        #expect(changed.reconfigured == [2] && changed.retitled == ["B"])
    }

    @Test("Two ids that are equal for Swift are an error instead of a crash")
    func duplicates() throws {
        let folder = try TemporaryFolder()
        let store = try ListStore<String, Word>.open(at: folder.file("words"), createIfMissing: true)
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        try store.edit("Start") { try $0.insertSection("A", items: [Word(id: composed)]) }
        _ = try DiffableRows(store.snapshot)
        try store.edit("Add") { try $0.insert(Word(id: decomposed), at: .end(of: "A")) }
        #expect(throws: ListError.duplicateItem(.string(decomposed))) { try DiffableRows(store.snapshot) }
        try store.edit("Sections") { list in
            try list.delete(decomposed)
            try list.insertSection(composed)
            try list.insertSection(decomposed)
        }
        #expect(throws: ListError.duplicateSection(.string(decomposed))) { try DiffableRows(store.snapshot) }
    }
}
