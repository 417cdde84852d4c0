// Group commit: commits are queued in memory and appended in write groups, with one sync for each group.
//
// A thread that waits for durability may become the leader, which appends everything that is queued. The others sleep
// until their group is in the file and are then released at once. So a single writer pays for one sync and no change of
// threads, and many writers share one sync. `GroupCommit+Waiting` decides which thread leads, and when.
//
// Always holds:
// - commits reach the file in the order of their versions, without a gap: first those of `writing`, then of `waiting`,
//   whose versions follow each other;
// - a commit is in one of the two until it is durable, so its content can always be read;
// - at most one thread leads; only it changes `head` and `writing`;
// - when a commit cannot be appended, those before it are appended, it and those after it stay in the queue, and all
//   waiters and the next edit receive the failure;
// - when there are waiters and no leader, a waiting thread wakes up by itself or a background flush is queued: no
//   wake-up is lost.

import Dispatch
import LMDB
import ListModel
import Synchronization

/// The queue before the log.
///
/// `@unchecked Sendable`: `state` is read and written with `monitor` locked; the rest is constant or atomic.
final class GroupCommit: CommitSource, @unchecked Sendable {
    let log: CommitLog
    let past: Past
    /// The lock of `state`. Its two conditions are for the waiters of groups with even and with odd numbers.
    let monitor = Monitor(conditionCount: 2)
    var state: State
    let background = DispatchQueue(label: "listory.log")
    /// The queue that releases waiters when the background leader continues with the next group.
    let releases = DispatchQueue(label: "listory.log.releases")
    let isFailing = Atomic<Bool>(false)
    /// The version of `state.head`, for reading what is durable without the lock.
    private let durableNumber: Atomic<UInt64>
    let maximumPendingBytes: Int
    let deferredDelay: DispatchTimeInterval
    let storeDelay: DispatchTimeInterval
    /// How long after a failure appending is first tried again.
    let retryDelay: Duration
    let diagnostics: Diagnostics
    /// The observers of failures.
    let failures = AppendFailures()
    /// Where the contents of commits are that were made again.
    let superseded = SupersededContents()

    struct State {
        var head: LogPosition
        /// The group that is being written; commits up to `head` are written already.
        var writing: RecordRun
        /// The commits after those.
        var waiting: RecordRun
        /// How many groups were taken; also the number of the present group.
        var groupCount = 0
        /// Whether a thread leads.
        var isLed = false
        /// How many threads wait to drain the journal, during which there must be no leader.
        var moverCount = 0
        /// How many attempts to append failed, and why the last one did; nil if it did not.
        var failureCount = 0
        var failure: ListError?
        var gathering = Gathering()
        /// Tasks that wait for a version.
        var tasks: [WaitingTask] = []
        /// How many threads sleep for a commit of `waiting`.
        var threadCount = 0
        /// Whether one of them wakes up by itself when the gathering ends.
        var hasTimekeeper = false
        /// Whether a background flush was requested and has not taken its group yet.
        var isFlushQueued = false
        /// The timer that will flush the queue, if it is running.
        var flushTimer: StoreTimer?
        /// The timer that will drain the journal, if it is running.
        var storeTimer: StoreTimer?
        /// The timer that will try again what could not be appended, if it is running, and how often it was started since
        /// appending last succeeded.
        var retryTimer: StoreTimer?
        var retryCount = 0
        /// Whether the store was released. A timer would keep its file open for nothing.
        var isLetGo = false
        /// Whether the store has discarded the commits that are not in the file.
        var isStopped = false
        /// Whether another process has appended first: the queue waits until its commits are made again.
        var isLost = false
        /// How often in a row that has happened.
        var lossCount = 0
        /// What was published before the end of the log was last looked for: no news any more.
        var knownEnd: LogPosition?
        /// The thread that makes them again.
        var catchingUp: UInt?
        /// Makes them again.
        var racer: (any Racer)?
        /// How many commits of other processes came before commits that were queued then. A waiter knows the version that its
        /// commit had when it began to wait; the commit's version has grown as much as this number since.
        var shift: UInt64 = 0
        /// The same number when the queue was last paused.
        var shiftBefore: UInt64 = 0
        /// How often commits were replaced: since then, a version may be another commit than before.
        var revision: UInt64 = 0
        /// The commits that were made again, the newest last.
        var rebased: [(race: Int, made: RebasedCommit)] = []
        /// The last rows between commits that are being made again, one version after another.
        var shownRows: [UntypedSnapshot] = []
    }

    /// A task that wants to be told when a version is durable.
    struct WaitingTask {
        var version: Version
        /// Resumed by the thread that takes it out of `tasks`, so exactly once.
        let continuation: UnsafeContinuation<Void, any Error>
    }

