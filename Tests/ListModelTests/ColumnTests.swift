// Tests the columns of a block: values are read as they were written, one after another and in runs.

@testable import ListModel
import TestSupport
import Testing

@Suite("Columns")
struct ColumnTests {
    private static func bytes(_ values: [Int64]) -> [UInt8] {
        var writer = ByteWriter()
        ColumnWriter(values).write(to: &writer)
        return writer.withBytes { Array($0) }
    }

    private static func check(_ values: [Int64], _ comment: Comment) throws {
        let bytes = Self.bytes(values)
        try bytes.withUnsafeBytes { bytes in
            var reader = try ColumnReader(bytes, 0..<bytes.count, version: Version(1))
            for value in values { try #require(try reader.next() == value, comment) }
            var runs = try ColumnReader(bytes, 0..<bytes.count, version: Version(1))
            var index = 0
            while index < values.count {
                let run = try runs.nextRun(values.count - index)
                for _ in 0..<run.count {
                    try #require(run.value == values[index], comment)
                    index += 1
                }
            }
        }
    }

    @Test("Random columns, with common values, runs and values at the edges", arguments: 1...40 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let edges: [Int64] = [0, 1, -1, .max, .min, .max - 1, .min + 1, 1 << 56, -(1 << 56), 1 << 57]
        for round in 0..<100 * Soak.factor {
            let count = Int.random(in: 0...200, using: &generator)
            let bits = Int64.random(in: 0...62, using: &generator)
            let common = edges.randomElement(using: &generator)!
            let rarity = Int.random(in: 1...30, using: &generator)
            let values = (0..<count).map { _ -> Int64 in
                if generator.oneIn(60) { return edges.randomElement(using: &generator)! }
                if !generator.oneIn(rarity) { return common }
                return common &+ Int64.random(in: 0...(1 << bits), using: &generator)
            }
            try Self.check(values, "seed \(seed), round \(round): \(values)")
        }
    }

    @Test("All columns of up to six values of five")
    func exhaustive() throws {
        for count in 0...6 {
            var total = 1
            for _ in 0..<count { total *= 5 }
            for number in 0..<total {
                var rest = number
                let values = (0..<count).map { _ -> Int64 in
                    defer { rest /= 5 }
                    return Int64(rest % 5) - 2
                }
                try Self.check(values, "\(values)")
            }
        }
    }

    @Test("Equal values and few exceptions take hardly any bytes")
    func sizes() {
        #expect(Self.bytes([0, 0, 0]).isEmpty)
        #expect(Self.bytes(Array(repeating: 7, count: 1_000)) == [14, 0])
        #expect(Self.bytes([7, 7, 8, 7]) == [14, 0, 2 << 2 | 1])
        #expect(Self.bytes((0..<800).map { $0 % 2 }).count < 110)
    }

    @Test("The sum of a run is checked against its bound before it is computed")
    func sums() throws {
        for value in [Int64.max, -1, 1 << 40] {
            let bytes = Self.bytes([value, value, value])
            try bytes.withUnsafeBytes { bytes in
                var reader = try ColumnReader(bytes, 0..<bytes.count, version: Version(1))
                #expect(throws: RecordError.self) { try reader.sum(3, most: 1 << 41, "value") }
            }
        }
    }
}
