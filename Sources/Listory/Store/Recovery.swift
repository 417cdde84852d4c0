// Opens a store: reads the newest checkpoint and replays the commits after it.
//
// Always holds: the log is the truth. If a checkpoint is damaged, the whole log is replayed, and the next checkpoint
// stores all nodes. A temporary read error, or a checkpoint that another process deleted meanwhile, is no damage.

import ListModel

extension UntypedStore {
    /// The work of opening a store.
    public struct Recovery: Hashable, Sendable {
        /// The version of the checkpoint from which opening began; ``Version/empty`` for the empty list.
        public let checkpoint: Version
        /// Whether there was an unusable checkpoint.
        public internal(set) var wasRebuilt: Bool
        /// How many commits were replayed.
        public let commitCount: UInt64
        /// How many events they had.
        public let eventCount: UInt64
        /// How long that took.
        public let duration: Duration
        /// How many of the newest commits were only in the journal, because the process that made them did not close
        /// the store or still has it open.
        public internal(set) var journalCommitCount: UInt64 = 0
        /// The newest version that was acknowledged but is lost, because commits before it are missing in the file: the
        /// device is damaged, or did not keep synced data. Normally nil.
        public internal(set) var lostVersion: Version?
    }
}

extension UntypedStore.Recovery {
    /// What is reported of it.
    func report(of version: Version) -> Diagnostics.Opening {
        Diagnostics.Opening(
            version: version, checkpoint: checkpoint, replayedCommits: commitCount, replayedEvents: eventCount,
            journalCommits: journalCommitCount, isRebuilt: wasRebuilt, lost: lostVersion)
    }

    /// The newest version of a log, and how it was reached.
    struct Result: ~Copyable {
        var state: ListState
        var checksum: UInt64
        var newest: Checkpoint?
        var recovery: UntypedStore.Recovery
        /// The common part of all node pools.
        var nodes: NodePool
    }

    /// The newest checkpoint with its lease, or why it cannot be read. It is no `Result` of an optional, because the runtime
    /// takes 180,000 instructions to make that type, a sixth of opening.
    enum Newest {
        case leased(CheckpointDatabase.Leased)
        case missing
        case unreadable(any Error)

        func get() throws -> CheckpointDatabase.Leased? {
            switch self {
            case .leased(let leased): leased
            case .missing: nil
            case .unreadable(let error): throw error
            }
        }
    }

    /// Leases the newest checkpoint.
    static func newest(_ database: CheckpointDatabase) -> Newest {
        do {
            return try database.leaseNewest().map { .leased($0) } ?? .missing
        } catch {
            return .unreadable(error)
        }
    }

    /// Recovers the newest version.
    ///
    /// - Throws: ``ListError``, `RecordError`, `LMDBError`: the log is damaged, or cannot be read just now;
    ///   ``ListError/writtenElsewhere(expected:found:)``.
    /// - Complexity: O(log n) and a replay of the commits after the newest checkpoint.
    static func run(
        _ log: CommitLog, _ head: LogPosition, _ database: CheckpointDatabase?, _ newest: Newest?,
        _ options: StoreOptions
    ) throws -> Result {
        let isPast = options.lastVersion != nil
        let clock = ContinuousClock()
        let start = clock.now
        var wasRebuilt = false
        // A list that is rebuilt gives its nodes numbers that none had, so it finds no node of an unusable checkpoint here.
        let nodes = NodePool(limits: options.limits, source: database, cacheSize: options.memoryBudget / 2)
        if let database {
            let transaction = try log.environment.information.lastTransaction
            do {
                // If there was none then, one that is found now may be newer than the head.
                let leased = if let newest { try newest.get() } else { try database.leaseNewest() }
                if let newest = leased, newest.checkpoint.version <= head.version || !isPast {
                    return try run(
                        from: newest.checkpoint, newest.locators, NodePool(after: nodes, newest.lease), log, head,
                        options, start)
                }
            } catch {
                guard error.saysDamage else { throw error }
                // A process that edits deletes nodes that it no longer needs, even if another process reads them.
                if !options.isReadOnly {
                    let found = try log.journal.storedVersion()
                    let isQuiet = try log.environment.information.lastTransaction == transaction
                    guard isQuiet && found == head.version else {
                        throw ListError.writtenElsewhere(expected: head.version, found: found)
                    }
                }
                wasRebuilt = true
                database.giveUp()
            }
        }
        var state = try beginning(log, database, nodes)
        let checksum: UInt64
        do {
            checksum = try replay(log, into: &state, after: log.base.checksum, through: head)
        } catch {
            guard error.saysDamage && !error.isOfNewerRelease else { throw error }
            throw ListError.damagedCommit(state.version.next, cause: error)
        }
        let recovery = UntypedStore.Recovery(
            checkpoint: .empty, wasRebuilt: wasRebuilt,
            commitCount: head.version.rawValue - log.base.version.rawValue,
            eventCount: head.eventCount - log.base.eventCount, duration: clock.now - start)
        return Result(state: state, checksum: checksum, newest: nil, recovery: recovery, nodes: nodes)
    }

