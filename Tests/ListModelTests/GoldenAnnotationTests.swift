// Annotations, byte for byte, as Docs/Design/FileFormat.md says: in a record, and in the columns of a block.
//
// The bytes and values were derived by hand from that page and not copied from the library's output.

@testable import ListModel
import TestSupport
import Testing

@Suite("Golden annotations")
struct GoldenAnnotationTests {
    @Test("In a record an annotation is its kind, a length, a name and the rest")
    func record() throws {
        var list = MemoryList()
        let made = try list.commit { editor in
            try editor.insertSection(NewSection(id: "s"))
            editor.annotate("sel", with: [1, 2, 3])
            editor.annotate("", with: [])
        }
        let commit = try #require(made)
        let events: [UInt8] = [
            // section inserted, at index 0, "s" without a title and rows
            6, 0, 2, 1, 0x73, 0, 0,
            // annotated (128), 7 bytes: a name of 3 bytes, "sel"; the value
            128, 7, 3, 0x73, 0x65, 0x6C, 1, 2, 3,
            // annotated, 1 byte: a name of 0 bytes
            128, 1, 0,
        ]
        #expect(Array(commit.record[commit.eventsOffset...]) == events)
        #expect(commit.eventCount == 3)
        #expect(
            try Array(commit.events()[1...])
                == [.annotated(name: "sel", value: [1, 2, 3]), .annotated(name: "", value: [])])
    }

    @Test("In a block annotations are stored as changes of the one before, or of the last of their name")
    func block() throws {
        var list = MemoryList()
        try list.commit("c") { editor in
            editor.annotate("n", with: [1, 2, 3])
            try editor.insertSection(NewSection(id: "s"))
            editor.annotate("m", with: [1, 2, 3])
        }
        try list.commit("c") { editor in
            editor.annotate("n", with: [1, 2, 4])
            try editor.insertSection(NewSection(id: "t"))
        }
        var log = PackedLog(records: (1...2).map { list.log.record(of: Version($0)) })
        try log.pack(BlockPacker.Options())
        let bytes = try #require(log.blocks.first).bytes
        try bytes.withUnsafeBytes { bytes in
            let block = try PackedBlock(bytes)
            var kinds = try block.reader(.kinds)
            // 128 less the predicted 2, because no annotation was due; 6 less 2; 128 less 6, twice; 6 less 6.
            let expectedKinds: [Int64] = [126, 4, 122, 122, 0]
            #expect(try (0..<5).map { _ in try kinds.next() } == expectedKinds)
            var reader = try block.reader(block.names)
            // One commit name, "c"; one origin, which is empty; two annotation names.
            let names: [UInt8] = [1, 1, 0x63, 1, 0, 2, 1, 0x6E, 1, 0x6D]
            #expect(try Array(reader.readBytes(names.count, "names")) == names)
            let lengths = try AnnotationColumn.allCases.map { _ in try reader.readCount("a length") }
            // Names: n; m, while n was predicted; n, without a prediction. Sources: the last value of the name; for m,
            // the value of the annotation before it. Replaced, suffixes, inserted: 3 new bytes; nothing; 1 byte
            // replaced by 1, while 3 was predicted. Bytes: 1, 2, 3 replace no bytes; 4 replaces 3.
            let expected: [[Int64]] = [[0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [3, 0, -2], [1, 2, 3, 1]]
            for (length, values) in zip(lengths, expected) {
                let start = reader.offset
                _ = try reader.readBytes(length, "a column")
                var column = try ColumnReader(bytes, start..<start + length, version: block.first)
                #expect(try values.map { _ in try column.next() } == values)
            }
            // No change is longer than 64 bytes.
            #expect(reader.isAtEnd)
            var state = ListState()
            var records: [[UInt8]] = []
            try block.forEachRecord(with: &state) { records.append($1) }
            #expect(records == log.records)
        }
    }

    @Test("In a block without annotations, the names end after the origins")
    func plainBlock() throws {
        var list = MemoryList()
        try list.commit("c") { try $0.insertSection(NewSection(id: "s")) }
        var log = PackedLog(records: [list.log.record(of: Version(1))])
        try log.pack(BlockPacker.Options())
        try #require(log.blocks.first).bytes.withUnsafeBytes { bytes in
            let block = try PackedBlock(bytes)
            #expect(Array(bytes[block.names]) == [1, 1, 0x63, 1, 0])
        }
    }
}
