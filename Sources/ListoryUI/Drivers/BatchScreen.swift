// Views with sections that take their changes in batches: UITableView and UICollectionView.

import ListModel

/// A view that takes all deletions, insertions and moves at once, in the index spaces of a ``Changeset``.
@MainActor
public protocol BatchScreen: ListScreen {
    /// Plays the deletions, insertions and moves of a batch; its updates are played separately.
    ///
    /// - Parameters:
    ///   - changes: deletions and sources of moves by their present index, insertions and targets of moves by the index that
    ///     they will have.
    ///   - show: to be called inside of the view's batch update, before the view gets the changes: the data source answers
    ///     with the new rows from then on.
    ///   - done: to be called when the animation has ended, whether or not it was visible.
    func perform(
        _ changes: Changeset, show: @escaping @MainActor () -> Void, done: @escaping @MainActor () -> Void)

    /// Shows the contents of rows and headers again, in place. An animation may still be running.
    func reconfigure(items: [ListIndexPath], sections: [Int])
}

extension BatchScreen {
    public func phases(of transition: ListTransition, reloadAbove: Int?) -> [TransitionPhase] {
        transition.batches(reloadAbove: reloadAbove).map { batch in
            if batch.isReload { return .reload(batch.snapshot) }
            let changes = batch.changes
            guard changes.hasStructure else {
                return .contents(batch.snapshot) { [weak self] in
                    self?.reconfigure(items: changes.items.updated, sections: changes.sections.updated)
                }
            }
            return .play(batch.snapshot) { [weak self] show, done in
                guard let self else {
                    show()
                    return done()
                }
                perform(changes, show: show, done: done)
            }
        }
    }
}

extension Changeset {
    /// Whether rows or sections are inserted, deleted or moved.
    var hasStructure: Bool { items.hasStructure || sections.hasStructure }
}

extension Changeset.Changes {
    /// Whether it has insertions, deletions or moves.
    fileprivate var hasStructure: Bool { !deleted.isEmpty || !inserted.isEmpty || !moved.isEmpty }
}

// MARK: - Cells

/// The reuse identifiers of the cells of rows. UIKit reconfigures a row only in its present cell, and ends the app if
/// it gets another one; so a row that needs another cell is reloaded.
///
/// Rows whose cells have the default identifier take no memory.
struct GivenCells {
    private var usual: String?
    private var others: [UntypedID: String] = [:]

    /// Records the identifier of a row's cell.
    mutating func note(_ identifier: String, for id: UntypedID) {
        if usual == nil { usual = identifier }
        others[id] = identifier == usual ? nil : identifier
    }

    /// Whether a row may have a cell with another identifier.
    func isOther(_ identifier: String, for id: UntypedID) -> Bool { others[id] ?? usual != identifier }

    /// The places of the rows that keep their cells, and of those that may have cells with other identifiers.
    ///
    /// - Parameter rows: the places and ids of rows, and the identifiers that their cells need now.
    func split(
        _ rows: [(path: ListIndexPath, id: UntypedID, identifier: String)]
    ) -> (same: [ListIndexPath], other: [ListIndexPath]) {
        var (same, other): ([ListIndexPath], [ListIndexPath]) = ([], [])
        for row in rows {
            if isOther(row.identifier, for: row.id) { other.append(row.path) } else { same.append(row.path) }
        }
        return (same, other)
    }
}