    /// Reads the newest version again, for a store that is open.
    ///
    /// - Parameters:
    ///   - head: the version, which is in the log.
    ///   - pool: the pool of the rows that it replaces.
    /// - Returns: the state, and the checkpoint from which it was replayed if there is one.
    /// - Throws: as when a store is opened; but nothing is rebuilt.
    static func reload(
        _ log: CommitLog, _ head: LogPosition, _ database: CheckpointDatabase?, after pool: NodePool,
        _ options: StoreOptions
    ) throws -> Reloaded {
        if let database, !database.isUnusable.withLock({ $0 }), let newest = try database.leaseNewest(),
            newest.checkpoint.version <= head.version
        {
            let result = try run(
                from: newest.checkpoint, newest.locators, NodePool(after: pool, newest.lease), log, head, options,
                ContinuousClock.now)
            return Reloaded(state: result.state, newest: newest.checkpoint)
        }
        var state = try beginning(log, database, pool)
        _ = try replay(log, into: &state, after: log.base.checksum, through: head)
        return Reloaded(state: state, newest: nil)
    }

    /// A version that was read again.
    struct Reloaded: ~Copyable {
        var state: ListState
        var newest: Checkpoint?
    }

    /// The list at the beginning of the log: empty, or the checkpoint with which a compacted log begins.
    static func beginning(
        _ log: CommitLog, _ database: CheckpointDatabase?, _ nodes: NodePool
    ) throws -> ListState {
        if log.base.version == .empty { return ListState(NodePool(after: nodes)) }
        guard let database, let checkpoint = try database.checkpoint(log.base.version) else {
            throw ListError.damagedCheckpoint(log.base.version)
        }
        let pool = NodePool(after: nodes)
        let failures = pool.failureCount
        let state = try ListState(rebuilding: checkpoint, pool)
        if let failure = pool.failure(since: failures) { throw failure.ofRows }
        return state
    }

    /// Recovers from a checkpoint.
    ///
    /// - Throws: whatever makes the checkpoint unusable.
    private static func run(
        from checkpoint: Checkpoint, _ locators: StoredLocators, _ pool: NodePool, _ log: CommitLog,
        _ head: LogPosition, _ options: StoreOptions, _ start: ContinuousClock.Instant
    ) throws -> Result {
        guard checkpoint.version <= head.version, checkpoint.eventCount <= head.eventCount,
            try log.checksum(of: checkpoint.version) == checkpoint.checksum,
            try log.fits(checkpoint)
        else { throw ListError.damagedCheckpoint(checkpoint.version) }
        var state = ListState(checkpoint, locators, pool)
        // If rows could not be read, events do not fit; the error of reading is reported then.
        let checksum = try pool.checked {
            let checksum = try replay(log, into: &state, after: checkpoint.checksum, through: head)
            if options.gate == .full { try state.checkInvariants(isFilled: false) }
            return checksum
        }
        let recovery = UntypedStore.Recovery(
            checkpoint: checkpoint.version, wasRebuilt: false,
            commitCount: head.version.rawValue - checkpoint.version.rawValue,
            eventCount: head.eventCount - checkpoint.eventCount, duration: ContinuousClock().now - start)
        return Result(
            state: state, checksum: checksum, newest: checkpoint, recovery: recovery, nodes: NodePool(after: pool))
    }

    /// Replays the log up to its head, and returns the checksum of the last record.
    private static func replay(
        _ log: CommitLog, into state: inout ListState, after checksum: UInt64, through head: LogPosition
    ) throws -> UInt64 {
        // Only a store that is opened at an earlier version ends in a block; the checksum comes from there.
        try log.replay(into: &state, after: checksum, through: head.version) ?? head.checksum
    }
}
