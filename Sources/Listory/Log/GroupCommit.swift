// Memory first, then a group commit: commits queue up here and are appended in batches, one sync a batch.
//
// Whoever waits for durability and finds no batch being written writes one itself, with everything that has queued up;
// whoever comes meanwhile waits and finds its commit in the next. So a single writer pays for one sync and no change of
// threads, and many that wait together share one.
//
// Always holds:
// - commits reach the file in the order of their versions, without a gap: first those of `writing`, then of `waiting`;
// - a commit is in one of the two until it is durable, so its content can be read at any time;
// - when a commit cannot be appended, those before it are, it and those after it stay in the queue, and the failure is
//   known to all who wait and to the next edit.

import Dispatch
import ListModel
import Synchronization

/// What the queue keeps of a commit.
struct QueuedCommit {
    let version: Version
    let eventCount: Int
    let record: [UInt8]
}

/// The queue before the log.
final class GroupCommit: CommitSource {
    let log: CommitLog
    private let state: Mutex<State>
    /// Held by whoever writes a batch.
    private let writer = Mutex<Void>(())
    private let background = DispatchQueue(label: "listory.log")
    private let maximumPendingBytes: Int
    private let deferredDelay: DispatchTimeInterval

    private struct State {
        var head: LogHead
        /// The commits after `head` that were taken to be written.
        var writing: ArraySlice<QueuedCommit> = []
        /// The commits after those.
        var waiting: [QueuedCommit] = []
        var waitingBytes = 0
        var failure: (any Error)?
        var schedule = Schedule.none
        var waiters: [Waiter] = []
    }

    /// Somebody who wants to be told when a version is durable.
    private struct Waiter {
        let version: Version
        let continuation: CheckedContinuation<Void, any Error>
    }

    /// Whether a flush in the background is under way.
    private enum Schedule: Int {
        case none, later, now
    }

    init(_ log: CommitLog, head: LogHead, options: StoreOptions) {
        self.log = log
        maximumPendingBytes = options.maximumPendingBytes
        deferredDelay = .nanoseconds(Int(options.deferredDelay / .nanoseconds(1)))
        state = Mutex(State(head: head))
    }

    /// The newest version that would survive a power cut.
    var durableVersion: Version { state.withLock { $0.head.version } }

    /// What the durable part of the log ends with.
    var head: LogHead { state.withLock { $0.head } }

    /// Whether the last batch could not be appended.
    var hasFailed: Bool { state.withLock { $0.failure != nil } }

    /// Adds a commit to the queue.
    func enqueue(_ commit: Commit) {
        state.withLock { state in
            state.waiting.append(
                QueuedCommit(version: commit.version, eventCount: commit.eventCount, record: commit.record))
            state.waitingBytes += commit.record.count
        }
    }
}

// MARK: - Writing

extension GroupCommit {
    /// Writes until a version is durable; without one, until the queue is empty.
    ///
    /// - Throws: ``StoreError/appendFailed(durable:cause:)``.
    func flush(through version: Version?) throws {
        var limit = Int.max
        while true {
            let outcome = writer.withLock { _ in writeBatch(through: version, atMost: limit) }
            switch outcome {
            case .nothingLeft: return
            case .written: continue
            // What cannot be appended must not hold back what was committed before it.
            case .failed(let error, let count):
                if count == 1 { throw error }
                limit = 1
            }
        }
    }

    private enum Outcome {
        case nothingLeft
        case written
        case failed(StoreError, count: Int)
    }

    /// Writes one batch. The writer's lock is held.
    private func writeBatch(through version: Version?, atMost limit: Int) -> Outcome {
        let (head, commits) = nextBatch(through: version)
        if commits.isEmpty { return .nothingLeft }
        let batch = commits.prefix(limit)
        do {
            finish(try log.append(batch, after: head), failure: nil)
            return .written
        } catch {
            if batch.count == 1 { finish(head, failure: error) }
            return .failed(.appendFailed(durable: head.version, cause: error), count: batch.count)
        }
    }

    /// What is to be written now; nothing if the version is durable.
    private func nextBatch(through version: Version?) -> (head: LogHead, commits: ArraySlice<QueuedCommit>) {
        state.withLock { state in
            if let version, state.head.version >= version { return (state.head, []) }
            if state.writing.isEmpty {
                state.writing = state.waiting[...]
                state.waiting = []
                state.waitingBytes = 0
            }
            return (state.head, state.writing)
        }
    }

    private func finish(_ head: LogHead, failure: (any Error)?) {
        let resumed = state.withLock { state -> [Waiter] in
            let written = Int(head.version.rawValue - state.head.version.rawValue)
            state.writing = written == state.writing.count ? [] : state.writing.dropFirst(written)
            state.head = head
            state.failure = failure
            if state.waiters.isEmpty { return [] }
            let resumed = state.waiters.filter { failure != nil || $0.version <= head.version }
            state.waiters.removeAll { failure != nil || $0.version <= head.version }
            return resumed
        }
        for waiter in resumed {
            if let failure {
                waiter.continuation.resume(throwing: StoreError.appendFailed(durable: head.version, cause: failure))
            } else {
                waiter.continuation.resume()
            }
        }
    }
}

// MARK: - Waiting

extension GroupCommit {
    /// Sees to it that the queue is written before long, by another thread; if too much is waiting, by this one.
    ///
    /// - Throws: as ``flush(through:)``, if this thread had to write.
    func flushSoon() throws {
        let bytes = state.withLock { $0.waitingBytes }
        if bytes > maximumPendingBytes * 8 { return try flush(through: nil) }
        schedule(bytes > maximumPendingBytes ? .now : .later)
    }

    private func schedule(_ schedule: Schedule) {
        let isNeeded = state.withLock { state in
            guard schedule.rawValue > state.schedule.rawValue else { return false }
            state.schedule = schedule
            return true
        }
        guard isNeeded else { return }
        let delay = schedule == .now ? DispatchTimeInterval.nanoseconds(0) : deferredDelay
        background.asyncAfter(deadline: .now() + delay) { [self] in
            state.withLock { $0.schedule = .none }
            // A failure is kept for whoever waits and for the next edit.
            try? flush(through: nil)
        }
    }

    /// Waits, without blocking a thread, until a version is durable.
    func durable(_ version: Version) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isDurable = state.withLock { state in
                if state.head.version >= version { return true }
                state.waiters.append(Waiter(version: version, continuation: continuation))
                return false
            }
            if isDurable { continuation.resume() } else { schedule(.now) }
        }
    }
}

// MARK: - Reading

extension GroupCommit {
    func withRecord<Result>(
        of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let (queued, head) = state.withLock { state -> ([UInt8]?, Version) in
            guard version > state.head.version else { return (nil, state.head.version) }
            let place = Int(version.rawValue - state.head.version.rawValue) - 1
            if place < state.writing.count {
                return (state.writing[state.writing.startIndex + place].record, state.head.version)
            }
            let rest = place - state.writing.count
            return (rest < state.waiting.count ? state.waiting[rest].record : nil, state.head.version)
        }
        if let queued { return try queued.withUnsafeBytes(body) }
        return try log.withRecord(of: version) { record in
            guard let record else { throw StoreError.unknownVersion(version, head: head) }
            return try body(record)
        }
    }
}
