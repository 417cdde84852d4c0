// The first rows of a snapshot, as a snapshot.

extension Snapshot {
    /// The first rows of the list, across its sections, and the sections of these rows.
    ///
    /// It shares all its rows with this snapshot, so a changeset between two of them costs only their difference.
    ///
    /// - Parameter count: the number of rows; all if there are fewer, none if it is negative.
    /// - Complexity: O(log n), and a look at each section up to the last that is shown.
    public func first(_ count: Int) -> Snapshot {
        if count >= itemCount { return self }
        guard count > 0 else { return Snapshot(version: version, itemCount: 0, tree: PersistentTree(tree.pool)) }
        var rest = count
        var sections = 0
        var last: SectionEntry?
        var cursor = TreeCursor(tree)
        while rest > 0, let section = cursor.next() {
            sections += 1
            if rest < section.itemCount {
                last = section.first(rest, tree.pool)
                last?.seal()
            }
            rest -= min(rest, section.itemCount)
        }
        let result = tree.prefix(sections, replacingLast: last)
        return Snapshot(version: version, itemCount: count, tree: result)
    }
}

extension SectionEntry {
    /// The section with its first rows only.
    func first(_ count: Int, _ pool: NodePool) -> SectionEntry {
        if count >= itemCount { return self }
        return SectionEntry(id: id, title: title, number: number, rows: items(pool).prefix(max(0, count)).top)
    }
}
