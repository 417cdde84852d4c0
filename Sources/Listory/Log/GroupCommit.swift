// Group commit: commits are queued in memory and appended in write groups, with one sync for each group.
//
// A thread that waits for durability may become the leader, which appends everything that is queued. The others sleep
// until their group is in the file and are then released at once. So a single writer pays for one sync and no change of
// threads, and many writers share one sync. `GroupCommit+Waiting` decides which thread leads, and when. `GroupCommit+Writing` has what the
// leader does, `GroupCommit+Racing` what follows when another process has appended first, and `GroupCommit+State` the state of all that.
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

    init(_ log: CommitLog, _ past: Past, head: LogPosition, options: StoreOptions) {
        self.log = log
        self.past = past
        diagnostics = options.diagnostics
        maximumPendingBytes = options.maximumPendingBytes
        deferredDelay = .nanoseconds(options.deferredDelay.timerNanoseconds)
        storeDelay = .nanoseconds(options.journal.storeDelay.timerNanoseconds)
        retryDelay = options.retryDelay
        durableNumber = Atomic(head.version.rawValue)
        state = State(head: head)
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
                demand = state.timers.flush == nil ? .later : .nothing
            }
            return (demand, state.rebases.shift)
        }
    }

    /// Waits until nobody leads. Meanwhile nobody begins to append: a background leader could continue for ever. The lock is held.
    func waitUntilNobodyLeads() {
        state.moverCount += 1
        while state.isLed { monitor.wait(state.groupCount & 1) }
        state.moverCount -= 1
    }

    /// Wakes all waiting threads, of every group, which then look what has changed.
    func wakeAll() {
        for condition in 0...1 { monitor.broadcast(condition) }
    }
}
