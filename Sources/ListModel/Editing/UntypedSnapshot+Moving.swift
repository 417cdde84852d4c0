// Changes a snapshot without a commit: the rows that a view shows after the user has dropped a dragged row, those that readers
// see while an edit is in progress, and those between the events of a commit.

extension UntypedSnapshot {
    /// The rows after a user moved one on screen, before it is decided whether the move will be committed. The result
    /// has the same version, and shares all nodes that did not change.
    ///
    /// - Parameters:
    ///   - source: the index path of the row.
    ///   - target: its index path after the move. The index counts the rows without the moved one.
    /// - Throws: ``ListError/sectionIndexOutOfRange(_:valid:)`` or ``ListError/itemIndexOutOfRange(_:valid:)`` if the
    ///   row or the target does not exist; an error of rows that could not be read.
    /// - Complexity: O(log n).
    package func moving(from source: ListIndexPath, to target: ListIndexPath) throws -> UntypedSnapshot {
        guard let item = item(at: source) else {
            try ListState(from: self).checkRange(source, count: 1)
            preconditionFailure("a path that is in range has a row")
        }
        return try applying(CollectionOfOne(.itemsMoved(from: source, to: target, .one(item.id))))
    }

    /// The rows after events, with the same version. The result shares all nodes that did not change.
    ///
    /// ```swift
    /// let before = try store.snapshot(at: Version(6))
    /// let after = try before.applying(store.commit(Version(7)).events())
    /// ```
    ///
    /// A snapshot has no index of ids, so it is not checked that the ids of rows and sections that an event inserts are new. Events of
    /// the commits that follow the snapshot's version always fit.
    ///
    /// - Throws: ``ListError`` if an event does not fit the rows: an index or a depth is out of range, or another id is at the index;
    ///   an error of rows that could not be read.
    /// - Complexity: O(k log n) for events of k rows.
    public func applying(_ events: some Sequence<ListEvent>) throws -> UntypedSnapshot {
        let own = inOwnPool
        // After a failed read, rows of the result would be placeholders.
        return try own.checked {
            var state = ListState(from: own)
            for event in events { try state.apply(event) }
            return state.snapshot()
        }
    }

    /// The same rows in a pool of their own. Changes that are made from them are not counted among the changes that a checkpoint
    /// stores, and its failed reads are counted from 0.
    var inOwnPool: UntypedSnapshot {
        let pool = NodePool(joining: tree.pool, tree.pool)!
        return UntypedSnapshot(version: version, itemCount: itemCount, tree: PersistentTree(tree.top, pool))
    }
}
