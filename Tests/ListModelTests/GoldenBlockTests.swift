// One packed block, byte for byte, as Docs/Design/FileFormat.md says: that of the record in GoldenRecordTests.swift.
//
// The bytes were derived by hand from that page and not copied from the library's output. The checksum was computed
// with XXH64 written in Python from its specification. Compressed bytes differ between versions of zlib, so what is
// written is compared unpacked, and what is read is stored by zlib without compression (RFC 1950 and 1951).

@testable import ListModel
import TestSupport
import Testing

@Suite("Golden packed block")
struct GoldenBlockTests {
    private static let header: [UInt8] = [
        // 0: checksum, d06836ab770449e4
        0xE4, 0x49, 0x04, 0x77, 0xAB, 0x36, 0x68, 0xD0,
        // 8: first version; 16: checksum before, there is none
        1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        // 24: checksum of the last record
        0x8F, 0x86, 0xE0, 0x9C, 0xFE, 0x68, 0xA1, 0x4C,
        // 32: state hash after it
        0xA4, 0x59, 0x53, 0x25, 0x3D, 0xEF, 0x65, 0xCE,
        // 40: commits, 44: events, 48: bytes of the record; 52: format
        1, 0, 0, 0, 2, 0, 0, 0, 99, 0, 0, 0, 4,
    ]

    /// The columns of the identifiers, of the events and of the only chunks of headers and of contents: each after its length.
    private static let pieces: [[UInt8]] = [
        [
            // identifierKinds: string, integer; integers: 7; no uuids; identifierLengths; identifierBytes: "today"
            2, 2, 0, 1, 14, 0, 1, 5, 5, 0x74, 0x6F, 0x64, 0x61, 0x79,
        ],
        [
            // kinds: section inserted, rows inserted; sections: 0, 0; rows: 0; rowCounts: 0, 1; no destinations
            2, 6, 1, 2, 0, 0, 1, 0, 2, 0, 1, 0,
            // contentTags: here, unchecked; no references, no annotations and names of them
            1, 0, 0, 0, 0, 0, 0,
            // lengths; literals: "Today"; no values
            1, 5, 5, 0x54, 0x6F, 0x64, 0x61, 0x79, 0,
        ],
        [
            // causes, flags: 0; times: 1,700,000,000,000,000, zigzag 3,400,000,000,000,000
            1, 0, 1, 0, 8, 0x80, 0x80, 0xF2, 0x81, 0x83, 0x89, 0x85, 0x06,
            // names: 0; origins: 1; eventCounts: 2; no targets; steps: 1
            1, 0, 1, 1, 1, 2, 0, 1, 2,
            // places: parent and jump one version before, depth 1, nothing between, no change of the branch
            1, 2, 1, 2, 1, 2, 1, 0, 1, 2, 0, 0, 0,
            // strings: "Add milk", "phone"
            15, 8, 0x41, 0x64, 0x64, 0x20, 0x6D, 0x69, 0x6C, 0x6B, 5, 0x70, 0x68, 0x6F, 0x6E, 0x65,
        ],
        [
            // contentCounts: 1; contentGaps: 83; contentLengths: 16; contentBytes: {"title":"Milk"}
            1, 1, 2, 0xA6, 0x01, 1, 32,
            16, 0x7B, 0x22, 0x74, 0x69, 0x74, 0x6C, 0x65, 0x22, 0x3A, 0x22, 0x4D, 0x69, 0x6C, 0x6B, 0x22, 0x7D,
        ],
    ]

    /// The block. Before each chunk is the number of its commits.
    private static var block: [UInt8] {
        let pieces = pieces.map { [UInt8($0.count), UInt8($0.count + 11)] + stored($0) }
        return header + pieces[0] + pieces[1] + [1] + pieces[2] + [1] + pieces[3]
    }

    /// The bytes in zlib's frame, not compressed.
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt8(bytes.count)
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let sum = withUnsafeBytes(of: (high << 16 | low).bigEndian) { Array($0) }
        return [0x78, 0x01, 1, count, 0, ~count, 0xFF] + bytes + sum
    }

    @Test("The packer writes exactly these columns and contents")
    func writing() throws {
        var log = PackedLog(records: [GoldenRecordTests.record])
        try log.pack(BlockPacker.Options())
        guard case .block(first: Version(1), last: Version(1), let bytes)? = log.pieces.first, log.pieces.count == 1
        else {
            Issue.record("\(log.pieces)")
            return
        }
        let block = try PlainBlock(bytes)
        #expect(block.header[8...] == Self.header[8...] && block.pieces == Self.pieces)
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

    @Test("A block of another format is refused", arguments: [3, 5] as [UInt8])
    func otherFormat(_ format: UInt8) throws {
        var block = Self.block
        block[PackedLayout.format] = format
        let error = PackedBlock.resealed(block).withUnsafeBytes { bytes in
            #expect(throws: RecordError.self) { try PackedBlock(bytes) }
        }
        #expect(error?.problem == .unknownFormat(found: Int(format)))
    }
}
