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
    /// What undo and redo would revert, in every scope.
    package internal(set) var histories = HistoryTable()
    /// How many rows there are in all sections.
    public internal(set) var itemCount = 0

    /// Where it is in the history that all share.
    public var history: History { histories.shared }

    /// Where it is in a history.
    public func history(of scope: HistoryScope) -> History { histories[scope] }

    var tree: PersistentTree<SectionEntry>
    var sectionLocator: Locator<SectionEntry>
    var itemLocator: Locator<ListItem>
    /// How many numbers were given to sections; each is used once.
    var sectionNumberCount: UInt32 = 0
    /// How wide nodes are, and where those are that are not in memory.
    package internal(set) var store: NodeStore
    /// Pages of locators that were replaced as a whole, and need not be stored after the next checkpoint.
    var retiredPages = PageImage()
    /// Whether every edit brings the hashes of rows up to date; if not, they are summed up when they are asked for.
    var followsHashes = true

    /// The owner of the tree of sections, which has no number.
    static var listOwner: UInt32 { 0 }

    /// A list without sections, in memory only.
    public init() {
        self.init(limits: TreeLimits())
    }

    /// A list without sections, in memory only, whose nodes are as wide as limits say.
    package init(limits: TreeLimits) {
        self.init(NodeStore(limits: limits))
    }

    /// A list without sections.
    ///
    /// - Parameter isTracking: whether rows can be found by id. Without, replay is faster, and duplicate ids go unnoticed.
    package init(_ store: NodeStore, isTracking: Bool = true) {
        self.store = store
        tree = PersistentTree(store)
        sectionLocator = Locator(store, isTracking: isTracking)
        itemLocator = Locator(store, isTracking: isTracking)
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
        return StateHash(count: tree.count, hash: tree.hash)
    }
}

// MARK: - Looking things up

extension ListState {
    /// How many sections there are.
    public var sectionCount: Int { tree.count }

    /// The row of an id, or nil if there is none.
    ///
    /// - Complexity: O(log n) expected.
    public func item(_ id: Identifier) -> ListItem? {
        indexPath(of: id).flatMap { item(at: $0) }
    }

    /// The row at an index path, or nil if there is none.
    ///
    /// - Complexity: O(log n).
    public func item(at path: ListIndexPath) -> ListItem? {
        guard tree.indices.contains(path.section) else { return nil }
        return tree.withLeaf(at: path.section) { leaf, slot in
            guard path.item >= 0 && path.item < leaf.elements[slot].itemCount else { return nil }
            return leaf.elements[slot].rows.withLeaf(at: path.item, store) { $0.elements[$1] }
        }
    }

    /// Where the row of an id is, or nil if there is none.
    ///
    /// - Complexity: O(log n) expected.
    public func indexPath(of id: Identifier) -> ListIndexPath? {
        itemLocator.firstPath(hash: itemLocator.hash(of: id)) { path, owner in
            guard let section = indexOfSection(number: owner) else { return nil }
            return tree.withLeaf(at: section) { leaf, slot in
                leaf.elements[slot].rows.offset(on: path, store) { $0.hasID(id) }
                    .map { ListIndexPath(section: section, item: $0) }
            }
        }
    }

    /// The index of the section of a number.
    @inline(__always)
    private func indexOfSection(number: UInt32) -> Int? {
        // Most lists have few sections; the first is found without a look at the index.
        if tree.count == 1 { return 0 }
        return sectionLocator.firstPath(hash: SectionEntry.key(ofNumber: number)) { path, _ in
            tree.top.offset(on: path, store) { $0.number == number }
        }
    }

    /// The index of the section of an id, or nil if there is none.
    ///
    /// - Complexity: O(log s) expected, for s sections.
    public func indexOfSection(_ id: Identifier) -> Int? {
        sectionLocator.firstPath(hash: sectionLocator.hash(of: id)) { path, _ in
            tree.top.offset(on: path, store) { $0.id == id }
        }
    }

    /// How many rows the section at an index has; the index must be that of a section.
    @inline(__always)
    public func itemCount(inSectionAt index: Int) -> Int {
        tree.withLeaf(at: index) { leaf, slot in leaf.elements[slot].itemCount }
    }

    /// The rows of a range of a section, all of which must be there.
    @inline(__always)
    func items(inSectionAt index: Int, _ range: Range<Int>) -> Run<ListItem> {
        tree.withLeaf(at: index) { leaf, slot in
            // One row is read without a tree around it, which would be more counting of references than looking.
            if range.count == 1 {
                return .one(leaf.elements[slot].rows.withLeaf(at: range.lowerBound, store) { $0.elements[$1] })
            }
            return leaf.elements[slot].items(store).run(in: range)
        }
    }

    /// The section at an index, with its rows; the index must be that of a section.
    func sectionEntry(at index: Int) -> SectionEntry { tree[index] }
}

// MARK: - Invariants

extension ListState {
    /// Checks what always holds of the trees, the locators and the counts.
    ///
    /// - Parameter isFilled: whether nodes must be as full as the limits say. Those that were stored with other limits need
    ///   not be.
    /// - Throws: ``InvariantViolation``.
    /// - Complexity: O(n).
    package func checkInvariants(isFilled: Bool = true) throws {
        let sectionNodes = try tree.checkInvariants(
            owner: ListState.listOwner, isFilled: isFilled, sectionLocator)
        var nodes = 0
        var items = 0
        for index in tree.indices {
            let section = tree[index]
            nodes += try section.items(store).checkInvariants(
                owner: section.number, isFilled: isFilled, itemLocator)
            items += section.itemCount
            try InvariantViolation.check(section.number < sectionNumberCount, "section \(section.id) has no number")
        }
        try InvariantViolation.check(items == itemCount, "there are \(items) rows, and \(itemCount) are counted")
        guard itemLocator.isTracking else { return }
        try InvariantViolation.check(
            sectionNodes == sectionLocator.nodeCount && sectionLocator.index.count == 2 * tree.count,
            "the locator of sections knows others than there are")
        try InvariantViolation.check(
            nodes == itemLocator.nodeCount && itemLocator.index.count == items,
            "the locator of rows knows others than there are")
    }
}
