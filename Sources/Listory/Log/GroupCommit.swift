// Memory first, then a group commit: commits queue up here and are appended in batches, one sync a batch.
//
// Whoever waits for durability and finds no batch being written writes one itself, with everything that has queued up;
// whoever comes meanwhile waits and finds its commit in the next. So a single writer pays for one sync and no change of
// threads, and many that wait together share one.
//
// Always holds:
// - commits reach the file in the order of their versions, without a gap: first those of `writing`, then of `waiting`,
//   whose versions follow each other;
// - a commit is in one of the two until it is durable, so its content can be read at any time;
// - when a commit cannot be appended, those before it are, it and those after it stay in the queue, and the failure is
//   known to all who wait and to the next edit.

import Dispatch
import ListModel
import Synchronization

/// The queue before the log.
final class GroupCommit: CommitSource {
    let log: CommitLog
    private let past: Past
    private let state: Mutex<State>
    /// Held by whoever writes a batch.
    private let writer = Mutex<Void>(())
    private let background = DispatchQueue(label: "listory.log")
    private let isFailing = Atomic<Bool>(false)
    private let maximumPendingBytes: Int
    private let deferredDelay: DispatchTimeInterval

    private struct State {
        var head: LogHead
        /// Commits that were taken to be written; those up to `head` already are.
        var writing: RecordBatch
        /// The commits after those.
        var waiting: RecordBatch
        /// How many batches were taken to be written.
        var batchCount = 0
        /// Whether a flush in the background was asked for and has not begun.
        var isFlushQueued = false
        /// Whether a timer is running that will see to what waits.
        var isTimerRunning = false
        var waiters: [Waiter] = []
    }

    /// Somebody who wants to be told when a version is durable.
    private struct Waiter {
        let version: Version
        let continuation: CheckedContinuation<Void, any Error>
    }

    init(_ log: CommitLog, _ past: Past, head: LogHead, options: StoreOptions) {
        self.log = log
        self.past = past
        maximumPendingBytes = options.maximumPendingBytes
        deferredDelay = .nanoseconds(Int(min(1e18, options.deferredDelay / .nanoseconds(1))))
        let empty = RecordBatch(first: head.version.next)
        state = Mutex(State(head: head, writing: empty, waiting: empty))
    }

    /// The newest version that would survive a power cut.
    var durableVersion: Version { state.withLock { $0.head.version } }

    /// What the durable part of the log ends with.
    var head: LogHead { state.withLock { $0.head } }

    /// Whether the last batch could not be appended.
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
        state.withLock { state in
            state.waiting.append(commit)
            if state.waiting.size / 64 > maximumPendingBytes { return .first }
            if state.waiting.size > maximumPendingBytes { return state.isFlushQueued ? .nothing : .now }
            return state.isTimerRunning ? .nothing : .later
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
        guard let (head, batch) = nextBatch(through: version) else { return .nothingLeft }
        let start = Int(head.version.next.rawValue - batch.first.rawValue)
        let range = start..<min(batch.count, limit == .max ? .max : start + limit)
        do {
            finish(try log.append(batch, range, after: head), failure: nil)
            return .written
        } catch {
            if range.count == 1 { finish(head, failure: error) }
            return .failed(.appendFailed(durable: head.version, cause: error), count: range.count)
        }
    }

    /// What is to be written now; nil if the version is durable.
    private func nextBatch(through version: Version?) -> (head: LogHead, batch: RecordBatch)? {
        state.withLock { state in
            if let version, state.head.version >= version { return nil }
            // Something of the last batch is left if it could not be appended.
            if state.head.version.next.rawValue == state.waiting.first.rawValue {
                if state.waiting.count == 0 { return nil }
                state.writing = state.waiting
                let next = state.waiting.version(state.waiting.count)
                state.waiting = RecordBatch(first: next, reserving: state.writing.size)
                state.batchCount &+= 1
            }
            return (state.head, state.writing)
        }
    }

    private func finish(_ head: LogHead, failure: (any Error)?) {
        isFailing.store(failure != nil, ordering: .releasing)
        let resumed = state.withLock { state -> [Waiter] in
            state.head = head
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
    /// Sees to it that the queue is written before long: by another thread, or by this one if too much is waiting.
    ///
    /// - Throws: as ``flush(through:)``, if this thread had to write.
    func meet(_ demand: Demand) throws {
        switch demand {
        case .nothing: return
        case .later: startTimer()
        case .now: flushInBackground()
        case .first: try flush(through: nil)
        }
    }

    private func flushInBackground() {
        let isNeeded = state.withLock { state in
            defer { state.isFlushQueued = true }
            return !state.isFlushQueued
        }
        guard isNeeded else { return }
        background.async { [self] in
            state.withLock { $0.isFlushQueued = false }
            // A failure is kept for whoever waits and for the next edit.
            try? flush(through: nil)
        }
    }

    /// Starts the timer for what waits, unless it is running.
    private func startTimer() {
        let batchCount = state.withLock { state -> Int? in
            if state.isTimerRunning { return nil }
            state.isTimerRunning = true
            return state.batchCount
        }
        if let batchCount { runTimer(batchCount) }
    }

    /// Waits a while, and then flushes, unless a batch was written meanwhile: what waits now has not waited long.
    private func runTimer(_ batchCount: Int) {
        background.asyncAfter(deadline: .now() + deferredDelay) { [self] in
            let newCount = state.withLock { state -> Int? in
                if state.waiting.count > 0 && state.batchCount != batchCount { return state.batchCount }
                state.isTimerRunning = false
                return nil
            }
            if let newCount { runTimer(newCount) } else { try? flush(through: nil) }
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
            if isDurable { continuation.resume() } else { flushInBackground() }
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
            return (state.writing.record(of: version) ?? state.waiting.record(of: version), state.head.version)
        }
        if let queued { return try queued.withUnsafeBytes(body) }
        let result = try log.withRecord(of: version) { try $0.map(body) }
        if let result { return result }
        guard let packed = try past.packedRecord(of: version) else {
            throw version <= log.base.version
                ? StoreError.droppedVersion(version, oldest: log.base.version)
                : StoreError.unknownVersion(version, head: head)
        }
        return try packed.withUnsafeBytes(body)
    }

    func history(at version: Version) throws -> History {
        if version == .empty { return .empty }
        if let packed = try past.packedHistory(at: version) { return packed }
        return try withRecord(of: version) { try RecordHeader.history($0, version: version) }
    }

    func withContent<Result>(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        if let sealed = log.sealed, reference.version <= sealed.base.sealed,
            let result = try sealed.withContent(of: reference, body)
        {
            return result
        }
        return try withRecord(of: reference.version) { try body(reference.content(in: $0)) }
    }
}
