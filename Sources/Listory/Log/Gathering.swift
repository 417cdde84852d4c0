// When a batch is worth a sync.
//
// Writers that wait for every commit come back soon after the sync that released them. A leader that began at once
// would sync for the first of them alone, and all the others would miss the batch. So after a batch that served
// several, the next one waits for as many to come back, but not for long.
//
// If a sync takes less time than all of them need to come back, a third of them is enough: the others come while the
// device is busy, and share the sync after that. On a slow device all of them share every sync.
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
    /// When the last batch was written, and how many had arrived by then for the next one.
    private var lastEnd = ContinuousClock.now
    private var arrivedBefore = 0
    /// How long it took, on average, until one more writer arrived.
    private var interval = Duration.zero

    /// How long to wait for others; zero if the next batch can begin.
    var remaining: Duration {
        arrived >= expected ? .zero : max(.zero, deadline - .now)
    }

    /// Whether all have come that can be expected to.
    var isComplete: Bool { arrived >= expected }

    /// Everything that waits was taken to be written.
    mutating func beginBatch() {
        if arrived > arrivedBefore { interval = (.now - lastEnd) / (arrived - arrivedBefore) }
        served = arrived
        arrived = 0
    }

    /// A batch was written.
    ///
    /// - Parameter start: when that began.
    mutating func endBatch(since start: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        let sync = now - start
        // Those who were served, and those who came meanwhile, all want the next batch, or some of them that and the others
        // the one after it. A third keeps the device busy: 64 tasks reach 30 times the rate of one, and 26 with half.
        let writers = served + arrived
        expected = interval * writers > sync ? (writers + 2) / 3 : writers
        (served, arrivedBefore, lastEnd) = (0, arrived, now)
        // Who would have missed the next sync waits for less, and who waits in vain does so once.
        deadline = now + sync
    }
}
