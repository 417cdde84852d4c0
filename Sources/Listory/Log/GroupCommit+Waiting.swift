// Waits for durability, and decides which thread leads.
//
// A waiting thread becomes the leader if there is none and the write group is worth a sync (`Gathering`). Otherwise it
// yields for a moment, in which its commit may become durable: with many waiters, sleeping and waking up costs each of
// them more than its edit. Then it sleeps:
// - while there is a leader, until its own write group is finished. The leader wakes all threads of its group. If the
//   next group is ready, a background flush leads it; if not, the leader wakes one thread of it, so that no group is
//   forgotten;
// - while there is no leader, no longer than the gathering. A thread that arrives and completes the group leads it at
//   once; if none arrives, the first to wake up leads.
// Tasks must not block a thread, so a background flush waits and leads for them. The flush loop continues while commits
// are queued; another queue releases the tasks of the last group, so that one sync follows the other.

import Dispatch
import LMDB
import ListModel

extension GroupCommit {
    /// When a flush begins.
    enum Urgency {
        /// After a moment for others to join.
        case shared
        /// As soon as no other thread writes.
        case urgent
    }

    /// Returns when a version is durable; without one, when everything queued before the call is durable.
    ///
    /// - Parameters:
    ///   - shift: how far commits had been shifted when the commit had the version; nil for now.
    ///   - isAsMade: whether the version is that which the commit had when it was made.
    /// - Returns: how far they have been shifted now.
    /// - Throws: ``ListError/appendFailed(durable:cause:)``; ``LostRace`` if the calling thread holds the store's lock,
    ///   and another process has appended first.
    @discardableResult
    func flush(
        through version: Version?, _ urgency: Urgency = .urgent, since shift: UInt64? = nil, isAsMade: Bool = false
    ) throws -> UInt64 {
        monitor.lock()
        waitForRacer()
        // While nobody makes commits again: what a version has become and how far others have moved it belong together.
        let first = version.map { isAsMade ? state.rebases.presentVersion(of: $0) : $0 } ?? state.newest
        let shift = shift ?? state.rebases.shift
        // The version of the commit, wherever the commits of other processes have moved it.
        var version: Version { state.rebases.version(first, since: shift) }
        if urgency == .shared && version >= state.waiting.first { state.waiters.gathering.arrived += 1 }
        let failureCount = state.attempts.failureCount
        if state.head.version < version && !mayLead(urgency) {
            let version = version
            monitor.unlock()
            let isDurable = letOthersRun(until: version)
            monitor.lock()
            if isDurable && state.rebases.shift == shift {
                monitor.unlock()
                return shift
            }
        }
        defer { monitor.unlock() }
        while true {
            // While commits are made again, the end of the log is not shown yet, and may be taken back.
            waitForRacer()
            if state.head.version >= version { return state.rebases.shift }
            // It is nil if commits have been appended since: it was not about this one, which may be of a later group.
            if state.attempts.failureCount != failureCount, let failure = state.attempts.failure { throw failure }
            if state.isStopped { throw ListError.closed }
            if state.race.isCatchingUpHere { throw LostRace() }
            if state.race.isLost {
                try recover()
            } else if version > state.newest {
                throw ListError.unknownVersion(version, head: state.newest)
            } else if mayLead(urgency) {
                lead(.thread)
            } else {
                sleep(until: version)
            }
        }
    }

    /// Yields to other threads: for about as long as a sync if many are ready, and for almost no time if none is.
    ///
    /// - Returns: whether a version is durable now.
    private func letOthersRun(until version: Version) -> Bool {
        for _ in 0..<GroupCommit.maximumYieldCount {
            Monitor.letOthersRun()
            if durableVersion >= version { return true }
        }
        return false
    }

    /// How often a thread yields before it sleeps. The best of 4 to 64, measured with 8 and 64 threads on two
    /// processors.
    private static let maximumYieldCount = 12

    /// Whether the calling thread should write now. The lock is held.
    private func mayLead(_ urgency: Urgency) -> Bool {
        if state.isBusy { return false }
        // The rest of a failed group does not gather again.
        return urgency == .urgent || state.hasLeftover || state.waiters.gathering.remaining == .zero
    }

