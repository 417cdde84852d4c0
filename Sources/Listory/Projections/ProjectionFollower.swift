// Follows a store for a projection: starts from the stored state or the beginning of the log, and folds the commits
// after it.
//
// A fold works in slices. It reads the records of a slice first, so no transaction is open while the projection's
// functions run, and other threads wait for one slice at most.
//
// Always holds: `folded` is nil or the fold of all events up to its version; a fold that threw midway is discarded.

import ListModel

/// The value of a projection at a version.
public struct ProjectedMoment<Value: Sendable>: Sendable {
    /// The value.
    public let value: Value
    /// The version of the list that it belongs to.
    public let version: Version

    init(_ folded: ProjectionFollower<Value>.Folded) { (value, version) = (folded.value, folded.version) }
}

/// Keeps the value of a projection.
final class ProjectionFollower<Value: Sendable>: StoreFollower {
    let rules: ProjectionRules<Value>
    private let state = Locked(State())
    /// Why there is no value, until it is rebuilt. It has a separate lock, because a function of the projection and an
    /// edit of the store may read it.
    private let failed = Locked<ProjectionError?>(nil)

    /// A value and its version.
    struct Folded: Sendable {
        var value: Value
        var version: Version
        /// How often commits had been replaced when they were folded.
        var revision: UInt64 = 0
        /// The checksum of the last commit that was folded; nil before the first.
        var checksum: UInt64?
        /// How often a rebuild had been asked for.
        var rebuildCount = 0
        var beginning: Version
        /// The rows at the version, if the projection reads rows.
        var rows: UntypedSnapshot?
        /// How many events were folded since the state was stored.
        var eventCount = 0

        var moment: StoreMoment { StoreMoment(revision: revision, version: version) }
    }

    private struct State: Sendable {
        var folded: Folded?
        /// Whether to ignore the stored state, because the projection has to be rebuilt.
        var ignoresStored = false
        /// How often a rebuild was asked for.
        var rebuildCount = 0
        /// The version and the size of the stored state, if known.
        var stored: (version: Version, size: Int)?
    }

    init(_ rules: ProjectionRules<Value>) {
        self.rules = rules
    }

    var failure: ProjectionError? { failed.withLock { $0 } }

    /// Throws if the calling thread runs a function of the projection, because it would wait for itself, or an edit of the
    /// store, because a thread that folds would wait for it with the projection's lock.
    func checkIsOutside(_ store: UntypedStore) throws {
        if state.isHeldByCaller { throw ListError.usedInside("a function of the projection") }
        try store.checkIsOutside()
    }

    func letGo() { state.withLock { $0.folded = nil } }

    /// Forgets the value, the stored state and the failure.
    func reset() {
        state.withLock { state in
            (state.folded, state.stored) = (nil, nil)
            state.ignoresStored = true
            state.rebuildCount += 1
            failed.withLock { $0 = nil }
        }
    }
}

// MARK: - Folding

extension ProjectionFollower {
    /// Folds the commits up to the present head.
    func follow(_ store: UntypedStore) throws -> Folded {
        try checkIsOutside(store)
        var newest = try store.projectionHead(withRows: rules.readsRows)
        while true {
            let folded: Folded? = try state.withLock { state in
                if let failure { throw failure }
                // Moved out, so that it has one owner while it changes.
                let known = state.folded.take()
                var folded = try known ?? begin(&state, store)
                if known == nil {
                    (folded.revision, folded.rebuildCount) = (newest.moment.revision, state.rebuildCount)
                }
                if folded.revision < newest.moment.revision {
                    // If its commits were replaced, it is folded again from the beginning.
                    guard try store.hasFolded(folded.version, folded.checksum) else { return nil }
                    folded.revision = newest.moment.revision
                }
                if folded.moment < newest.moment {
                    let advanced = Result { try advance(&folded, store, newest) }
                    if store.group.revision != newest.moment.revision {
                        // What was folded is looked at the next time.
                        if case .success = advanced { state.folded = folded }
                        return nil
                    }
                    if case .failure(let error) = advanced { failed.withLock { $0 = error as? ProjectionError } }
                    try advanced.get()
                }
                state.folded = folded
                return folded.moment >= newest.moment ? folded : nil
            }
            if let folded { return folded }
            if store.group.revision != newest.moment.revision {
                newest = try store.projectionHead(withRows: rules.readsRows)
            }
        }
    }

