// A batch of changes for a view with sections.
//
// Always holds: a batch has structural changes or updates, never both. A row or section that exists before and after is
// never deleted and inserted.

/// The changes for one `performBatchUpdates` of a `UITableView` or `UICollectionView`.
///
/// Deletions and sources of moves are positions before the batch; insertions and targets of moves are positions after
/// it. The rows of inserted and deleted sections are not listed, because they are inserted and deleted with their
/// section.
///
/// A batch of updates is played as `reconfigureRows(at:)`, after the structural batches.
public struct UpdateBatch: Sendable {
    /// The changes.
    public var changes: Changeset
    /// The rows that the data source must return from the moment when the batch is played.
    public var snapshot: UntypedSnapshot
    /// Whether the view should reload everything; then `changes` is empty.
    public var isReload: Bool

    /// A batch of changes that lead to a snapshot.
    public init(changes: Changeset, snapshot: UntypedSnapshot, isReload: Bool = false) {
        self.changes = changes
        self.snapshot = snapshot
        self.isReload = isReload
    }
}

// MARK: - Moves to an own index

// Splits a batch in which something moves to its own index.
// No resulting batch moves a row or a section from an index to the same index, except a row that moves
// between two sections. The choice of the stages has to prevent that case.

extension UpdateBatch {
    /// The batch itself, or two batches with the same result, of which the second one only has moves.
    ///
    /// - Complexity: O(k) for k changes if there is nothing to do; otherwise O(k log n).
    func withoutMovesToOwnIndex() -> [UpdateBatch] {
        if changes.sections.moved.contains(where: { $0.from == $0.to }) { return separatingSections() }
        if changes.items.moved.contains(where: { $0.from == $0.to }) { return separatingItems() }
        return [self]
    }

    /// Whether something moves from an index to the same index.
    var hasMoveToOwnIndex: Bool {
        changes.items.moved.contains { $0.from == $0.to } || changes.sections.moved.contains { $0.from == $0.to }
    }

    /// This batch joined with the moves of the batch before. Nil unless that batch only moves rows within sections that
    /// stay, and this one only deletes and inserts other sections.
    func joining(movesOf other: UpdateBatch) -> UpdateBatch? {
        let (deleted, inserted) = (changes.sections.deleted, changes.sections.inserted)
        var result = Changeset()
        result.sections.deleted = deleted
        result.sections.inserted = inserted
        var moves = Changeset()
        moves.items.moved = other.changes.items.moved
        guard result == changes, moves == other.changes, !result.isEmpty,
            moves.items.moved.allSatisfy({
                $0.from.section == $0.to.section && !deleted.containsSorted($0.to.section)
            })
        else { return nil }
        result.items.moved = moves.items.moved.map { move in
            let section = inserted.complement(move.to.section - deleted.countLess(than: move.to.section))
            return Changeset.Move(from: move.from, to: ListIndexPath(section: section, item: move.to.item))
        }
        return UpdateBatch(changes: result, snapshot: snapshot)
    }

    // MARK: Sections

    private func separatingSections() -> [UpdateBatch] {
        let waiting = WaitingMoves(changes.sections)
        var first = changes
        first.sections.inserted = changes.sections.inserted.map(waiting.index(of:))
        first.sections.moved = changes.sections.moved.filter { !waiting.isWaiting($0.to) }
            .map { Changeset.Move(from: $0.from, to: waiting.index(of: $0.to)) }
        // Sections with inserted rows do not move, or no moved section waits; so `index(of:)` is defined for them.
        first.items.inserted = changes.items.inserted.map {
            ListIndexPath(section: waiting.index(of: $0.section), item: $0.item)
        }
        var second = Changeset()
        second.sections.moved = waiting.moves
        return [
            UpdateBatch(changes: first, snapshot: snapshot.movingSections(waiting.placesBack)),
            UpdateBatch(changes: second, snapshot: snapshot),
        ]
    }

    // MARK: Rows

    /// Precondition: no section moves in the batch. So a section that stays and has the same index before and after is
    /// the same section.
    private func separatingItems() -> [UpdateBatch] {
        let waiting = changesOfSectionsWithOwnIndex().mapValues { WaitingMoves($0) }
        if waiting.isEmpty { return [self] }
        func place(_ path: ListIndexPath) -> ListIndexPath {
            waiting[path.section].map { ListIndexPath(section: path.section, item: $0.index(of: path.item)) } ?? path
        }
        var first = changes
        first.items.inserted = changes.items.inserted.map(place)
        first.items.moved = changes.items.moved.filter { waiting[$0.to.section]?.isWaiting($0.to.item) != true }
            .map { Changeset.Move(from: $0.from, to: place($0.to)) }
        var second = Changeset()
        second.items.moved = waiting.flatMap { section, waiting in
            waiting.moves.map {
                Changeset.Move(
                    from: ListIndexPath(section: section, item: $0.from),
                    to: ListIndexPath(section: section, item: $0.to))
            }
        }.ordered { $0.to < $1.to }
        return [
            UpdateBatch(changes: first, snapshot: snapshot.movingItems(waiting.mapValues(\.placesBack))),
            UpdateBatch(changes: second, snapshot: snapshot),
        ]
    }

    /// The row changes of each section in which a row moves to its own index. Moves from other sections count as
    /// insertions there, and moves to other sections as deletions.
    private func changesOfSectionsWithOwnIndex() -> [Int: Changeset.Changes<Int>] {
        let (gone, arrived) = (changes.sections.deleted, changes.sections.inserted)
        var result: [Int: Changeset.Changes<Int>] = [:]
        for move in changes.items.moved where move.from == move.to {
            let section = move.to.section
            let isSame = gone.complement(section - arrived.countLess(than: section)) == section
            if isSame && !arrived.containsSorted(section) { result[section] = Changeset.Changes() }
        }
        if result.isEmpty { return result }
        for path in changes.items.deleted { result[path.section]?.deleted.append(path.item) }
        for path in changes.items.inserted { result[path.section]?.inserted.append(path.item) }
        for move in changes.items.moved {
            let (from, to) = (move.from, move.to)
            if from.section == to.section {
                result[to.section]?.moved.append(Changeset.Move(from: from.item, to: to.item))
            } else {
                result[from.section]?.deleted.append(from.item)
                result[to.section]?.inserted.append(to.item)
            }
        }
        return result
    }
}
