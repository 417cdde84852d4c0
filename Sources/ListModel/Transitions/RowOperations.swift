// All operations of a transition, for views without sections.
//
// Always holds: applied to the rows of `old`, the operations result in those of `new`. Every operation changes something.

/// The operations of a transition.
public struct RowOperations: Sendable {
    /// The operations in order: removals from the back, insertions and moves from the front, updates.
    public let operations: [RowOperation]
    /// Whether the view should reload everything instead; then there are no operations.
    public let isReload: Bool
    /// The rows before the first operation.
    public let old: LaidOutRows
    /// The rows after the last operation.
    public let new: LaidOutRows
}
