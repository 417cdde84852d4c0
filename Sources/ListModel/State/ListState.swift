// The state that events are folded into: the trees of the newest version, the index by id, and the history.
//
// Always holds (`checkInvariants`): ids of rows are unique in the whole list, ids of sections among the sections; the
// locators know exactly the nodes and ids of the trees.
//
// It is not copyable because the locators belong to one newest version; a copy of the rows is a `Snapshot`.

/// The newest version of a list, with everything needed to edit it.
public struct ListState: ~Copyable {
    /// The version this state is.
    public internal(set) var version = Version.empty
    /// What undo and redo would revert.
    public internal(set) var history = History.empty
    /// How many rows there are in all sections.
    public internal(set) var itemCount = 0

    var tree: PersistentTree<SectionEntry>
    var sectionLocator = Locator<SectionEntry>()
    var itemLocator = Locator<ListItem>()
    /// The ids of the sections by number; a number in `freeSectionNumbers` has a stale one.
    var sectionIdentifiers: [Identifier] = []
    var freeSectionNumbers: [UInt32] = []
    let limits: TreeLimits

    /// The owner of the tree of sections, which has no number.
    static var listOwner: UInt32 { 0 }

    /// A list without sections.
    public init(limits: TreeLimits = TreeLimits()) {
        self.limits = limits
        tree = PersistentTree(limits: limits)
    }

    /// The rows as an immutable value.
    ///
    /// - Complexity: O(1), plus the hashes of what changed since the last time.
    public mutating func snapshot() -> Snapshot {
        tree.seal()
        return Snapshot(version: version, itemCount: itemCount, tree: tree)
    }

    /// The hash of all rows and sections.
    ///
    /// - Complexity: O(nodes changed since the last time).
    public mutating func stateHash() -> StateHash {
        tree.seal()
        return StateHash(rawValue: XXHash64.hash(UInt64(tree.count), tree.hash, seed: HashSeed.state))
    }
}

// MARK: - Looking things up

extension ListState {
    /// How many sections there are.
    public var sectionCount: Int { tree.count }

    /// The row of an id, or nil if there is none.
    ///
    /// - Complexity: O(1) expected.
    public func item(_ id: Identifier) -> ListItem? {
        itemLocator.element(id, hash: id.hash64)
    }

    /// The row at an index path, or nil if there is none.
    ///
    /// - Complexity: O(log n).
    public func item(at path: ListIndexPath) -> ListItem? {
        guard tree.indices.contains(path.section) else { return nil }
        return tree.withLeaf(at: path.section) { leaf, slot in
            let items = leaf.elements[slot].items
            return items.indices.contains(path.item) ? items[path.item] : nil
        }
    }

    /// Where the row of an id is, or nil if there is none.
    ///
    /// - Complexity: O(log n) expected.
    public func indexPath(of id: Identifier) -> ListIndexPath? {
        guard let place = itemLocator.place(of: id, hash: id.hash64) else { return nil }
        // Most lists have few sections; the first is found without a look at the index.
        let section = tree.count == 1 ? 0 : indexOfSection(sectionIdentifiers[Int(place.owner)])!
        return ListIndexPath(section: section, item: place.offset)
    }

    /// The index of the section of an id, or nil if there is none.
    ///
    /// - Complexity: O(log s) expected, for s sections.
    public func indexOfSection(_ id: Identifier) -> Int? {
        sectionLocator.place(of: id, hash: id.hash64)?.offset
    }

    /// How many rows the section at an index has; the index must be that of a section.
    public func itemCount(inSection index: Int) -> Int {
        tree.withLeaf(at: index) { leaf, slot in leaf.elements[slot].items.count }
    }

    /// The rows of a range of a section, all of which must be there.
    func items(inSection index: Int, _ range: Range<Int>) -> Run<ListItem> {
        tree.withLeaf(at: index) { leaf, slot in leaf.elements[slot].items.run(in: range) }
    }

    /// The section at an index, with its rows; the index must be that of a section.
    func sectionEntry(at index: Int) -> SectionEntry { tree[index] }
}

// MARK: - Invariants

extension ListState {
    /// Checks what always holds of the trees, the locators and the counts.
    ///
    /// - Throws: ``InvariantViolation``.
    /// - Complexity: O(n).
    public func checkInvariants() throws {
        let sectionNodes = try tree.checkInvariants(owner: ListState.listOwner, sectionLocator)
        try InvariantViolation.check(
            sectionNodes == sectionLocator.nodeCount && sectionLocator.index.count == tree.count,
            "the locator of sections knows others than there are")
        var nodes = 0
        var items = 0
        for index in tree.indices {
            let section = tree[index]
            nodes += try section.items.checkInvariants(owner: section.number, itemLocator)
            items += section.items.count
            try InvariantViolation.check(
                sectionIdentifiers[Int(section.number)] == section.id, "section \(section.id) has another number")
        }
        try InvariantViolation.check(
            nodes == itemLocator.nodeCount && itemLocator.index.count == items && items == itemCount,
            "the locator of rows knows others than there are")
    }
}
