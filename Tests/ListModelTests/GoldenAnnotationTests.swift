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

    @Test(
        "In a block an annotation is the number of its name, a length, and how the value differs from the last of its name"
    )
    func block() throws {
        var list = MemoryList()
        try list.commit("c") { editor in
            editor.annotate("n", with: [1, 2, 3])
            try editor.insertSection(NewSection(id: "s"))
            editor.annotate("m", with: [])
        }
        try list.commit("c") { editor in
            editor.annotate("n", with: [1, 2, 4])
            try editor.insertSection(NewSection(id: "t"))
        }
        var log = PackedLog(records: (1...2).map { list.log.record(of: Version($0)) })
        try log.pack(BlockPacker.Options())
        let bytes = try #require(log.blocks.first).bytes
        let block = try PlainBlock(bytes)
        // The strings: the name of the commits, and their origin.
        #expect(block.pieces[2].suffix(4) == [3, 1, 0x63, 0])
        // identifierKinds: strings; no integers, UUIDs; identifierLengths, identifierBytes: "s", "t"
        #expect(block.pieces[0] == [2, 2, 2, 0, 0, 2, 1, 1, 2, 0x73, 0x74])
        let events: [UInt8] = [
            // kinds; sections: 0, 1 after it; no rows; rowCounts: none in either section; no destinations
            5, 128, 6, 128, 128, 6, 2, 0, 2, 0, 2, 0, 0, 0,
        ]
        // 128 takes two bytes.
        let kinds: [UInt8] = [8, 128, 1, 6, 128, 1, 128, 1, 6]
        #expect(block.pieces[1].starts(with: kinds + events[6...]))
        // no tags, references; annotations: "n", "m", "n"; annotationNames; lengths: 3; the title of "s"; 0; 3; the title
        // of "t"; no literals; values
        let rest: [UInt8] = [
            0, 0, 0, 0, 3, 0, 1, 0, 4, 1, 0x6E, 1, 0x6D, 5, 3, 0, 0, 3, 0, 0, 6, 1, 2, 3, 0, 0, 1,
        ]
        #expect(block.pieces[1].suffix(rest.count) == rest[...])
        try bytes.withUnsafeBytes { bytes in
            var state = ListState()
            var records: [[UInt8]] = []
            try PackedBlock(bytes).forEachRecord(with: &state) { records.append($1) }
            #expect(records == log.records)
        }
    }
}
