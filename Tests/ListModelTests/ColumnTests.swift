// Tests the columns of a block: values are read as they were written, and never beyond the end.

@testable import ListModel
import TestSupport
import Testing

@Suite("Columns")
struct ColumnTests {
    /// A way to write a number, of which a column has one for all.
    private enum Way: CaseIterable { case plain, near, next }

    private static func check(_ values: [[Int64]], _ ways: [Way], _ comment: Comment) throws {
        for part in PackedPart.allCases {
            var writer = ColumnWriter()
            let columns = part.columns.map { PackedColumn(rawValue: $0)! }
            for (index, column) in columns.enumerated() {
                for value in values[index % values.count] {
                    switch ways[index % ways.count] {
                    case .plain: writer.put(column, UInt64(bitPattern: value))
                    case .near: writer.put(column, near: value)
                    case .next: writer.put(column, next: value)
                    }
                }
            }
            let plain = writer.plain(part)
            let packed = plain.withUnsafeBytes { Deflate.packed($0) }
            let memory = try #require(packed.withUnsafeBytes { UnpackedBytes($0, count: plain.count) })
            var reader = try ColumnReader(memory, part, version: Version(1))
            for (index, column) in columns.enumerated() {
                for value in values[index % values.count] {
                    let found: Int64 =
                        switch ways[index % ways.count] {
                        case .plain: Int64(bitPattern: try reader.next(column))
                        case .near: try reader.near(column)
                        case .next: try reader.following(column)
                        }
                    try #require(found == value, comment)
                }
                let isAtEnd = reader.isAtEnd(column)
                try #require(isAtEnd, comment)
            }
            for column in columns { #expect(throws: RecordError.self, comment) { _ = try reader.next(column) } }
        }
    }

    @Test("Random columns, with common values and values at the edges", arguments: 1...20 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let edges: [Int64] = [0, 1, -1, .max, .min, .max - 1, .min + 1, 1 << 56, -(1 << 56), 1 << 57]
        for round in 0..<10 * Soak.factor {
            let values = (0..<7).map { _ -> [Int64] in
                let common = edges.randomElement(using: &generator)!
                let bits = Int64.random(in: 0...62, using: &generator)
                return (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                    if generator.oneIn(20) { return edges.randomElement(using: &generator)! }
                    return generator.oneIn(3) ? common &+ Int64.random(in: 0...(1 << bits), using: &generator) : common
                }
            }
            let ways = (0..<4).map { _ in Way.allCases.randomElement(using: &generator)! }
            try Self.check(values, ways, "seed \(seed), round \(round)")
        }
    }

    @Test("Damaged compressed bytes, and those of another length, are noticed")
    func damage() {
        let plain = [UInt8]((0..<200).map { UInt8($0 % 7) })
        let packed = plain.withUnsafeBytes { Deflate.packed($0) }
        func unpacked(_ bytes: [UInt8], _ count: Int) -> [UInt8]? {
            bytes.withUnsafeBytes { UnpackedBytes($0, count: count).map { Array($0.bytes) } }
        }
        #expect(unpacked(packed, 200) == plain)
        for count in [1, 199, 201, 1 << 16] { #expect(unpacked(packed, count) == nil, "\(count) bytes") }
        for count in 0..<packed.count { #expect(unpacked(Array(packed[..<count]), 200) == nil, "\(count) bytes") }
        for bit in 0..<packed.count * 8 {
            var damaged = packed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let found = unpacked(damaged, 200)
            // Some bits of the frame say only how it was made.
            #expect(found == nil || found == plain, "bit \(bit)")
        }
    }
}
