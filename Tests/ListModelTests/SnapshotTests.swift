// Tests snapshots: their rows, their lookups, and that they never change.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
@testable import ListModel
import TestSupport
import Testing

@Suite("Snapshot")
struct SnapshotTests {
    private static let rows = [Array(1...40), [], [50], Array(60...75)]

    @Test("A row that is moved in a snapshot does not count as a change to store")
    func movingCountsNothing() throws {
        var list = try MemoryList(Self.rows)
        let snapshot = list.snapshot()
        let store = snapshot.tree.pool
        store.beginEpoch()
        let moved = try snapshot.moving(from: ListIndexPath(0, 3), to: ListIndexPath(3, 1))
        #expect(moved.ids[3].prefix(3) == [60, 4, 61] && store.touched == 0)
        // The control: an edit is counted.
        try list.commit { try $0.move(.item(4), to: .end(ofSection: "s3")) }
        #expect(store.touched > 0)
    }

    @Test("An event that would change a depth beyond all numbers is refused, and so is its inverse")
    func depthOverflow() throws {
        var list = MemoryList()
        try list.commit { editor in
            try editor.insertSection(NewSection(id: "s", items: [NewRow(id: 1, content: [], depth: 1)]))
        }
        let snapshot = list.snapshot()
        for (change, depth) in [(Int.max, Int.max), (Int.min, Int.min + 1), (63, 64)] {
            let event = ListEvent.itemsIndented(at: ListIndexPath(0, 0), .one(1), by: change)
            #expect(throws: ListError.depthOutOfRange(1, depth: depth)) { try snapshot.applying([event]) }
            let inverse = event.inverse
            #expect(throws: ListError.self) { try snapshot.applying([try #require(inverse)]) }
        }
    }

    @Test("Subscripts, iterators, lookups by index path and by id agree")
    func access() throws {
        var list = try MemoryList(Self.rows)
        let snapshot = list.snapshot()
        #expect(snapshot.sectionCount == 4 && snapshot.sections.count == 4)
        #expect(snapshot.itemCount == 57)
        #expect(snapshot.version == Version(1))
        for (index, section) in snapshot.sections.enumerated() {
            #expect(section.id == snapshot.sections[index].id && section.id == .string("s\(index)"))
            #expect(section.title == "s\(index)")
            #expect(section.items.count == Self.rows[index].count)
            #expect(section.items.map(\.id) == Self.rows[index].map { .integer(Int64($0)) })
            #expect(section.items.indices.map { section.items[$0] } == Array(section.items))
            #expect(Array(section.items.reversed()) == Array(Array(section.items).reversed()))
            #expect(Array(section.items.dropFirst(3)) == Array(Array(section.items).dropFirst(3)))
            for (item, row) in section.items.enumerated() {
                let path = ListIndexPath(index, item)
                #expect(snapshot.item(at: path) == row)
                #expect(snapshot.indexPath(of: row.id) == path)
                #expect(list.editor.state.item(at: path) == row)
                #expect(list.editor.state.item(row.id) == row)
                #expect(list.editor.state.indexPath(of: row.id) == path)
            }
            #expect(list.editor.state.itemCount(inSectionAt: index) == section.items.count)
        }
        #expect(list.editor.state.sectionCount == 4 && list.editor.state.itemCount == 57)
    }

    @Test("A number names a section by its id, unless the label says that it is an index")
    func numbersOfSections() throws {
        var list = MemoryList()
        try list.commit { editor in
            try editor.insertSection(NewSection(id: 1, items: [NewRow(id: 10, content: [])]))
            try editor.insertSection(NewSection(id: 0))
        }
        #expect(try list.editor.state.itemCount(inSection: 1) == 1)
        #expect(try list.editor.state.itemCount(inSection: 0) == 0)
        #expect(list.editor.state.itemCount(inSectionAt: 1) == 0)
        #expect(list.editor.state.outline(inSectionAt: 0).items.count == 1)
        #expect(throws: ListError.unknownSection(7)) { try list.editor.state.itemCount(inSection: 7) }
    }

