// The state to which events are applied: the trees of the newest version, the index by id, and the histories.
//
// Always holds (`checkInvariants`): ids of rows are unique in the whole list, and ids of sections among the sections.
// The locators track exactly the nodes and ids of the trees.
//
// It is not copyable, because the locators belong to the one newest version. An `UntypedSnapshot` is a copy of the rows.

/// The newest version of a list, with everything needed to edit it.
public struct ListState: ~Copyable {
    /// The version of this state.
    public internal(set) var version = Version.empty
    /// The histories of all scopes.
    package internal(set) var histories = HistoryTable()
    /// The number of rows in all sections.
    public internal(set) var itemCount = 0

    /// The position in the shared history.
    public var history: ListHistory { histories.shared }

    /// The position in the history of a scope.
    public func history(of scope: HistoryScope) -> ListHistory { histories[scope] }

    var tree: PersistentTree<SectionEntry>
    var sectionLocator: Locator<SectionEntry>
    var itemLocator: Locator<UntypedRow>
    /// The count of section numbers that were used; each is used only once.
    var sectionNumberCount: UInt32 = 0
    /// The node pool: the widths of nodes, and the source of nodes that are not in memory.
    package internal(set) var pool: NodePool
    /// The stored chunks of locators that were replaced as a whole. They are no longer needed after the next
    /// checkpoint.
    var retiredChunks = ChunkImage()
    /// Whether every edit updates the hashes of rows; if not, they are computed lazily.
    var followsHashes = true

    /// The owner of the tree of sections, which has no section number.
    static var listOwner: UInt32 { 0 }

    /// A list without sections, only in memory.
    public init() {
        self.init(limits: TreeLimits())
    }

    /// A list without sections, in memory only, whose nodes are as wide as limits say.
    package init(limits: TreeLimits) {
        self.init(NodePool(limits: limits))
    }

    /// A list without sections.
    ///
    /// - Parameter isTracking: whether rows can be found by id. Without tracking, replay is faster, and duplicate ids
    ///   are not detected.
    package init(_ pool: NodePool, isTracking: Bool = true) {
        self.pool = pool
        tree = PersistentTree(pool)
        sectionLocator = Locator(pool, isTracking: isTracking)
        itemLocator = Locator(pool, isTracking: isTracking)
    }

    /// Sets the histories, after commits were taken back.
    mutating func restore(_ histories: HistoryTable) { self.histories = histories }

    /// The rows as an immutable value.
    ///
    /// - Complexity: O(1), plus the hashes of the nodes that changed since the last call.
    public mutating func snapshot() -> UntypedSnapshot {
        tree.seal()
        return UntypedSnapshot(version: version, itemCount: itemCount, tree: tree)
    }

    /// The hash of all rows and sections.
    ///
    /// - Complexity: O(nodes that changed since the last call).
    public mutating func stateHash() -> StateHash {
        tree.seal()
        return StateHash(count: tree.count, hash: tree.hash)
    }
}

// MARK: - Looking things up

extension ListState {
    /// The number of sections.
    public var sectionCount: Int { tree.count }

    /// The row of an id, or nil if there is none.
    ///
    /// - Complexity: O(log n) expected.
    public func item(_ id: UntypedID) -> UntypedRow? {
        indexPath(of: id).flatMap { item(at: $0) }
    }

    /// The row at an index path, or nil if there is none.
    ///
    /// - Complexity: O(log n).
    public func item(at path: ListIndexPath) -> UntypedRow? {
        guard tree.indices.contains(path.section) else { return nil }
        return tree.withLeaf(at: path.section) { leaf, slot in
            guard path.item >= 0 && path.item < leaf.elements[slot].itemCount else { return nil }
            return leaf.elements[slot].rows.withLeaf(at: path.item, pool) { $0.elements[$1] }
        }
    }

    /// The index path of the row of an id, or nil if there is none.
    ///
    /// - Complexity: O(log n) expected.
    public func indexPath(of id: UntypedID) -> ListIndexPath? {
        itemLocator.firstPath(hash: itemLocator.hash(of: id)) { path, owner in
            guard let section = indexOfSection(number: owner) else { return nil }
            return tree.withLeaf(at: section) { leaf, slot in
                leaf.elements[slot].rows.offset(on: path, pool) { $0.hasID(id) }
                    .map { ListIndexPath(section: section, item: $0) }
            }
        }
    }

    /// The index of the section with a section number.
    @inline(__always)
    private func indexOfSection(number: UInt32) -> Int? {
        // A fast path: with only one section, no lookup is necessary.
        if tree.count == 1 { return 0 }
        return sectionLocator.firstPath(hash: SectionEntry.key(ofNumber: number)) { path, _ in
            tree.top.offset(on: path, pool) { $0.number == number }
        }
    }

    /// The index of the section of an id, or nil if there is none.
    ///
    /// - Complexity: O(log s) expected, for s sections.
    public func indexOfSection(_ id: UntypedID) -> Int? {
        sectionLocator.firstPath(hash: sectionLocator.hash(of: id)) { path, _ in
            tree.top.offset(on: path, pool) { $0.id == id }
        }
    }

    /// The number of rows of the section at an index, which must be valid.
    @inline(__always)
    public func itemCount(inSectionAt index: Int) -> Int {
        tree.withLeaf(at: index) { leaf, slot in leaf.elements[slot].itemCount }
    }

    /// The rows in a range of a section. All of them must exist.
    @inline(__always)
    func items(inSectionAt index: Int, _ range: Range<Int>) -> ListRun<UntypedRow> {
        tree.withLeaf(at: index) { leaf, slot in
            // One row is read without making a `PersistentTree`: counting its references would take longer than the
            // lookup.
            if range.count == 1 {
                return .one(leaf.elements[slot].rows.withLeaf(at: range.lowerBound, pool) { $0.elements[$1] })
            }
            return leaf.elements[slot].items(pool).run(in: range)
        }
    }

    /// The section at an index, which must be valid, with its rows.
    func sectionEntry(at index: Int) -> SectionEntry { tree[index] }
}

// MARK: - Invariants

extension ListState {
    /// Checks the invariants of the trees, the locators and the counts.
    ///
    /// - Parameter isFilled: whether nodes must be as full as the limits require. Nodes that were stored with other
    ///   limits need not be.
    /// - Throws: ``InvariantViolation``.
    /// - Complexity: O(n).
    package func checkInvariants(isFilled: Bool = true) throws {
        let sectionNodes = try tree.checkInvariants(
            owner: ListState.listOwner, isFilled: isFilled, sectionLocator)
        var nodes = 0
        var items = 0
        for index in tree.indices {
            let section = tree[index]
            nodes += try section.items(pool).checkInvariants(
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
