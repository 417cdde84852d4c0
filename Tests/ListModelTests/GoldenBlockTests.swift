// One packed block, byte for byte, as Docs/Design/FileFormat.md says: that of the record in GoldenRecordTests.swift.
//
// The bytes were derived by hand from that page and not copied from the library's output. The checksum was computed
// with XXH64 written in Python from its specification.

@testable import ListModel
import TestSupport
import Testing

@Suite("Golden packed block")
struct GoldenBlockTests {
    private static let block: [UInt8] = [
        // 0: checksum, 29ce06fe51108c5e
        0x5E, 0x8C, 0x10, 0x51, 0xFE, 0x06, 0xCE, 0x29,
        // 8: first version; 16: checksum before, there is none
        1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        // 24: checksum of the last record
        0x8F, 0x86, 0xE0, 0x9C, 0xFE, 0x68, 0xA1, 0x4C,
        // 32: state hash after it
        0xA4, 0x59, 0x53, 0x25, 0x3D, 0xEF, 0x65, 0xCE,
        // 40: commits, 44: events, 48: bytes of the record
        1, 0, 0, 0, 2, 0, 0, 0, 99, 0, 0, 0,
        // 52: format; 53: no affixes
        2, 0,
        // 54: lengths of the columns: causes, flags, targets, histories, historyParts, times
        0, 0, 0, 0, 0, 9,
        // names, origins, eventCounts, contentCounts, kinds
        0, 0, 2, 2, 4,
        // sections, rows, rowCounts, destinations, identifierKinds
        0, 0, 3, 0, 4,
        // integers, contentTags, referenceVersions, referenceOffsets, referenceLengths
        2, 0, 0, 0, 0,
        // stringLengths, contentAffixes, contentLengths, contentStarts, contentGaps
        2, 0, 2, 3, 0,
        // lengths of the literals, and of the names
        10, 17,
        // times: all 1,700,000,000,000,000; zigzag 3,400,000,000,000,000
        0x80, 0x80, 0xF2, 0x81, 0x83, 0x89, 0x85, 0x06, 0,
        // eventCounts: all 1; contentCounts: all 1
        2, 0, 2, 0,
        // kinds: 6 less the predicted 1, then 1 less 6; base −5, the exception 20 = 1 + 3 + 16 after no other value
        9, 0, 0 << 2 | 3, 16,
        // rowCounts: −1, then 0; base −1, the exception 2 = 1 + 1 after one other value
        1, 0, 1 << 2 | 1,
        // identifierKinds: 2, then −2; base −2, the exception 8 = 1 + 3 + 4 after no other value
        3, 0, 0 << 2 | 3, 4,
        // integers: 7 less the predicted 1
        12, 0,
        // stringLengths: all 5
        10, 0,
        // contentLengths: all 16; contentStarts: all 83
        32, 0, 0xA6, 0x01, 0,
        // literals: "today", "Today"
        0x74, 0x6F, 0x64, 0x61, 0x79, 0x54, 0x6F, 0x64, 0x61, 0x79,
        // names: 1, "Add milk"; origins: 1, "phone"
        1, 8, 0x41, 0x64, 0x64, 0x20, 0x6D, 0x69, 0x6C, 0x6B, 1, 5, 0x70, 0x68, 0x6F, 0x6E, 0x65,
        // contents: {"title":"Milk"}
        0x7B, 0x22, 0x74, 0x69, 0x74, 0x6C, 0x65, 0x22, 0x3A, 0x22, 0x4D, 0x69, 0x6C, 0x6B, 0x22, 0x7D,
    ]

    @Test("The packer writes exactly these bytes")
    func writing() throws {
        var log = PackedLog(records: [GoldenRecordTests.record])
        try log.pack(BlockPacker.Options())
        #expect(log.pieces == [.block(first: Version(1), last: Version(1), Self.block)])
    }

    @Test("These bytes are read as that record")
    func reading() throws {
        try Self.block.withUnsafeBytes { bytes in
            let block = try PackedBlock(bytes)
            var state = ListState()
            try block.forEachRecord(with: &state) { version, record in
                #expect(version == Version(1) && record == GoldenRecordTests.record)
            }
            let content = try block.content(version: Version(1), offset: 83, length: 16)
            #expect(content == Array("{\"title\":\"Milk\"}".utf8))
        }
    }

    @Test("Common prefixes and suffixes of contents are written once")
    func frames() throws {
        var list = MemoryList()
        try list.commit { try $0.insertSection(NewSection(id: "s")) }
        for (number, letter) in "abcdefghijklmnopqrstuvwxyz".enumerated() {
            try list.commit {
                let item = NewRow(id: .integer(Int64(number)), content: Array("\"\(letter)\"".utf8))
                try $0.insert(item, at: .end(ofSection: "s"))
            }
        }
        var log = PackedLog(records: (1...27).map { list.log.record(of: Version($0)) })
        try log.pack(BlockPacker.Options())
        let bytes = log.blocks[0].bytes
        // After the format: one affix, whose prefix and suffix are a quotation mark.
        #expect(bytes[53..<58] == [1, 1, 0x22, 1, 0x22])
        #expect(bytes.suffix(26) == ArraySlice("abcdefghijklmnopqrstuvwxyz".utf8))
    }

    @Test("A column of three bits a value is read as the page says")
    func columns() throws {
        // Base 5, width 3, four values: 1, 2, an exception, 7; the exception is 8 + 3 + 4 = 15 after two others.
        let bytes: [UInt8] = [10, 3, 4, 0b00_010_001, 0b0000_111_0, 2 << 2 | 3, 4]
        try bytes.withUnsafeBytes { bytes in
            var reader = try ColumnReader(bytes, 0..<bytes.count, version: Version(1))
            for value in [5 - 1, 5 + 1, 5 - 8, 5 - 4] as [Int64] { #expect(try reader.next() == value) }
            #expect(throws: RecordError.self) { try reader.next() }
        }
    }
}
