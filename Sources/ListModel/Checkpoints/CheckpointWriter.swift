// Writes the nodes of a checkpoint that are not stored yet, children before parents.
//
// First it finds the nodes that only the checkpoint before has, without reading the nodes that both share. A node of the
// older tree is still needed if its parent is, or if it is a child of one of the new nodes. A new node that has the node
// number of an older one, and the same height, is stored as a patch of that one, or of an earlier value in its chain.
//
// Always holds: stored numbers ascend, and the number of a node is greater than those of its children. No number is needed to
// read two nodes of a checkpoint.

/// The nodes that were stored for a checkpoint, with their stored numbers.
package struct WrittenNodes: @unchecked Sendable {
    // @unchecked Sendable: shared nodes are not written, except for the atomic word that `adopt` sets.
    fileprivate(set) var items: [(TreeNode<UntypedRow>, UInt64)] = []
    fileprivate(set) var sections: [(TreeNode<SectionEntry>, UInt64)] = []

    /// Their approximate size in memory, in bytes.
    package var size: Int { WrittenNodes.size(rowNodes: items.count) + sections.count * 3_400 }

    /// The approximate size in memory of a number of nodes of rows, in bytes.
    package static func size(rowNodes: Int) -> Int { rowNodes * 1_400 }
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
    /// The nodes of rows that only the checkpoint before has.
    private var replaced = ReplacedNodes()
    /// The nodes that were written.
    package private(set) var written = WrittenNodes()
    /// The stored numbers of the values that the checkpoint before needs and this one does not.
    package private(set) var gone: [UInt64] = []

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
    ///   - previous: the checkpoint before, if there is one.
    ///   - pool: reads its nodes.
    /// - Returns: the checkpoint, whose row is still to be stored.
    /// - Throws: errors of `output`, and ``NodeError`` if no stored numbers are left.
    /// - Complexity: O(rows that changed since the last checkpoint).
    package mutating func write(
        eventCount: UInt64, work: UInt64, checksum: UInt64, after previous: Checkpoint?, _ pool: NodePool
    ) throws -> Checkpoint {
        let output = self.output
        try image.chunks.forEach { number, writer in try writer.withBytes { try output(number, $0) } }
        let tree = image.snapshot.tree
        if let previous { findReplaced(previous.top.child, by: tree.top, pool) }
        let stored = tree.count == 0 ? 0 : try store(tree.top, pool)
        for child in replaced.rest { gone += pool.storedNumbers(of: child) }
        return Checkpoint(
            version: image.version, eventCount: eventCount, work: work, checksum: checksum,
            histories: image.histories,
            stateHash: image.snapshot.stateHash, itemCount: image.snapshot.itemCount,
            firstNumber: image.firstNumber, lastNumber: nextNumber - 1, sectionNumberCount: image.sectionNumberCount,
            top: Checkpoint.Top(tree.top, stored: stored))
    }

    private mutating func store(_ child: TreeChild<SectionEntry>, _ pool: NodePool) throws -> UInt64 {
        guard let node = child.newNode else { return child.knownNumber }
        if !node.isLeaf {
            var numbers: [UInt64] = []
            for slot in 0..<node.count { numbers.append(try store(node.children[slot], pool)) }
            let number = try put(node, children: numbers)
            written.sections.append((node, number))
            return number
        }
        // A section is encoded with the stored number of the root of its rows.
        let stored = TreeNode<SectionEntry>.make(height: 0, width: node.count, number: node.number)
        for slot in 0..<node.count {
            var section = node.elements[slot]
            if section.itemCount > 0 { section.setRows(stored: try store(section.rows, pool)) }
            stored.elements.advanced(by: slot).initialize(to: section)
            stored.count += 1
        }
        let number = try put(stored, children: [])
        written.sections.append((node, number))
        return number
    }

    private mutating func store(_ child: TreeChild<UntypedRow>, _ pool: NodePool) throws -> UInt64 {
        guard let node = child.newNode else { return child.knownNumber }
        var numbers: [UInt64] = []
        if !node.isLeaf {
            numbers.reserveCapacity(node.count)
            for slot in 0..<node.count { numbers.append(try store(node.children[slot], pool)) }
        }
        let number = try putPatch(node, children: numbers, pool) ?? put(node, children: numbers)
        written.items.append((node, number))
        return number
    }

    private mutating func put<Element: TreeElement>(_ node: TreeNode<Element>, children: [UInt64]) throws -> UInt64 {
        let number = try takeNumber()
        NodeCoding.encode(node, children: children[...], number: number, &writer, contentOf: contentOf)
        try writer.withBytes { try output(number, $0) }
        return number
    }

    /// Stores a node as a patch of the one that it replaces; nil if there is none, or if the patch would be large.
    private mutating func putPatch(
        _ node: TreeNode<UntypedRow>, children: [UInt64], _ pool: NodePool
    ) throws -> UInt64? {
        // A node that cannot be read is stored whole. The pool has reported the damage, so the checkpoint is not completed.
        guard let child = replaced.take(node.number), let chain = pool.chain(of: child) else { return nil }
        guard chain.whole.height == node.height, let stages = try? chain.stages(child, pool.limits) else {
            gone += chain.numbers
            return nil
        }
        let number = try takeNumber()
        /// After how many of the patches the node is the base of the new one.
        var base = chain.patches.count
        func encode(_ writer: inout ByteWriter) -> Int {
            NodePatch.encode(
                node, children: children, base: stages[base], chain.value(after: base), number: number, &writer)
            return NodePatch.contentSize(writer.count)
        }
        // A patch that is not twice as large as the next one becomes one with it. So a chain is short, and a change is
        // written again only a few times.
        var size = encode(&writer)
        while base > 0, NodePatch.contentSize(chain.patches[base - 1].bytes.count) < 2 * size {
            base -= 1
            size = encode(&writer)
        }
        if base == 0 && writer.count > chain.wholeSize / 2 {
            gone += chain.numbers
            nextNumber -= 1
            return nil
        }
        let merged = chain.patches[base...]
        gone += merged.map(\.number)
        try writer.withBytes { try output(number, $0) }
        return number
    }

    private mutating func takeNumber() throws -> UInt64 {
        let number = nextNumber
        guard number < Limits.storedNumbers else {
            throw NodeError(number, "expected a number below \(Limits.storedNumbers)")
        }
        nextNumber += 1
        return number
    }
}

