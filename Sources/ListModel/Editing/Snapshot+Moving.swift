// A row moved in a snapshot, without a commit: what a view shows after the user let go of a row that was dragged.

extension Snapshot {
    /// The rows as they are after a user moved one on screen, before anybody knows whether that will be committed. It is
    /// of the same version, and shares all that did not move.
    ///
    /// - Parameters:
    ///   - source: where the row is.
    ///   - target: where it is afterwards: its index counts the rows without the one that moves.
    /// - Throws: ``ListError/sectionIndexOutOfRange(_:valid:)`` or ``ListError/itemIndexOutOfRange(_:valid:)`` if there
    ///   is no such row or no such place.
    /// - Complexity: O(log n).
    package func moving(from source: ListIndexPath, to target: ListIndexPath) throws -> Snapshot {
        // A store of its own, so that nobody counts this among the changes that are to be stored.
        let pool = NodePool(joining: tree.pool, tree.pool)!
        let own = Snapshot(version: version, itemCount: itemCount, tree: PersistentTree(tree.top, pool))
        var state = ListState(from: own)
        guard let item = item(at: source) else {
            try state.checkRange(source, count: 1)
            preconditionFailure("a path that is in range has a row")
        }
        try state.apply(.itemsMoved(from: source, to: target, .one(item.id)))
        return state.snapshot()
    }
}
