// A short list with a log of a given length: what shows whether the length of the log costs anything.
//
// Always holds: every commit is one event and one step; after a sample the position in the history is the tip again, and
// the tree of commits is as it was, because nothing but moves was made.

/// A list whose newest steps can be undone and redone.
protocol LoggedList: AnyObject {
    /// Undoes steps, and takes the time.
    func timeUndo(_ count: Int) throws -> Double
    /// Redoes steps, and takes the time.
    func timeRedo(_ count: Int) throws -> Double
}