    /// Sleeps until the state may have changed for a waiter of a version. The lock is held.
    private func sleep(until version: Version) {
        let condition = state.condition(of: version)
        let group = state.groupCount
        let isOfNextGroup = version >= state.waiting.first
        if isOfNextGroup { state.waiters.threadCount += 1 }
        if state.isBusy || state.waiters.hasTimekeeper {
            monitor.wait(condition)
        } else {
            state.waiters.hasTimekeeper = true
            monitor.wait(condition, atMost: state.waiters.gathering.remaining)
            if group == state.groupCount { state.waiters.hasTimekeeper = false }
        }
        // Taking the write group took all of its waiters.
        if isOfNextGroup && group == state.groupCount { state.waiters.threadCount -= 1 }
    }

    /// Waits, without blocking a thread, until a version is durable.
    func durable(_ version: Version) async throws {
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            monitor.lock()
            waitForRacer()
            let version = state.rebases.presentVersion(of: version)
            if state.head.version >= version || state.isStopped {
                let isDurable = state.head.version >= version
                monitor.unlock()
                if isDurable { continuation.resume() } else { continuation.resume(throwing: ListError.closed) }
                return
            }
            state.waiters.tasks.append(WaitingTask(version: version, continuation: continuation))
            if version >= state.waiting.first { state.waiters.gathering.arrived += 1 }
            let isNeeded = !state.isLed && !state.isFlushQueued
            if isNeeded { state.isFlushQueued = true }
            // A thread that sleeps until the group is complete can wake up now.
            if !isNeeded && !state.isLed && state.waiters.gathering.isComplete {
                monitor.signal(state.condition(of: version))
            }
            monitor.unlock()
            if isNeeded { flushInBackground() }
        }
    }
}

// MARK: - In the background

extension GroupCommit {
    /// Ensures that the queue is written soon: by another thread, or by this one if too much is queued.
    ///
    /// - Throws: as ``flush(through:_:)``, if this thread had to write.
    func meet(_ demand: Demand) throws {
        switch demand {
        case .nothing: return
        case .later: startTimer()
        case .now: monitor.withLock { queueFlush() }
        case .first: try flush(through: nil)
        }
    }

    /// Queues a background flush, unless there is one. The lock is held.
    func queueFlush() {
        if state.isFlushQueued { return }
        state.isFlushQueued = true
        flushInBackground()
    }

    /// Begins a background flush, after those that were begun before.
    func flushInBackground() {
        background.async { [self] in
            monitor.lock()
            defer {
                // The store is gone, and nobody else would drop what keeps its file open. It frees the rows, after the lock.
                let racer = state.isLetGo && !state.isFlushQueued ? state.race.racer.take() : nil
                withExtendedLifetime(racer) { monitor.unlock() }
            }
            while !state.isEmpty && !state.isStopped {
                if state.race.isLost {
                    // The failure is kept for the waiters and for the next edit.
                    do { try recover() } catch { return state.isFlushQueued = false }
                    continue
                }
                guard mayLead(state.waiting.size > maximumPendingBytes ? .urgent : .shared) else {
                    // Otherwise, after a lost race, the leader would queue another flush, which waits behind this one, and wake
                    // nobody.
                    state.isFlushQueued = true
                    sleep(until: state.newest)
                    continue
                }
                // Commits queued from here on are not in this group.
                state.isFlushQueued = false
                let hasTasks = !state.waiters.tasks.isEmpty
                // The failure is kept for the waiters and for the next edit.
                lead(.background)
                if state.race.isLost { continue }
                if state.hasLeftover || state.isFlushQueued || state.isStopped { return }
                // Released tasks return soon: staying costs less than being scheduled again.
                if state.isEmpty && hasTasks && state.waiters.gathering.remaining > .zero {
                    state.isFlushQueued = true
                    sleep(until: state.newest.next)
                } else if state.waiters.needsBackground {
                    state.isFlushQueued = true
                } else {
                    return
                }
            }
            state.isFlushQueued = false
        }
    }

    /// Starts the timer of the queue, unless it is running.
    private func startTimer() { monitor.withLock { if state.timers.flush == nil { runTimer() } } }

    /// Starts the timer of the queue. The lock is held.
    private func runTimer() {
        let timer = StoreTimer(self)
        state.timers.flush = timer
        let groupCount = state.groupCount
        background.asyncAfter(deadline: .now() + deferredDelay) { timer.take()?.flushQueued(since: groupCount) }
    }

    /// Flushes, or waits again if a group was written meanwhile: the commits queued now have not waited long.
    private func flushQueued(since groupCount: Int) {
        let isFresh = monitor.withLock {
            state.timers.flush = nil
            if state.waiting.count == 0 || state.groupCount == groupCount { return false }
            runTimer()
            return true
        }
        // Not as a waiting thread: the leader may leave the next group to a flush that is queued behind this.
        if !isFresh { try? meet(.now) }
    }
}
