// Tests trees with nodes that cannot be read, or that were forged: they are read, edited and compared without an access
// outside of memory.

@testable import ListModel
import TestSupport
import Testing

@Suite("Damaged trees")
struct DamagedTreeTests {
    /// A list with a checkpoint, with the given number of rows in two sections.
    private static func stored(_ count: Int, _ limits: TreeLimits) throws -> StoredList {
        var stored = StoredList(limits)
        try stored.list.commit { list in
            for section in 0..<2 {
                let ids = (0..<count).map { Int64(section * count + $0) }
                try list.insertSection(
                    NewSection(
                        id: .integer(Int64(section)), title: "",
                        items: ids.map { NewRow(id: .integer($0), content: [1]) }))
            }
        }
        try stored.checkpoint()
        return stored
    }

    @Test("Two rows are inserted at the place of a small damaged leaf")
    func smallLeaf() throws {
        var stored = try Self.stored(3, TreeLimits())
        for number in stored.nodes.numbers {
            try stored.reopen()
            let bytes = stored.nodes[number]!
            stored.nodes[number]![bytes.count - 1] ^= 1
            // Damage is not reported before the commit ends; until then the edits must have their usual effect.
            try? stored.list.editor.begin(CommitDraft(name: "", time: Timestamp(microseconds: 1)))
            for round in 1...20 as ClosedRange<Int64> {
                let rows = [1_000, 2_000].map { NewRow(id: .integer($0 + round), content: [1]) }
                let place = ListIndexPath(0, Int(round) % 3 * 2)
                guard (try? stored.list.editor.insert(rows, at: .at(place))) != nil else { break }
                let found = stored.list.editor.state.items(inSectionAt: 0, place.item..<place.item + 2)
                try #require(found.map { $0.id } == rows.map { $0.id }, "node \(number), round \(round)")
            }
            stored.list.editor.cancel()
            stored.nodes[number] = bytes
        }
    }

    @Test("Events that are applied to rows that cannot be read throw, and give no placeholders")
    func applyingEvents() throws {
        var stored = try Self.stored(40, TreeLimits(leafCapacity: 4, innerCapacity: 4))
        let events: [ListEvent] = [.itemsInserted(at: ListIndexPath(0, 0), .one(Self.row(1_000)))]
        var failures = 0
        for number in stored.nodes.numbers {
            try stored.reopen()
            let rows = stored.list.snapshot()
            let bytes = stored.nodes[number]
            stored.nodes[number] = nil
            do {
                let after = try rows.applying(events)
                #expect(after.item(at: ListIndexPath(0, 1))?.id == 0, "node \(number)")
            } catch is NodeError { failures += 1 }
            stored.nodes[number] = bytes
        }
        #expect(failures > 0)
    }

    @Test("Rows that are moved beside rows that cannot be read are moved, or it is an error")
    func movedBeside() throws {
        var stored = try Self.stored(40, TreeLimits(leafCapacity: 4, innerCapacity: 4))
        var failures = 0
        for number in stored.nodes.numbers {
            let bytes = stored.nodes[number]
            for target: Int64 in 10..<20 {
                try stored.reopen()
                stored.nodes[number] = nil
                do {
                    try stored.list.commit { try $0.move(.items([0, 30]), to: .after(.integer(target))) }
                } catch { failures += 1 }
                stored.nodes[number] = bytes
            }
        }
        #expect(failures > 0)
    }

    static let shapes = [
        (rows: 3, limits: TreeLimits()), (40, TreeLimits(leafCapacity: 4, innerCapacity: 4)),
        (300, TreeLimits(leafCapacity: 5, innerCapacity: 4)), (2_100, TreeLimits()),
    ]

