// A short list with a log of a given length, to measure whether the length of the log matters.
//
// Always holds: every commit is one event and one step. After a sample, the position is the tip again, and the tree of
// revisions is unchanged, because a sample makes only checkouts.

/// A list whose newest steps can be undone and redone.
protocol LoggedList: AnyObject {
    /// Undoes steps, and measures the time.
    func timeUndo(_ count: Int) throws -> Double
    /// Redoes steps, and measures the time.
    func timeRedo(_ count: Int) throws -> Double
}
