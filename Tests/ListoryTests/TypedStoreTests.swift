// Tests the typed façade: an app's own ids and items.

import Foundation
import ListModel
@testable import Listory
import TestSupport
import Testing

private struct Task: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
}

private enum Day: String, SectionIdentifier { case today, tomorrow }

@Suite("A typed store")
struct TypedStoreTests {
    private static func open(_ folder: TemporaryFolder) throws -> ListStore<Day, Task> {
        try ListStore.open(at: folder.file("tasks.listory"), createIfMissing: true)
    }

    private static func titles(_ snapshot: ListSnapshot<Day, Task>) throws -> [[String]] {
        snapshot.sections.map { section in
            section.rows.map { ($0.isChecked ? "x " : "") + $0.item!.title }
        }
    }

    @Test("Rows and sections are read by position, and versions one after another")
    func positions() throws {
        let store = try Self.open(try TemporaryFolder())
        try store.edit("Start") { list in
            try list.insertSection(.today, items: [])
            try list.insertSection(.tomorrow, items: [Task(id: 1, title: "Milk"), Task(id: 2, title: "Tea")])
        }
        try store.edit("More") { try $0.insert(Task(id: 3, title: "Bread"), at: .start(of: .today)) }
        let snapshot = try store.snapshot
        #expect(snapshot.rows.indices.map { snapshot.rows[$0].id } == [3, 1, 2])
        #expect(snapshot.rows.map(\.id) == [3, 1, 2] && snapshot.rows.reversed().map(\.id) == [2, 1, 3])
        #expect(snapshot.sections[1].id == .tomorrow && snapshot.sections[1].rows[0].id == 1)
        let newest = try store.version
        #expect(try (store.oldestVersion...newest).map { try store.snapshot(at: $0).rows.count } == [0, 2, 3])
        #expect(try store.snapshot(at: 1).rows.map(\.id) == [1, 2] && store.snapshot(at: 0).rows.isEmpty)
        #expect(Version(7).distance(to: Version(3)) == -4 && Version(7).advanced(by: -4) == Version(3))
        #expect(Version(0).distance(to: Version(5)) == 5 && Version(0).advanced(by: 5) == Version(5))
    }

