// When a batch is worth a sync.
//
// Writers that wait for every commit come back soon after the sync that released them. A leader that began at once
// would sync for the first of them alone, and all the others would miss the batch. So after a batch that served
// several, the next one waits for as many to come back, but not for long.
//
// Always holds: nobody waits for others after `deadline`, as long after the last sync as that took; and a writer that
// nobody else shared a sync with never waits at all.

/// Who may share the next sync.
struct Gathering {
    /// How many wait for commits of the next batch.
    var arrived = 0
    /// How many can be expected to.
    private var expected = 1
    /// Until when the next batch waits for them.
    private var deadline = ContinuousClock.now
    /// How many wait for the batch that is being written.
    private var served = 0

    /// How long to wait for others; zero if the next batch can begin.
    var remaining: Duration {
        arrived >= expected ? .zero : max(.zero, deadline - .now)
    }

    /// Whether all have come that can be expected to.
    var isComplete: Bool { arrived >= expected }

    /// Everything that waits was taken to be written.
    mutating func beginBatch() {
        served = arrived
        arrived = 0
    }

    /// A batch was written.
    ///
    /// - Parameter start: when that began.
    mutating func endBatch(since start: ContinuousClock.Instant) {
        // Those who were served, and those who came meanwhile, all want the next batch.
        expected = served + arrived
        served = 0
        let now = ContinuousClock.now
        // Who would have missed the next sync waits for less, and who waits in vain does so once.
        deadline = now + (now - start)
    }
}
