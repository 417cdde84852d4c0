// Memory first, then a group commit: commits queue up here and are appended in batches, one sync a batch.
//
// Whoever waits for durability may have to lead: to append everything that has queued up, for all. The others sleep
// until their batch is in the file, and are then released at once. So a single writer pays for one sync and no change
// of threads, and many that wait together share one. `GroupCommit+Waiting` says who leads and when.
//
// Always holds:
// - commits reach the file in the order of their versions, without a gap: first those of `writing`, then of `waiting`,
//   whose versions follow each other;
// - a commit is in one of the two until it is durable, so its content can be read at any time;
// - at most one thread leads; only it changes `head` and `writing`;
// - when a commit cannot be appended, those before it are, it and those after it stay in the queue, and the failure is
//   known to all who wait and to the next edit;
// - when nobody leads and something is waited for, a thread that waits will wake up by itself, or a flush in the
//   background is queued: no wake-up can be lost.

import Dispatch
import LMDB
import ListModel
import Synchronization

/// The queue before the log.
///
/// `@unchecked Sendable`: `state` is read and written with `monitor` locked; the rest is constant or atomic.
final class GroupCommit: CommitSource, @unchecked Sendable {
    let log: CommitLog
    private let past: Past
    /// The lock of `state`. Its two conditions are for those who wait for the batches with even and with odd numbers.
    let monitor = Monitor(conditionCount: 2)
    var state: State
    let background = DispatchQueue(label: "listory.log")
    /// Where those are released for whom the leader in the background has no time, because the next batch is ready.
    let releases = DispatchQueue(label: "listory.log.releases")
    let isFailing = Atomic<Bool>(false)
    /// The version of `state.head`, for who only asks what is durable.
    private let durableNumber: Atomic<UInt64>
    let maximumPendingBytes: Int
    let deferredDelay: DispatchTimeInterval
    let storeDelay: DispatchTimeInterval
    /// How long after a failure appending is first tried again, in nanoseconds.
    let retryDelay: Int
    /// Who wants to be told of failures.
    let failures = AppendFailures()

    struct State {
        fileprivate(set) var head: LogHead
        /// Commits that were taken to be written; those up to `head` already are.
        var writing: RecordBatch
        /// The commits after those.
        var waiting: RecordBatch
        /// How many batches were taken to be written. The number of the batch that is being written, too.
        var batchCount = 0
        /// Whether a thread leads.
        var isLed = false
        /// How many wait for nobody to lead, to move the tail.
        var moverCount = 0
        /// How many attempts to append a commit failed for good, and how the last of them did.
        var failureCount = 0
        var failure: StoreError?
        var gathering = Gathering()
        /// Tasks that want to be told when a version is durable.
        var tasks: [WaitingTask] = []
        /// How many threads sleep until a commit of `waiting` is durable.
        var threadCount = 0
        /// Whether one of them wakes up by itself when the gathering ends.
        var hasTimekeeper = false
        /// Whether a flush in the background was asked for and has not taken its batch yet.
        var isFlushQueued = false
        /// Whether a timer is running that will see to what waits.
        var isTimerRunning = false
        /// The timer that will see to what is in the tail, if it is running.
        var storeTimer: StoreTimer?
        /// The timer that will try again what could not be appended, if it is running, and how often it was started since
        /// appending last succeeded.
        var retryTimer: StoreTimer?
        var retryCount = 0
        /// Whether nobody has the store any more: a timer would keep the file open for nobody.
        var isLetGo = false
        /// Whether the store gave up what is not in the file.
        var isStopped = false
    }

    /// A task that wants to be told when a version is durable.
    struct WaitingTask {
        let version: Version
        /// Resumed by whoever takes it out of `tasks`, so exactly once.
        let continuation: UnsafeContinuation<Void, any Error>
    }

    init(_ log: CommitLog, _ past: Past, head: LogHead, options: StoreOptions) {
        self.log = log
        self.past = past
        maximumPendingBytes = options.maximumPendingBytes
        deferredDelay = .nanoseconds(Int(min(1e18, options.deferredDelay / .nanoseconds(1))))
        storeDelay = .nanoseconds(Int(min(1e18, options.tail.storeDelay / .nanoseconds(1))))
        retryDelay = Int(max(1, min(1e18, options.retryDelay / .nanoseconds(1))))
        let empty = RecordBatch(first: head.version.next)
        durableNumber = Atomic(head.version.rawValue)
        state = State(head: head, writing: empty, waiting: empty)
    }

    /// What the durable part of the log ends with.
    var head: LogHead { monitor.withLock { state.head } }

