// Decides when a write group is worth a sync.
//
// Writers that wait for every commit return soon after the sync that released them. A leader that began at once would
// sync for the first of them alone. So after a write group that served several writers, the next leader waits for as
// many to return, but not for long.
//
// If a sync takes less time than all of them need to return, a third of them is enough: the others arrive while the
// device is busy, and share the next sync. On a slow device all of them share every sync.
//
// Always holds: no leader waits beyond `deadline`, which is as long after the last sync as that sync took, but never
// long: the process may have been stopped meanwhile. A writer that shared no sync never waits.

/// The writers that may share the next sync.
struct Gathering {
    /// How many writers wait for commits of the next write group.
    var arrived = 0
    /// How many are expected.
    private var expected = 1
    /// The time until which the next leader waits for them.
    private var deadline = ContinuousClock.now
    /// How many writers wait for the present write group.
    private var served = 0
    /// The time of the last write, and how many writers had arrived for the next group by then.
    private var lastEnd = ContinuousClock.now
    private var arrivedBefore = 0
    /// The average time between arrivals.
    private var interval = Duration.zero

    /// As long as the sync of a slow disk.
    private static let longestWait = Duration.milliseconds(50)

    /// How long to wait for others; zero if the next group can begin.
    var remaining: Duration {
        arrived >= expected ? .zero : max(.zero, deadline - .now)
    }

    /// Whether all expected writers have arrived.
    var isComplete: Bool { arrived >= expected }

    /// Begins the write of all waiting commits.
    mutating func beginGroup() {
        if arrived > arrivedBefore { interval = (.now - lastEnd) / (arrived - arrivedBefore) }
        served = arrived
        arrived = 0
    }

    /// Ends the write of a group.
    ///
    /// - Parameter start: when that began.
    mutating func endGroup(since start: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        let sync = now - start
        // The released writers and those that arrived meanwhile share the next group or split over the next two. A
        // third of them keeps the device busy: 64 tasks reach 30 times the rate of one, and 26 times with half of them.
        let writers = served + arrived
        expected = interval * writers > sync ? (writers + 2) / 3 : writers
        (served, arrivedBefore, lastEnd) = (0, arrived, now)
        // A writer that would have missed the next sync waits less than for the one after it. A leader that waits in
        // vain does so only once.
        deadline = now + min(sync, Gathering.longestWait)
    }
}
