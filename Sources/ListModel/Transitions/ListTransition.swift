// A transition: two snapshots and the changeset between them, which a list view plays.
//
// Always holds: `changeset` leads from `old` to `new`. A transition is a value and independent of any view.

/// The changes from one snapshot to another, in the form that each consumer needs.
///
/// ```swift
/// let transition = ListTransition(from: shown, to: store.snapshot())
/// for batch in transition.batches() { play(batch) }      // UITableView, UICollectionView
/// let operations = transition.operations(layout: .rows)            // NSTableView, RecyclerView
/// let splices = transition.splices(layout: .rows)        // GListModel
/// ```
///
/// | consumer | asks for | index space |
/// |---|---|---|
/// | UITableView, UICollectionView | ``batches(reloadAbove:)`` | before and after each batch |
/// | NSTableView, RecyclerView | ``operations(layout:reloadAbove:)`` | each operation sees the result of the one before |
/// | GListModel | ``splices(layout:)`` | each splice sees the result of the one before |
/// | the standard library | ``collectionDifference(layout:)`` | removals before, insertions after |
public struct ListTransition: Sendable {
    /// The snapshot that a view shows now.
    public let old: UntypedSnapshot
    /// The snapshot that it will show.
    public let new: UntypedSnapshot
    /// The changes that lead from `old` to `new`.
    public let changeset: Changeset

    /// The transition from a snapshot to another one, which may be newer or older.
    ///
    /// - Complexity: O(k log n) for k rows that differ; O(n log n) if the snapshots share nothing.
    public init(from old: UntypedSnapshot, to new: UntypedSnapshot) {
        self.init(old: old, new: new, changeset: Changeset(from: old, to: new))
    }

    /// The transition between two snapshots whose changeset is known.
    package init(old: UntypedSnapshot, new: UntypedSnapshot, changeset: Changeset) {
        self.old = old
        self.new = new
        self.changeset = changeset
    }

    /// Whether there is nothing to play.
    public var isEmpty: Bool { changeset.isEmpty }
}

extension Changeset {
    /// The number of deletions, insertions, moves and updates, of rows and of sections.
    public var count: Int { sections.count + items.count }

    /// The inverse changeset without updates, because a changeset has only the new positions of updates.
    func invertedStructure() -> Changeset {
        var result = Changeset()
        result.sections = sections.invertedStructure()
        result.items = items.invertedStructure()
        return result
    }

    /// The changeset without updates.
    var structure: Changeset {
        var result = self
        result.sections.updated = []
        result.items.updated = []
        return result
    }
}

extension Changeset.Changes {
    /// The number of deletions, insertions, moves and updates.
    public var count: Int { deleted.count + inserted.count + moved.count + updated.count }
}

extension Changeset.Changes where Position: Comparable {
    fileprivate func invertedStructure() -> Changeset.Changes<Position> {
        var result = Changeset.Changes<Position>()
        result.deleted = inserted
        result.inserted = deleted
        result.moved = moved.map { Changeset.Move(from: $0.to, to: $0.from) }.ordered { $0.to < $1.to }
        return result
    }
}

extension ListTransition: CustomStringConvertible, CustomReflectable {
    /// The versions and what changed between them.
    public var description: String { "\(old.version) → \(new.version): \(changeset)" }

    public var customMirror: Mirror {
        Mirror(
            self, children: ["from": old.version, "to": new.version, "changeset": changeset.description],
            displayStyle: .struct)
    }
}
