// A transition as the standard library's difference.

extension Transition {
    /// The difference of who stands where: removals at offsets of the old rows, insertions at offsets of the new ones.
    ///
    /// A row that moves is a removal and an insertion which are associated with each other. Rows that changed in themselves
    /// are the same elements, so they are not in it; ``RowSplices/updated`` has them.
    ///
    /// ```swift
    /// let shown = old.rows(in: .rows).map(\.identity)
    /// let next = shown.applying(transition.collectionDifference(layout: .rows))!
    /// ```
    ///
    /// - Parameter layout: how the sections lie.
    /// - Complexity: O(s + k log n) for s sections and k rows that differ.
    public func collectionDifference(layout: RowLayout) -> CollectionDifference<RowIdentity> {
        RowDifference(self, layout).collectionDifference()
    }
}

extension RowDifference {
    /// What the standard library applies.
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
