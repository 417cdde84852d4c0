// A stage that shows some sections of its source.
//
// Always holds: the stage has the chosen sections that the source has, in its order, with all their rows.

/// Some sections of a source.
struct ChosenSections: Sendable {
    private let ids: Set<UntypedID>
    /// The offsets of the sections in the source, ascending.
    private var offsets: [Int] = []
    private var top: TreeChild<SectionEntry> = .empty
    private var itemCount = 0

    /// The sections of these ids.
    ///
    /// - Complexity: O(s) for s sections of the source.
    init(_ ids: Set<UntypedID>, of source: UntypedSnapshot) {
        self.ids = ids
        choose(from: source)
    }

    private mutating func choose(from source: UntypedSnapshot) {
        offsets = []
        itemCount = 0
        var sections: [SectionEntry] = []
        let all = source.tree.elements(in: source.tree.indices)
        for (offset, section) in all.enumerated() where ids.contains(section.id) {
            offsets.append(offset)
            sections.append(section)
            itemCount += section.itemCount
        }
        // A pool of its own, because a checkpoint must not count these nodes as changes of the source.
        var tree = PersistentTree(unlocated: sections, NodePool(after: source.tree.pool))
        tree.seal()
        top = tree.top
    }

    /// The rows, as those of the source's version.
    ///
    /// - Parameter source: the source that the stage followed last.
    func snapshot(of source: UntypedSnapshot) -> UntypedSnapshot {
        // Stored rows are read through the source's pool, and its lease keeps them.
        UntypedSnapshot(version: source.version, itemCount: itemCount, tree: PersistentTree(top, source.tree.pool))
    }

    /// Follows the source from one snapshot to another.
    ///
    /// - Complexity: O(log n) for each section that differs; O(s) if sections come, go or move.
    mutating func advance(from old: UntypedSnapshot, to new: UntypedSnapshot) {
        let difference = TreeDifference(from: old.tree, to: new.tree)
        if (difference.old + difference.new).contains(where: { $0.element != nil }) { return choose(from: new) }
        var tree = PersistentTree(exchange(&top, with: .empty), NodePool(after: new.tree.pool))
        for change in difference.changed {
            guard let index = index(ofSource: change.newOffset) else { continue }
            itemCount += change.new.itemCount - change.old.itemCount
            tree.update(index) { $0 = change.new }
        }
        tree.seal()
        top = exchange(&tree.top, with: .empty)
    }

    /// The index of a section of the source in the stage; nil if it is not chosen.
    ///
    /// - Complexity: O(log c) for c chosen sections.
    func index(ofSource offset: Int) -> Int? {
        var (low, high) = (0, offsets.count)
        while low < high {
            let middle = (low + high) / 2
            if offsets[middle] < offset { low = middle + 1 } else { high = middle }
        }
        return low < offsets.count && offsets[low] == offset ? low : nil
    }
}