    init(_ log: CommitLog, _ past: Past, head: LogPosition, options: StoreOptions) {
        self.log = log
        self.past = past
        diagnostics = options.diagnostics
        maximumPendingBytes = options.maximumPendingBytes
        deferredDelay = .nanoseconds(options.deferredDelay.timerNanoseconds)
        storeDelay = .nanoseconds(options.journal.storeDelay.timerNanoseconds)
        retryDelay = options.retryDelay
        let empty = RecordRun(first: head.version.next)
        durableNumber = Atomic(head.version.rawValue)
        state = State(head: head, writing: empty, waiting: empty)
    }

    /// The head of the durable part of the log.
    var head: LogPosition { monitor.withLock { state.head } }

    /// Sets the head of the durable part of the log. The lock is held.
    func advance(to head: LogPosition) {
        state.head = head
        durableNumber.store(head.version.rawValue, ordering: .releasing)
    }

    /// The newest version, durable or not.
    var newestVersion: Version { monitor.withLock { state.newest } }

    /// The newest durable version.
    var durableVersion: Version { Version(durableNumber.load(ordering: .acquiring)) }

    /// Whether the last attempt to append failed.
    var hasFailed: Bool { isFailing.load(ordering: .acquiring) }

    /// What a deferred edit has to do after queueing its commit.
    enum Demand {
        /// A flush is under way, or will be.
        case nothing
        /// A flush is needed soon.
        case later
        /// So much is queued that a flush is needed now.
        case now
        /// So much is queued that the edit has to wait for a flush.
        case first
    }

    /// Adds a commit to the queue.
    ///
    /// - Returns: what to do next, and how far commits have been shifted.
    func enqueue(_ commit: Commit) -> (Demand, shift: UInt64) {
        monitor.withLock {
            state.waiting.append(commit)
            let demand: Demand
            if state.waiting.size / 64 > maximumPendingBytes {
                demand = .first
            } else if state.waiting.size > maximumPendingBytes {
                demand = state.isFlushQueued ? .nothing : .now
            } else {
                demand = state.flushTimer == nil ? .later : .nothing
            }
            return (demand, state.shift)
        }
    }
}

/// Makes the queued commits of a store again after another process has appended first.
protocol Racer: AnyObject, Sendable {
    /// Reads the commits of other processes, and makes the queued ones again.
    ///
    /// - Throws: ``LostRace`` if the calling thread holds the store's lock.
    func catchUp() throws
}

extension GroupCommit.State {
    /// The version of the newest commit, appended or not.
    var newest: Version { Version(waiting.first.rawValue + UInt64(waiting.count) - 1) }

    /// Whether everything is in the file.
    var isEmpty: Bool { head.version >= newest }

    /// Whether some commits of the last group could not be appended.
    var hasLeftover: Bool { head.version.next < waiting.first }

    /// Whether no thread may become the leader.
    var isBusy: Bool { isLed || moverCount > 0 || isLost }

    /// Whether a background flush has work that no other thread will do: tasks wait, or there is a complete group whose
    /// threads all sleep.
    var needsBackground: Bool { !tasks.isEmpty || (threadCount > 0 && gathering.remaining == .zero) }

    /// The condition that signals that a version may have become durable.
    func condition(of version: Version) -> Int {
        (version < waiting.first ? groupCount : groupCount &+ 1) & 1
    }
}

// MARK: - Reading

