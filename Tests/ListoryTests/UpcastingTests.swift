// Tests items that earlier versions of an app wrote: a later version reads, edits, undoes and searches them.

import Foundation
@testable import ListModel
@testable import Listory
import TestSupport
import Testing

private struct TodoV1: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var name: String
}

private struct TodoV2: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
    var tags: [String]
}

private struct TodoV3: Codable, Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
    var tags: [String]
    var due: Int?
}

/// The set of titles, read from items of the newest version.
private struct Titles: ItemProjection, Codable, Equatable {
    static let name = "titles"
    static let version = 1
    var counts: [String: Int] = [:]

    mutating func apply(_ event: ListEvent, in context: ItemEventContext<TodoV3>) throws {
        switch event {
        case .itemsInserted(_, let rows): for row in rows { counts[try context.item(row).title, default: 0] += 1 }
        case .itemsDeleted(_, let rows): for row in rows { counts[try context.item(row).title]! -= 1 }
        case .itemUpdated(_, let id, let old, let new):
            counts[try context.item(old, of: id).title]! -= 1
            counts[try context.item(new, of: id).title, default: 0] += 1
        case .sectionInserted(_, let section):
            for row in section.items { counts[try context.item(row).title, default: 0] += 1 }
        default: break
        }
        counts = counts.filter { $0.value > 0 }
    }
}

private typealias Todos<Item: Codable & Identifiable & Sendable> = ListStore<String, Item>
where Item.ID: RowIdentifier

@Suite("Content of earlier versions")
struct UpcastingTests {
    private static let steps: [ContentUpcaster] = [
        .json { (old: TodoV1) in TodoV2(id: old.id, title: old.name, tags: []) },
        .json { (old: TodoV2) in TodoV3(id: old.id, title: old.title, tags: old.tags, due: nil) },
    ]
    private static let second = ContentCoder<TodoV2>.json.upcasting([steps[0]])
    private static let third = ContentCoder<TodoV3>.json.upcasting(steps)

    /// A store that was begun by a release of the app without content versions, and continued by the next release.
    private static func store() throws -> (TemporaryFolder, String) {
        let folder = try TemporaryFolder()
        let path = folder.file("todo.listory")
        let first = try Todos<TodoV1>.open(at: path, createIfMissing: true)
        try first.edit("Start") { list in
            try list.insertSection("today", items: [TodoV1(id: 1, name: "Milk"), TodoV1(id: 2, name: "Tea")])
        }
        try first.close()
        let next = try Todos<TodoV2>.open(at: path, coder: second)
        try next.edit("Add") { try $0.insert(TodoV2(id: 3, title: "Crème", tags: ["party"]), at: .end(of: "today")) }
        try next.close()
        return (folder, path)
    }

    private static func items(_ snapshot: ListSnapshot<String, TodoV3>) throws -> [TodoV3] {
        try snapshot.sections.flatMap { try $0.rows.map { try $0.content.get() } }
    }

    @Test("Items of all versions are read, edited, undone, searched and projected")
    func reading() throws {
        let (folder, path) = try Self.store()
        defer { withExtendedLifetime(folder) {} }
        let store = try Todos<TodoV3>.open(at: path, coder: Self.third)
        let before = [
            TodoV3(id: 1, title: "Milk", tags: [], due: nil), TodoV3(id: 2, title: "Tea", tags: [], due: nil),
            TodoV3(id: 3, title: "Crème", tags: ["party"], due: nil),
        ]
        #expect(try Self.items(store.snapshot) == before)
        #expect(try store.item(2) == before[1])
        let view = try store.view { $0.searchable(in: \.title) }
        try view.search("creme")
        #expect(try Self.items(view.snapshot) == [before[2]])
        #expect(try store.projection(Titles.self).value.counts == ["Milk": 1, "Tea": 1, "Crème": 1])

        let updated = TodoV3(id: 1, title: "Cream", tags: [], due: 5)
        try store.edit("Change") { list in
            #expect(try list.item(1) == before[0])
            try list.update(updated)
        }
        #expect(try Self.items(store.snapshot) == [updated, before[1], before[2]])
        try view.search("cream")
        #expect(try Self.items(view.snapshot) == [updated])
        #expect(try store.projection(Titles.self).value.counts == ["Cream": 1, "Tea": 1, "Crème": 1])
        // Back to the bytes that the first version wrote.
        try store.undo()
        #expect(try Self.items(store.snapshot) == before)
        let row = try #require(try store.core.item(1))
        #expect(try store.core.source.content(of: row.content) == Array(#"{"id":1,"name":"Milk"}"#.utf8))
        try view.search("milk")
        #expect(try Self.items(view.snapshot) == [before[0]])
        #expect(try store.projection(Titles.self).value.counts == ["Milk": 1, "Tea": 1, "Crème": 1])
        try store.redo()
        #expect(try store.item(1) == updated)
        // A copy, as the view keeps the file open.
        let copy = folder.file("copy")
        try store.core.copy(to: copy)
        _ = try StoreVerification(path: copy)
    }

