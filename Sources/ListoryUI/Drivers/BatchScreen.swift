// Views with sections that take their changes in batches: UITableView and UICollectionView.

import ListModel

/// A view that is given all deletions, insertions and moves at once, in the index spaces of a ``Changeset``.
@MainActor
public protocol BatchScreen: ListScreen {
    /// Plays the deletions, insertions and moves of a batch; what is updated is not among them.
    ///
    /// - Parameters:
    ///   - changes: deletions and sources of moves as they are now, insertions and targets of moves as they will be.
    ///   - show: to be called where the view wants its data source to change: inside of its batch update, before it is
    ///     given the changes.
    ///   - done: to be called when the animation has ended, whether or not it could be seen.
    func perform(
        _ changes: Changeset, show: @escaping @MainActor () -> Void, done: @escaping @MainActor () -> Void)

    /// Shows the contents of rows and headers anew, where they are, as the same rows and headers.
    func reconfigure(items: [ListIndexPath], sections: [Int])
}

extension BatchScreen {
    public func stages(of transition: Transition, reloadAbove: Int?) -> [PlaybackStage] {
        transition.batches(reloadAbove: reloadAbove).map { batch in
            if batch.isReload { return .reload(batch.snapshot) }
            return .play(batch.snapshot) { [weak self] show, done in
                guard let self else {
                    show()
                    return done()
                }
                let changes = batch.changes
                if changes.hasStructure {
                    perform(changes, show: show, done: done)
                } else {
                    show()
                    reconfigure(items: changes.items.updated, sections: changes.sections.updated)
                    done()
                }
            }
        }
    }
}

extension Changeset {
    /// Whether rows or sections come, go or move.
    var hasStructure: Bool { items.hasStructure || sections.hasStructure }
}

extension Changeset.Changes {
    /// Whether anything comes, goes or moves.
    fileprivate var hasStructure: Bool { !deleted.isEmpty || !inserted.isEmpty || !moved.isEmpty }
}