    @Test("A lookup outside of the list returns nil")
    func outside() throws {
        var list = try MemoryList(Self.rows)
        let snapshot = list.snapshot()
        let outside = [
            ListIndexPath(0, 40), ListIndexPath(0, -1), ListIndexPath(1, 0), ListIndexPath(4, 0), ListIndexPath(-1, 0),
            ListIndexPath(.max, .max), ListIndexPath(.min, .min), ListIndexPath(0, .max), ListIndexPath(3, 16),
        ]
        for path in outside {
            #expect(snapshot.item(at: path) == nil)
            #expect(list.editor.state.item(at: path) == nil)
            #expect(UntypedSnapshot.empty.item(at: path) == nil)
        }
        for id in [0, 41, "1", "s0"] as [UntypedID] {
            #expect(snapshot.indexPath(of: id) == nil)
            #expect(list.editor.state.indexPath(of: id) == nil)
            #expect(list.editor.state.item(id) == nil)
        }
        #expect(list.editor.state.indexOfSection("s4") == nil && list.editor.state.indexOfSection(1) == nil)
    }

    @Test("The empty snapshot equals that of a list before any commit, and that of an emptied list")
    func empty() throws {
        #expect(UntypedSnapshot.empty.sectionCount == 0 && UntypedSnapshot.empty.itemCount == 0)
        #expect(UntypedSnapshot.empty.sections.isEmpty && UntypedSnapshot.empty.version == .empty)
        var list = MemoryList()
        #expect(list.snapshot().stateHash == UntypedSnapshot.empty.stateHash)
        try list.commit { try $0.insertSection(NewSection(0, [1, 2])) }
        #expect(list.snapshot().stateHash != UntypedSnapshot.empty.stateHash)
        try list.commit { try $0.deleteSection(.at(0)) }
        #expect(list.snapshot().stateHash == UntypedSnapshot.empty.stateHash)
        #expect(list.snapshot().version == Version(2))
    }

    @Test("The path of a row is found for any kind of id; rows and sections may have the same id")
    func idsOfSectionsAndRows() throws {
        var list = MemoryList()
        let ids = TestRecords.identifiers
        try list.commit { editor in
            for (index, id) in ids.enumerated() {
                let row = NewRow(id: id, content: [UInt8(index)])
                try editor.insertSection(NewSection(id: id, items: [row]), at: .at(0))
            }
        }
        let snapshot = list.snapshot()
        for (index, id) in ids.enumerated() {
            let section = ids.count - 1 - index
            #expect(snapshot.indexPath(of: id) == ListIndexPath(section, 0))
            #expect(list.editor.state.indexPath(of: id) == ListIndexPath(section, 0))
            #expect(list.editor.state.indexOfSection(id) == section)
        }
    }

    @Test("A kept snapshot never changes, whatever edits follow", arguments: 1...4 as ClosedRange<UInt64>)
    func snapshotsAreValues(seed: UInt64) throws {
        var list = MemoryList(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        var edits = RandomEdits(seed: seed)
        var reference = ReferenceList()
        var kept: [(snapshot: UntypedSnapshot, rows: ReferenceList, hash: StateHash)] = []
        for _ in 0..<250 {
            let operation = edits.next(reference)
            guard (try? reference.apply(operation)) != nil else { continue }
            try list.commit { try $0.apply(operation) }
            let snapshot = list.snapshot()
            kept.append((snapshot, reference, snapshot.stateHash))
        }
        for (snapshot, rows, hash) in kept {
            try #require(try ReferenceList(snapshot, list.log) == rows, "seed \(seed), version \(snapshot.version)")
            #expect(snapshot.stateHash == hash && snapshot.itemCount == rows.itemCount, "seed \(seed)")
        }
    }

    @Test("Index paths are ordered by section, then by row")
    func indexPathOrder() {
        let ascending = [ListIndexPath(0, 0), ListIndexPath(0, 9), ListIndexPath(1, 0), ListIndexPath(2, -1)]
        #expect(ascending.shuffled().sorted() == ascending)
        #expect(ListIndexPath(1, 2).description == "[1, 2]")
    }

    @Test("Versions count up from the empty list, and are encoded as a plain number")
    func versions() throws {
        #expect(Version.empty == Version(0) && Version.empty.next == Version(1))
        #expect(Version(2) < Version(10) && Version(10).description == "10")
        #expect(Timestamp(microseconds: -1) < Timestamp(microseconds: 0))
        let last = Version(Limits.versions - 1)
        let encoded = try JSONEncoder().encode([Version(7), last])
        #expect(String(decoding: encoded, as: UTF8.self) == "[7,281474976710655]")
        #expect(try JSONDecoder().decode([Version].self, from: encoded) == [Version(7), last])
        // No list has that many versions, and counting on from the greatest number would end the process.
        for number in [Limits.versions, .max] {
            let bytes = Data("[\(number)]".utf8)
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([Version].self, from: bytes) }
        }
    }
}
