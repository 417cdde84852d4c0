// Tests the runs in which nodes are stored, against a dictionary of nodes.

@testable import ListModel
import TestSupport
import Testing

@Suite("Runs of nodes")
struct NodeRunTests {
    /// The nodes of a value of the database, by number.
    private static func nodes(_ value: [UInt8], first: UInt64) -> [UInt64: [UInt8]] {
        value.withUnsafeBytes { value in
            var found: [UInt64: [UInt8]] = [:]
            for number in first...NodeRun.lastNumber((first, value)) {
                found[number] = NodeRun.node(number, in: (first, value)).map { Array($0) }
            }
            return found
        }
    }

    /// Nodes in values, as a checkpoint writes them.
    private static func values(_ nodes: [(UInt64, [UInt8])]) -> [(first: UInt64, bytes: [UInt8])] {
        var values: [(first: UInt64, bytes: [UInt8])] = []
        var writer = NodeRunWriter()
        for (number, bytes) in nodes {
            bytes.withUnsafeBytes { writer.add(number, $0) { values.append(($0, $1)) } }
        }
        writer.finish { values.append(($0, $1)) }
        return values
    }

    /// Bytes of a node of which only the kind matters here.
    private static func node(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        [1, 2, 3, 4, 0] + (5..<max(6, count)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    @Test("A run has exactly these bytes, also after one of its nodes was deleted")
    func bytes() throws {
        let values = Self.values([(7, [1, 2, 3, 4, 0]), (8, [9, 9, 9, 9, 73, 1]), (9, [5, 5, 5, 5, 64, 0])])
        #expect(values.count == 1 && values[0].first == 7)
        let run = values[0].bytes
        // a run; 3 nodes; the first number; where each ends; the nodes
        let number: [UInt8] = [7, 0, 0, 0, 0, 0, 0, 0]
        let contents: [UInt8] = [1, 2, 3, 4, 0, 9, 9, 9, 9, 73, 1, 5, 5, 5, 5, 64, 0]
        #expect(Array(run[4...]) == [74, 3] + number + [5, 0, 11, 0, 17, 0] + contents)
        let sum = run[4..<20].withUnsafeBytes { UInt32(truncatingIfNeeded: XXHash64.hash($0, seed: 7)) }
        #expect(Array(run[..<4]) == withUnsafeBytes(of: sum.littleEndian) { Array($0) })
        let rest = try #require(run.withUnsafeBytes { NodeRun($0)?.removing([8]) })
        #expect(Array(rest[4...]) == [74, 3] + number + [5, 0, 5, 0, 11, 0, 1, 2, 3, 4, 0, 5, 5, 5, 5, 64, 0])
        #expect(rest.withUnsafeBytes { NodeRun.nodeCount($0) } == 2)
    }

    @Test(
        "Nodes of all sizes are found again, those that were deleted are not",
        arguments: 1...40 as ClosedRange<UInt64>)
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var number = UInt64(generator.below(1_000) + 1)
        var expected: [UInt64: [UInt8]] = [:]
        var nodes: [(UInt64, [UInt8])] = []
        for _ in 0..<400 {
            let size = generator.oneIn(20) ? generator.below(6_000) : generator.below(seed % 2 == 0 ? 60 : 400)
            nodes.append((number, Self.node(size, &generator)))
            expected[number] = nodes.last!.1
            // The numbers of a checkpoint may have gaps.
            number += generator.oneIn(30) ? 3 : 1
        }
        var values = Self.values(nodes)
        #expect(values.count < 200, "seed \(seed)")
        // Only a node that is larger by itself may be in a larger value.
        #expect(values.allSatisfy { $0.bytes.count <= NodeRun.maximumSize || $0.bytes[4] == 0 }, "seed \(seed)")
        func check() {
            var found: [UInt64: [UInt8]] = [:]
            for value in values { found.merge(Self.nodes(value.bytes, first: value.first)) { $1 } }
            #expect(found == expected, "seed \(seed)")
            let count = values.reduce(0) { $0 + $1.bytes.withUnsafeBytes { NodeRun.nodeCount($0) } }
            #expect(count == expected.count, "seed \(seed)")
        }
        check()
        while !values.isEmpty {
            let index = generator.below(values.count)
            let value = values[index]
            let last = value.bytes.withUnsafeBytes { NodeRun.lastNumber((value.first, $0)) }
            // Also numbers that are not in it.
            let removed = (max(value.first, 3) - 3...last + 3).filter { _ in generator.oneIn(3) }
            let isRun = value.bytes.withUnsafeBytes { NodeRun($0) != nil }
            guard isRun || removed.contains(value.first) else { continue }
            for number in removed where (value.first...last).contains(number) { expected[number] = nil }
            let rest = value.bytes.withUnsafeBytes { NodeRun($0)?.removing(removed[...]) ?? [] }
            if rest.isEmpty { values.remove(at: index) } else { values[index].bytes = rest }
            check()
        }
        #expect(expected.isEmpty, "seed \(seed)")
    }

    @Test(
        "Whatever a damaged run says, nothing outside of its bytes is read",
        arguments: 1...200 as ClosedRange<UInt64>)
    func damaged(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let nodes = (0..<20).map { (UInt64($0 + 5), Self.node(generator.below(40), &generator)) }
        let sound = Self.values(nodes)[0].bytes
        #expect(sound.withUnsafeBytes { StoredValue($0, number: 5) } == .run)
        var bytes = sound
        let isResealed = generator.oneIn(2)
        for _ in 0...generator.below(4) { bytes[generator.below(68)] = UInt8.random(in: 0...255, using: &generator) }
        bytes.removeLast(generator.below(bytes.count))
        // As an attacker would make it.
        if isResealed, bytes.count > 6 {
            let end = min(bytes.count, 14 + 2 * Int(bytes[5]))
            bytes.replaceSubrange(..<end, with: HostileNodeTests.resealed(Array(bytes[..<end]), 5))
        }
        // An exact allocation, so that a sanitizer sees what is read behind it.
        bytes.withUnsafeBytes { bytes in
            for number in 0...200 as ClosedRange<UInt64> where number >= 5 {
                guard let node = NodeRun.node(number, in: (5, bytes)) else { continue }
                let start = node.baseAddress! - bytes.baseAddress!
                #expect(start >= 0 && start + node.count <= bytes.count && !node.isEmpty, "seed \(seed)")
            }
            guard let run = NodeRun(bytes) else { return }
            // Whatever the numbers are, nothing traps.
            for key in [5, .max, .max - 3] as [UInt64] { _ = NodeRun.lastNumber((key, bytes)) }
            #expect(NodeRun.node(3, in: (5, bytes)) == nil, "seed \(seed)")
            let rest = run.removing([7])
            #expect(rest?.count ?? 0 <= NodeRun.maximumSize, "seed \(seed)")
        }
    }

    @Test("A run whose beginning is damaged anywhere is not recognised")
    func unrecognised() {
        var generator = SeededGenerator(seed: 1)
        let sound = Self.values((0..<20).map { (UInt64($0 + 5), Self.node(30, &generator)) })[0].bytes
        for place in 0..<54 {
            var bytes = sound
            bytes[place] ^= 1
            #expect(bytes.withUnsafeBytes { StoredValue($0, number: 5) } == nil, "byte \(place)")
        }
        #expect(sound.withUnsafeBytes { StoredValue($0, number: 6) } == nil)
    }
}
