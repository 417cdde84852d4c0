// Snapshots between two batches, made of the trees of both versions.
//
// Always holds: neither version is changed, nor is what their stores count of changes; the rows of a section are shared
// with the version they come from as long as one store can read for both.

extension Snapshot {
    /// This snapshot with sections of another put in.
    ///
    /// - Parameters:
    ///   - placement: which sections are put in, and where.
    ///   - other: where they come from.
    ///   - version: the version to call it.
    ///   - moved: of sections that both have and that move, the index here by the index in `other`; they keep the rows that
    ///     they have here.
    ///   - emptied: the indices in `other` of sections that come without their rows.
    /// - Complexity: O(p log s) for p sections put in, of s. If the two snapshots are stored in different places, also O(r)
    ///   for the r rows of those sections.
    func placing(
        _ placement: SectionPlacement, from other: Snapshot, version: Version, moved: [Int: Int], emptied: Set<Int>
    ) -> Snapshot {
        let joint = NodeStore(joining: tree.store, other.tree.store)
        let store = joint ?? NodeStore(joining: tree.store, tree.store)!
        var result = PersistentTree(tree.top, store)
        var locator = Locator<SectionEntry>(store, isTracking: false)
        for index in placement.removed.reversed() { result.remove(index..<index + 1, &locator) }
        var itemCount = itemCount
        for placed in placement.placed {
            let entry: SectionEntry
            if let index = moved[placed.other] {
                entry = tree[index]
            } else {
                let source = other.tree[placed.other]
                var rows = TreeChild<ListItem>.empty
                if !emptied.contains(placed.other) {
                    itemCount += source.itemCount
                    rows = joint == nil ? source.items(other.tree.store).copied(store) : source.rows
                }
                entry = SectionEntry(id: source.id, title: source.title, number: source.number, rows: rows)
            }
            result.insert(entry, at: placed.result, owner: ListState.listOwner, &locator)
        }
        result.seal()
        return Snapshot(version: version, itemCount: itemCount, tree: result)
    }
}

extension PersistentTree<ListItem> {
    /// The same rows in nodes of another store, all in memory.
    fileprivate func copied(_ store: NodeStore) -> TreeChild<ListItem> {
        var locator = Locator<ListItem>(store, isTracking: false)
        return PersistentTree(elements(in: indices), store, owner: 0, &locator).top
    }
}