    @Test("Rows are inserted and removed around damaged nodes, and the counts stay right", arguments: 0..<4)
    func randomEdits(shape: Int) throws {
        let (count, limits) = Self.shapes[shape]
        var generator = SeededGenerator(seed: UInt64(shape))
        var stored = try Self.stored(count, limits)
        var damaged = 0
        for number in stored.nodes.numbers.shuffled(using: &generator).prefix(40) {
            try stored.reopen()
            let bytes = stored.nodes[number]!
            stored.nodes[number] = nil
            let before = stored.list.snapshot()
            var expected = before.sections.map(\.items.count)
            for step in 0..<200 {
                let comment: Comment = "shape \(shape), node \(number), step \(step)"
                guard !expected.isEmpty else { break }
                let section = Int.random(in: 0..<expected.count, using: &generator)
                let offset = Int.random(in: 0...expected[section], using: &generator)
                let path = ListIndexPath(section, offset)
                if Bool.random(using: &generator) {
                    let rows = (0..<Int.random(in: 1...7, using: &generator)).map {
                        UntypedRow(
                            id: .integer(Int64(10_000 + step * 10 + $0)), isChecked: false,
                            content: ContentReference(version: Version(1), offset: 0, length: 0, hash: 3))
                    }
                    guard (try? stored.list.editor.state.apply(.itemsInserted(at: path, ListRun(rows)!))) != nil else {
                        continue
                    }
                    expected[section] += rows.count
                } else if offset < expected[section] {
                    let end = min(expected[section], offset + Int.random(in: 1...40, using: &generator))
                    let rows = stored.list.editor.state.items(inSectionAt: section, offset..<end)
                    guard (try? stored.list.editor.state.apply(.itemsDeleted(at: path, rows))) != nil else { continue }
                    expected[section] -= rows.count
                }
                var counts: [Int] = []
                for index in 0..<stored.list.editor.state.sectionCount {
                    counts.append(stored.list.editor.state.itemCount(inSectionAt: index))
                }
                try #require(counts == expected, comment)
            }
            let after = stored.list.snapshot()
            try #require(after.sections.map { $0.items.reduce(0) { sum, _ in sum + 1 } } == expected)
            _ = Changeset(from: before, to: after)
            if stored.store.damage != nil { damaged += 1 }
            stored.nodes[number] = bytes
        }
        #expect(damaged > 3)
    }

    @Test("A node is merged with a sibling that cannot be read, whatever depth the rows of that sibling should have")
    func unreadableSiblings() throws {
        var stored = StoredList(TreeLimits(leafCapacity: 4, innerCapacity: 4))
        try stored.list.commit { list in
            try list.insertSection(NewSection(id: 0, title: "", items: [NewRow(id: 0, content: [])]))
            // One by one, so that leaves are not full. A placeholder has rows at depth 0.
            for id in 1..<40 as Range<Int64> {
                let place = ListIndexPath(0, 1 + Int(id * 7 % id))
                try list.insert(NewRow(id: .integer(id), content: [], depth: 1), at: .at(place))
            }
        }
        try stored.checkpoint()
        for number in stored.nodes.numbers {
            for first in stride(from: 0, to: 40, by: 5) {
                try stored.reopen()
                let bytes = stored.nodes[number]
                stored.nodes[number] = nil
                // A section that cannot be read has no rows.
                var count = stored.list.editor.state.itemCount(inSectionAt: 0)
                while count > first {
                    let row = stored.list.editor.state.items(inSectionAt: 0, first..<first + 1)
                    let place = ListIndexPath(0, first)
                    guard (try? stored.list.editor.state.apply(.itemsDeleted(at: place, row))) != nil else { break }
                    count -= 1
                    try #require(stored.list.editor.state.itemCount(inSectionAt: 0) == count)
                }
                stored.nodes[number] = bytes
            }
        }
    }

    @Test("Reading a row below a damaged root makes one path of nodes, however many rows are missing")
    func pathOfNodes() throws {
        let limits = TreeLimits()
        for count in [1, 31, 33, 1_024, 1_025, 70_000, 1 << 30] {
            let store = NodePool(limits: limits, source: MemoryNodes())
            var child = TreeChild<UntypedRow>(
                node: nil, stored: 7, count: UInt32(count), number: 3, hash: 5, lowestDepth: 0,
                height: TreeChild<UntypedRow>.anyHeight)
            let row = PersistentTree(child, store)[count - 1]
            #expect(row.id == "unreadable")
            #expect(store.damage as? NodeError == NodeError(7, "it is missing"))
            var levels = 0
            while true {
                let node = store.node(child)
                try #require(node.count <= limits.capacity(height: node.height), "\(count) rows")
                try #require(node.elementCount == Int(child.count))
                if node.isLeaf { break }
                levels += 1
                child = node.children[node.count - 1]
                try #require(Int(child.height) == node.height - 1)
            }
            #expect(levels <= 6)
        }
    }

    // MARK: Nodes that somebody made up

    private static func row(_ number: Int64) -> UntypedRow {
        UntypedRow(
            id: .integer(number), isChecked: false,
            content: ContentReference(version: Version(1), offset: 0, length: 4, hash: UInt64(number) * 31))
    }

    /// Stores a node, and returns it as a child of a parent.
    private static func store(
        _ node: TreeNode<UntypedRow>, _ number: UInt64, in nodes: MemoryNodes
    ) -> TreeChild<UntypedRow> {
        let children = node.isLeaf ? [] : (0..<node.count).map { node.children[$0].stored }
        var writer = ByteWriter()
        NodeCoding.encode(node, children: children[...], number: number, &writer) { _ in nil }
        nodes[number] = writer.withBytes { Array($0) }
        var child = TreeChild(summarizing: node)
        child.seal()
        child.node = nil
        child.stored = number
        return child
    }

