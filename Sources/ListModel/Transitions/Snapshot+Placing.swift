// Snapshots between two batches, made of the trees of both versions.
//
// Always holds: neither version is changed, nor is what their stores count of changes; the rows of a section are shared
// with the version they come from as long as one store can read for both.

extension Snapshot {
    /// This snapshot with sections of another put in, and some taken out.
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
        let joint = NodePool(joining: tree.pool, other.tree.pool)
        let pool = joint ?? NodePool(joining: tree.pool, tree.pool)!
        var result = PersistentTree(tree.top, pool)
        var locator = Locator<SectionEntry>(pool, isTracking: false)
        var itemCount = itemCount
        for index in placement.removed.reversed() {
            itemCount -= tree[index].itemCount
            result.remove(index..<index + 1, &locator)
        }
        for placed in placement.placed {
            let entry: SectionEntry
            if let index = moved[placed.other] {
                entry = tree[index]
            } else {
                let source = other.tree[placed.other]
                var rows = TreeChild<ListItem>.empty
                if !emptied.contains(placed.other) {
                    rows = joint == nil ? source.items(other.tree.pool).copied(pool) : source.rows
                }
                entry = SectionEntry(id: source.id, title: source.title, number: source.number, rows: rows)
            }
            itemCount += entry.itemCount
            result.insert(entry, at: placed.result, owner: ListState.listOwner, &locator)
        }
        result.seal()
        return Snapshot(version: version, itemCount: itemCount, tree: result)
    }
}

extension PersistentTree<ListItem> {
    /// The same rows in nodes of another store, all in memory.
    fileprivate func copied(_ pool: NodePool) -> TreeChild<ListItem> {
        var locator = Locator<ListItem>(pool, isTracking: false)
        return PersistentTree(elements(in: indices), pool, owner: 0, &locator).top
    }
}

// MARK: - Other places

extension Snapshot {
    /// This snapshot with sections in other places.
    ///
    /// - Parameter places: from where here to where in the result.
    func movingSections(_ places: [Changeset.Move<Int>]) -> Snapshot {
        let pool = NodePool(joining: tree.pool, tree.pool)!
        var result = PersistentTree(tree.top, pool)
        result.top.move(places, pool)
        result.seal()
        return Snapshot(version: version, itemCount: itemCount, tree: result)
    }

    /// This snapshot with rows in other places of their sections.
    ///
    /// - Parameter places: by section, from where here to where in the result.
    func movingItems(_ places: [Int: [Changeset.Move<Int>]]) -> Snapshot {
        let pool = NodePool(joining: tree.pool, tree.pool)!
        var result = PersistentTree(tree.top, pool)
        for (section, places) in places {
            result.update(section) { entry in entry.editRows { $0.move(places, pool) } }
        }
        result.seal()
        return Snapshot(version: version, itemCount: itemCount, tree: result)
    }
}

extension TreeChild where Element: TreeElement {
    /// Takes elements out, and puts them in where the result has them.
    fileprivate mutating func move(_ places: [Changeset.Move<Int>], _ pool: NodePool) {
        var locator = Locator<Element>(pool, isTracking: false)
        let elements = PersistentTree(self, pool)
        let moved = places.map { (element: elements[$0.from], to: $0.to) }.sorted { $0.to < $1.to }
        for from in places.map(\.from).sorted().reversed() { remove(from..<from + 1, pool, &locator) }
        for (element, to) in moved {
            withUnsafePointer(to: element) {
                insert(UnsafeBufferPointer(start: $0, count: 1), at: to, owner: 0, pool, &locator)
            }
        }
    }
}
