// The row of a name of a version, byte for byte, as Docs/Design/FileFormat.md says.
//
// The checksum was computed in Python from the specification of XXH64: X = XXH64(row[8:], XXH64("Größe 1.0", 10)).

import ListModel
@testable import Listory
import Testing

@Suite("The row of a name of a version in the file")
struct NamedVersionRowTests {
    private static let named = NamedVersion(
        name: "Größe 1.0", version: Version(258), stateHash: StateHash(rawValue: 0x1122_3344_5566_7788),
        time: Timestamp(microseconds: -2))

    private static let row: [UInt8] = [
        // 0: checksum; 8: format
        0x9C, 0xC6, 0xF1, 0xC6, 0xEC, 0x88, 0x50, 0x0A, 1,
        // 9: version, 258
        2, 1, 0, 0, 0, 0, 0, 0,
        // 17: state hash
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
        // 25: time, -2
        0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    ]

    @Test("It is written as exactly these bytes, under this key, and read from them")
    func bytes() {
        #expect(Self.named.bytes == Self.row)
        #expect(Self.row.withUnsafeBytes { NamedVersion($0, name: "Größe 1.0") } == Self.named)
        #expect(NamedVersion.key("1.0") == "name:1.0")
        #expect(NamedVersion.name(ofKey: Array("name:a:b".utf8)) == "a:b")
        for key in ["head", "nam", "names", ""] { #expect(NamedVersion.name(ofKey: Array(key.utf8)) == nil) }
    }

    @Test("It is refused with any bit changed, truncated, or under another name")
    func damage() {
        for bit in 0..<Self.row.count * 8 {
            var damaged = Self.row
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(damaged.withUnsafeBytes { NamedVersion($0, name: "Größe 1.0") } == nil, "bit \(bit)")
        }
        for count in Self.row.indices {
            #expect(Self.row[..<count].withUnsafeBytes { NamedVersion($0, name: "Größe 1.0") } == nil)
        }
        #expect((Self.row + [0]).withUnsafeBytes { NamedVersion($0, name: "Größe 1.0") } == nil)
        #expect(Self.row.withUnsafeBytes { NamedVersion($0, name: "Größe 1.1") } == nil)
    }
}
