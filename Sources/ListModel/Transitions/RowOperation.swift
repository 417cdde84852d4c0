// What a view without sections plays one after another.

/// A single change of a view that shows rows in one sequence, such as NSTableView or RecyclerView. Each step sees the
/// result of the one before.
public enum RowOperation: Hashable, Sendable {
    /// The row at an offset is removed.
    case remove(at: Int)
    /// A row is inserted, so that it stands at an offset. It is the one at the offset `row` of the new snapshot.
    case insert(at: Int, row: Int)
    /// The row at an offset is taken out, and put back so that it then stands at another.
    case move(from: Int, to: Int)
    /// The row at an offset changed in itself: it keeps its place and its selection. All rows are in their places by
    /// then, so that it is the row at the same offset of the new snapshot.
    case update(at: Int)
}