extension TreeChild {
    /// The node, if it is not stored.
    var newNode: TreeNode<Element>? {
        guard let node, node.stored == 0 else { return nil }
        return node
    }

    /// The stored number of a node that is stored.
    fileprivate var knownNumber: UInt64 { node?.stored ?? stored }
}

// MARK: - What only the checkpoint before has

/// Nodes of rows that a checkpoint does not have any more, by their node numbers.
private struct ReplacedNodes {
    private var children: [TreeChild<UntypedRow>] = []
    private var isTaken: [Bool] = []

    mutating func append(_ child: TreeChild<UntypedRow>) { children.append(child) }

    /// Makes them ready to be looked up.
    mutating func sort() {
        children = children.ordered { $0.number < $1.number }
        isTaken = children.map { _ in false }
    }

    /// The node with a node number, which is not returned again.
    mutating func take(_ number: UInt32) -> TreeChild<UntypedRow>? {
        var range = children.indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            let found = children[middle].number
            if found == number {
                if isTaken[middle] { return nil }
                isTaken[middle] = true
                return children[middle]
            }
            range = found < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    /// Those that were not taken.
    var rest: [TreeChild<UntypedRow>] { children.indices.filter { !isTaken[$0] }.map { children[$0] } }
}

extension CheckpointWriter {
    /// Finds the nodes of the checkpoint before that the new tree does not have.
    ///
    /// - Complexity: O(rows that changed between the two checkpoints).
    private mutating func findReplaced(
        _ top: TreeChild<SectionEntry>, by new: TreeChild<SectionEntry>, _ pool: NodePool
    ) {
        if top.count == 0 { return }
        var kept = NumberSet()
        if new.count > 0 { noteKept(new, &kept) }
        collect(top, kept, pool)
        replaced.sort()
    }

    /// Notes the stored nodes that are children of new ones.
    private func noteKept(_ child: TreeChild<SectionEntry>, _ kept: inout NumberSet) {
        guard let node = child.newNode else { return _ = kept.insert(child.knownNumber) }
        for slot in 0..<node.count {
            if node.isLeaf {
                if node.elements[slot].itemCount > 0 { noteKept(node.elements[slot].rows, &kept) }
            } else {
                noteKept(node.children[slot], &kept)
            }
        }
    }

    private func noteKept(_ child: TreeChild<UntypedRow>, _ kept: inout NumberSet) {
        guard let node = child.newNode else { return _ = kept.insert(child.knownNumber) }
        if node.isLeaf { return }
        for slot in 0..<node.count { noteKept(node.children[slot], &kept) }
    }

    private mutating func collect(_ child: TreeChild<SectionEntry>, _ kept: borrowing NumberSet, _ pool: NodePool) {
        if kept.contains(child.stored) { return }
        gone.append(child.stored)
        let node = pool.node(child)
        for slot in 0..<node.count {
            if node.isLeaf {
                let rows = node.elements[slot].rows
                if rows.count > 0 { collect(rows, height: nil, kept, pool) }
            } else {
                collect(node.children[slot], kept, pool)
            }
        }
    }

    /// - Parameter height: the height of the node; nil for a root, whose height is not known.
    private mutating func collect(
        _ child: TreeChild<UntypedRow>, height: Int?, _ kept: borrowing NumberSet, _ pool: NodePool
    ) {
        if kept.contains(child.stored) { return }
        replaced.append(child)
        // Leaves of rows have no children, so they are not read here.
        if height == 0 { return }
        let node = pool.node(child)
        if node.isLeaf { return }
        for slot in 0..<node.count { collect(node.children[slot], height: node.height - 1, kept, pool) }
    }
}
