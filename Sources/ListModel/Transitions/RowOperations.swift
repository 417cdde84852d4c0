// All that a view without sections plays, in order.
//
// Always holds: played on the rows of `old`, the steps give those of `new`; none of them does nothing.

/// The steps of a transition.
public struct RowOperations: Sendable {
    /// What is played, in this order: removals from the back, insertions and moves from the front, updates.
    public let steps: [RowOperation]
    /// Whether the view is to load everything again instead; there are no steps then.
    public let isReload: Bool
    /// The rows before the first step.
    public let old: LaidOutRows
    /// The rows after the last step.
    public let new: LaidOutRows
}
