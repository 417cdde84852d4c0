// A timer of the queue before the log.
//
// Always holds: the reference is taken once: by the timer when it rings, or by who cancels the timer.

/// The reference of a running timer to the queue. Not a weak reference, because an object that was ever referred to
/// weakly is counted slowly from then on, and every commit counts references to the queue.
final class StoreTimer: Sendable {
    private let group: Locked<GroupCommit?>

    init(_ group: GroupCommit) { self.group = Locked(group) }

    /// Takes the reference to the queue; nil if it was taken already.
    func take() -> GroupCommit? {
        group.withLock { group in
            defer { group = nil }
            return group
        }
    }
}
