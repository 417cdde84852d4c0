// The row of a projection, byte for byte, as Docs/Design/FileFormat.md says.
//
// The checksum was computed in Python from the specification of XXH64: X = XXH64(row[8:], XXH64("words", 9)).

import ListModel
@testable import Listory
import Testing

@Suite("The row of a projection in the file")
struct ProjectionRowTests {
    private static let stored = ProjectionRow(
        rules: -2, version: Version(258), checksum: 0x1122_3344_5566_7788, beginning: Version(7),
        state: Array("{\"a\":1}".utf8))

    private static let row: [UInt8] = [
        // 0: checksum; 8: format
        0xD6, 0x11, 0x41, 0x5F, 0x5F, 0xDC, 0x65, 0xCD, 1,
        // 9: version of the rules, -2
        0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        // 17: version of the list, 258
        2, 1, 0, 0, 0, 0, 0, 0,
        // 25: checksum of its record
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
        // 33: from which version on
        7, 0, 0, 0, 0, 0, 0, 0,
        // 41: {"a":1}
        0x7B, 0x22, 0x61, 0x22, 0x3A, 0x31, 0x7D,
    ]

    @Test("It is written as exactly these bytes, and read from them")
    func bytes() {
        #expect(Self.stored.bytes(name: "words") == Self.row)
        #expect(Self.row.withUnsafeBytes { ProjectionRow($0, name: "words") } == Self.stored)
    }

    @Test("It is refused with any bit changed, truncated, or under another name")
    func damage() {
        for bit in 0..<Self.row.count * 8 {
            var damaged = Self.row
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(damaged.withUnsafeBytes { ProjectionRow($0, name: "words") } == nil, "bit \(bit)")
        }
        for count in Self.row.indices {
            #expect(Self.row[..<count].withUnsafeBytes { ProjectionRow($0, name: "words") } == nil)
        }
        #expect(Self.row.withUnsafeBytes { ProjectionRow($0, name: "word") } == nil)
    }
}
