// Tests nodes that are stored as patches: their bytes, that they give the very node, how long chains become, damage.
//
// The golden bytes were derived by hand from Docs/Design/FileFormat.md; the checksums were computed in Python from the
// specification of XXH64.

@testable import ListModel
import TestSupport
import Testing

@Suite("Node patches")
struct NodePatchTests {
    private static let limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)

    private static func leaf(_ rows: [UntypedRow]) -> TreeNode<UntypedRow> {
        let leaf = TreeNode<UntypedRow>.make(height: 0, width: max(4, rows.count), number: 1)
        leaf.elements.initialize(from: rows, count: rows.count)
        leaf.count = rows.count
        leaf.isPlain = rows.allSatisfy { $0.isPlain }
        return leaf
    }

    private static func inner(_ children: [TreeChild<UntypedRow>]) -> TreeNode<UntypedRow> {
        let node = TreeNode<UntypedRow>.make(height: 1, width: max(4, children.count), number: 3)
        node.children.initialize(from: children, count: children.count)
        node.count = children.count
        return node
    }

    private static func row(
        _ id: UntypedID, _ version: UInt64, offset: UInt32 = 60, length: UInt32 = 1, hash: UInt64 = 0x123,
        isChecked: Bool = false, depth: Int = 0
    ) -> UntypedRow {
        let content = ContentReference(version: Version(version), offset: offset, length: length, hash: hash)
        return UntypedRow(id: id, isChecked: isChecked, content: content, depth: depth)
    }

    private static func child(_ stored: UInt64, number: UInt32, count: UInt32 = 2, hash: UInt64, depth: UInt8 = 0)
        -> TreeChild<UntypedRow>
    {
        TreeChild(node: nil, stored: stored, count: count, number: number, hash: hash, lowestDepth: depth, height: 0)
    }

    /// Stores a base under 5 and a patch of it under 9.
    private static func stored(_ base: TreeNode<UntypedRow>, _ node: TreeNode<UntypedRow>) -> MemoryNodes {
        let nodes = MemoryNodes()
        func numbers(_ node: TreeNode<UntypedRow>) -> [UInt64] {
            node.isLeaf ? [] : (0..<node.count).map { node.children[$0].stored }
        }
        var writer = ByteWriter()
        NodeCoding.encode(base, children: numbers(base)[...], number: 5, &writer) { _ in nil }
        nodes[5] = writer.withBytes { Array($0) }
        NodePatch.encode(node, children: numbers(node), base: base, value(5, nodes), number: 9, &writer)
        nodes[9] = writer.withBytes { Array($0) }
        return nodes
    }

    private static func value(_ number: UInt64, _ nodes: MemoryNodes) -> NodePatch.Base {
        NodePatch.Base(
            number: number, checksum: nodes[number]!.withUnsafeBytes { NodeCoding.statedChecksum($0) })
    }

    /// The summary of a node that is stored under 9.
    private static func summary(_ node: TreeNode<UntypedRow>) -> TreeChild<UntypedRow> {
        var child = TreeChild(summarizing: node)
        child.seal()
        child.node = nil
        child.stored = 9
        return child
    }

    private static func read(_ child: TreeChild<UntypedRow>, _ nodes: MemoryNodes) throws -> TreeNode<UntypedRow> {
        var spares = SpareNodes<UntypedRow>()
        return try NodeChain(child, from: nodes, limits, &spares).node(child, limits)
    }

    private static func rows(_ leaf: TreeNode<UntypedRow>) -> [UntypedRow] {
        Array(UnsafeBufferPointer(start: leaf.elements, count: leaf.count))
    }

    /// Whether a node that is stored as a patch is read as it was.
    private static func survives(_ node: TreeNode<UntypedRow>, asPatchOf base: TreeNode<UntypedRow>) throws -> Bool {
        let read = try read(summary(node), stored(base, node))
        guard read.count == node.count, read.height == node.height, read.isPlain == node.isPlain else { return false }
        return (0..<node.count).allSatisfy { slot in
            if node.isLeaf {
                // Not with the function that decides what a patch leaves out.
                let (left, right) = (read.elements[slot], node.elements[slot])
                return left.id == right.id && left.isChecked == right.isChecked && left.depth == right.depth
                    && left.content == right.content
            }
            let (left, right) = (read.children[slot], node.children[slot])
            return left.stored == right.stored && left.number == right.number && left.count == right.count
                && left.hash == right.hash && left.lowestDepth == right.lowestDepth && left.height == right.height
        }
    }

    @Test("The patch of a leaf has exactly these bytes")
    func leafBytes() throws {
        let base = Self.leaf([Self.row(7, 1), Self.row(8, 1, offset: 65, isChecked: true, depth: 2)])
        let rows = [
            Self.row(7, 1), Self.row(8, 1, offset: 65, depth: 2),
            Self.row(9, 3, offset: 70, length: 2, hash: 0x0102_0304_0506_0708),
        ]
        let expected: [UInt8] = [
            // checksum with the number 9; a patch of a leaf; 3 rows; the base is 4 less; the lowest byte of its checksum
            0x2D, 0xBC, 0xE8, 0x3C, 192, 3, 4, 0xCD,
            // one row is kept; one removed, two inserted
            1 * 2, 1, 2,
            // the same id and content, unchecked; depth 2 and expanded
            2 + 4 + 16, 4,
            // the next id; version 3 more than 0, offset 70, length 2, the hash
            8, 6, 70, 2, 8, 7, 6, 5, 4, 3, 2, 1,
        ]
        let node = Self.leaf(rows)
        let nodes = Self.stored(base, node)
        #expect(nodes[9] == expected)
        #expect(try Self.survives(node, asPatchOf: base))
        // An earlier release wrote the height after the number of rows, and a checksum of the base.
        nodes[9] = [0x2B, 0x14, 0x3D, 0x55, 73, 3, 0, 4, 0xCD, 0x25, 0xD4, 0x2F] + expected[8...]
        #expect(Self.rows(try Self.read(Self.summary(node), nodes)) == rows)
        #expect(try StoredValue.rows(ofLeaf: 9, in: nodes) == rows)
    }

    @Test("The patch of an inner node has exactly these bytes")
    func innerBytes() throws {
        let base = Self.inner([Self.child(3, number: 1, hash: 0x123), Self.child(4, number: 2, hash: 0x456)])
        let node = Self.inner([
            Self.child(3, number: 1, hash: 0x123), Self.child(8, number: 2, hash: 0x0102_0304_0506_0708),
        ])
        let expected: [UInt8] = [
            // checksum with the number 9; a patch of a node of height 1; 2 children; the base is 4 less; the lowest byte of its
            // checksum
            0xEA, 0x90, 0x2D, 0x8D, 193, 2, 4, 0x65,
            // one child is kept, one replaced; the same node number and count; number 1 less than this one; the hash
            1 * 2 + 1, 1, 3, 1, 8, 7, 6, 5, 4, 3, 2, 1,
        ]
        #expect(Self.stored(base, node)[9] == expected)
        #expect(try Self.survives(node, asPatchOf: base))
    }

    /// All sequences of different numbers below `count`, of 1 to `length` of them.
    private static func sequences(below count: Int64, upTo length: Int) -> [[Int64]] {
        var all: [[Int64]] = []
        var last: [[Int64]] = [[]]
        for _ in 0..<length {
            last = last.flatMap { start in (0..<count).filter { !start.contains($0) }.map { start + [$0] } }
            all += last
        }
        return all
    }

    @Test("Between any two short leaves and inner nodes, a patch gives the very node")
    func exhaustive() throws {
        let bases = Self.sequences(below: 4, upTo: 3)
        for base in bases {
            let old = Self.leaf(base.map { Self.row(.integer($0), 1) })
            let oldInner = Self.inner(base.map { Self.child(UInt64($0) + 1, number: UInt32($0), hash: 7) })
            for ids in bases {
                // Each row is kept, toggled, or has another content.
                for changes in 0..<[1, 3, 9, 27][ids.count] {
                    let kinds = [changes % 3, changes / 3 % 3, changes / 9]
                    let rows = ids.enumerated().map { slot, id in
                        Self.row(
                            .integer(id), kinds[slot] == 2 ? 2 : 1, offset: UInt32(60 + kinds[slot] / 2),
                            isChecked: kinds[slot] == 1)
                    }
                    #expect(try Self.survives(Self.leaf(rows), asPatchOf: old), "\(base) to \(rows)")
                }
                let children = ids.map { Self.child(UInt64($0) + ($0 % 2 == 0 ? 1 : 4), number: UInt32($0), hash: 8) }
                #expect(try Self.survives(Self.inner(children), asPatchOf: oldInner), "\(base) to \(ids)")
            }
        }
    }

    @Test(
        "A patch gives the very node after random edits, whatever the ids are", arguments: 1...20 as ClosedRange<UInt64>
    )
    func random(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func id() -> UntypedID {
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: .integer(Int64.random(in: -3...200, using: &generator))
            case 1: .string("row \(Int.random(in: 0..<100, using: &generator))")
            default: .uuid(ChosenHashes.uuid(generator.next(), hash: generator.next()))
            }
        }
        func row() -> UntypedRow {
            Self.row(
                id(), UInt64.random(in: 1..<1 << 40, using: &generator),
                offset: UInt32.random(in: 0...(.max), using: &generator),
                length: UInt32.random(in: 0...300, using: &generator),
                hash: UInt64.random(in: 0..<SequenceHash.modulus, using: &generator),
                isChecked: Bool.random(using: &generator),
                depth: generator.oneIn(3) ? Int.random(in: 0...UntypedRow.maximumDepth, using: &generator) : 0)
        }
        for round in 0..<100 * Soak.factor {
            let base = (0..<Int.random(in: 1...40, using: &generator)).map { _ in row() }
            var rows = base
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                let slot = Int.random(in: 0..<rows.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: rows.insert(row(), at: slot)
                case 1: if rows.count > 1 { rows.remove(at: slot) }
                case 2:
                    let moved = rows.remove(at: slot)
                    rows.insert(moved, at: Int.random(in: 0...rows.count, using: &generator))
                case 3: rows[slot].setChecked(!rows[slot].isChecked)
                default: rows[slot].setContent(row().content)
                }
            }
            #expect(
                try Self.survives(Self.leaf(rows), asPatchOf: Self.leaf(base)), "seed \(seed), round \(round)")
        }
    }

    @Test("Patches make checkpoints of scattered edits small, and no node is read from many of them")
    func chains() throws {
        var stored = StoredList(TreeLimits())
        let count: Int64 = 2_000
        try stored.list.commit { list in
            let rows = (0..<count).map { NewRow(id: .integer($0), content: [1, 2, 3]) }
            try list.insertSection(NewSection(id: 1, title: "", items: rows))
        }
        try stored.checkpoint()
        let wholeSize = stored.nodes.numbers.reduce(0) { max($0, stored.nodes[$1]!.count) }
        var generator = SeededGenerator(seed: 1)
        var (longest, size, patchCount) = (0, 0, 0)
        for _ in 0..<300 {
            for _ in 0..<20 {
                let id = UntypedID.integer(Int64.random(in: 0..<count, using: &generator))
                try stored.list.commit { try $0.update(id, content: [UInt8(truncatingIfNeeded: generator.next())]) }
            }
            let first = stored.nextNumber
            try stored.checkpoint()
            for number in stored.nodes.numbers where number >= first {
                let bytes = stored.nodes[number]!
                guard bytes.withUnsafeBytes({ NodePatch.isPatch($0) }) else { continue }
                patchCount += 1
                size += bytes.count
                let chain = try NodeChain<UntypedRow>.numbers(from: number, stored.nodes)
                longest = max(longest, chain.count)
                let sizes = chain.dropLast().map { NodePatch.contentSize(stored.nodes[$0]!.count) }
                for (later, earlier) in zip(sizes, sizes.dropFirst()) { #expect(2 * later <= earlier, "\(sizes)") }
            }
        }
        // Some 20 leaves and a few inner nodes for each checkpoint.
        #expect(patchCount > 300 * 15)
        #expect(longest > 2 && longest < 8)
        #expect(size / patchCount < wholeSize / 4, "\(size / patchCount) bytes, a whole node has up to \(wholeSize)")
    }

    @Test("A patch of a node that cannot be its base is damaged, and so is one after too many others")
    func impossibleBases() throws {
        let rows = [Self.row(7, 1), Self.row(8, 1)]
        let (base, node) = (Self.leaf(rows), Self.leaf([rows[0]]))
        let child = Self.summary(node)
        func expectDamaged(_ change: (MemoryNodes) -> Void, _ location: SourceLocation = #_sourceLocation) {
            let nodes = Self.stored(base, node)
            change(nodes)
            #expect(throws: NodeError.self, sourceLocation: location) { try Self.read(child, nodes) }
        }
        /// The patch with another byte, and a right checksum.
        func resealed(_ nodes: MemoryNodes, at index: Int, _ byte: UInt8) {
            var bytes = nodes[9]!
            bytes[index] = byte
            nodes[9] = HostileNodeTests.resealed(bytes, 9)
        }
        #expect(try Self.survives(node, asPatchOf: base))
        expectDamaged { $0[5] = nil }
        expectDamaged { $0[5]![9] ^= 1 }
        // Another node that was stored under the number of the base. Its rows have the same ids.
        expectDamaged { $0[5] = Self.stored(Self.leaf([rows[0], Self.row(8, 2)]), node)[5] }
        // The distance to the base: none, to 0, to another node.
        for distance in [0, 9, 10, 3] as [UInt8] { expectDamaged { resealed($0, at: 6, distance) } }
        // Another height, depths in a leaf, no patch; too few and too many rows.
        for kind in [193, 192 + 32, 255, 128] as [UInt8] { expectDamaged { resealed($0, at: 4, kind) } }
        for count in [0, 2] as [UInt8] { expectDamaged { resealed($0, at: 5, count) } }
        // A base of another height.
        let inner = Self.inner([Self.child(3, number: 1, hash: 7)])
        expectDamaged { $0[5] = Self.stored(inner, inner)[5] }

        let nodes = MemoryNodes()
        var writer = ByteWriter()
        NodeCoding.encode(base, children: [], number: 1, &writer) { _ in nil }
        nodes[1] = writer.withBytes { Array($0) }
        var last = child
        for number in 2...40 as ClosedRange<UInt64> {
            NodePatch.encode(
                node, children: [], base: number == 2 ? base : node, Self.value(number - 1, nodes), number: number,
                &writer)
            nodes[number] = writer.withBytes { Array($0) }
            last.stored = number
            let isAllowed = number - 1 <= NodePatch.longestChain
            #expect((try? Self.read(last, nodes)) != nil || !isAllowed, "\(number - 1) patches")
            #expect(((try? NodeChain<UntypedRow>.numbers(from: number, nodes)) != nil) == isAllowed)
            if !isAllowed { #expect(throws: NodeError.self) { try Self.read(last, nodes) } }
        }
    }
}