    private static func leaf(_ count: Int) -> TreeNode<UntypedRow> {
        let leaf = TreeNode<UntypedRow>.make(height: 0, width: count, number: 1)
        leaf.elements.initialize(from: (0..<count).map { row(Int64($0)) }, count: count)
        leaf.count = count
        return leaf
    }

    private static func inner(_ height: Int, _ children: [TreeChild<UntypedRow>]) -> TreeNode<UntypedRow> {
        let node = TreeNode<UntypedRow>.make(height: height, width: children.count, number: 2)
        node.children.initialize(from: children, count: children.count)
        node.count = children.count
        return node
    }

    @Test("A node whose height is not one less than its parent's is damaged, so every path ends")
    func heights() {
        // A leaf below nodes of height 1, of 1 twice, of 1 and 2 in the right order, and with one height missing.
        for (heights, isRight) in [([1], true), ([1, 1], false), ([1, 2], true), ([2], false), ([1, 3], false)] {
            let nodes = MemoryNodes()
            var child = Self.store(Self.leaf(2), 1, in: nodes)
            for (index, height) in heights.enumerated() {
                child = Self.store(Self.inner(height, [child]), UInt64(index) + 2, in: nodes)
            }
            // A checkpoint refers to a root in this way.
            child.height = TreeChild<UntypedRow>.anyHeight
            let store = NodePool(limits: TreeLimits(), source: nodes)
            let ids = PersistentTree(child, store).elements(in: 0..<2).map(\.id)
            #expect((store.damage == nil) == isRight, "heights \(heights)")
            #expect(ids == (isRight ? [0, 1] : ["unreadable", "unreadable"]), "heights \(heights)")
        }
    }

    @Test("A node with a child whose number is not below its own is damaged, so no tree has a cycle")
    func numbers() {
        for (number, isRight) in [(1, true), (3, false), (1 << 40, false)] as [(UInt64, Bool)] {
            let nodes = MemoryNodes()
            let leaf = Self.store(Self.leaf(2), number, in: nodes)
            var child = Self.store(Self.inner(1, [leaf]), 2, in: nodes)
            child.height = TreeChild<UntypedRow>.anyHeight
            let store = NodePool(limits: TreeLimits(), source: nodes)
            #expect(PersistentTree(child, store)[0].id == (isRight ? 0 : "unreadable"), "number \(number)")
            #expect((store.damage == nil) == isRight, "number \(number)")
        }
    }

    @Test(
        "A leaf whose stored contents have more in common than a hash is long is damaged: each row would be hashed with it"
    )
    func longFrame() {
        for (common, isRight) in [(0, true), (8, true), (9, false), (1 << 20, false)] {
            let nodes = MemoryNodes()
            let contents = (0..<2).map { [UInt8](repeating: 7, count: common) + [UInt8($0)] }
            let rows = contents.enumerated().map { index, content in
                UntypedRow(
                    id: .integer(Int64(index)), isChecked: false,
                    content: ContentReference(
                        version: Version(1), offset: UInt32(index), length: UInt32(content.count),
                        hash: content.withUnsafeBytes { ContentReference.hash(of: $0) }))
            }
            let leaf = TreeNode<UntypedRow>.make(height: 0, width: 2, number: 1)
            leaf.elements.initialize(from: rows, count: 2)
            leaf.count = 2
            var writer = ByteWriter()
            NodeCoding.encode(leaf, children: [], number: 1, &writer) { contents[Int($0.offset)] }
            nodes[1] = writer.withBytes { Array($0) }
            var child = TreeChild(summarizing: leaf)
            child.seal()
            (child.node, child.stored, child.height) = (nil, 1, TreeChild<UntypedRow>.anyHeight)
            let store = NodePool(limits: TreeLimits(), source: nodes)
            let read = PersistentTree(child, store).elements(in: 0..<2)
            #expect((store.damage == nil) == isRight, "\(common) bytes in common")
            #expect((read.map(\.content) == rows.map(\.content)) == isRight, "\(common) bytes in common")
        }
    }

    @Test("A node is not used for a parent that states another count, hash or height")
    func twoParents() {
        let nodes = MemoryNodes()
        let leaf = Self.store(Self.leaf(2), 1, in: nodes)
        for wrong in [(count: 500, hash: leaf.hash), (count: 2, hash: leaf.hash + 1)] {
            var other = leaf
            (other.count, other.hash) = (UInt32(wrong.count), wrong.hash)
            var child = Self.store(Self.inner(1, [leaf, other]), 2, in: nodes)
            child.height = TreeChild<UntypedRow>.anyHeight
            let store = NodePool(limits: TreeLimits(), source: nodes)
            let tree = PersistentTree(child, store)
            #expect(tree[0].id == 0 && store.damage == nil)
            #expect(tree[1 + wrong.count].id == "unreadable" && store.damage != nil)
            #expect(tree[1].id == 1)
        }
    }
}
