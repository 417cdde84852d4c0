// Taking a checkpoint of the head, and opening a list from one.
//
// A checkpoint has three steps. `captureCheckpoint` takes a snapshot and copies the chunks that changed; edits wait
// only for this step. `CheckpointWriter` writes the values that are not stored yet, while edits continue. `adopt` marks
// the nodes as stored, so that the next checkpoint skips them. Afterwards `evict` can release nodes that exceed the
// memory budget.

/// A captured version, to be stored.
package struct CheckpointImage: Sendable {
    /// The rows.
    let snapshot: UntypedSnapshot
    let histories: HistoryTable
    let sectionNumberCount: UInt32
    /// Copies of the chunks that changed, with the numbers under which they will be stored.
    let chunks: ChunkImage
    package let locators: StoredLocators
    /// The first stored number of the checkpoint.
    let firstNumber: UInt64
    /// The first stored number for nodes; chunks have those before it.
    package let firstNodeNumber: UInt64

    /// The version.
    package var version: Version { snapshot.version }
    /// The stored numbers of chunks that are no longer needed after this checkpoint is the newest.
    package var retiredChunks: [UInt64] { chunks.retired }
}

extension ListState {
    /// A state at a checkpoint, as the newest version. Nodes and chunks are read lazily.
    package init(_ checkpoint: Checkpoint, _ locators: StoredLocators, _ pool: NodePool) {
        self.pool = pool
        tree = PersistentTree(checkpoint.top.child, pool)
        sectionLocator = Locator(locators.sections, pool)
        itemLocator = Locator(locators.items, pool)
        sectionNumberCount = checkpoint.sectionNumberCount
        version = checkpoint.version
        histories = checkpoint.histories
        itemCount = checkpoint.itemCount
    }

    /// A state at a checkpoint, as the newest version. Reads all rows and rebuilds the locators.
    ///
    /// - Complexity: O(n).
    package init(rebuilding checkpoint: Checkpoint, _ pool: NodePool) throws {
        try self.init(rebuilding: checkpoint.snapshot(pool), histories: checkpoint.histories, pool)
    }

    /// A state with the rows of a snapshot, as the newest version of an independent list.
    ///
    /// - Parameter eraser: knows which contents of the rows are erased.
    /// - Complexity: O(n).
    package init(
        rebuilding snapshot: UntypedSnapshot, histories: HistoryTable, _ pool: NodePool,
        without eraser: ContentEraser? = nil
    ) throws {
        self.init(pool)
        var sections = snapshot.sections.map { $0.entry.contents(snapshot.tree.pool) }
        if let eraser {
            for section in sections.indices {
                for row in sections[section].items.indices {
                    sections[section].items[row].setContent(eraser.reference(sections[section].items[row].content))
                }
            }
        }
        try apply(.listReloaded(old: [], new: sections))
        version = snapshot.version
        self.histories = histories
    }

    /// Rebuilds the trees and the locators from the same rows.
    ///
    /// - Complexity: O(n).
    package mutating func rebuild() {
        replaceAll(snapshot().sections.map { ($0.id, $0.title, $0.items) })
    }

    /// A state at a past version, to replay from. It does not track ids, and has no histories.
    package init(from snapshot: UntypedSnapshot) {
        self.init(snapshot.tree.pool, isTracking: false)
        tree = snapshot.tree
        version = snapshot.version
        itemCount = snapshot.itemCount
    }

    /// Keeps nodes that are read in the cache when they change: the same commits will be replayed once more from this version.
    package mutating func prepareToReplayAgain() { replaceStore(NodePool(replayingAgain: pool)) }

    /// How many chunks of the locators changed since the last checkpoint.
    package var dirtyChunkCount: Int { itemLocator.dirtyChunkCount + sectionLocator.dirtyChunkCount }

