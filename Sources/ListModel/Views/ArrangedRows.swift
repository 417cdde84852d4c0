// A stage that filters, sorts and groups: a slot for each row of its source, and the rows that it shows.
//
// For each row of the source there is a *slot*, at the same position, with a label and the key that the row was given;
// so a position of the source leads to a row of the view. For each row of the view there is a *rank*, at the same
// position, with the same key and label; so a key and a label lead to a position of the view, by a search down the tree
// of ranks. Labels ascend along the source: rows of equal keys stand in its order. The rows themselves are a tree like
// that of any list; an older copy shares the nodes that did not change.
//
// Every tree is persistent, so the stage is a value, and a copy is free.
//
// Always holds (`checkInvariants`): there is one slot for each row of the source and one rank for each row of the view,
// in the same order; ranks ascend; the view has a row exactly if its slot is shown.

/// The rows of a source, filtered, sorted and grouped.
struct ArrangedRows: Sendable {
    var arrangement: Arrangement
    /// The search words.
    var search: SearchWords
    /// Whether this is the outline of `VisibleRows`: all rows have a place and no key, and a row is shown unless an
    /// ancestor hides it. A row that comes into the stage is hidden until `VisibleRows` shows it.
    let isOutline: Bool
    /// How wide the nodes of the trees are.
    let pool: NodePool
    let space: LabelSpace

    /// The sections of the source, with the slots of their rows.
    var sources: PersistentTree<SourceSection>
    /// The order of ranks, with the labels of the sections of the source.
    var order: RowOrder
    /// Numbers of sections of the source that were deleted.
    var freeNumbers: [UInt32] = []

    /// The sections of the view: the ranks of their rows, and the rows.
    var ranked: PersistentTree<RankedSection>
    var rows: PersistentTree<SectionEntry>
    /// The groups that are sections of the view, if it has sections of its own.
    var groups: [UntypedID: QueryGroup] = [:]
    /// How many rows the view has.
    var itemCount = 0

    /// The capacity of nodes and the gaps between labels. Tests inject small ones to reach splits and relabelling with
    /// few rows.
    struct Limits: Sendable {
        var tree = TreeLimits()
        var space = LabelSpace()
        /// The view is rebuilt if at least one of this many rows changes.
        var rebuildShare = 4
        /// Up to this many changed rows, the view is never rebuilt.
        var rebuildMinimum = 256
    }
    let limits: Limits

    /// The row whose place the stage is asking for; named by the error if that fails.
    struct Context {
        var version: Version
        var stage: Int
    }

    init(_ arrangement: Arrangement, _ search: SearchWords, _ limits: Limits) {
        self.init(arrangement, search, limits, isOutline: false)
    }

    /// The stage of visible rows: all rows of the source that it is filled from, but for those that an ancestor hides.
    init(outlineWith limits: Limits) {
        self.init(Arrangement { _ in RowPlacement() }, SearchWords(), limits, isOutline: true)
    }

    private init(_ arrangement: Arrangement, _ search: SearchWords, _ limits: Limits, isOutline: Bool) {
        self.arrangement = arrangement
        self.isOutline = isOutline
        self.search = arrangement.isSearchable ? search : SearchWords()
        self.limits = limits
        pool = NodePool(limits: limits.tree)
        space = limits.space
        sources = PersistentTree(pool)
        ranked = PersistentTree(pool)
        rows = PersistentTree(pool)
        order = RowOrder(descending: arrangement.descending, sectionLabels: [])
    }

    /// Makes the stage one without rows, as it was before it was filled.
    mutating func clear() { self = ArrangedRows(arrangement, search, limits, isOutline: isOutline) }

    /// The rows, as those of a version.
    mutating func snapshot(_ version: Version) -> UntypedSnapshot {
        rows.seal()
        return UntypedSnapshot(version: version, itemCount: itemCount, tree: rows)
    }

    /// Asks the arrangement for the place of a row.
    func key(of item: UntypedRow, at path: ListIndexPath, _ context: Context) throws(QueryError) -> RowKey? {
        if isOutline { return RowKey.plain }
        do {
            guard let placement = try arrangement.place(item) else { return nil }
            if case .groups = arrangement.sections, placement.group == nil { return nil }
            return RowKey.make(placement)
        } catch {
            throw QueryError(id: item.id, path: path, version: context.version, stage: context.stage, cause: error)
        }
    }

    /// Whether a new row of the source with this key is shown: a search must find it. A new row of an outline is hidden
    /// at first.
    func isFound(_ key: RowKey?) -> Bool {
        !isOutline && (search.isEmpty || key.map { search.matches($0.text) } ?? true)
    }
}

// MARK: - Building

extension ArrangedRows {
    /// The rows of a section of the view, while they are gathered.
    private struct Gathered {
        let group: QueryGroup
        let number: UInt32
        /// Apart, because those that are in a tree are needed no longer.
        var ranks: [RowRank] = []
        var items: [UntypedRow] = []
    }

