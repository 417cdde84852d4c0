// Makes the snapshots between two batches from the trees of both versions.
//
// Always holds: neither version is changed, nor the counts of changes in their pools. The rows of a section are shared
// with the version that they come from, if both versions have the same node source.

extension UntypedSnapshot {
    /// This snapshot with some sections of another one added, and some sections removed.
    ///
    /// - Parameters:
    ///   - placement: the sections to add, their places, and the sections to remove.
    ///   - other: the snapshot that has the added sections.
    ///   - version: the version of the result.
    ///   - moved: for sections that both have and that move, the index in this snapshot by the index in `other`. They
    ///     keep their rows of this snapshot.
    ///   - emptied: the indices in `other` of sections that are added without their rows.
    /// - Complexity: O(p log s) for p added sections, of s. If the snapshots have different node sources, also O(r) for
    ///   the r rows of the added sections.
    func placing(
        _ placement: SectionPlacement, from other: UntypedSnapshot, version: Version, moved: [Int: Int],
        emptied: Set<Int>
    ) -> UntypedSnapshot {
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
                var rows = TreeChild<UntypedRow>.empty
                if !emptied.contains(placed.other) {
                    rows = joint == nil ? source.items(other.tree.pool).copied(pool) : source.rows
                }
                entry = SectionEntry(id: source.id, title: source.title, number: source.number, rows: rows)
            }
            itemCount += entry.itemCount
            result.insert(entry, at: placed.result, owner: ListState.listOwner, &locator)
        }
        result.seal()
        return UntypedSnapshot(version: version, itemCount: itemCount, tree: result)
    }
}

extension PersistentTree<UntypedRow> {
    /// The same rows in new nodes of another pool, all in memory.
    fileprivate func copied(_ pool: NodePool) -> TreeChild<UntypedRow> {
        var locator = Locator<UntypedRow>(pool, isTracking: false)
        return PersistentTree(elements(in: indices), pool, owner: 0, &locator).top
    }
}

// MARK: - Other places

extension UntypedSnapshot {
    /// This snapshot with some sections moved.
    ///
    /// - Parameter places: the moves, from indices in this snapshot to indices in the result.
    func movingSections(_ places: [Changeset.Move<Int>]) -> UntypedSnapshot {
        let pool = NodePool(joining: tree.pool, tree.pool)!
        var result = PersistentTree(tree.top, pool)
        result.top.move(places, pool)
        result.seal()
        return UntypedSnapshot(version: version, itemCount: itemCount, tree: result)
    }

    /// This snapshot with some rows moved within their sections.
    ///
    /// - Parameter places: the moves by section, from indices in this snapshot to indices in the result.
    func movingItems(_ places: [Int: [Changeset.Move<Int>]]) -> UntypedSnapshot {
        let pool = NodePool(joining: tree.pool, tree.pool)!
        var result = PersistentTree(tree.top, pool)
        for (section, places) in places {
            result.update(section) { entry in entry.editRows { $0.move(places, pool) } }
        }
        result.seal()
        return UntypedSnapshot(version: version, itemCount: itemCount, tree: result)
    }
}

extension TreeChild where Element: TreeElement {
    /// Removes the moved elements, and inserts them at their indices in the result.
    fileprivate mutating func move(_ places: [Changeset.Move<Int>], _ pool: NodePool) {
        var locator = Locator<Element>(pool, isTracking: false)
        let elements = PersistentTree(self, pool)
        let moved = places.map { (element: elements[$0.from], to: $0.to) }.ordered { $0.to < $1.to }
        for from in places.map(\.from).sorted().reversed() { remove(from..<from + 1, pool, &locator) }
        for (element, to) in moved {
            withUnsafePointer(to: element) {
                insert(UnsafeBufferPointer(start: $0, count: 1), at: to, owner: 0, pool, &locator)
            }
        }
    }
}
