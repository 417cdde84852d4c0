// Tests records that no editor writes, but that a replay accepts: if a block would not rebuild a record exactly, it
// stays a record.

@testable import ListModel
import TestSupport
import Testing

@Suite("Commits that cannot be packed exactly")
struct InexactCommitTests {
    /// A log of three commits. The second is replaced; the third follows it.
    private static func log(second: (Version, UInt32) throws -> [UInt8]) throws -> PackedLog {
        var list = try MemoryList([[1, 2, 3]])
        try list.commit { try $0.toggle(.item(2)) }
        try list.commit { try $0.delete(.item(3)) }
        var log = PackedLog(records: (1...3).map { list.log.record(of: Version($0)) })
        log.records[1] = try second(Version(2), UInt32(truncatingIfNeeded: log.checksum(before: Version(2))))
        let link = UInt32(truncatingIfNeeded: log.checksum(before: Version(3)))
        withUnsafeBytes(of: link.littleEndian) { log.records[2].replaceSubrange(8..<12, with: $0) }
        log.records[2] = TestRecords.resealed(log.records[2], version: Version(3))
        return log
    }

    private static func hash(after event: ListEvent) throws -> StateHash {
        var list = try MemoryList([[1, 2, 3]])
        try list.commit { try $0.append(event) }
        return list.snapshot().stateHash
    }

    /// The history entry of a second commit after a first.
    private static let second = HistoryRevision(
        version: Version(2), parent: Version(1), jump: Version(1), depth: 2, steps: 2, continues: false,
        previous: Version(1), switched: .empty, branchSwitch: nil)

    /// The record of a commit with one event and the right hash.
    private static func record(_ event: ListEvent, _ version: Version, _ link: UInt32) throws -> [UInt8] {
        var record = TestRecords.record(
            of: [event], version: version, entry: .node(second), link: link)
        let hash = try Self.hash(after: event).rawValue.littleEndian
        withUnsafeBytes(of: hash) { record.replaceSubrange(16..<24, with: $0) }
        return TestRecords.resealed(record, version: version)
    }

    @Test("A deletion that states other contents than the rows have stays a record")
    func otherContents() throws {
        let content = ContentReference(version: Version(1), offset: 7, length: 1, hash: 5)
        let event = ListEvent.itemsDeleted(
            at: ListIndexPath(0, 0), .one(UntypedRow(id: 1, isChecked: true, content: content)))
        var log = try Self.log { version, link in try Self.record(event, version, link) }
        log.records.removeLast()
        try log.pack(BlockPacker.Options())
        #expect(log.plain == [Version(2): .notExact])
    }

    @Test("A toggle that changes nothing stays a record, and so does one with a varint that is too long")
    func otherToggles() throws {
        let same = ListEvent.itemToggled(at: ListIndexPath(0, 1), 2, isChecked: false)
        var log = try Self.log { version, link in try Self.record(same, version, link) }
        log.records.removeLast()
        try log.pack(BlockPacker.Options())
        #expect(log.plain == [Version(2): .notExact])

        let expanded = ListEvent.itemCollapsed(at: ListIndexPath(0, 1), 2, isCollapsed: false)
        log = try Self.log { version, link in try Self.record(expanded, version, link) }
        log.records.removeLast()
        try log.pack(BlockPacker.Options())
        #expect(log.plain == [Version(2): .notExact])

        let other = ListEvent.itemToggled(at: ListIndexPath(0, 1), 2, isChecked: true)
        log = try Self.log { version, link in
            var record = try Self.record(other, version, link)
            // The section index 0, in two bytes: the event is kind, section, row, identifier (2), checkmark.
            record.replaceSubrange(record.count - 5..<record.count - 4, with: [0x80, 0])
            return TestRecords.resealed(record, version: version)
        }
        try log.pack(BlockPacker.Options())
        #expect(log.plain == [Version(2): .notExact])
    }

    @Test("Blocks end before a commit that stays a record, begin after it, and can have an unpredicted history")
    func pieces() throws {
        let toggle = ListEvent.itemToggled(at: ListIndexPath(0, 1), 2, isChecked: true)
        var log = try Self.log { version, link in try Self.record(toggle, version, link) }
        try log.pack(BlockPacker.Options())
        #expect(log.blocks.map(\.first) == [Version(1)])

        // Another number of steps than in the fold.
        log.records[1] = TestRecords.resealed(log.records[1], version: Version(2), byte: 1, at: 36)
        let link = UInt32(truncatingIfNeeded: log.checksum(before: Version(3)))
        withUnsafeBytes(of: link.littleEndian) { log.records[2].replaceSubrange(8..<12, with: $0) }
        log.records[2] = TestRecords.resealed(log.records[2], version: Version(3))
        try log.pack(BlockPacker.Options())
        #expect(log.blocks.map(\.first) == [Version(1)])
        var state = ListState()
        var found: [[UInt8]] = []
        try log.blocks[0].bytes.withUnsafeBytes {
            try PackedBlock($0).forEachRecord(with: &state) { found.append($1) }
        }
        #expect(found == log.records)

        // Another state hash than the rows have.
        log.records[1] = TestRecords.resealed(log.records[1], version: Version(2), byte: 1, at: 16)
        let other = UInt32(truncatingIfNeeded: log.checksum(before: Version(3)))
        withUnsafeBytes(of: other.littleEndian) { log.records[2].replaceSubrange(8..<12, with: $0) }
        log.records[2] = TestRecords.resealed(log.records[2], version: Version(3))
        try log.pack(BlockPacker.Options())
        #expect(log.plain == [Version(2): .notExact])
        #expect(log.blocks.map(\.first) == [Version(1), Version(3)])
    }
}
