// A transition as a `CollectionDifference` of the standard library.

extension ListTransition {
    /// The difference of the row identities: removals at offsets of the old rows, insertions at offsets of the new
    /// ones.
    ///
    /// A row that moves is a removal and an associated insertion. Rows whose own fields changed have the same identity,
    /// so they are not in the difference; ``RowSplices/updated`` has them.
    ///
    /// ```swift
    /// let shown = old.rows(in: .rows).map(\.identity)
    /// let next = shown.applying(transition.collectionDifference(layout: .rows))!
    /// ```
    ///
    /// - Parameter layout: the layout of the sections.
    /// - Complexity: O(s + k log n) for s sections and k rows that differ.
    public func collectionDifference(layout: RowLayout) -> CollectionDifference<RowIdentity> {
        RowDifference(self, layout).collectionDifference()
    }
}

extension RowDifference {
    /// The difference as a `CollectionDifference`.
    func collectionDifference() -> CollectionDifference<RowIdentity> {
        let difference = self
        let targets = Dictionary(uniqueKeysWithValues: difference.moves.map { ($0.from, $0.to) })
        let sources = Dictionary(uniqueKeysWithValues: difference.moves.map { ($0.to, $0.from) })
        var changes: [CollectionDifference<RowIdentity>.Change] = []
        changes.reserveCapacity(difference.gone.count + difference.arrived.count)
        for offset in difference.gone {
            changes.append(
                .remove(offset: offset, element: difference.old[offset].identity, associatedWith: targets[offset]))
        }
        for offset in difference.arrived {
            changes.append(
                .insert(offset: offset, element: difference.new[offset].identity, associatedWith: sources[offset]))
        }
        guard let result = CollectionDifference(changes) else {
            preconditionFailure("offsets are listed once, and moves in pairs")
        }
        return result
    }
}
