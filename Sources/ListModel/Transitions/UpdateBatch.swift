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
    public var snapshot: Snapshot
    /// Whether the view should reload everything; then `changes` is empty.
    public var isReload: Bool

    /// A batch of changes that lead to a snapshot.
    public init(changes: Changeset, snapshot: Snapshot, isReload: Bool = false) {
        self.changes = changes
        self.snapshot = snapshot
        self.isReload = isReload
    }
}