    @Test("An update with an equal item is no edit, whatever version the stored item has")
    func sameItem() throws {
        let (folder, path) = try Self.store()
        defer { withExtendedLifetime(folder) {} }
        let store = try Todos<TodoV3>.open(at: path, coder: Self.third)
        let version = try store.core.version
        let items = try Self.items(store.snapshot)
        let encoded = try items.map { try store.encoded($0) }
        try store.edit("Nothing") { list in
            for item in items { try list.update(item) }
            for item in encoded { try list.update(item) }
            try list.update(items)
        }
        #expect(try store.core.version == version)
        typealias Edit = ListEdit<String, TodoV3>
        let sections = try store.snapshot.sections.map { section in
            try Edit.ReloadedSection(
                id: section.id, title: section.title,
                rows: section.rows.map { try Edit.Row(#require($0.item), isChecked: $0.isChecked) })
        }
        try store.edit("Refresh") { list in
            for section in sections { try list.apply(section.rows, toSection: section.id) }
            try list.apply(sections)
        }
        #expect(try store.core.version == version)
        try store.edit("Change") { try $0.update(TodoV3(id: 2, title: "Tea", tags: [], due: 1)) }
        #expect(try store.core.version == version.next)
        // It is stored in the newest version now, so it is compared as bytes again.
        try store.edit("Nothing") { try $0.update(TodoV3(id: 2, title: "Tea", tags: [], due: 1)) }
        #expect(try store.core.version == version.next)
    }

    @Test("An upcaster that throws is an error with row, version and upcaster; other rows are read")
    func failingStep() throws {
        struct Refusal: Error, Equatable {}
        let (folder, path) = try Self.store()
        defer { withExtendedLifetime(folder) {} }
        let failing = ContentCoder<TodoV3>.json.upcasting([
            Self.steps[0],
            .json { (old: TodoV2) in
                if old.title == "Tea" { throw Refusal() }
                return TodoV3(id: old.id, title: old.title, tags: old.tags, due: nil)
            },
        ])
        let store = try Todos<TodoV3>.open(at: path, coder: failing)
        func check(_ error: ContentError?) {
            guard let error, case .step(from: 1, to: 2, let cause) = error.problem else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(error.row == 2 && error.version == 0 && cause is Refusal)
            #expect(error.description.contains("the content of row 2 has version 0, and the step from version 1 to 2"))
        }
        check(expectCause(ContentError.self) { try store.item(2) })
        check(expectCause(ContentError.self) { try Self.items(store.snapshot) })
        #expect(try store.item(1)?.title == "Milk" && store.item(3)?.title == "Crème")
        let failed = expectCause(ProjectionError.self) { try store.projection(Titles.self).value }
        guard case .failed(_, Version(1), 0, let cause)? = failed else {
            Issue.record("\(String(describing: failed))")
            return
        }
        check(cause as? ContentError)
        let view = try store.view { $0.sorted(by: \.title) }
        #expect(try view.snapshot.rows.map(\.item?.title).last == .some(nil))
        // Content that cannot be read can still be replaced.
        try store.edit("Replace") { try $0.update(TodoV3(id: 2, title: "Tea", tags: [], due: nil)) }
        #expect(try store.item(2)?.title == "Tea")
    }

    @Test("Content of a newer version is refused by an older app, and so is content that is too old")
    func otherVersions() throws {
        let (folder, path) = try Self.store()
        defer { withExtendedLifetime(folder) {} }
        let newest = try Todos<TodoV3>.open(at: path, coder: Self.third)
        try newest.edit("Add") { try $0.insert(TodoV3(id: 4, title: "Rice", tags: [], due: 1), at: .end(of: "today")) }
        try newest.close()
        func problem<Item>(_ coder: ContentCoder<Item>, _ id: Int) throws -> ContentError?
        where Item: Codable & Identifiable & Sendable, Item.ID == Int {
            let store = try Todos<Item>.open(at: path, coder: coder)
            defer { try? store.close() }
            return expectCause(ContentError.self) { try store.item(id) }
        }
        let newer = try problem(Self.second, 4)
        guard let newer, case .newer(supported: 1) = newer.problem else {
            Issue.record("\(String(describing: newer))")
            return
        }
        #expect(newer.row == 4 && newer.version == 2)
        #expect(newer.description.contains("row 4 has version 2, and version 1 or older was expected"))
        // An app without content versions.
        guard case .noUpcasters? = try problem(ContentCoder<TodoV1>.json, 4)?.problem else {
            Issue.record("the first app reads the third version")
            return
        }
        let late = ContentCoder<TodoV3>.json.upcasting([Self.steps[1]], from: 1)
        let older = try problem(late, 1)
        guard let older, case .older(oldest: 1) = older.problem else {
            Issue.record("\(String(describing: older))")
            return
        }
        #expect(older.row == 1 && older.version == 0)
        let store = try Todos<TodoV3>.open(at: path, coder: late)
        #expect(try store.item(3)?.title == "Crème" && store.item(4)?.title == "Rice")
    }

    @Test("Formats from before the first version can be told apart by their bytes")
    func detecting() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("todo.listory")
        let first = try Todos<TodoV1>.open(at: path, createIfMissing: true)
        try first.edit("Start") { try $0.insertSection("today", items: [TodoV1(id: 1, name: "Milk")]) }
        try first.close()
        let second = try Todos<TodoV2>.open(at: path)
        try second.edit("Add") { try $0.insert(TodoV2(id: 2, title: "Tea", tags: ["hot"]), at: .end(of: "today")) }
        try second.close()
        let coder = ContentCoder<TodoV3>.json.upcasting(Self.steps) { bytes in
            String(decoding: bytes, as: UTF8.self).contains("\"title\"") ? 1 : 0
        }
        let store = try Todos<TodoV3>.open(at: path, coder: coder)
        #expect(try store.item(1) == TodoV3(id: 1, title: "Milk", tags: [], due: nil))
        #expect(try store.item(2) == TodoV3(id: 2, title: "Tea", tags: ["hot"], due: nil))
        // Without that function, the same bytes are too old.
        try store.close()
        let plain = try Todos<TodoV3>.open(at: path, coder: Self.third)
        expectCause(ContentError.self) { try plain.item(2) }
    }

    @Test("An envelope is two bytes, and neither JSON nor a byte order mark begins like one")
    func envelopes() throws {
        for version in ContentEnvelope.versions {
            let envelope = ContentEnvelope(version: version, content: [1, 2])
            #expect(envelope.bytes == [0xFF, UInt8(version), 1, 2])
            #expect(envelope.bytes.withUnsafeBytes { ContentEnvelope($0) } == envelope)
        }
        let others: [[UInt8]] = [
            [], [0xFF], [0xFF, 0], [0xFF, 126], [0xFF, 0xFE, 0x7B, 0], [0xFE, 0xFF, 0, 0x7B], Array("{}".utf8),
            Array("\u{FEFF}{}".utf8), [0xEF, 0xBB, 0xBF],
        ]
        for bytes in others { #expect(bytes.withUnsafeBytes { ContentEnvelope($0) } == nil, "\(bytes)") }
        #expect(try Self.third.encode(TodoV3(id: 1, title: "", tags: [], due: nil)).starts(with: [0xFF, 2, 0x7B]))
        #expect(Self.third.version == 2 && ContentCoder<TodoV1>.json.version == 0)
    }

    @Test("Upcasters from bytes to bytes work with other encodings")
    func bytes() throws {
        let coder = ContentCoder<String>(
            encode: { Array($0.utf8) }, decode: { String(decoding: $0, as: UTF8.self) }
        ).upcasting([
            ContentUpcaster { $0 + [0x21] }, ContentUpcaster { [0x3F] + $0 }, ContentUpcaster { $0.reversed() },
        ])
        func read(_ bytes: [UInt8]) throws -> String { try bytes.withUnsafeBytes(coder.decode) }
        #expect(try read(Array("ab".utf8)) == "!ba?")
        #expect(try read([0xFF, 1] + Array("ab".utf8)) == "ba?")
        #expect(try read([0xFF, 2] + Array("ab".utf8)) == "ba")
        #expect(try read([0xFF, 3] + Array("ab".utf8)) == "ab")
        #expect(try read(coder.encode("ab")) == "ab")
    }
}
