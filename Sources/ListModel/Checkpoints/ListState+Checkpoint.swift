// Taking a checkpoint of the head, and beginning from one.
//
// A checkpoint has three steps. `captureCheckpoint` takes a snapshot and copies of the pages that changed: this is all
// that edits wait for. `CheckpointWriter` writes what is not stored yet, while edits go on. `adopt` notes in the nodes
// that they are stored, so that the next checkpoint leaves them out, and lets go of those that memory is too small for.

/// What of a version is to be stored.
package struct CheckpointImage: Sendable {
    /// The rows.
    let snapshot: Snapshot
    let histories: HistoryTable
    let sectionNumberCount: UInt32
    /// The pages that changed, and where they will lie.
    let pages: PageImage
    package let locators: StoredLocators
    /// The first number that is used.
    let firstNumber: UInt64
    /// The first number that nodes can have.
    package let firstNodeNumber: UInt64

    /// Which version it is.
    package var version: Version { snapshot.version }
    /// What need not be stored any longer once this checkpoint is the newest.
    package var retiredPages: [UInt64] { pages.retired }
}

extension ListState {
    /// A checkpoint as the newest version, read as it is looked at.
    package init(_ checkpoint: Checkpoint, _ locators: StoredLocators, _ store: NodeStore) {
        self.store = store
        tree = PersistentTree(checkpoint.top.child, store)
        sectionLocator = Locator(locators.sections, store)
        itemLocator = Locator(locators.items, store)
        sectionNumberCount = checkpoint.sectionNumberCount
        version = checkpoint.version
        histories = checkpoint.histories
        itemCount = checkpoint.itemCount
    }

    /// A checkpoint as the newest version, all of it read and its rows made findable by id anew.
    ///
    /// - Complexity: O(n).
    package init(rebuilding checkpoint: Checkpoint, _ store: NodeStore) throws {
        try self.init(rebuilding: checkpoint.snapshot(store), histories: checkpoint.histories, store)
    }

    /// A snapshot as the newest version of a list of its own.
    ///
    /// - Complexity: O(n).
    package init(rebuilding snapshot: Snapshot, histories: HistoryTable, _ store: NodeStore) throws {
        self.init(store)
        let sections = snapshot.sections.map { $0.entry.contents(snapshot.tree.store) }
        try apply(.listReloaded(old: [], new: sections))
        version = snapshot.version
        self.histories = histories
    }

    /// Makes the trees and the locators anew from the same rows.
    ///
    /// - Complexity: O(n).
    package mutating func rebuild() throws {
        let version = version
        try apply(.listReloaded(old: [], new: snapshot().sections.map { $0.entry.contents(store) }))
        self.version = version
    }

    /// A version of the past, to replay from. Rows cannot be found by id, and nothing is known of histories.
    package init(from snapshot: Snapshot) {
        self.init(snapshot.tree.store, isTracking: false)
        tree = snapshot.tree
        version = snapshot.version
        itemCount = snapshot.itemCount
    }

    /// Takes a snapshot of everything that is to be stored.
    ///
    /// - Parameter nextNumber: the first number that nothing is stored under.
    /// - Complexity: O(pages of the locators that changed), and no wait for a disk.
    package mutating func captureCheckpoint(nextNumber: UInt64) -> CheckpointImage {
        var next = nextNumber
        var pages = retiredPages
        retiredPages = PageImage()
        let items = itemLocator.capture(&next, &pages)
        let sections = sectionLocator.capture(&next, &pages)
        store.beginEpoch()
        return CheckpointImage(
            snapshot: snapshot(), histories: histories, sectionNumberCount: sectionNumberCount, pages: pages,
            locators: StoredLocators(items: items, sections: sections), firstNumber: nextNumber,
            firstNodeNumber: next)
    }

    /// Takes back that the pages of an image are stored, because the image could not be written.
    package mutating func restore(_ image: CheckpointImage) {
        itemLocator.restore(image.pages)
        sectionLocator.restore(image.pages)
        retiredPages.retired += image.pages.retired
    }

    /// Takes the nodes of an image for stored.
    ///
    /// - Parameters:
    ///   - written: what was written for it.
    ///   - store: the store for what follows the checkpoint.
    package mutating func adopt(_ written: WrittenNodes, _ store: NodeStore) {
        for (node, number) in written.items { node.stored = number }
        for (node, number) in written.sections { node.stored = number }
        replaceStore(store)
    }

    /// Reads nodes through another store from now on.
    package mutating func replaceStore(_ store: NodeStore) {
        self.store = store
        tree.store = store
        sectionLocator.replaceStore(store)
        itemLocator.replaceStore(store)
    }

    /// Lets go of nodes and pages that are stored as they are, if there are too many in memory.
    ///
    /// - Parameters:
    ///   - budget: how many bytes may stay.
    ///   - number: nodes that were stored under lower numbers go first.
    /// - Returns: about how many bytes of nodes have stayed.
    /// - Complexity: O(nodes in memory).
    package mutating func evict(to budget: Int, olderThan number: UInt64) -> Int {
        if itemLocator.size + sectionLocator.size > budget / 4 {
            itemLocator.evict()
            sectionLocator.evict()
        }
        let kept = tree.evict(olderThan: number)
        return kept <= budget ? kept : tree.evict(olderThan: .max)
    }
}

extension PersistentTree<SectionEntry> {
    /// Puts the numbers of stored nodes in the places of the nodes, and returns how many bytes of nodes are left.
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
    /// Whether nobody else refers to the node.
    private var isUnique: Bool {
        mutating get { isKnownUniquelyReferenced(&node) }
    }

    /// - Parameter openLeaf: lets go of what is below a leaf, and returns how many bytes of that are left.
    fileprivate mutating func evict(olderThan limit: UInt64, _ openLeaf: (TreeNode<Element>) -> Int) -> Int {
        // What a snapshot refers to as well must not be written, and would stay in memory anyway.
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
