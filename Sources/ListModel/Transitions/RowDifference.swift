// The difference between two snapshots as sequences: the rows that leave, the rows that arrive, and which of them are
// the same.
//
// In a sequence, fewer or other rows move than between sections. For example, the last row of a section that becomes
// the first row of the next section has not moved, and a moved section means moved rows. So the rows that stay are
// computed again, from the pieces that both sequences have in common.
//
// Always holds: the old sequence without `gone` equals the new one without `arrived`. `moves` has as few rows as
// possible.

struct RowDifference {
    let old: LaidOutRows
    let new: LaidOutRows
    /// The old offsets of the rows that do not stay (deleted and moved ones), ascending.
    private(set) var gone: [Int] = []
    /// The new offsets of the rows that arrive (inserted and moved ones), ascending.
    private(set) var arrived: [Int] = []
    /// The moves of rows, from old to new offsets, ascending by target.
    private(set) var moves: [Changeset.Move<Int>] = []
    /// The new offsets of the rows whose content, checkmark or other fields changed, ascending.
    private(set) var updated: [Int] = []

    /// A run of rows that is consecutive in both sequences.
    private struct Piece {
        var old: Int
        var new: Int
        var count: Int
    }

    /// - Complexity: O(s + k log k) for s sections and k rows that differ, including the rows of moved sections.
    init(_ transition: ListTransition, _ layout: RowLayout) {
        old = transition.old.rows(in: layout)
        new = transition.new.rows(in: layout)
        let changes = transition.changeset
        gone = changes.items.deleted.map(old.itemOffset)
        arrived = changes.items.inserted.map(new.itemOffset)
        updated = changes.items.updated.map(new.itemOffset)
        if old.hasHeaders {
            gone += changes.sections.deleted.map { old.starts[$0] }
            arrived += changes.sections.inserted.map { new.starts[$0] }
            updated += changes.sections.updated.map { new.starts[$0] }
        }
        if !isCounted(changes) || !findMoves(changes) {
            (gone, arrived, updated) = (Array(0..<old.count), Array(0..<new.count), [])
        }
        gone = gone.sorted()
        arrived = arrived.sorted()
        updated = updated.sorted()
    }

    /// Whether both sequences have the rows of which the changeset speaks. A section that could not be read when its rows were counted has
    /// none.
    private func isCounted(_ changes: Changeset) -> Bool {
        let items = changes.items
        return (items.deleted + items.moved.map(\.from)).allSatisfy { old.offset(of: $0) != nil }
            && (items.inserted + items.updated + items.moved.map(\.to)).allSatisfy { new.offset(of: $0) != nil }
            && old.count - gone.count == new.count - arrived.count
    }

    /// Finds the rows that move, if there are any. False if they cannot be found.
    private mutating func findMoves(_ changes: Changeset) -> Bool {
        if changes.items.moved.isEmpty && changes.sections.moved.isEmpty { return true }
        guard let pieces = pieces(changes) else { return false }
        let stays = IncreasingSubsequence.staying(pieces.map(\.old), weights: pieces.map(\.count))
        for (piece, stays) in zip(pieces, stays) where !stays {
            for index in 0..<piece.count {
                moves.append(Changeset.Move(from: piece.old + index, to: piece.new + index))
                gone.append(piece.old + index)
                arrived.append(piece.new + index)
            }
        }
        return true
    }

    /// All rows that both sequences have, as pieces, ascending by their new offset. Nil if the rows of a section are not as many as the
    /// changeset says: it could not be read when its rows were counted, or when they were compared.
    private func pieces(_ changes: Changeset) -> [Piece]? {
        var pieces: [Piece] = []
        func append(_ oldStart: Int, _ newStart: Int, _ count: Int) {
            if count == 0 { return }
            if let last = pieces.last, last.old + last.count == oldStart, last.new + last.count == newStart {
                pieces[pieces.count - 1].count += count
            } else {
                pieces.append(Piece(old: oldStart, new: newStart, count: count))
            }
        }
        let headers = old.hasHeaders ? 1 : 0
        let leaving = RowsBySection(changes.items.deleted + changes.items.moved.map(\.from))
        let arriving = RowsBySection(changes.items.inserted + changes.items.moved.map(\.to))
        let places = SectionPlaces(changes.sections)
        for newSection in new.starts.indices {
            guard let oldSection = places.oldIndex(ofNew: newSection) else { continue }
            append(old.starts[oldSection], new.starts[newSection], headers)
            let (oldStart, newStart) = (old.starts[oldSection] + headers, new.starts[newSection] + headers)
            let (oldCount, newCount) = (old.itemCount(inSection: oldSection), new.itemCount(inSection: newSection))
            var (leavers, arrivals) = (leaving[oldSection], arriving[newSection])
            var (oldItem, newItem) = (0, 0)
            while oldItem < oldCount || newItem < newCount {
                let oldEnd = leavers.first?.item ?? oldCount
                let newEnd = arrivals.first?.item ?? newCount
                let run = min(oldEnd - oldItem, newEnd - newItem)
                if run < 0 { return nil }
                append(oldStart + oldItem, newStart + newItem, run)
                oldItem += run
                newItem += run
                let hasLeaver = oldItem == oldEnd && leavers.popFirst() != nil
                let hasArrival = newItem == newEnd && arrivals.popFirst() != nil
                if run == 0 && !hasLeaver && !hasArrival { return nil }
                if hasLeaver { oldItem += 1 }
                if hasArrival { newItem += 1 }
            }
            guard oldItem == oldCount, newItem == newCount, leavers.isEmpty, arrivals.isEmpty else { return nil }
        }
        let moved = changes.items.moved.map {
            Piece(old: old.itemOffset($0.from), new: new.itemOffset($0.to), count: 1)
        }
        return moved.isEmpty ? pieces : (pieces + moved).ordered { $0.new < $1.new }
    }
}

/// Rows by section.
private struct RowsBySection {
    private var paths: [ListIndexPath]
    private var ranges: [Int: Range<Int>] = [:]

    init(_ paths: [ListIndexPath]) {
        self.paths = paths.sorted()
        var start = 0
        for index in self.paths.indices
        where index + 1 == paths.count || self.paths[index + 1].section != self.paths[start].section {
            ranges[self.paths[start].section] = start..<index + 1
            start = index + 1
        }
    }

    /// The rows of a section, ascending.
    subscript(section: Int) -> ArraySlice<ListIndexPath> { paths[ranges[section] ?? 0..<0] }
}

/// The operations, the splices and the difference of a transition. The row difference is computed once for all three.
package struct SequenceChanges {
    /// The same as ``ListTransition/operations(layout:reloadAbove:)``.
    package let operations: RowOperations
    /// The same as ``ListTransition/splices(layout:)``.
    package let splices: RowSplices
    /// The same as ``ListTransition/collectionDifference(layout:)``.
    package let difference: CollectionDifference<RowIdentity>

    /// - Complexity: O(s + k log k) for s sections and k rows that differ.
    package init(_ transition: ListTransition, layout: RowLayout) {
        let difference = RowDifference(transition, layout)
        operations = difference.operations()
        splices = difference.splices()
        self.difference = difference.collectionDifference()
    }
}