    /// Captures everything that has to be stored.
    ///
    /// - Parameter nextNumber: the first unused stored number.
    /// - Complexity: O(chunks of the locators that changed), without waiting for a disk.
    package mutating func captureCheckpoint(nextNumber: UInt64) -> CheckpointImage {
        var next = nextNumber
        var chunks = retiredChunks
        retiredChunks = ChunkImage()
        // All at once: a long list has megabytes of words, and an array that grows has twice as many for a moment.
        chunks.words.reserveCapacity(itemLocator.capturedCount + sectionLocator.capturedCount)
        let items = itemLocator.capture(&next, &chunks)
        let sections = sectionLocator.capture(&next, &chunks)
        pool.beginEpoch()
        return CheckpointImage(
            snapshot: snapshot(), histories: histories, sectionNumberCount: sectionNumberCount, chunks: chunks,
            locators: StoredLocators(items: items, sections: sections), firstNumber: nextNumber,
            firstNodeNumber: next)
    }

    /// Marks the chunks of an image as dirty again, because the image could not be written.
    package mutating func restore(_ image: CheckpointImage) {
        itemLocator.restore(image.chunks)
        sectionLocator.restore(image.chunks)
        retiredChunks.retired += image.chunks.retired
    }

    /// Marks the nodes of an image as stored.
    ///
    /// - Parameters:
    ///   - written: the nodes that were written for it.
    ///   - store: the pool for the versions after the checkpoint.
    package mutating func adopt(_ written: WrittenNodes, _ pool: NodePool) {
        for (node, number) in written.items { node.stored = number }
        for (node, number) in written.sections { node.stored = number }
        replaceStore(pool)
    }

    /// Replaces the pool from which nodes and chunks are read.
    package mutating func replaceStore(_ pool: NodePool) {
        self.pool = pool
        tree.pool = pool
        sectionLocator.replaceStore(pool)
        itemLocator.replaceStore(pool)
    }

    /// Evicts stored nodes and chunks that are not dirty, if there are too many in memory.
    ///
    /// - Parameters:
    ///   - budget: the number of bytes that may stay in memory.
    ///   - number: nodes with lower stored numbers are evicted first.
    /// - Returns: the approximate size of the nodes that stayed, in bytes.
    /// - Complexity: O(nodes in memory).
    package mutating func evict(to budget: Int, olderThan number: UInt64) -> Int {
        // With the default budget, the chunks of a million rows stay.
        if itemLocator.size + sectionLocator.size > budget / 8 * 5 {
            itemLocator.evict()
            sectionLocator.evict()
        }
        let kept = tree.evict(olderThan: number)
        return kept <= budget ? kept : tree.evict(olderThan: .max)
    }
}

extension PersistentTree<SectionEntry> {
    /// Replaces stored nodes by their stored numbers, and returns the size of the remaining nodes in bytes.
    ///
    mutating func evict(olderThan limit: UInt64) -> Int {
        top.evict(olderThan: limit) { leaf in
            var size = 0
            for slot in 0..<leaf.count { size += leaf.elements[slot].evictRows(olderThan: limit) }
            return size
        }
    }
}

extension SectionEntry {
    fileprivate mutating func evictRows(olderThan limit: UInt64) -> Int {
        evictRows { $0.evict(olderThan: limit) { _ in 0 } }
    }
}

extension TreeChild where Element: TreeElement {
    /// Whether the node is uniquely referenced.
    private var isUnique: Bool {
        mutating get { isKnownUniquelyReferenced(&node) }
    }

    /// - Parameter openLeaf: evicts the nodes below the elements of a leaf, and returns the size of those that remain.
    fileprivate mutating func evict(olderThan limit: UInt64, _ openLeaf: (TreeNode<Element>) -> Int) -> Int {
        // A node that a snapshot also refers to must not be written, and the nodes below it would stay in memory
        // anyway.
        let isUnique = self.isUnique
        guard let node else { return 0 }
        if node.stored != 0 && node.stored < limit {
            stored = node.stored
            self.node = nil
            return 0
        }
        guard isUnique else { return 0 }
        if node.isLeaf { return 64 + node.width * MemoryLayout<Element>.stride + openLeaf(node) }
        var size = 64 + node.width * MemoryLayout<TreeChild>.stride
        for slot in 0..<node.count { size += node.children[slot].evict(olderThan: limit, openLeaf) }
        return size
    }
}
