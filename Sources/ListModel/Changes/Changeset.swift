// The difference between two snapshots, in the index spaces of list views.
//
// Always holds: a changeset leads from the old rows to the new rows (`applied(to:…)` defines how), with as few moves as
// possible (a heaviest increasing subsequence stays).

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
        /// Positions in the old snapshot of what is not in the new one, ascending.
        public var deleted: [Position] = []
        /// Positions in the new snapshot of what is not in the old one, ascending.
        public var inserted: [Position] = []
        /// From where in the old snapshot to where in the new one, ascending by target.
        public var moved: [Move<Position>] = []
        /// Positions in the new snapshot of what was updated, ascending.
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

extension Changeset {
    /// Applies the changes to an array of arrays, as a list view would.
    ///
    /// - Parameters:
    ///   - old: the old sections, each a header and rows.
    ///   - header: the header of a section of the new snapshot; asked for inserted and updated sections.
    ///   - item: a row of the new snapshot; asked for inserted and updated rows.
    /// - Returns: the new sections.
    /// - Complexity: O(n · k) for k deletions, insertions and moves. It defines the meaning of a changeset, for tests.
    public func applied<Header, Item>(
        to old: [(header: Header, items: [Item])],
        header: (Int) -> Header, item: (ListIndexPath) -> Item
    ) -> [(header: Header, items: [Item])] {
        var carried: [ListIndexPath: Item] = [:]
        var result = old
        for move in items.moved { carried[move.to] = old[move.from.section].items[move.from.item] }
        for path in (items.deleted + items.moved.map(\.from)).sorted().reversed() {
            result[path.section].items.remove(at: path.item)
        }
        let goneSections = sections.deleted + sections.moved.map(\.from)
        let movedSections = Dictionary(uniqueKeysWithValues: sections.moved.map { ($0.to, result[$0.from]) })
        for index in goneSections.sorted().reversed() { result.remove(at: index) }
        for index in (sections.inserted + sections.moved.map(\.to)).sorted() {
            result.insert(movedSections[index] ?? (header(index), []), at: index)
        }
        for path in (items.inserted + items.moved.map(\.to)).sorted() {
            result[path.section].items.insert(carried[path] ?? item(path), at: path.item)
        }
        for index in sections.updated { result[index].header = header(index) }
        for path in items.updated { result[path.section].items[path.item] = item(path) }
        return result
    }
}
