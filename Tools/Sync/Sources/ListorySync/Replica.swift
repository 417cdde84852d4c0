// Keeps a store and a shared log together: see Docs/Design/Sync.md.
//
// One exchange reads what others have appended, makes the pending commits again on top of it, and sends them. All that has to survive is
// in the store, so an exchange may end anywhere, and the next one goes on.
//
// Always holds: what is confirmed in the store was in the log; nothing is sent behind a position at which the log was not seen to have
// what is confirmed here.

@_spi(Sync) import Listory
import ListModel
import SharedLog

/// A store that follows a shared log.
///
/// ```swift
/// let store = try ListStore<String, Todo>.open(at: path, createIfMissing: true)
/// let log = try PostgresLog(url: url, list: "groceries")
/// let replica = try Replica(store, log, list: "groceries")
/// let task = Task { await replica.follow() }
/// for await state in replica.states { show(state) }
/// ```
///
/// The store is used as any other: an edit is made at once, whether the log can be reached or not.
public actor Replica {
    /// How a replica exchanges commits.
    public struct Options: Sendable {
        /// About how many bytes of commits are read or sent at once. So many fit into a message of NATS. While commits are pending, more
        /// are read before they are received.
        public var batchBytes = 900 << 10
        /// The key with which commits are encrypted; nil if they are not.
        public var key: SyncKey?
        /// After how many bytes of commits a snapshot is offered, with which new replicas begin; nil for never.
        public var snapshotBytes: UInt64? = 16 << 20
        /// How long a replica that follows the log waits before it offers a snapshot, unless its own commits have made it due, or the log
        /// has grown by twice as much: all replicas notice that at the same moment.
        package var snapshotPause: @Sendable () -> Duration = { .seconds(Double.random(in: 60...600)) }
        /// How long to wait before an unavailable log is asked again, unless it wakes this replica before.
        public var retryPause = Duration.seconds(2)
        /// The clock for ``SyncState``.
        public var now = StoreOptions().now

        public init() {}
    }

    /// The store waits for its file.
    private let executor = ConnectionExecutor(label: "listory.replica")
    let store: UntypedStore
    let log: any SharedLog
    let options: Options
    let codec: SyncCodec
    let published = SyncStates()
    /// About how many bytes are sent at once: fewer if the log has not taken more in time.
    var sendBytes: Int
    /// The position of the last confirmed commit in the log, if it was seen there since the log was last unavailable.
    var tail: LogPosition?
    /// Where the log last said that it ends, if it had nothing to read behind another position, and since when.
    var otherEnd: (position: LogPosition, since: ContinuousClock.Instant)?
    /// Whether ``follow()`` exchanges commits just now, and whether it was woken since that began.
    private var isExchanging = false, isDue = false
    /// Wakes all calls of ``follow()`` after a failure.
    private let retries = ChangeBroadcast()
    private var isRetryScheduled = false
    /// The position of the newest snapshot in the log that this replica knows of; 0 if it knows of none.
    var snapshotNumber: UInt64 = 0
    /// The last commit and the size of a snapshot that the log has refused because it is too large.
    var tooLargeSnapshot: (number: UInt64, bytes: Int)?
    private var isEncryptionNoted = false
    /// Offers a snapshot while ``follow()`` exchanges commits.
    var offering: Task<Void, Never>?
    /// Whether a snapshot is due since commits of this replica were sent: then it is the first to offer one.
    var isFirstToOffer = false
    /// How many calls of ``follow()`` there are.
    private var followerCount = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes the store a replica, if it is none.
    ///
    /// - Parameter list: the name of the list; it only matters for encryption.
    /// - Throws: ``ListError``: another process edits the store, or the beginning of its log was dropped; ``SyncProblem/wrongKey(_:)`` if
    ///   its commits are encrypted in the log, and there is no key.
    public init(_ store: some StoreProtocol, _ log: any SharedLog, list: String, options: Options = Options()) throws {
        self.store = store.core
        self.log = log
        self.options = options
        sendBytes = options.batchBytes
        codec = SyncCodec(key: options.key, list: list)
        // A log that has nothing yet, or says so, would get all commits as they are. A store that is no replica stays none then.
        if options.key == nil, try self.store.isEncrypted {
            throw SyncProblem.wrongKey("the commits of this replica are encrypted in the log, and there is no key")
        }
        try self.store.beginSharing()
        try noteCounts()
    }

    /// How far this replica is.
    public nonisolated var state: SyncState { published.state }

    /// The states from now on, the present one first. A slow reader gets the newest. They end with the replica; a task that captures the
    /// replica keeps it, so its loop over them should leave on ``SyncState/Phase/stopped(_:)``.
    public nonisolated var states: AsyncStream<SyncState> { published.stream() }

    // MARK: Following

    /// Exchanges commits whenever the log may have new ones, or some wait here, until the task is cancelled, the store is closed, or a
    /// problem has to be decided, which ``state`` says then.
    public func follow() async {
        let own: AsyncStream<Void>
        do { own = try store.commitSignals() } catch { return published.change { $0.phase = .stopped(.store(error)) } }
        let others = log.changes()
        let again = retries.stream()
        followerCount += 1
        let isClosed = await withTaskGroup(of: Bool.self) { group in
            // What was received is a change of the store as well, and nothing to send.
            group.addTask {
                await self.follow(own) {
                    // A store that has failed is noticed by the exchange.
                    do { try self.noteCounts() } catch { return true }
                    return self.state.waitingCount > 0
                }
            }
            for signals in [others, again] { group.addTask { await self.follow(signals) } }
            defer { group.cancelAll() }
            return await group.next() == true
        }
        followerCount -= 1
        if followerCount == 0 {
            offering?.cancel()
            await offering?.value
        }
        if isClosed && !Task.isCancelled { noteEnd() }
    }

    /// Notes that the store or the log was closed while nothing was exchanged.
    private func noteEnd() {
        if case .stopped = state.phase { return }
        do { try noteCounts { $0.phase = .stopped(.server(.closed)) } } catch {
            published.change { $0.phase = .stopped(.store(error)) }
        }
    }

    /// - Returns: whether the signals have ended, because the store or the log was closed; otherwise an exchange has stopped.
    private func follow(_ signals: AsyncStream<Void>, where isWorthwhile: () -> Bool = { true }) async -> Bool {
        for await _ in signals where isWorthwhile() { guard await round() else { return false } }
        return true
    }

    /// Exchanges commits. A signal that comes meanwhile leads to another exchange.
    ///
    /// - Returns: whether to go on.
    private func round() async -> Bool {
        isDue = true
        if isExchanging { return true }
        isExchanging = true
        defer { isExchanging = false }
        while isDue && !Task.isCancelled {
            isDue = false
            do { try await synchronize(isWoken: true) } catch let error as SharedLogError where error.isPassing {
                retryLater()
            } catch {
                // Another call of `follow()` has to learn of it, too.
                retries.yield()
                return false
            }
        }
        // What came meanwhile is left to another call.
        if isDue { retries.yield() }
        return true
    }

    /// A log that is unavailable may not wake anybody.
    private func retryLater() {
        if isRetryScheduled { return }
        isRetryScheduled = true
        Task { [weak self, options] in
            try? await Task.sleep(for: options.retryPause)
            await self?.retryNow()
        }
    }

    private func retryNow() {
        isRetryScheduled = false
        retries.yield()
    }

    /// Exchanges commits with the log until both have the same.
    ///
    /// - Throws: ``SharedLogError`` if the log cannot be reached, ``SyncProblem`` if it is wrong, ``ListError`` for errors of the store,
    ///   `CancellationError` if the task was cancelled. What was exchanged before stays.
    public func synchronize() async throws { try await synchronize(isWoken: false) }

    /// - Parameter isWoken: whether the log wakes this replica for what it does not read now.
    private func synchronize(isWoken: Bool) async throws {
        let before = published.state.phase
        do {
            try await exchange(isWoken: isWoken)
            // One of an earlier release may not have noted that the log has its commits encrypted, and that was compared.
            if store.confirmed?.version != .empty { try noteEncrypted() }
            try noteCounts { $0.phase = .upToDate }
            if offering == nil && !Task.isCancelled {
                if isWoken { offerSnapshotBeside() } else { await offerSnapshotIfDue() }
            }
        } catch {
            tail = nil
            var error = (error as? ListError)?.passing ?? error
            // An engine gives up a request whose task is cancelled. That says nothing about the server.
            if Task.isCancelled, (error as? SharedLogError)?.isPassing == true { error = CancellationError() }
            // A store that is closed cannot be counted any more.
            do { try noteCounts { note(error, before, in: &$0) } } catch {
                published.change { note(error, before, in: &$0) }
            }
            throw error
        }
    }

    /// - Parameter before: the phase when the exchange began.
    private nonisolated func note(_ error: any Error, _ before: SyncState.Phase, in state: inout SyncState) {
        switch error {
        case is CancellationError:
            // What was wrong before still is, as far as is known.
            switch before {
            case .stopped, .offline: state.phase = before
            default: state.phase = .unknown
            }
        case let problem as SyncProblem: state.phase = .stopped(problem)
        case let failure as SharedLogError where failure.isPassing:
            if case .offline(let since, _) = state.phase {
                state.phase = .offline(since: since, cause: failure)
            } else {
                state.phase = .offline(since: options.now(), cause: failure)
            }
        case let failure as SharedLogError: state.phase = .stopped(.server(failure))
        default: state.phase = .stopped(.store(error))
        }
    }

    nonisolated func noteCounts(_ change: (inout SyncState) -> Void = { _ in }) throws {
        let (waiting, aside) = (try store.pendingCount, try store.setAsideCount)
        let confirmed = store.confirmed?.version ?? .empty
        published.change { state in
            (state.waitingCount, state.setAsideCount, state.confirmed) = (waiting, aside, confirmed)
            change(&state)
            // An edit may have come since the log was asked.
            if waiting > 0, case .upToDate = state.phase { state.phase = .working }
        }
    }

    /// Notes, if there is a key, that commits are encrypted in the log: before the first one is sent, and when one was read with the key.
    func noteEncrypted() throws {
        if options.key == nil || isEncryptionNoted { return }
        try store.noteEncrypted()
        isEncryptionNoted = true
    }

    // MARK: One exchange

    private func exchange(isWoken: Bool) async throws {
        // Behind which the log has taken nothing, because it did not end there.
        var refusedPosition: LogPosition?
        while true {
            try Task.checkCancellation()
            // With luck nobody else has appended anything, and this is one round trip.
            if let tail, tail.number == store.confirmed?.version.rawValue, try store.pendingCount > 0,
                try await push(after: tail, &refusedPosition)
            {
                if try store.pendingCount == 0 { return }
                continue
            }
            var isFirst = true
            while try await pull(isFirst: isFirst) {
                isFirst = false
                try Task.checkCancellation()
                if isWoken, let tail, !log.mayHaveMore(after: tail.number) { break }
            }
            if try store.pendingCount == 0 { return }
        }
    }

    /// Reads some commits behind the confirmed end, and sees that the log continues from there.
    ///
    /// - Parameter isFirst: whether nothing was read before in this exchange.
    /// - Returns: whether there may be more.
    private func pull(isFirst: Bool) async throws -> Bool {
        let confirmed = store.confirmed!
        let number = confirmed.version.rawValue
        let position: LogPosition
        var entries: [LogEntry]
        if let found = try await entriesBehindTail(number, isFirst: isFirst) {
            (position, entries) = found
        } else {
            tail = nil
            guard let found = try await entriesBehind(confirmed) else {
                try await heal(confirmed)
                return true
            }
            (position, entries) = found
            if entries.isEmpty, try await !isEnd(position) { return true }
        }
        // Another exchange may have read the same meanwhile.
        guard store.confirmed == confirmed else { return true }
        do { try LogChain.verify(entries, after: position) } catch {
            throw SyncProblem.unacceptable(number: number + 1, cause: error)
        }
        if entries.isEmpty {
            tail = position
            return false
        }
        otherEnd = nil
        published.change { $0.phase = .working }
        await gather(&entries)
        guard store.confirmed == confirmed else { return true }
        let records = try entries.map { try codec.bytes($0.payload, number: $0.number) }
        try noteEncrypted()
        // Own commits whose acknowledgement was lost.
        let count = try store.confirm(records)
        if count < records.count {
            do {
                let last = Version(number + UInt64(count))
                let place = count == 0 ? confirmed : try SharedPosition(record: records[count - 1], version: last)
                let foreign = Array(records[count...])
                try await fetchContents(for: foreign, after: place.version)
                try store.receive(foreign, after: place)
            } catch let error as UnacceptableRecord {
                throw SyncProblem.unacceptable(number: error.version.rawValue, cause: error.cause)
            } catch is MustRetreat {
                throw SyncProblem.forked(after: number + UInt64(count))
            } catch is EndMoved {
                // Another process follows the log as well, and was faster.
                tail = nil
                return true
            }
        }
        tail = entries.last!.position
        try noteCounts()
        return true
    }
}

extension ListError {
    /// The error of a store that may be used again soon, by the replica as well; nil if it is another one.
    fileprivate var passing: SharedLogError? {
        mayPass ? .unavailable(cause: "the store: \(self)") : nil
    }
}

extension SharedLogError {
    /// Whether trying again may help.
    var isPassing: Bool {
        if case .unavailable = self { true } else { false }
    }
}
