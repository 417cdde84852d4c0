// Tests searching an ordered tree, and prefixes of a tree.

@testable import ListModel
import TestSupport
import Testing

@Suite("Searching and cutting trees")
struct TreeSearchTests {
    private static func tree(_ count: Int) -> PersistentTree<UntypedRow> {
        let items = (0..<count).map { number in
            let content = ContentReference(version: Version(1), offset: 0, length: 4, hash: UInt64(number) * 31)
            return UntypedRow(id: .integer(Int64(number)), isChecked: false, content: content)
        }
        var tree = PersistentTree<UntypedRow>(NodePool(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4)))
        // Inserted from the middle outwards, so that nodes have different sizes.
        for (index, item) in items.enumerated() where index % 2 == 0 { tree.insert(item, at: index / 2) }
        for (index, item) in items.enumerated() where index % 2 == 1 { tree.insert(item, at: index) }
        tree.seal()
        return tree
    }

    private static func number(_ item: UntypedRow) -> Int {
        if case .integer(let number) = item.id { Int(number) } else { -1 }
    }

    @Test("The place in an ordered tree is found, for every place in trees of every small size")
    func partitionPoint() {
        for count in 0...90 {
            let tree = Self.tree(count)
            for place in 0...count {
                #expect(tree.partitionPoint { Self.number($0) < place } == place, "\(place) of \(count)")
            }
        }
    }

    @Test("With a `<` that is not an order, a search gives some place in the tree")
    func noOrder() {
        let tree = Self.tree(77)
        for divisor in 2...9 {
            #expect((0...77).contains(tree.partitionPoint { Self.number($0) % divisor == 0 }))
        }
    }

    @Test("A search passes over nodes that equal nodes without a match, and over no others")
    func passing() {
        for count in 0...90 {
            var unmatched: Set<UInt64> = []
            var calls = 0
            func isFound(_ number: Int, _ tree: PersistentTree<UntypedRow>) -> Bool {
                calls = 0
                return tree.contains(passing: &unmatched) { row in
                    calls += 1
                    return Self.number(row) == number
                }
            }
            var tree = Self.tree(count)
            for number in 0..<count {
                #expect(isFound(number, tree), "\(number) of \(count)")
                unmatched = []
            }
            #expect(!isFound(count, tree) && calls == count)
            #expect(!isFound(count, tree) && calls == 0)
            // Equal rows in nodes of another tree.
            #expect(!isFound(count, Self.tree(count)) && calls == 0)
            tree.insert(Self.tree(count + 1)[count], at: count / 2)
            tree.seal()
            #expect(isFound(count, tree) && calls <= 2 * 4, "\(calls) calls of \(count)")
        }
    }

    @Test("A prefix of a tree has its first elements, and the tree does not change")
    func prefix() throws {
        for count in 0...90 {
            let tree = Self.tree(count)
            let (elements, hash) = (tree.elements(in: 0..<count), tree.hash)
            for length in -1...count + 1 {
                let first = tree.prefix(length)
                let expected = Array(elements.prefix(max(0, length)))
                try #require(first.elements(in: 0..<first.count) == expected, "\(length) of \(count)")
                try first.checkInvariants(owner: 0, Locator<UntypedRow>(tree.pool, isTracking: false))
                #expect(first.hash != SequenceHash.unsealed)
            }
            if let last = elements.last {
                let other = UntypedRow(id: -1, isChecked: true, content: last.content)
                for length in 1...count {
                    let first = tree.prefix(length, replacingLast: other)
                    let expected = Array(elements.prefix(length - 1)) + [other]
                    try #require(first.elements(in: 0..<first.count) == expected, "\(length) of \(count)")
                    try first.checkInvariants(owner: 0, Locator<UntypedRow>(tree.pool, isTracking: false))
                }
            }
            try #require(tree.elements(in: 0..<count) == elements && tree.hash == hash)
        }
    }

    @Test("The first rows of a snapshot are those of its sections, one after another")
    func firstRows() throws {
        var list = try MemoryList([[], Array(0..<30), [], [30, 31, 32], []])
        let snapshot = list.snapshot()
        let whole = try list.contents()
        for count in -1...35 {
            let first = snapshot.first(count)
            let expected = whole.viewed([.first(count)])
            try #require(try ReferenceList(first, list.log) == expected, "\(count)")
            #expect(first.itemCount == expected.itemCount)
            let changes = Changeset(from: first, to: snapshot)
            #expect(changes.applied(to: expected, giving: whole) == whole)
        }
    }
}
