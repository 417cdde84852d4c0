// A transition as batches for a view with sections: as few as the rules of such views allow.

extension ListTransition {
    /// The batches that lead from the old snapshot to the new one: at most four with structural changes, then one with
    /// the updates. As few rows as possible move.
    ///
    /// No batch contains a change that a view rejects, or a hazard. A row does not move into a section that the same
    /// batch inserts, nor out of a section that it deletes. Rows do not move in the same batch as sections, and nothing
    /// changes inside a section that
    /// moves. `Docs/Design/ListViews.md` has the table of stages, and why there are no more.
    ///
    /// ```swift
    /// for batch in transition.batches(reloadAbove: 1_000) {
    ///     if batch.isReload { shown = batch.snapshot; tableView.reloadData(); continue }
    ///     tableView.performBatchUpdates {
    ///         shown = batch.snapshot
    ///         tableView.deleteRows(at: batch.changes.items.deleted.map(\.indexPath), with: .automatic)
    ///         // … insertions and moves of rows, and the same for sections
    ///     }
    ///     tableView.reconfigureRows(at: batch.changes.items.updated.map(\.indexPath))
    /// }
    /// ```
    ///
    /// - Parameter limit: if the changeset has more entries, the result is one batch with `isReload`; nil for no limit.
    /// - Returns: the batches, in the order in which to play them; none if nothing changed. The snapshot of the last
    ///   one is ``new``.
    /// - Complexity: O(k log n) for k entries of the changeset.
    public func batches(reloadAbove limit: Int? = nil) -> [UpdateBatch] {
        if let limit, changeset.count > limit {
            return [UpdateBatch(changes: Changeset(), snapshot: new, isReload: true)]
        }
        var batches = structuralBatches()
        var updates = Changeset()
        updates.sections.updated = changeset.sections.updated
        updates.items.updated = changeset.items.updated
        if !updates.isEmpty { batches.append(UpdateBatch(changes: updates, snapshot: new)) }
        return batches
    }

    private func structuralBatches() -> [UpdateBatch] {
        let changes = changeset.structure
        if changes.isEmpty { return [] }
        let plan = BatchPlan(changes)
        guard plan.needsSectionsFirst && !plan.needsSectionsLast else {
            return ListTransition.batches(from: old, to: new, changes, plan)
        }
        // The inverse transition needs sections deleted last and none inserted first. So its batches are computed, and
        // then inverted in reversed order.
        let inverted = changes.invertedStructure()
        let back = ListTransition.batches(from: new, to: old, inverted, BatchPlan(inverted))
        let snapshots = [new] + back.map(\.snapshot)
        return back.indices.reversed().map {
            UpdateBatch(changes: back[$0].changes.invertedStructure(), snapshot: snapshots[$0])
        }
    }

    private static func batches(
        from old: UntypedSnapshot, to new: UntypedSnapshot, _ changes: Changeset, _ plan: BatchPlan
    ) -> [UpdateBatch] {
        let batches = BatchMaker(from: old, to: new, changes, plan).batches()
        if !batches.contains(where: \.hasMoveToOwnIndex) { return batches }
        let apart = withoutMovesToOwnIndex(batches)
        if plan.needsSectionsFirst { return apart }
        // A row may move to a section that takes over the index of its old section, and so to its own index path. Such
        // a batch cannot be split. This cannot happen if rows move before sections are inserted or deleted, so that
        // plan is tried, too.
        let other = BatchMaker(from: old, to: new, changes, plan.withSectionsLast()).batches()
        let otherApart = withoutMovesToOwnIndex(other)
        return apart.contains(where: \.hasMoveToOwnIndex) || otherApart.count < apart.count ? otherApart : apart
    }

    /// Makes at most four batches of at most three stages. Only one stage moves sections, and only one moves rows; each
    /// of these becomes two batches if something moves to its own index. If there are three stages, the last one only
    /// deletes sections, so waiting rows can move in it.
    private static func withoutMovesToOwnIndex(_ batches: [UpdateBatch]) -> [UpdateBatch] {
        var result: [UpdateBatch] = []
        for batch in batches {
            // Waiting rows can move in the batch that deletes sections.
            if let last = result.last, let joined = batch.joining(movesOf: last) {
                result[result.count - 1] = joined
            } else {
                result += batch.withoutMovesToOwnIndex()
            }
        }
        return result
    }
}
