// A stage that shows the first rows of each section.
//
// Always holds: the stage has the sections of the source, each with its first rows.

/// The first rows of each section of a source.
struct FirstRows: Sendable {
    let limit: Int
    private var sections: ShownSections

    /// The first rows of each section.
    ///
    /// - Complexity: O(s · log n) for s sections.
    init(_ limit: Int, of source: UntypedSnapshot) {
        self.limit = max(0, limit)
        let all = source.tree.elements(in: source.tree.indices)
        sections = ShownSections(all.map { $0.first(max(0, limit), source.tree.pool) }, of: source)
    }

    /// The rows, as those of the source's version.
    func snapshot(of source: UntypedSnapshot) -> UntypedSnapshot { sections.snapshot(of: source) }

    /// Follows the source from one snapshot to another.
    ///
    /// - Complexity: O(log n) for each section that differs.
    mutating func advance(from old: UntypedSnapshot, to new: UntypedSnapshot) {
        let difference = TreeDifference(from: old.tree, to: new.tree)
        sections.edit(for: new) { tree, itemCount in
            for piece in difference.old.reversed() where piece.element != nil {
                itemCount -= tree.remove(at: piece.start).itemCount
            }
            for piece in difference.new {
                guard let section = piece.element?.first(limit, new.tree.pool) else { continue }
                tree.insert(section, at: piece.start)
                itemCount += section.itemCount
            }
            for change in difference.changed {
                let section = change.new.first(limit, new.tree.pool)
                tree.update(change.newOffset) { entry in
                    itemCount += section.itemCount - entry.itemCount
                    entry = section
                }
            }
        }
    }
}

// MARK: - The first rows of a snapshot

extension UntypedSnapshot {
    /// The first rows of the list, across its sections, and the sections up to that of the last of these rows. If the list has no
    /// more rows than that, the result is the whole list, with empty sections at its end.
    ///
    /// It shares all its rows with this snapshot, so a changeset between two of them costs only their difference.
    ///
    /// - Parameter count: the number of rows; all if there are fewer, none if it is negative.
    /// - Complexity: O(log n), and a look at each section up to the last that is shown.
    public func first(_ count: Int) -> UntypedSnapshot {
        if count >= itemCount { return self }
        guard count > 0 else { return UntypedSnapshot(version: version, itemCount: 0, tree: PersistentTree(tree.pool)) }
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
        return UntypedSnapshot(version: version, itemCount: count, tree: result)
    }
}

extension SectionEntry {
    /// The section with its first rows only.
    func first(_ count: Int, _ pool: NodePool) -> SectionEntry {
        if count >= itemCount { return self }
        return SectionEntry(id: id, title: title, number: number, rows: items(pool).prefix(max(0, count)).top)
    }
}
