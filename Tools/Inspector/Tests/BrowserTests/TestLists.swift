// The stores that the page shows in tests.
//
// Always holds: every call makes the same commits.

import Foundation
import ListModel
import Listory
import Synchronization
import TestSupport
import ToolSupport

/// A store in a folder of its own.
struct TestList {
    let folder: TemporaryFolder
    let store: UntypedStore

    var path: String { folder.file("shopping.listory") }

    init(durability: Durability = .immediate) throws {
        folder = try TemporaryFolder.inMemory()
        let times = TestTimes()
        var options = StoreOptions()
        options.coalescing = .never
        options.durability = durability
        options.now = { times.next() }
        store = try UntypedStore.create(at: folder.file("shopping.listory"), options: options)
    }

    /// A shopping list with some history: inserts, updates, moves, checkmarks, deletions, a branch, another origin.
    static func shopping() throws -> TestList {
        let list = try TestList()
        let store = list.store
        try store.edit("New list") { edit in
            try edit.insertSection(NewSection(id: "today", title: "Today", items: [row(1, "Milk"), row(2, "Bread")]))
        }
        try store.edit("Add later") { edit in
            try edit.insertSection(NewSection(id: "later", title: "Later", items: [row(3, "Paint the shed")]))
        }
        try store.edit("Add fruit") {
            try $0.insert([row(4, "Apples"), row(5, "Pears")], at: .end(ofSection: "today"))
        }
        try store.edit("Oat milk", origin: "anna") { try $0.update(1, content: content("Oat milk")) }
        try store.edit("Check bread") { try $0.toggle(.item(2)) }
        try store.edit("Move pears") { try $0.move(.item(5), to: .section("today", at: 0)) }
        try store.edit("Delete apples", origin: "anna") { try $0.delete(.item(4)) }
        try store.undo()
        try store.edit("Add tea") { try $0.insert([row(6, "Tea")], at: .end(ofSection: "later")) }
        try store.edit("Rename") { try $0.renameSection(.section("later"), to: "Next week") }
        try store.undo(2)
        try store.edit("Add coffee") { try $0.insert([row(7, "Coffee")], at: .section("later", at: 0)) }
        try store.edit("Two changes") { edit in
            try edit.update(7, content: content("Coffee beans, 1 kg"))
            try edit.toggle(.item(7))
        }
        try store.waitUntilDurable()
        return list
    }

    /// Deletes a row, so that the trash has something.
    func deletePaint() throws {
        try store.edit("Delete paint", origin: "anna") { try $0.delete(.item(3)) }
        try store.waitUntilDurable()
    }

    static func row(_ id: UntypedID, _ title: String) -> NewRow { NewRow(id: id, content: content(title)) }

    static func content(_ title: String) -> [UInt8] { JSONValue.object(["title": .string(title)]).bytes }

    /// The lines that the page should show of a version.
    func lines(at version: UInt64) throws -> [ShownLine] {
        let rows = try store.snapshot(at: Version(version))
        var lines: [ShownLine] = []
        try rows.reading {
            for section in rows.sections {
                lines.append(ShownLine(title: section.title.visible, isChecked: nil))
                for item in section.items {
                    let title = try store.source.withContent(of: item.content) { RowContent.title($0) }
                    lines.append(ShownLine(title: title.visible, isChecked: item.isChecked))
                }
            }
        }
        return lines
    }

    var newest: UInt64 { get throws { try store.version.rawValue } }
}

/// A clock of which a minute passes with each commit.
private final class TestTimes: Sendable {
    private let now = Mutex(Int64(1_772_366_400_000_000))

    func next() -> Timestamp {
        now.withLock { now in
            now += 60_000_000
            return Timestamp(microseconds: now)
        }
    }
}
