// A operation of a transition, for views without sections.

/// A single change of a view that shows rows in one sequence, such as `NSTableView` or `RecyclerView`. The offsets of a
/// operation refer to the result of the operation before.
public enum RowOperation: Hashable, Sendable {
    /// Remove the row at an offset.
    case remove(at: Int)
    /// Insert a row, so that it is at an offset afterwards. It is the row at the offset `row` of the new snapshot.
    case insert(at: Int, row: Int)
    /// Remove the row at an offset, and insert it again so that it is at another offset afterwards.
    case move(from: Int, to: Int)
    /// Update the row at an offset, which keeps its place and its selection. All rows are in their places by then, so
    /// it is the row at the same offset of the new snapshot.
    case update(at: Int)
}