    /// Folds a run of commits.
    private func advance(_ folded: inout Folded, _ store: UntypedStore, _ newest: UntypedStore.ProjectionHead) throws {
        let run = try store.records(folded.version.next.rawValue...newest.moment.version.rawValue)
        let seed = CommitInfo(seedOf: folded.version)
        let context = EventContext(seed, source: store.source, rows: folded.rows)
        folded.rows = nil
        for index in 0..<run.count {
            let commit = try Commit(
                record: run.record(index), version: run.version(index), previousChecksum: folded.checksum)
            folded.checksum = commit.checksum
            do {
                try context.fold(commit) { number, event in
                    do { try rules.apply(&folded.value, event, context) } catch {
                        throw ProjectionError.failed(
                            projection: rules.name, version: commit.version, event: number, cause: error)
                    }
                }
            } catch {
                // An error in reading is not a failure of the projection, and may be temporary.
                throw context.readFailure?.ofRows ?? error
            }
            folded.eventCount += commit.eventCount
        }
        if let failure = context.rowFailure { throw failure.ofRows }
        folded.version = run.version(run.count - 1)
        // If they are equal, the store's own rows are used, because they share nodes with the next versions.
        let isNewest = folded.version == newest.moment.version && store.group.revision == newest.moment.revision
        folded.rows = isNewest ? newest.rows : context.rowsAfter()
    }

    /// The value to start from: the stored state, or that of the beginning of the log.
    private func begin(_ state: inout State, _ store: UntypedStore) throws -> Folded {
        if !state.ignoresStored, let stored = try store.storedProjection(rules.name),
            stored.rules == Int64(rules.version), let value = try? stored.state.withUnsafeBytes(rules.decode)
        {
            state.stored = (stored.version, stored.state.count)
            let rows = rules.readsRows ? try store.snapshot(at: stored.version) : nil
            return Folded(
                value: value, version: stored.version, checksum: stored.checksum, beginning: stored.beginning,
                rows: rows)
        }
        state.stored = nil
        let oldest = store.oldestVersion
        if oldest == .empty {
            return Folded(
                value: rules.make(), version: .empty, beginning: .empty, rows: rules.readsRows ? store.emptyRows : nil)
        }
        let rows = try store.snapshot(at: oldest)
        let context = EventContext(
            CommitInfo(seedOf: oldest), source: store.source, rows: rules.readsRows ? store.emptyRows : nil)
        let failures = rows.failureCount
        do {
            let value = try rules.seed(rows, context)
            if let failure = rows.failure(since: failures) { throw failure }
            return Folded(value: value, version: oldest, beginning: oldest, rows: rules.readsRows ? rows : nil)
        } catch {
            if let failure = context.readFailure ?? rows.failure(since: failures) { throw failure.ofRows }
            let failure = ProjectionError.failed(
                projection: rules.name, version: oldest, event: nil, cause: error)
            failed.withLock { $0 = failure }
            throw failure
        }
    }
}

// MARK: - Storing

extension ProjectionFollower {
    /// The bytes of state for each event that must have passed before the state is stored again.
    private static var bytesPerEvent: Int { 64 }

    func storeState(in store: UntypedStore, isClosing: Bool) throws {
        // Only if the value was used before, because a first fold may take long, and did not fail.
        let isFollowing = state.withLock { $0.folded != nil }
        guard isFollowing else { return }
        let folded = try follow(store)
        let isWorthIt = state.withLock { state in
            guard let stored = state.stored else { return true }
            if stored.version == folded.version { return false }
            return isClosing || stored.size <= folded.eventCount * Self.bytesPerEvent
        }
        if isWorthIt { try write(folded, in: store) }
    }

    func store(in store: UntypedStore) throws -> Bool { try write(follow(store), in: store) }

    @discardableResult
    private func write(_ folded: Folded, in store: UntypedStore) throws -> Bool {
        // Outside of the lock, so that other threads can read the value meanwhile; a fold copies it.
        let bytes = try rules.encode(folded.value)
        let isStored = try store.putProjection(
            rules.name, rules: rules.version, version: folded.version, checksum: folded.checksum,
            beginning: folded.beginning, state: bytes)
        guard isStored else { return false }
        state.withLock { state in
            guard state.rebuildCount == folded.rebuildCount else { return }
            state.stored = (folded.version, bytes.count)
            state.ignoresStored = false
            if let now = state.folded?.eventCount { state.folded?.eventCount = max(0, now - folded.eventCount) }
        }
        return true
    }
}