extension GroupCommit {
    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        try useRecord(of: version, body)
    }

    @inline(__always)
    private func useRecord<Result>(
        of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        if let result = try useUnpackedRecord(of: version, body) { return result }
        if let result = try past.withPackedRecord(of: version, body) { return result }
        if version <= log.base.version { throw ListError.droppedVersion(version, oldest: log.base.version) }
        if version > durableVersion { throw ListError.unknownVersion(version, head: durableVersion) }
        // Its key is damaged.
        throw ListError.missingCommit(version)
    }

    /// Calls `body` with the record of a version that is in the queue or in the log; nil if it is packed, or there is none.
    @inline(__always)
    private func useUnpackedRecord<Result>(
        of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        if let copy = try queuedBytes(of: version, { $0 }) { return try copy.withUnsafeBytes(body) }
        return try log.withRecord(of: version) { try $0.map(body) }
    }

    /// The header of a commit.
    func commitInfo(_ version: Version) throws -> CommitInfo {
        // Read where it is: the record of a reload is as large as the list.
        if let info = try useUnpackedRecord(of: version, { try CommitInfo(record: $0, version: version) }) {
            return info
        }
        return try past.packedHeaders(of: version)?.info(version) ?? CommitInfo(commit(version))
    }

    /// The commit of a version that is far from those which are read before and after it.
    func distantCommit(_ version: Version) throws -> Commit {
        let stored = version <= durableVersion ? try log.distantCommit(version) : nil
        return try stored ?? commit(version)
    }

    /// Copies of records from the beginning of a range of durable versions, packed or not; at least one.
    func records(of range: ClosedRange<UInt64>) throws -> RecordRun {
        if let run = try log.copies(of: range) { return run }
        guard let packed = try past.packedRecords(of: Version(range.lowerBound)),
            let first = packed.index(of: Version(range.lowerBound))
        else { throw ListError.missingCommit(Version(range.lowerBound)) }
        var run = RecordRun(first: Version(range.lowerBound))
        run.append(packed, first..<first + min(packed.count - first, Int(clamping: range.count), 1_024))
        return run
    }

    /// Calls `body` with the records of a range of durable versions, packed or not, in order. It may be called inside a read
    /// transaction: it must be quick and must not read itself.
    func forEachRecord(
        in range: ClosedRange<UInt64>, _ body: (Version, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var next = range.lowerBound
        while next <= range.upperBound {
            next = try log.forEachRecord(in: next...range.upperBound, body)
            if next > range.upperBound { return }
            let run = try records(of: next...range.upperBound)
            for index in 0..<run.count { try run.withRecord(index) { try body(run.version(index), $0) } }
            next = run.version(run.count).rawValue
        }
    }

    func historyMark(of version: Version) throws -> HistoryMark {
        if let mark = try useUnpackedRecord(of: version, { try RecordHeader.mark($0, version: version) }) {
            return mark
        }
        return try past.packedHeaders(of: version, .all)?.mark(version) ?? recordedMark(of: version)
    }

    /// The time of a commit.
    func commitTime(_ version: Version) throws -> Timestamp {
        if let time = try useUnpackedRecord(of: version, { try RecordHeader.time($0, version: version) }) {
            return time
        }
        return try past.packedHeaders(of: version)?.time(version)
            ?? withRecord(of: version) { try RecordHeader.time($0, version: version) }
    }

    func snapshot(at version: Version) throws -> UntypedSnapshot {
        if let rows = shownRows(at: version) { return rows }
        // Commits are read where they are durable.
        if version > durableVersion { try flush(through: version) }
        let revision = revision
        do { return try past.point(at: version) } catch {
            // Pending commits of a replica were replaced meanwhile.
            monitor.withLock { waitForRacer() }
            if revision == self.revision { throw error }
            return try past.point(at: version)
        }
    }

    func readContent(of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        // The decoder of an app may take long, and may use the store. So no transaction is open meanwhile.
        try copiedContent(of: reference).withUnsafeBytes(body)
    }

    private func copiedContent(of reference: ContentReference) throws -> [UInt8] {
        if reference == .unreadable {
            throw ListError.damagedNode(
                ListError.unreadable(what: "row", expected: "the stored node that it is in", found: "a damaged one"))
        }
        try reference.checkKept()
        do { return try recordedContent(of: reference) } catch {
            // Its commit may have been made again, perhaps just now; then another one has the version.
            let racer = monitor.withLock {
                waitForRacer()
                return state.racer
            }
            if let copy = supersededContent(of: reference) { return copy }
            // Another process may have replaced the pending commits of a replica.
            guard log.confirmed.end != nil, try isBehind() else { throw error }
            do { try racer?.catchUp() } catch is LostRace {
                // Inside an edit, the rows stay as they were when it began.
                throw ListError.writtenElsewhere(
                    expected: durableVersion, found: try published()?.version ?? durableVersion)
            } catch {}
            guard let copy = supersededContent(of: reference) else { throw error }
            return copy
        }
    }

    /// A content whose commit was made again, perhaps several times. Its hash says whether it is where it should be.
    private func supersededContent(of reference: ContentReference) -> [UInt8]? {
        var visited: Set<ContentReference> = []
        var next = reference
        while visited.insert(next).inserted {
            if let copy = (try? recordedContent(of: next)) ?? superseded.bytes(of: next) { return copy }
            guard let place = superseded.place(of: next) else { return nil }
            next = place
        }
        return nil
    }

    /// The content in the record that the reference names, wherever the record is.
    func recordedContent(of reference: ContentReference) throws -> [UInt8] {
        let queued = try queuedBytes(of: reference.version) { record in
            let content = try reference.content(in: record)
            try reference.check(content)
            return content
        }
        if let queued { return queued }
        let recorded = try log.withRecord(of: reference.version) { record in
            try record.map { try reference.checkedCopy(of: reference.content(in: $0)) }
        }
        if let recorded { return recorded }
        let packed = try log.packed.withContent(of: reference) { try reference.checkedCopy(of: $0) }
        // Otherwise this says what is missing.
        return try packed
            ?? useRecord(of: reference.version) { try reference.checkedCopy(of: reference.content(in: $0)) }
    }

    /// A copy of a part of a record that is not durable yet, or nil if it is, or if there is none.
    private func queuedBytes(
        of version: Version, _ part: (UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer
    ) throws -> [UInt8]? {
        if version <= durableVersion { return nil }
        return try monitor.withLock {
            while version > state.head.version {
                let run = version < state.waiting.first ? state.writing : state.waiting
                if let index = run.index(of: version) { return try run.withRecord(index) { try Array(part($0)) } }
                // It may be one of those that are being made again.
                if !waitForRacer() { return nil }
            }
            return nil
        }
    }
}

extension ContentReference {
    /// A copy of its content, once the hash of the content is checked.
    func checkedCopy(of content: UnsafeRawBufferPointer) throws -> [UInt8] {
        try check(content)
        return Array(content)
    }
}
