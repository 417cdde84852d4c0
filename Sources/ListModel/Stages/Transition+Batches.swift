// A transition as batches of a view with sections: as few as the rules of such views allow.

extension Transition {
    /// The batches that lead from the old snapshot to the new one: at most three that change the structure, then one with
    /// the content that changed.
    ///
    /// No batch has what a view rejects or is hurt by. A row does not move into a section that the same batch inserts, nor
    /// out of one that it deletes; rows do not move while sections do, nor does anything change inside a section that
    /// moves. `Docs/ListViews.md` has the table of stages.
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
    /// - Parameter limit: if the changeset has more entries, there is one batch that says to reload; nil for never.
    /// - Returns: the batches, in the order in which they are played; none if nothing changed. The snapshot of the last is
    ///   ``new``.
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
        if plan.needsSectionsFirst && !plan.needsSectionsLast {
            // The way back needs sections to go last, and its stages, played backwards, are those of the way there.
            let inverted = changes.invertedStructure()
            let back = BatchMaker(from: new, to: old, inverted, BatchPlan(inverted)).batches()
            let snapshots = [new] + back.map(\.snapshot)
            return back.indices.reversed().map {
                UpdateBatch(changes: back[$0].changes.invertedStructure(), snapshot: snapshots[$0])
            }
        }
        return BatchMaker(from: old, to: new, changes, plan).batches()
    }
}

/// Which stages a changeset needs.
struct BatchPlan {
    /// The inserted sections that rows move into: they must be there before.
    let entered: Set<Int>
    /// The deleted sections that rows move out of: they must be there until then.
    let left: Set<Int>
    /// Whether sections move that cannot do so while rows change.
    let isMoveApart: Bool

    init(_ changes: Changeset) {
        let inserted = Set(changes.sections.inserted)
        let deleted = Set(changes.sections.deleted)
        entered = inserted.intersection(changes.items.moved.lazy.map(\.to.section))
        left = deleted.intersection(changes.items.moved.lazy.map(\.from.section))
        guard !changes.sections.moved.isEmpty else {
            isMoveApart = false
            return
        }
        let sources = Set(changes.sections.moved.map(\.from))
        let targets = Set(changes.sections.moved.map(\.to))
        isMoveApart =
            !changes.items.moved.isEmpty || changes.items.deleted.contains { sources.contains($0.section) }
            || changes.items.inserted.contains { targets.contains($0.section) }
    }

    var needsSectionsFirst: Bool { !entered.isEmpty }
    var needsSectionsLast: Bool { !left.isEmpty }
}
