// The difference between two snapshots, in the index spaces of list views.
//
// Always holds: a changeset leads from the old rows to the new rows (`applied(to:giving:)` of the tests defines how), with as
// few moves as possible (a heaviest increasing subsequence stays).

/// The deletions, insertions, moves and updates that lead from one snapshot to another.
///
/// Deletions and the sources of moves are positions in the old snapshot, insertions, targets of moves and updates are
/// positions in the new one. An item that is in both snapshots is never deleted and inserted: it stays, or it moves.
///
/// ```swift
/// let changes = Changeset(from: before, to: after)
/// for path in changes.items.inserted { print(after.item(at: path)!.id) }
/// ```
public struct Changeset: Equatable, Sendable {
    /// The changes of rows, or those of sections.
    public struct Changes<Position: Hashable & Sendable>: Equatable, Sendable {
        /// Positions in the old snapshot that have no counterpart in the new one, ascending.
        public var deleted: [Position] = []
        /// Positions in the new snapshot that have no counterpart in the old one, ascending.
        public var inserted: [Position] = []
        /// Moves from a position in the old snapshot to one in the new snapshot, ascending by target.
        public var moved: [Move<Position>] = []
        /// Positions in the new snapshot of updated rows or sections, ascending.
        public var updated: [Position] = []

        /// Whether nothing changed.
        public var isEmpty: Bool { deleted.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }
    }

    /// A row or section that is in both snapshots, at another place.
    public struct Move<Position: Hashable & Sendable>: Hashable, Sendable {
        /// Where it was in the old snapshot.
        public var from: Position
        /// Where it is in the new snapshot.
        public var to: Position

        /// A move between these positions.
        public init(from: Position, to: Position) {
            self.from = from
            self.to = to
        }
    }

    /// Sections: deleted, inserted, moved, or with another title.
    public var sections = Changes<Int>()
    /// Rows: deleted, inserted, moved, or with another checkmark, content or place in an outline. The rows of deleted and
    /// inserted sections are listed, those of moved sections only where they changed.
    public var items = Changes<ListIndexPath>()

    /// No changes.
    public init() {}

    /// Whether both snapshots have the same rows and sections.
    public var isEmpty: Bool { sections.isEmpty && items.isEmpty }
}

extension Changeset: CustomStringConvertible {
    /// What changed, with the positions: `inserted [0, 2], moved [0, 1] → [0, 0]`; of many, the first ten.
    public var description: String {
        isEmpty ? "no changes" : (sections.texts("section ") + items.texts("")).joined(separator: ", ")
    }
}

extension Changeset.Changes {
    /// The kinds of changes, each with its positions.
    fileprivate func texts(_ what: String) -> [String] {
        [
            ("deleted", deleted.prefix(10).map { "\($0)" }, deleted.count),
            ("inserted", inserted.prefix(10).map { "\($0)" }, inserted.count),
            ("moved", moved.prefix(10).map { "\($0.from) → \($0.to)" }, moved.count),
            ("updated", updated.prefix(10).map { "\($0)" }, updated.count),
        ].compactMap { kind, positions, count in
            if count == 0 { return nil }
            let rest = count > 10 ? " and \(count - 10) more" : ""
            return "\(kind) \(what)\(positions.joined(separator: " "))\(rest)"
        }
    }
}