    /// Fills an empty stage from a source.
    ///
    /// - Parameter keys: the keys of all rows, by section; none for an outline, whose rows have no keys of their own.
    /// - Complexity: O(n), and O(m log m) for m rows that are sorted.
    mutating func fill(from source: UntypedSnapshot, keys: [[RowKey?]] = []) {
        let sectionLabels = space.spread(source.sectionCount)
        order = RowOrder(
            descending: arrangement.descending, sectionLabels: (0..<source.sectionCount).map { sectionLabels[$0] })
        var gathered: [Gathered] = []
        var places: [UntypedID: Int] = [:]
        if case .one(let group) = arrangement.sections { gathered.append(Gathered(group: group, number: 0)) }
        var sections: [SourceSection] = []
        for (index, section) in source.sections.enumerated() {
            let group = QueryGroup(id: section.id, title: section.title, order: .absent)
            let number = UInt32(index)
            if case .source = arrangement.sections { gathered.append(Gathered(group: group, number: number)) }
            let labels = space.spread(section.items.count)
            var slots: [SourceRow] = []
            slots.reserveCapacity(section.items.count)
            var fold = OutlineFold()
            for (offset, item) in section.items.enumerated() {
                // A section that could not be read for a moment had no rows before.
                let isKnown = !isOutline && offset < keys[index].count
                let key = isOutline ? RowKey.plain : isKnown ? keys[index][offset] : nil
                let isFound = isOutline ? fold.shows(item) : isFound(key)
                slots.append(SourceRow(label: labels[offset], key: key, isFound: isFound))
                guard let key, slots[offset].isShown else { continue }
                var place = gathered.count - 1
                if case .groups = arrangement.sections, let group = key.group {
                    place = places[group.id] ?? gathered.count
                    if place == gathered.count {
                        places[group.id] = place
                        gathered.append(Gathered(group: group, number: 0))
                    }
                }
                let rank = RowRank(label: labels[offset], section: number, key: key)
                gathered[place].ranks.append(rank)
                gathered[place].items.append(item)
            }
            let tree = PersistentTree(unlocated: slots, pool)
            sections.append(SourceSection(number: number, group: group, slots: tree.top))
        }
        sources = PersistentTree(unlocated: sections, pool)
        fill(consume gathered)
    }

    private mutating func fill(_ gathered: consuming [Gathered]) {
        var gathered = gathered
        if case .groups = arrangement.sections {
            gathered = gathered.ordered { $0.group.compare($1.group) < 0 }
            groups = Dictionary(uniqueKeysWithValues: gathered.map { ($0.group.id, $0.group) })
        } else if arrangement.hidesEmptySections {
            gathered.removeAll { $0.ranks.isEmpty }
        }
        var ranked: [RankedSection] = []
        var entries: [SectionEntry] = []
        let order = self.order
        for index in gathered.indices {
            let (group, number) = (gathered[index].group, gathered[index].number)
            let places = ArrangedRows.order(of: gathered[index].ranks, order)
            let ranks = ArrangedRows.tree(&gathered[index].ranks, places, pool)
            ranked.append(RankedSection(group: group, number: number, ranks: ranks.top))
            let items = ArrangedRows.tree(&gathered[index].items, places, pool)
            entries.append(SectionEntry(id: group.id, title: group.title, number: 0, rows: items.top))
            itemCount += places.count
        }
        self.ranked = PersistentTree(unlocated: ranked, pool)
        rows = PersistentTree(unlocated: entries, pool)
    }

    /// The positions of ranks, in their order.
    private static func order(of ranks: [RowRank], _ order: RowOrder) -> [Int] {
        // SAFETY: positions are those of ranks, and the array is not touched meanwhile.
        ranks.withUnsafeBufferPointer { ranks in
            Ordering.indices(ranks.count) { order.isBefore(ranks[$0], ranks[$1]) }
        }
    }

    /// A tree of elements in another order. The array is empty afterwards.
    private static func tree<Element: TreeElement>(
        _ elements: inout [Element], _ places: [Int], _ pool: NodePool
    ) -> PersistentTree<Element> {
        let taken = elements
        elements = []
        return PersistentTree(unlocated: places.lazy.map { taken[$0] }, pool)
    }

    /// The keys of all rows of a source.
    ///
    /// - Parameter known: the key of a row, if it need not be asked for.
    func keys(
        of source: UntypedSnapshot, _ context: Context,
        known: (UntypedRow, ListIndexPath) -> RowKey?? = { _, _ in nil }
    ) throws(QueryError) -> [[RowKey?]] {
        var result: [[RowKey?]] = []
        result.reserveCapacity(source.sectionCount)
        for (index, section) in source.sections.enumerated() {
            var keys: [RowKey?] = []
            keys.reserveCapacity(section.items.count)
            var path = ListIndexPath(section: index, item: 0)
            for item in section.items {
                if let key = known(item, path) {
                    keys.append(key)
                } else {
                    keys.append(try key(of: item, at: path, context))
                }
                path.item += 1
            }
            result.append(keys)
        }
        return result
    }
}
