// Writes the nodes of a checkpoint that are not stored yet, children before parents.
//
// It also finds the nodes that only the checkpoint before has, without reading the nodes that both share. A node of the
// older tree is still needed if its parent is, or if it is a child of one of the new nodes.
//
// Always holds: stored numbers ascend, and the number of a node is greater than those of its children.

/// The nodes that were stored for a checkpoint, with their stored numbers.
package struct WrittenNodes: @unchecked Sendable {
    // @unchecked Sendable: shared nodes are not written, except for the atomic word that `adopt` sets.
    fileprivate(set) var items: [(TreeNode<UntypedRow>, UInt64)] = []
    fileprivate(set) var sections: [(TreeNode<SectionEntry>, UInt64)] = []

    /// Their approximate size in memory, in bytes.
    package var size: Int { items.count * 1_400 + sections.count * 3_400 }
}

/// Writes the nodes of a checkpoint.
package struct CheckpointWriter: ~Copyable {
    /// Receives the stored number and the bytes of each value to store.
    package typealias Output = (UInt64, UnsafeRawBufferPointer) throws -> Void

    private let image: CheckpointImage
    private let output: Output
    /// Returns the content of a row if it is stored instead of its hash.
    private let contentOf: (ContentReference) -> [UInt8]?
    /// The first unused stored number. Numbers of a failed checkpoint are not used again.
    package private(set) var nextNumber: UInt64
    private var writer = ByteWriter()
    /// The numbers of stored nodes that are children of new nodes.
    private var kept: [UInt64] = []
    /// The nodes that were written.
    package private(set) var written = WrittenNodes()

    /// A writer for an image.
    ///
    /// - Parameters:
    ///   - image: the version to store.
    ///   - contentOf: returns the content of a row if it is stored instead of its hash.
    ///   - output: stores a value under its number.
    package init(
        _ image: CheckpointImage, contentOf: @escaping (ContentReference) -> [UInt8]? = { _ in nil },
        _ output: @escaping Output
    ) {
        self.image = image
        self.contentOf = contentOf
        self.output = output
        nextNumber = image.firstNodeNumber
    }

    /// Stores all nodes and chunks that are not stored yet.
    ///
    /// - Parameters:
    ///   - eventCount: the number of events from the beginning to the version.
    ///   - work: the work of a replay from the beginning to the version.
    ///   - checksum: the checksum of the record of its commit.
    /// - Returns: the checkpoint, whose row is still to be stored.
    /// - Throws: errors of `output`, and ``NodeError`` if no stored numbers are left.
    /// - Complexity: O(rows that changed since the last checkpoint).
    package mutating func write(eventCount: UInt64, work: UInt64, checksum: UInt64) throws -> Checkpoint {
        let output = self.output
        try image.chunks.forEach { number, writer in try writer.withBytes { try output(number, $0) } }
        let tree = image.snapshot.tree
        let stored = tree.count == 0 ? 0 : try store(tree.top)
        return Checkpoint(
            version: image.version, eventCount: eventCount, work: work, checksum: checksum,
            histories: image.histories,
            stateHash: image.snapshot.stateHash, itemCount: image.snapshot.itemCount,
            firstNumber: image.firstNumber, lastNumber: nextNumber - 1, sectionNumberCount: image.sectionNumberCount,
            top: Checkpoint.Top(tree.top, stored: stored))
    }

    private mutating func store(_ child: TreeChild<SectionEntry>) throws -> UInt64 {
        guard let node = new(child) else { return known(child) }
        if !node.isLeaf {
            var numbers: [UInt64] = []
            for slot in 0..<node.count { numbers.append(try store(node.children[slot])) }
            let number = try put(node, children: numbers)
            written.sections.append((node, number))
            return number
        }
        // A section is encoded with the stored number of the root of its rows.
        let stored = TreeNode<SectionEntry>.make(height: 0, width: node.count, number: node.number)
        for slot in 0..<node.count {
            var section = node.elements[slot]
            if section.itemCount > 0 { section.setRows(stored: try store(section.rows)) }
            stored.elements.advanced(by: slot).initialize(to: section)
            stored.count += 1
        }
        let number = try put(stored, children: [])
        written.sections.append((node, number))
        return number
    }

    private mutating func store(_ child: TreeChild<UntypedRow>) throws -> UInt64 {
        guard let node = new(child) else { return known(child) }
        var numbers: [UInt64] = []
        if !node.isLeaf {
            numbers.reserveCapacity(node.count)
            for slot in 0..<node.count { numbers.append(try store(node.children[slot])) }
        }
        let number = try put(node, children: numbers)
        written.items.append((node, number))
        return number
    }

    /// The node of a child, if it is not stored.
    private func new<Element: TreeElement>(_ child: TreeChild<Element>) -> TreeNode<Element>? {
        guard let node = child.node, node.stored == 0 else { return nil }
        return node
    }

    private mutating func known<Element: TreeElement>(_ child: TreeChild<Element>) -> UInt64 {
        let number = child.node?.stored ?? child.stored
        kept.append(number)
        return number
    }

    private mutating func put<Element: TreeElement>(_ node: TreeNode<Element>, children: [UInt64]) throws -> UInt64 {
        let number = nextNumber
        guard number < Limits.storedNumbers else {
            throw NodeError(number, "expected a number below \(Limits.storedNumbers)")
        }
        nextNumber += 1
        NodeCoding.encode(node, children: children[...], number: number, &writer, contentOf: contentOf)
        try writer.withBytes { try output(number, $0) }
        return number
    }
}

// MARK: - What is no longer there

extension CheckpointWriter {
    /// The stored numbers of the nodes that the checkpoint before has and this one does not. Call it after `write`.
    ///
    /// - Complexity: O(rows that changed between the two checkpoints).
    package mutating func nodesGone(since previous: Checkpoint, _ pool: NodePool) -> [UInt64] {
        kept = kept.sorted()
        var gone: [UInt64] = []
        let top = previous.top.child
        if top.count > 0 { collect(top, height: nil, pool, &gone) }
        return gone
    }

    private func isKept(_ number: UInt64) -> Bool {
        var range = 0..<kept.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if kept[middle] == number { return true }
            range = kept[middle] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return false
    }

    /// - Parameter height: the height of the node; nil for a root, whose height is not known.
    private func collect(
        _ child: TreeChild<SectionEntry>, height: Int?, _ pool: NodePool, _ gone: inout [UInt64]
    ) {
        if isKept(child.stored) { return }
        gone.append(child.stored)
        let node = pool.node(child)
        for slot in 0..<node.count {
            if node.isLeaf {
                let rows = node.elements[slot].rows
                if rows.count > 0 { collect(rows, height: nil, pool, &gone) }
            } else {
                collect(node.children[slot], height: node.height - 1, pool, &gone)
            }
        }
    }

    private func collect(_ child: TreeChild<UntypedRow>, height: Int?, _ pool: NodePool, _ gone: inout [UInt64]) {
        if isKept(child.stored) { return }
        gone.append(child.stored)
        // Leaves of rows do not refer to other nodes, so they are not read.
        if height == 0 { return }
        let node = pool.node(child)
        if node.isLeaf { return }
        for slot in 0..<node.count { collect(node.children[slot], height: node.height - 1, pool, &gone) }
    }
}
