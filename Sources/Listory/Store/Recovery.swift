// Opening a store: from the newest checkpoint, and what came after it.
//
// Always holds: the log is the truth. If a checkpoint cannot be used, for whatever reason, it is left alone and the whole
// log is replayed; the next checkpoint then begins anew.

import ListModel

extension Store {
    /// What opening a store had to do.
    public struct Recovery: Hashable, Sendable {
        /// The version of the checkpoint that opening began with; ``Version/empty`` if it began with the empty list.
        public let checkpoint: Version
        /// Whether there was a checkpoint that could not be used.
        public let wasRebuilt: Bool
        /// How many commits were replayed.
        public let commitCount: UInt64
        /// How many events they had.
        public let eventCount: UInt64
        /// How long that took.
        public let duration: Duration
    }
}

extension Store.Recovery {
    /// The newest version of a log, and how it was reached.
    struct Result: ~Copyable {
        var state: ListState
        var checksum: UInt64
        var newest: Checkpoint?
        var recovery: Store.Recovery
    }

    /// Recovers the newest version.
    ///
    /// - Throws: ``StoreError``, `RecordError`, `ListError`, `LMDBError`: the log is damaged.
    /// - Complexity: O(log n) and a replay of what came after the newest checkpoint.
    static func run(
        _ log: CommitLog, _ head: LogHead, _ database: CheckpointDatabase?, _ options: StoreOptions
    ) throws -> Result {
        let clock = ContinuousClock()
        let start = clock.now
        var wasRebuilt = false
        if let database {
            do {
                if let (checkpoint, locators) = try database.newest() {
                    return try run(from: checkpoint, locators, log, head, database, options, start)
                }
            } catch {
                wasRebuilt = true
            }
        }
        var state = ListState(makeStore(database, options))
        let checksum = try log.replay(into: &state, after: 0, through: head.version)
        let recovery = Store.Recovery(
            checkpoint: .empty, wasRebuilt: wasRebuilt, commitCount: head.version.rawValue,
            eventCount: head.eventCount, duration: clock.now - start)
        return Result(state: state, checksum: checksum, newest: nil, recovery: recovery)
    }

    /// Recovers from a checkpoint.
    ///
    /// - Throws: whatever makes the checkpoint unusable.
    private static func run(
        from checkpoint: Checkpoint, _ locators: StoredLocators, _ log: CommitLog, _ head: LogHead,
        _ database: CheckpointDatabase, _ options: StoreOptions, _ start: ContinuousClock.Instant
    ) throws -> Result {
        guard checkpoint.version <= head.version, checkpoint.eventCount <= head.eventCount,
            try log.checksum(of: checkpoint.version) == checkpoint.checksum
        else { throw StoreError.damagedCheckpoint(checkpoint.version) }
        let store = database.store(for: checkpoint.version) { makeStore(database, options) }
        var state = ListState(checkpoint, locators, store)
        let checksum = try log.replay(into: &state, after: checkpoint.checksum, through: head.version)
        if options.gate == .full { try state.checkInvariants() }
        if let damage = store.damage { throw damage }
        let recovery = Store.Recovery(
            checkpoint: checkpoint.version, wasRebuilt: false,
            commitCount: head.version.rawValue - checkpoint.version.rawValue,
            eventCount: head.eventCount - checkpoint.eventCount, duration: ContinuousClock().now - start)
        return Result(state: state, checksum: checksum, newest: checkpoint, recovery: recovery)
    }

    private static func makeStore(_ database: CheckpointDatabase?, _ options: StoreOptions) -> NodeStore {
        NodeStore(limits: options.limits, source: database, cacheSize: options.memoryBudget / 2)
    }
}
