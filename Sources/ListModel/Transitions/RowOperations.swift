// All steps of a transition, for views without sections.
//
// Always holds: applied to the rows of `old`, the steps result in those of `new`. Every step changes something.

/// The steps of a transition.
public struct RowOperations: Sendable {
    /// The steps in order: removals from the back, insertions and moves from the front, updates.
    public let steps: [RowOperation]
    /// Whether the view should reload everything instead; then there are no steps.
    public let isReload: Bool
    /// The rows before the first step.
    public let old: LaidOutRows
    /// The rows after the last step.
    public let new: LaidOutRows
}
