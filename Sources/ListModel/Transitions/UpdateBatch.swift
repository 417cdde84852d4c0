// What a view with sections plays in one go.
//
// Always holds: a batch has structural changes or content changes, never both; a row or section that is there before and
// after is never deleted and inserted.

/// What one `performBatchUpdates` of a UITableView or UICollectionView takes.
///
/// Deletions and sources of moves are positions before the batch, insertions and targets of moves positions after it.
/// The rows of sections that the batch inserts or deletes are not listed: they come and go with their section.
///
/// A batch that has only updates is played as `reconfigureRows(at:)`, after the structural ones.
public struct UpdateBatch: Sendable {
    /// What changes.
    public var changes: Changeset
    /// What the data source has to answer with from the moment on when the batch is played.
    public var snapshot: Snapshot
    /// Whether the view is to forget what it shows and load everything again; `changes` is empty then.
    public var isReload: Bool

    /// A batch of these changes, which lead to a snapshot.
    public init(changes: Changeset, snapshot: Snapshot, isReload: Bool = false) {
        self.changes = changes
        self.snapshot = snapshot
        self.isReload = isReload
    }
}
