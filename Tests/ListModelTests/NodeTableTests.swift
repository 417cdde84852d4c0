// The table of the cache beside a dictionary.

import TestSupport
import Testing

@testable import ListModel

@Suite("Nodes by number")
struct NodeTableTests {
    private typealias Node = TreeNode<ListItem>

    private static func node(_ number: UInt32) -> Node { Node.make(height: 0, width: 1, number: number) }

    @Test(
        "A table holds what a dictionary holds, whatever is put in, put in again and taken out",
        arguments: 1...UInt64(20))
    func random(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var table = NodeTable<ListItem>()
        var expected: [UInt64: Node] = [:]
        // Numbers that follow one another, and some that share their lower bits.
        let numbers = (1...40).map { UInt64($0) } + (1...20).map { UInt64($0) << 32 } + [.max]
        for step in 0..<2_000 {
            let number = numbers.randomElement(using: &random)!
            // Now it fills up, now it empties.
            let adds = Int.random(in: 0..<10, using: &random) < (step / 200 % 2 == 0 ? 7 : 3)
            if adds {
                let node = Self.node(UInt32(step))
                table.insert(node, number)
                expected[number] = node
            } else {
                try #require(
                    table.remove(number) === expected.removeValue(forKey: number), "seed \(seed), step \(step)")
            }
            try #require(table.count == expected.count, "seed \(seed), step \(step)")
            for number in numbers {
                try #require(table[number] === expected[number], "seed \(seed), step \(step), number \(number)")
            }
        }
    }

    @Test("A node that was taken out is let go of")
    func references() {
        var table = NodeTable<ListItem>()
        weak var node: Node?
        do {
            let made = Self.node(1)
            node = made
            table.insert(made, 1)
        }
        #expect(node != nil)
        _ = table.remove(1)
        #expect(node == nil && table.count == 0 && table[1] == nil)
    }
}
