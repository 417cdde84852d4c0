// Memory first, then a group commit: commits queue up here and are appended in batches, one sync a batch.
//
// Whoever waits for durability and finds no batch being written writes one itself, with everything that has queued up;
// whoever comes meanwhile waits and finds its commit in the next. So a single writer pays for one sync and no change of
// threads, and many that wait together share one.
//
// Always holds:
// - commits reach the file in the order of their versions, without a gap;
// - a commit is in `pending` until it is durable, so its content can be read at any time;
// - when a commit cannot be appended, those before it are, it and those after it stay pending, and the failure is known
//   to all who wait and to the next edit.

import Dispatch
import ListModel
import Synchronization

/// The queue before the log.
final class GroupCommit: CommitSource {
    let log: CommitLog
    private let state: Mutex<State>
    /// Held by whoever writes a batch.
    private let writing = Mutex<Void>(())
    private let background = DispatchQueue(label: "listory.log")
    private let maximumPendingBytes: Int

    private struct State {
        var head: LogHead
        /// The commits after `head`, in order.
        var pending: ArraySlice<Commit> = []
        var pendingBytes = 0
        var failure: (any Error)?
        var isFlushScheduled = false
        var waiters: [(version: Version, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    init(_ log: CommitLog, head: LogHead, maximumPendingBytes: Int) {
        self.log = log
        self.maximumPendingBytes = maximumPendingBytes
        state = Mutex(State(head: head))
    }

    /// The newest version that would survive a power cut.
    var durableVersion: Version { state.withLock { $0.head.version } }

    /// What the durable part of the log ends with.
    var head: LogHead { state.withLock { $0.head } }

    /// Why the last batch could not be appended, if it could not.
    var failure: (any Error)? { state.withLock { $0.failure } }

    // MARK: Writing

    /// Adds a commit to the queue.
    ///
    /// - Returns: whether so much is waiting that the caller should help.
    func enqueue(_ commit: Commit) -> Bool {
        state.withLock { state in
            state.pending.append(commit)
            state.pendingBytes += commit.record.count
            return state.pendingBytes > maximumPendingBytes
        }
    }

    /// Lets the queue be written soon, by another thread.
    func scheduleFlush() {
        let isNeeded = state.withLock { state in
            defer { state.isFlushScheduled = true }
            return !state.isFlushScheduled
        }
        guard isNeeded else { return }
        background.async { [self] in
            state.withLock { $0.isFlushScheduled = false }
            // A failure is kept for whoever waits and for the next edit.
            try? flush(through: nil)
        }
    }

    /// Writes until a version is durable; without one, until the queue is empty.
    ///
    /// - Throws: ``StoreError/appendFailed(durable:cause:)``.
    func flush(through version: Version?) throws {
        var limit = Int.max
        while true {
            let isDone = try writing.withLock { _ in
                let batch = nextBatch(through: version, limit)
                guard !batch.commits.isEmpty else { return true }
                do {
                    let head = try log.append(batch.commits, after: batch.head)
                    finish(head, failure: nil)
                } catch {
                    // What cannot be appended must not hold back what was committed before it.
                    if batch.commits.count > 1 {
                        limit = 1
                        return false
                    }
                    finish(batch.head, failure: error)
                    throw StoreError.appendFailed(durable: batch.head.version, cause: error)
                }
                return false
            }
            if isDone { return }
        }
    }

    /// What waits now, but not more than fits comfortably into one LMDB transaction.
    private func nextBatch(through version: Version?, _ limit: Int) -> (head: LogHead, commits: ArraySlice<Commit>) {
        state.withLock { state in
            if let version, state.head.version >= version { return (state.head, []) }
            var bytes = 0
            var count = 0
            for commit in state.pending {
                bytes += commit.record.count
                if count == limit || (count > 0 && bytes > maximumPendingBytes * 2) { break }
                count += 1
            }
            return (state.head, state.pending.prefix(count))
        }
    }

    private func finish(_ head: LogHead, failure: (any Error)?) {
        let resumed = state.withLock { state in
            let written = Int(head.version.rawValue - state.head.version.rawValue)
            for commit in state.pending.prefix(written) { state.pendingBytes -= commit.record.count }
            state.pending = written == state.pending.count ? [] : state.pending.dropFirst(written)
            state.head = head
            state.failure = failure
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

    /// Waits, without blocking a thread, until a version is durable.
    func durable(_ version: Version) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isDurable = state.withLock { state in
                if state.head.version >= version { return true }
                state.waiters.append((version, continuation))
                return false
            }
            if isDurable { continuation.resume() } else { scheduleFlush() }
        }
    }

    // MARK: Reading

    func withRecord<Result>(
        of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let (pending, head) = state.withLock { state -> (Commit?, Version) in
            guard version > state.head.version, let first = state.pending.first?.version else {
                return (nil, state.head.version)
            }
            let index = state.pending.startIndex + Int(version.rawValue - first.rawValue)
            return (state.pending.indices.contains(index) ? state.pending[index] : nil, state.head.version)
        }
        if let pending { return try pending.record.withUnsafeBytes(body) }
        return try log.withRecord(of: version) { record in
            guard let record else { throw StoreError.unknownVersion(version, head: head) }
            return try body(record)
        }
    }
}
