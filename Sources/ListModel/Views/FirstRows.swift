// A stage that shows the first rows of each section.
//
// Always holds: the stage has the sections of the source, each with its first rows.

/// The first rows of each section of a source.
struct FirstRows: Sendable {
    let limit: Int
    private var top: TreeChild<SectionEntry>
    private var itemCount = 0

    /// The first rows of each section.
    ///
    /// - Complexity: O(s · log n) for s sections.
    init(_ limit: Int, of source: UntypedSnapshot) {
        self.limit = max(0, limit)
        let pool = source.tree.pool
        let sections = source.tree.elements(in: source.tree.indices).map { $0.first(max(0, limit), pool) }
        var tree = PersistentTree(unlocated: sections, NodePool(after: pool))
        for section in sections { itemCount += section.itemCount }
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
    /// - Complexity: O(log n) for each section that differs.
    mutating func advance(from old: UntypedSnapshot, to new: UntypedSnapshot) {
        let difference = TreeDifference(from: old.tree, to: new.tree)
        let pool = new.tree.pool
        // A pool of its own, because a checkpoint must not count these changes as changes of the source.
        var tree = PersistentTree(exchange(&top, with: .empty), NodePool(after: pool))
        for piece in difference.old.reversed() where piece.element != nil {
            itemCount -= tree.remove(at: piece.start).itemCount
        }
        for piece in difference.new {
            guard let section = piece.element?.first(limit, pool) else { continue }
            tree.insert(section, at: piece.start)
            itemCount += section.itemCount
        }
        for change in difference.changed {
            let section = change.new.first(limit, pool)
            var before = 0
            tree.update(change.newOffset) { entry in
                before = entry.itemCount
                entry = section
            }
            itemCount += section.itemCount - before
        }
        tree.seal()
        top = exchange(&tree.top, with: .empty)
    }
}

// MARK: - The first rows of a snapshot

extension UntypedSnapshot {
    /// The first rows of the list, across its sections, and the sections of these rows.
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