    @Test("Edits by the app's ids show the app's items, and survive reopening")
    func edits() throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder)
        try store.edit("Start") { list in
            try list.insertSection(
                .today, title: "Today", items: [Task(id: 1, title: "Milk"), Task(id: 2, title: "Tea")])
            try list.insertSection(.tomorrow, title: "Tomorrow")
            try list.insert(Task(id: 3, title: "Bread"), isChecked: true, at: .before(2))
            try list.insert([Task(id: 4, title: "Rice"), Task(id: 5, title: "Salt")], at: .end(of: .tomorrow))
        }
        #expect(try Self.titles(store.snapshot) == [["Milk", "x Bread", "Tea"], ["Rice", "Salt"]])
        try store.edit("More") { list in
            try list.toggle(1)
            try list.update(Task(id: 2, title: "Green tea"))
            #expect(try list.item(2) == Task(id: 2, title: "Green tea"))
            try list.move(5, to: .section(.today, at: 0))
            try list.delete(4)
            #expect(try list.indexPath(of: 5) == ListIndexPath(section: 0, item: 0))
            try list.renameSection(.tomorrow, to: "Later")
            try list.moveSection(.tomorrow, to: .at(0))
        }
        let expected = [[], ["Salt", "x Milk", "x Bread", "Green tea"]]
        #expect(try Self.titles(store.snapshot) == expected)
        #expect(try store.snapshot.sections.map(\.title) == ["Later", "Today"])
        try store.close()

        let reopened = try Self.open(folder)
        #expect(try Self.titles(reopened.snapshot) == expected)
        #expect(try reopened.item(2)?.title == "Green tea")
        #expect(try reopened.indexPath(of: 3) == ListIndexPath(section: 1, item: 2))
        #expect(try reopened.snapshot.row(at: ListIndexPath(section: 1, item: 1))?.id == 1)
        try reopened.undo()
        #expect(try Self.titles(reopened.snapshot) == [["Milk", "x Bread", "Tea"], ["Rice", "Salt"]])
        #expect(try Self.titles(reopened.snapshot(at: Version(2))) == expected)
        try reopened.redo()
        #expect(try Self.titles(reopened.snapshot) == expected)
        try reopened.close()
    }

    @Test("A typed store has the functions of a store that do not concern items: commits, versions, durability")
    func ofAnyItems() throws {
        let store = try Self.open(TemporaryFolder())
        try store.edit("Start") { try $0.insertSection(.today, items: [Task(id: 1, title: "Milk")]) }
        let first = try store.version
        try store.edit("Check", durability: .deferred) { try $0.toggle(1) }
        let second = try store.version
        try store.waitUntilDurable(second)
        #expect(try store.durableVersion == second && store.version == second && store.oldestVersion == .empty)
        #expect(try store.commit(first).name == "Start")
        var names: [String] = []
        try store.forEachCommit(in: first...second) { names.append($0.name) }
        #expect(names == ["Start", "Check"])
        #expect(try store.changeset(from: first, to: second).items.updated == [ListIndexPath(section: 0, item: 0)])
        #expect(try store.undoState().undoTitle() == "Undo Check" && store.core.core === store.core)
        try store.close(discardingUnappended: true)
    }

    @Test("Items that are already encoded are stored without a call of the encoder, and make equal rows")
    func encodedBefore() throws {
        let folder = try TemporaryFolder()
        let calls = Locked(0)
        var coder = ContentCoder<Task>.json
        coder.encode = { [encode = coder.encode] item in
            calls.withLock { $0 += 1 }
            return try encode(item)
        }
        let store = try ListStore<Day, Task>.open(at: folder.file("tasks"), createIfMissing: true, coder: coder)
        let tasks = (0..<5_000).map { Task(id: $0, title: "Task \($0)") }
        let rows = try store.encoded(tasks)
        #expect(calls.withLock { $0 } == tasks.count)
        let one = try store.encoded(Task(id: 9_000, title: "One"), isChecked: true)
        let other = try store.encoded(Task(id: 0, title: "Other"))
        calls.withLock { $0 = 0 }
        try store.edit("Import") { list in
            try list.insertSection(.today, items: Array(rows.prefix(2_000)))
            try list.insert(Array(rows.dropFirst(2_000)), at: .end(of: .today))
            try list.insert(one, at: .section(.today, at: 0))
            try list.update(other)
        }
        #expect(calls.withLock { $0 } == 0)
        let titles = tasks.dropFirst().map(\.title)
        #expect(try Self.titles(store.snapshot) == [["x One", "Other"] + titles])
        try store.edit("Reload") { list in
            try list.reload([EncodedSection(id: .tomorrow, items: [rows[7], one])])
        }
        #expect(calls.withLock { $0 } == 0)
        #expect(try Self.titles(store.snapshot) == [["Task 7", "x One"]])
        try store.undo()
        #expect(try Self.titles(store.snapshot) == [["x One", "Other"] + titles])
        try store.close()
    }

    @Test("The error for items that cannot be encoded names the first of them")
    func encodingFails() throws {
        struct Refused: Error, Equatable { let id: Int }
        let folder = try TemporaryFolder()
        let coder = ContentCoder<Task>(
            encode: { item in
                if item.id % 1_500 == 1_400 { throw Refused(id: item.id) }
                return []
            }, decode: { _ in Task(id: 0, title: "") })
        let store = try ListStore<Day, Task>.open(at: folder.file("tasks"), createIfMissing: true, coder: coder)
        #expect(throws: ListError.unencodable(1_400, cause: Refused(id: 1_400))) {
            try store.encoded((0..<5_000).map { Task(id: $0, title: "") })
        }
        try store.close()
    }

    @Test("Storing the same item again makes no commit")
    func sameItem() throws {
        let store = try Self.open(TemporaryFolder())
        try store.edit("Start") { try $0.insertSection(.today, items: [Task(id: 1, title: "Milk")]) }
        let version = try store.version
        try store.edit("Same") { try $0.update(Task(id: 1, title: "Milk")) }
        #expect(try store.version == version)
    }

    @Test("A reload keeps the identity of rows, and its changeset shows it")
    func reload() throws {
        let store = try Self.open(TemporaryFolder())
        try store.edit("Start") { list in
            try list.insertSection(.today, items: (0..<6).map { Task(id: $0, title: "task \($0)") })
        }
        let before = try store.snapshot
        try store.edit("Reload") { list in
            let rows = [0, 2, 3, 1, 5].map { (item: Task(id: $0, title: "task \($0)"), isChecked: $0 == 3) }
            try list.reload([.init(id: .today, rows: rows)])
        }
        let changes = try store.snapshot.changeset(from: before)
        #expect(changes.items.deleted == [ListIndexPath(section: 0, item: 4)])
        #expect(changes.items.inserted.isEmpty)
        #expect(changes.items.moved.count == 1)
        #expect(changes.items.updated == [ListIndexPath(section: 0, item: 2)])
    }

    @Test("Updates arrive with the app's items")
    func updates() async throws {
        let store = try Self.open(TemporaryFolder())
        try await store.edit("Start") { try $0.insertSection(.today, items: [Task(id: 1, title: "Milk")]) }
        let updates = try store.updates()
        try await store.edit("Check milk", origin: "phone") { try $0.toggle(1) }
        try store.close()
        var causes: [String] = []
        for await update in updates {
            causes.append("\(update.cause.name) by \(update.cause.origin)")
            #expect(update.changeset.items.updated == [ListIndexPath(section: 0, item: 0)])
        }
        #expect(causes == ["Check milk by phone"])
    }

    @Test("Content can have another encoding")
    func coder() throws {
        let folder = try TemporaryFolder()
        let coder = ContentCoder<Task>(
            encode: { Array("\($0.id):\($0.title)".utf8) },
            decode: { bytes in
                let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":", maxSplits: 1)
                return Task(id: Int(parts[0])!, title: String(parts[1]))
            })
        let store = try ListStore<String, Task>.open(
            at: folder.file("tasks.listory"), createIfMissing: true, coder: coder)
        try store.edit("Start") { try $0.insertSection("a", items: [Task(id: 1, title: "x:y")]) }
        #expect(try store.item(1) == Task(id: 1, title: "x:y"))
        let content = try #require(try store.core.item(1)).content
        #expect(try store.core.source.content(of: content) == Array("1:x:y".utf8))
    }

    @Test("Integers, UUIDs, strings and enumerations convert to identifiers and back")
    func identifiers() {
        let uuid = UUID()
        #expect(Int(untypedID: .integer(7)) == 7 && 7.untypedID == .integer(7))
        #expect(Int64(untypedID: .integer(-1)) == -1 && Int64(-1).untypedID == .integer(-1))
        #expect(String(untypedID: .string("a")) == "a" && "a".untypedID == .string("a"))
        #expect(UUID(untypedID: uuid.untypedID) == uuid)
        #expect(Day(untypedID: Day.today.untypedID) == .today && Day(untypedID: .string("never")) == nil)
    }
}
