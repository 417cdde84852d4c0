// Waiting for durability, and who leads.
//
// A thread that waits leads if nobody else does and the batch is worth it (`Gathering`). Else it lets others run for a
// moment, in which its commit may become durable: where many wait, to be put to sleep and woken costs each of them more
// than its edit. Then it sleeps:
// - while somebody leads, until that batch, or the one it belongs to, is finished; the leader wakes all threads of its
//   batch, and sees to the next one: if that is ready, a flush in the background leads it; if it is not, one of its threads
//   is woken, so that it is not forgotten;
// - while nobody leads, no longer than the gathering. Whoever comes and completes the batch leads it without any
//   change of threads; if nobody comes, the first to wake up leads.
// Tasks cannot sleep, so a flush in the background waits and leads for them. It leads on as long as there is a next batch,
// and leaves it to another queue to release those of the last one: while many wait, one sync follows the other.

import Dispatch
import LMDB
import ListModel

extension GroupCommit {
    /// When a flush may begin.
    enum Urgency {
        /// Once others had a moment to join.
        case shared
        /// As soon as nobody else writes.
        case urgent
    }

    /// Returns when a version is durable; without one, when everything is that was queued before the call.
    ///
    /// - Throws: ``StoreError/appendFailed(durable:cause:)``.
    func flush(through version: Version?, _ urgency: Urgency = .urgent) throws {
        monitor.lock()
        let version = version ?? state.newest
        if urgency == .shared && version >= state.waiting.first { state.gathering.arrived += 1 }
        let failureCount = state.failureCount
        if state.head.version < version && !mayLead(urgency) {
            monitor.unlock()
            if letOthersRun(until: version) { return }
            monitor.lock()
        }
        defer { monitor.unlock() }
        while state.head.version < version {
            if state.failureCount != failureCount, let failure = state.failure { throw failure }
            if state.isStopped { throw StoreError.closed }
            if mayLead(urgency) { lead(.thread) } else { sleep(until: version) }
        }
    }

    /// Lets other threads run for as long as a sync takes if many can, and next to no time if none can.
    ///
    /// - Returns: whether a version is durable now.
    private func letOthersRun(until version: Version) -> Bool {
        for _ in 0..<GroupCommit.maximumYieldCount {
            Monitor.letOthersRun()
            if durableVersion >= version { return true }
        }
        return false
    }

    /// How often a thread lets others run before it sleeps. Of 4 to 64, measured with 8 and 64 threads on two processors.
    private static let maximumYieldCount = 12

    /// Whether the calling thread should write now. The lock is held.
    private func mayLead(_ urgency: Urgency) -> Bool {
        if state.isBusy { return false }
        // What is left of a failed batch need not gather any more.
        return urgency == .urgent || state.hasLeftover || state.gathering.remaining == .zero
    }

    /// Sleeps until something may have changed for whoever waits for a version. The lock is held.
    private func sleep(until version: Version) {
        let condition = state.condition(of: version)
        let batch = state.batchCount
        let isOfNextBatch = version >= state.waiting.first
        if isOfNextBatch { state.threadCount += 1 }
        if state.isBusy || state.hasTimekeeper {
            monitor.wait(condition)
        } else {
            state.hasTimekeeper = true
            monitor.wait(condition, atMost: state.gathering.remaining)
            if batch == state.batchCount { state.hasTimekeeper = false }
        }
        // When the batch was taken, so were all who waited for it.
        if isOfNextBatch && batch == state.batchCount { state.threadCount -= 1 }
    }

    /// Waits, without blocking a thread, until a version is durable.
    func durable(_ version: Version) async throws {
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            monitor.lock()
            if state.head.version >= version || state.isStopped {
                let isDurable = state.head.version >= version
                monitor.unlock()
                if isDurable { continuation.resume() } else { continuation.resume(throwing: StoreError.closed) }
                return
            }
            state.tasks.append(WaitingTask(version: version, continuation: continuation))
            if version >= state.waiting.first { state.gathering.arrived += 1 }
            let isNeeded = !state.isLed && !state.isFlushQueued
            if isNeeded { state.isFlushQueued = true }
            // A thread that sleeps until the batch is complete need not sleep longer.
            if !isNeeded && !state.isLed && state.gathering.isComplete { monitor.signal(state.condition(of: version)) }
            monitor.unlock()
            if isNeeded { flushInBackground() }
        }
    }
}

// MARK: - In the background

extension GroupCommit {
    /// Sees to it that the queue is written before long: by another thread, or by this one if too much is waiting.
    ///
    /// - Throws: as ``flush(through:_:)``, if this thread had to write.
    func meet(_ demand: Demand) throws {
        switch demand {
        case .nothing: return
        case .later: startTimer()
        case .now:
            let isNeeded = monitor.withLock {
                defer { state.isFlushQueued = true }
                return !state.isFlushQueued
            }
            if isNeeded { flushInBackground() }
        case .first: try flush(through: nil)
        }
    }

    /// Queues a flush, which `isFlushQueued` says.
    func flushInBackground() {
        background.async { [self] in
            monitor.lock()
            defer { monitor.unlock() }
            while !state.isEmpty && !state.isStopped {
                guard mayLead(state.waiting.size > maximumPendingBytes ? .urgent : .shared) else {
                    sleep(until: state.newest)
                    continue
                }
                // What is queued from now on is not in this batch.
                state.isFlushQueued = false
                let hasTasks = !state.tasks.isEmpty
                // A failure is kept for whoever waits and for the next edit.
                lead(.background)
                if state.hasLeftover || state.isFlushQueued || state.isStopped { return }
                // Tasks that were released come back soon: being there costs less than being called again.
                if state.isEmpty && hasTasks && state.gathering.remaining > .zero {
                    state.isFlushQueued = true
                    sleep(until: state.newest.next)
                } else if state.needsBackground {
                    state.isFlushQueued = true
                } else {
                    return
                }
            }
            state.isFlushQueued = false
        }
    }

    /// Starts the timer for what waits, unless it is running.
    private func startTimer() {
        let batchCount = monitor.withLock { () -> Int? in
            if state.isTimerRunning { return nil }
            state.isTimerRunning = true
            return state.batchCount
        }
        if let batchCount { runTimer(batchCount) }
    }

    /// Waits a while, and then flushes, unless a batch was written meanwhile: what waits now has not waited long.
    private func runTimer(_ batchCount: Int) {
        background.asyncAfter(deadline: .now() + deferredDelay) { [self] in
            let newCount = monitor.withLock { () -> Int? in
                if state.waiting.count > 0 && state.batchCount != batchCount { return state.batchCount }
                state.isTimerRunning = false
                return nil
            }
            if let newCount { runTimer(newCount) } else { try? flush(through: nil) }
        }
    }
}
