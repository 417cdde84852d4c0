// Tests that a store knows the kinds of its ids, and that ids of other kinds neither get in nor are read as something else.

import Foundation
import LMDB
@testable @_spi(Sync) import Listory
import ListModel
import TestSupport
import Testing

@Suite("The kinds of a store's ids")
struct IdentifierTests {
    private struct Note: Codable, Identifiable, Sendable {
        var id: UUID
        var text: String
    }

    private struct Line: Codable, Identifiable, Sendable, Equatable {
        var id: Int
        var text: String
    }

    private enum Day: String, SectionIdentifier { case today, tomorrow }

    private struct NoteID: RowIdentifier, Codable {
        var uuid: UUID
        static let kind = UntypedID.Kind.uuid
        var untypedID: UntypedID { uuid.untypedID }
        init(uuid: UUID) { self.uuid = uuid }
        init(untypedID: UntypedID) { uuid = UUID(untypedID: untypedID) }
    }

    private struct Wrapped: Codable, Identifiable, Sendable { var id: NoteID }

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("list.listory")
    }

    /// A store of notes that is closed again.
    private func notes() throws -> UUID {
        let id = UUID()
        let store = try ListStore<String, Note>.open(at: path, createIfMissing: true)
        try store.edit("Add") { try $0.insert(Note(id: id, text: "a"), at: .end(of: "today")) }
        try store.close()
        return id
    }

    /// A store of a tool that is closed again: integers, and `extra` for one of its rows that is deleted later.
    private func toolStore(extra: UntypedID) throws {
        let store = try UntypedStore.create(at: path)
        try store.edit("Start") { list in
            let rows = [1, 2, extra].map { NewRow(id: $0, content: Array(#"{"id":1,"text":"x"}"#.utf8)) }
            try list.insertSection(NewSection(id: "a", items: rows))
        }
        try store.edit("Delete") { try $0.delete(.item(extra)) }
        try store.close()
    }

    private func refusal(_ body: () throws -> Void) -> String? {
        do { try body() } catch ListError.otherIdentifiers(let where_, let expected, let found) {
            return where_ == path ? "\(expected); \(found)" : nil
        } catch {}
        return nil
    }

    @Test("A store is refused if its rows or its sections have other kinds of ids, also when it is only read")
    func refused() throws {
        let id = try notes()
        for isReadOnly in [false, true] {
            var options = StoreOptions()
            options.isReadOnly = isReadOnly
            #expect(
                refusal { _ = try ListStore<String, Line>.open(at: path, options: options) }
                    == "rows with integer ids, sections with string ids; rows with uuid ids, sections with string ids")
            #expect(refusal { _ = try ListStore<Int, Note>.open(at: path, options: options) } != nil)
            let store = try ListStore<String, Wrapped>.open(at: path, options: options)
            #expect(try store.snapshot.rows.map(\.id.uuid) == [id])
            try store.close()
        }
    }

    @Test("An edit of a tool cannot bring in an id of another kind, and then changes nothing")
    func toolEdits() throws {
        let id = try notes()
        let store = try UntypedStore.open(at: path)
        let (version, hash) = (try store.version, try store.snapshot.stateHash)
        let edits: [(inout UntypedEditor) throws -> Void] = [
            { try $0.insert(NewRow(id: 7, content: []), at: .end(ofSection: "today")) },
            { try $0.insertSection(NewSection(id: 7)) },
            { try $0.insertSection(NewSection(id: "b", items: [NewRow(id: "c", content: [])])) },
            { try $0.reload([NewSection(id: "b", items: [NewRow(id: "c", content: [])])]) },
            { list in
                try list.delete(.item(.uuid(id)))
                try list.insert(
                    [NewRow(id: .uuid(UUID()), content: []), NewRow(id: "c", content: [])], at: .end(ofSection: "today")
                )
            },
        ]
        for edit in edits {
            #expect(throws: ListError.self) { try store.edit("Edit", edit) }
            #expect(try store.version == version && store.snapshot.stateHash == hash)
        }
        try store.edit("Edit") { try $0.insert(NewRow(id: .uuid(UUID()), content: []), at: .end(ofSection: "today")) }
        #expect(try store.version == version.next)
    }

    @Test("A tool's store takes the kinds of the first app that opens it, if all ids that were ever in it agree")
    func adopted() throws {
        try toolStore(extra: 3)
        #expect(refusal { _ = try ListStore<String, Note>.open(at: path) }?.hasSuffix("; 1") == true)
        let store = try ListStore<String, Line>.open(at: path)
        #expect(try store.snapshot.rows.map(\.id) == [1, 2])
        try store.close()
        #expect(
            refusal { _ = try ListStore<String, Note>.open(at: path) }?.hasSuffix(
                "rows with integer ids, sections with string ids")
                == true)
        // Compaction keeps them.
        _ = try UntypedStore.compact(at: path, Compaction(keeping: .everything))
        let compacted = try UntypedStore.open(at: path)
        #expect(compacted.identifierKinds.withLock { $0 } == IdentifierKinds(rows: .integer, sections: .string))
        try compacted.close()
    }

    @Test("A tool's store with a deleted row of another kind is refused, because undo would bring it back")
    func mixed() throws {
        try toolStore(extra: "three")
        #expect(refusal { _ = try ListStore<String, Line>.open(at: path) }?.hasSuffix(#"; "three""#) == true)
        // Also without the commits that inserted it.
        _ = try UntypedStore.compact(at: path, Compaction(keeping: .from(Version(1))))
        #expect(refusal { _ = try ListStore<String, Line>.open(at: path) }?.hasSuffix(#"; "three""#) == true)
    }

    @Test("Ids of another kind that come in while the others are checked are seen")
    func meanwhile() throws {
        try toolStore(extra: 3)
        let kinds = IdentifierKinds(rows: .integer, sections: .string)
        let store = try UntypedStore.open(at: path)
        func insert(_ id: UntypedID) throws {
            try store.edit("Insert") { try $0.insert(NewRow(id: id, content: []), at: .end(ofSection: "a")) }
        }
        var checks = 0
        #expect(
            refusal {
                try store.require(kinds) {
                    checks += 1
                    try insert(checks == 1 ? 4 : "four")
                }
            }?.hasSuffix(#"; "four""#) == true)
        #expect(checks == 2)
        try store.edit("Delete") { try $0.delete(.item("four")) }
        try store.close()
        #expect(refusal { _ = try ListStore<String, Line>.open(at: path) } != nil)
    }

    @Test("A commit of another device with ids of another kind is taken, and they are read as values of the type")
    func received() throws {
        let other = try UntypedStore.create(at: folder.file("other.listory"))
        try other.beginSharing()
        try other.edit("Add") {
            try $0.insertSection(NewSection(id: "today", items: [NewRow(id: 7, content: Array(#"{"a":1}"#.utf8))]))
        }
        let records = try other.pendingRecords(atMost: .max).records.map { Array($0) }
        try other.close()
        let store = try ListStore<String, Note>.open(at: path, createIfMissing: true)
        try store.core.beginSharing()
        try store.core.receive(records)
        let rows = try store.snapshot.rows
        #expect(rows.map(\.id) == [UUID(untypedID: 7)] && rows.allSatisfy { $0.item == nil })
        try store.close()
        try ListStore<String, Note>.open(at: path).close()
    }

    @Test("If the row with the kinds is damaged, the ids are read, and it is written again")
    func damaged() throws {
        _ = try notes()
        for row in [[1, 3], [UInt8](repeating: 1, count: 10), []] as [[UInt8]] {
            let environment = try Environment.open(path: path)
            let meta = try environment.openDatabase(named: "meta", of: String.self, [UInt8].self)
            try environment.write { try $0.put(row, forKey: LogFormat.identifierKey, in: meta) }
            try environment.close()
            #expect(refusal { _ = try ListStore<String, Line>.open(at: path) } != nil)
            try ListStore<String, Note>.open(at: path).close()
            let store = try UntypedStore.open(at: path)
            #expect(store.identifierKinds.withLock { $0 } == IdentifierKinds(rows: .uuid, sections: .string))
            try store.close()
        }
    }

    @Test("A section for which an enumeration has no case is an error of the snapshot, and of nothing else")
    func enumerations() throws {
        let store = try ListStore<Day, Line>.open(at: path, createIfMissing: true)
        try store.edit("Add") { try $0.insert(Line(id: 1, text: "a"), at: .end(of: .tomorrow)) }
        #expect(try store.snapshot.sections.map(\.id) == [.tomorrow])
        try store.core.edit("Add") { try $0.insertSection(NewSection(id: "someday")) }
        #expect(
            throws: ListError.unreadable(what: "identifier of a section", expected: "one of Day", found: #""someday""#)
        ) {
            _ = try store.snapshot
        }
        #expect(try store.item(1) == Line(id: 1, text: "a"))
        try store.undo()
        #expect(try store.snapshot.sections.map(\.id) == [.tomorrow])
    }

    @Test("A row whose content cannot be decoded has an id, no item, and says why")
    func undecodable() throws {
        let store = try ListStore<String, Line>.open(at: path, createIfMissing: true)
        try store.edit("Add") { try $0.insert(Line(id: 1, text: "a"), at: .end(of: "a")) }
        try store.core.edit("Add") { try $0.insert(NewRow(id: 2, content: [1]), at: .end(ofSection: "a")) }
        let rows = Array(try store.snapshot.rows)
        #expect(rows.map(\.id) == [1, 2] && rows.map(\.item?.text) == ["a", nil])
        guard case .failure(.failed(let error as ContentError)) = rows[1].content else {
            Issue.record("read \(rows[1])")
            return
        }
        #expect(error.row == 2 && "\(rows[1])".contains("unreadable"))
        // A view places it as a row without the key.
        let view = try store.view { $0.sorted(.descending, by: { try $0.item?.text }).searchable(in: \.text) }
        #expect(try view.snapshot.rows.map(\.id) == [1, 2])
        try view.search("a")
        #expect(try view.snapshot.rows.map(\.id) == [1])
    }

    @Test("Ids of another kind in a forged file become some value, without a crash")
    func forged() {
        let ids: [UntypedID] = [.integer(.min), .uuid(UUID()), .string(""), .string("a")]
        for id in ids {
            #expect((Int(untypedID: id) == Int(untypedID: id)) && (UUID(untypedID: id) == UUID(untypedID: id)))
            #expect(String(untypedID: id) == String(untypedID: id) && Int64(untypedID: id) == Int64(untypedID: id))
        }
    }
}
