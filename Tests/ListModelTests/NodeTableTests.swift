// Compares the hash table of the node cache with a dictionary.

import TestSupport
import Testing

@testable import ListModel

@Suite("Nodes by number")
struct NodeTableTests {
    private typealias Node = TreeNode<UntypedRow>

    private static func node(_ number: UInt32) -> Node { Node.make(height: 0, width: 1, number: number) }

    /// The key of a leaf: the number, count, hash and height that its parent states.
    private static func key(_ number: UInt64, count: UInt32 = 1, hash: UInt64 = 7, height: UInt8 = 0) -> NodeKey {
        NodeKey(number: number, hash: hash, count: count, height: height)
    }

    @Test(
        "A table has the entries of a dictionary after random insertions, replacements and removals",
        arguments: 1...UInt64(20))
    func random(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var table = NodeTable<UntypedRow>()
        var expected: [UInt64: Node] = [:]
        // Numbers that follow one another, and some that share their lower bits.
        let numbers = (1...40).map { UInt64($0) } + (1...20).map { UInt64($0) << 32 } + [Limits.storedNumbers - 1]
        for step in 0..<2_000 {
            let number = numbers.randomElement(using: &random)!
            // The table fills and empties alternately.
            let adds = Int.random(in: 0..<10, using: &random) < (step / 200 % 2 == 0 ? 7 : 3)
            if adds {
                let node = Self.node(UInt32(step))
                table.insert(node, Self.key(number))
                expected[number] = node
            } else {
                let removed = table.remove(Self.key(number))
                try #require(removed === expected.removeValue(forKey: number), "seed \(seed), step \(step)")
            }
            try #require(table.count == expected.count, "seed \(seed), step \(step)")
            for number in numbers {
                let found = table[Self.key(number)]
                try #require(found === expected[number], "seed \(seed), step \(step), number \(number)")
            }
        }
    }

    @Test("A node that was removed is released")
    func references() {
        var table = NodeTable<UntypedRow>()
        weak var node: Node?
        do {
            let made = Self.node(1)
            node = made
            table.insert(made, Self.key(1))
        }
        #expect(node != nil)
        _ = table.remove(Self.key(1))
        #expect(node == nil && table.count == 0 && table[Self.key(1)] == nil)
    }

    @Test("A node is not returned for a parent that states other values")
    func otherParents() {
        var table = NodeTable<UntypedRow>()
        let node = Self.node(1)
        table.insert(node, Self.key(1))
        let root = TreeChild<UntypedRow>.anyHeight
        for other in [Self.key(1, count: 2), Self.key(1, hash: 8), Self.key(1, height: 1)] {
            #expect(table[other] == nil && table.remove(other) == nil)
        }
        #expect(table[Self.key(1)] === node && table[Self.key(1, height: root)] === node)
    }
}