    /// Notes what the durable part of the log ends with now. The lock is held.
    func advance(to head: LogHead) {
        state.head = head
        durableNumber.store(head.version.rawValue, ordering: .releasing)
    }

    /// The newest version that would survive a power cut.
    var durableVersion: Version { Version(durableNumber.load(ordering: .acquiring)) }

    /// Whether the last attempt to append failed.
    var hasFailed: Bool { isFailing.load(ordering: .acquiring) }

    /// What adding a commit to the queue asks of whoever does not wait for it.
    enum Demand {
        /// A flush is under way, or will be.
        case nothing
        /// A flush is needed before long.
        case later
        /// So much waits that a flush is needed now.
        case now
        /// So much waits that no more should be added before a flush.
        case first
    }

    /// Adds a commit to the queue.
    func enqueue(_ commit: Commit) -> Demand {
        monitor.withLock {
            state.waiting.append(commit)
            if state.waiting.size / 64 > maximumPendingBytes { return .first }
            if state.waiting.size > maximumPendingBytes { return state.isFlushQueued ? .nothing : .now }
            return state.isTimerRunning ? .nothing : .later
        }
    }
}

extension GroupCommit.State {
    /// The version of the newest commit, appended or not.
    var newest: Version { Version(waiting.first.rawValue + UInt64(waiting.count) - 1) }

    /// Whether everything is in the file.
    var isEmpty: Bool { head.version >= newest }

    /// Whether something of the last batch could not be appended.
    var hasLeftover: Bool { head.version.next < waiting.first }

    /// Whether nobody else may begin to lead.
    var isBusy: Bool { isLed || moverCount > 0 }

    /// Whether a flush in the background has something to do that nobody else will: tasks wait, or there is a whole batch
    /// that a thread which sleeps would have to be woken for.
    var needsBackground: Bool { !tasks.isEmpty || (threadCount > 0 && gathering.remaining == .zero) }

    /// The condition that says that a version, which is not durable, may have become so.
    func condition(of version: Version) -> Int {
        (version < waiting.first ? batchCount : batchCount &+ 1) & 1
    }
}

// MARK: - Reading

extension GroupCommit {
    func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if let copy = try queuedBytes(of: version, { $0 }) { return try copy.withUnsafeBytes(body) }
        let isInLog = try log.withRecord(of: version) { record in
            guard let record else { return false }
            try body(record)
            return true
        }
        if isInLog { return }
        guard let packed = try past.packedRecord(of: version) else {
            throw version <= log.base.version
                ? StoreError.droppedVersion(version, oldest: log.base.version)
                : StoreError.unknownVersion(version, head: durableVersion)
        }
        try packed.withUnsafeBytes(body)
    }

    func historyPlace(of version: Version) throws -> HistoryPlace {
        if let packed = try past.packedPlace(of: version) { return packed }
        return try recordedPlace(of: version)
    }

    /// When a commit was made.
    func commitTime(_ version: Version) throws -> Timestamp {
        if let time = try past.packedTime(of: version) { return time }
        return try withRecord(of: version) { try RecordHeader.time($0, version: version) }
    }

    func snapshot(at version: Version) throws -> Snapshot {
        // Commits are read where they are durable.
        try flush(through: version)
        return try past.point(at: version)
    }

    func readContent(of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        // What an app decodes with takes its time and may use the store: no transaction is open meanwhile.
        try copiedContent(of: reference).withUnsafeBytes(body)
    }

    private func copiedContent(of reference: ContentReference) throws -> [UInt8] {
        if reference == .unreadable {
            throw StoreError.damagedNode(
                ListError.unreadable(what: "row", expected: "the stored node that it is in", found: "a damaged one"))
        }
        if let copy = try queuedBytes(of: reference.version, { try reference.content(in: $0) }) { return copy }
        var copy: [UInt8] = []
        func take(_ content: UnsafeRawBufferPointer) throws {
            try reference.check(content)
            copy = Array(content)
        }
        if let sealed = log.sealed, reference.version <= sealed.base.sealed,
            try sealed.withContent(of: reference, take) != nil
        {
            return copy
        }
        try readRecord(of: reference.version) { try take(reference.content(in: $0)) }
        return copy
    }

    /// A copy of a part of a record that is not durable yet, or nil if it is, or if there is none.
    private func queuedBytes(
        of version: Version, _ part: (UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer
    ) throws -> [UInt8]? {
        if version <= durableVersion { return nil }
        return try monitor.withLock {
            guard version > state.head.version else { return nil }
            let batch = version < state.waiting.first ? state.writing : state.waiting
            guard let index = batch.index(of: version) else { return nil }
            return try batch.withRecord(index) { try Array(part($0)) }
        }
    }
}
