// The leader: appends the queued commits and releases their waiters. What cannot be appended is tried again, or discarded at last.
//
// Always holds: a leader that ends wakes whoever has to go on: those whose commits are durable, and somebody who leads the next group.

import Dispatch
import LMDB
import ListModel

extension GroupCommit {
    /// The kinds of leaders.
    enum Leader {
        /// A waiting thread.
        case thread
        /// A background flush, which continues if it is needed.
        case background
    }

    /// Writes everything that is queued and releases its waiters. The lock is held, except during the write.
    func lead(_ leader: Leader) {
        state.isLed = true
        let isRest = state.hasLeftover
        if !isRest { state.takeGroup() }
        let run = state.writing
        let start = ContinuousClock.now
        let (span, before) = (diagnostics.begin(.flush), state.head.version)
        // The end of a range that contains a record that could not be appended; later records have not been tried.
        var suspectEnd = 0
        while state.head.version.next < run.version(run.count) {
            let head = state.head
            let first = Int(head.version.next.rawValue - run.first.rawValue)
            // A record that cannot be appended must not block the commits before it: bisection finds it in few steps.
            let end = first < suspectEnd ? first + (suspectEnd - first + 1) / 2 : run.count
            monitor.unlock()
            let result = Result { try log.append(run, first..<end, after: head) }
            monitor.lock()
            switch result {
            case .success(let head): advance(to: head)
            case .failure(is LostRace): return lose()
            case .failure(let error):
                guard end - first == 1 || error.saysBusy else {
                    suspectEnd = end
                    continue
                }
                return fail(ListError.appendFailed(durable: head.version, cause: named(error)))
            }
        }
        diagnostics.end(span, .flushed(run, after: before))
        finish(since: start, leader)
        // The timer of commits that were queued before the failure has rung meanwhile.
        if isRest && state.waiting.count > 0 { queueFlush() }
    }

    /// Has the queued commits made again on top of those of other processes. The lock is held, except meanwhile.
    ///
    /// - Throws: ``LostRace`` if the calling thread holds the store's lock; the failure, which waiters receive too.
    func recover() throws {
        guard let racer = state.race.racer else { throw ListError.closed }
        monitor.unlock()
        let result = Result { try racer.catchUp() }
        monitor.lock()
        do { try result.get() } catch let error as LostRace { throw error } catch {
            let failure = ListError.appendFailed(durable: state.head.version, cause: named(error))
            fail(failure, isLeading: false)
            throw failure
        }
    }

    private func finish(since start: ContinuousClock.Instant, _ leader: Leader) {
        state.race.lossCount = 0
        // The records are in the log, and one of them may be large.
        state.writing = RecordRun(first: state.waiting.first)
        state.waiters.gathering.endGroup(since: start)
        if isFailing.exchange(false, ordering: .acquiringAndReleasing) {
            (state.attempts.failure, state.attempts.retryCount) = (nil, 0)
            diagnostics.report(.appendSucceeded(durable: state.head.version))
            failures.tell(nil)
        }
        state.isLed = false
        startStoreTimer()
        release(leader)
    }

    /// Releases the waiters of durable commits, and arranges the next group. The lock is held, except while waking
    /// them.
    func release(_ leader: Leader) {
        let tasks = state.waiters.takeTasks(through: state.head.version)
        let condition = state.groupCount & 1
        let needsBackground = state.waiters.needsBackground
        let needsFlush = needsBackground && leader == .thread && !state.isFlushQueued
        if needsFlush { state.isFlushQueued = true }
        let needsThread = state.waiters.threadCount > 0 && !needsFlush && (leader == .thread || !needsBackground)
        let isReady = state.waiting.count > 0 && state.waiters.gathering.remaining == .zero
        monitor.unlock()
        // The next leader is woken first, because it would otherwise wait for a processor behind all released threads.
        if needsFlush { flushInBackground() }
        if needsThread { monitor.signal(1 - condition) }
        if leader == .background && isReady {
            releases.async { [monitor] in GroupCommit.wake(monitor, condition, tasks) }
        } else {
            GroupCommit.wake(monitor, condition, tasks)
        }
        monitor.lock()
    }

    private static func wake(_ monitor: Monitor, _ condition: Int, _ tasks: [WaitingTask]) {
        monitor.broadcast(condition)
        for task in tasks { task.continuation.resume() }
    }

    /// The error with the processes that may have caused it.
    private func named(_ error: any Error) -> any Error {
        guard error.saysBusy else { return error }
        let processes = (try? log.journal.table?.neighbours().map(\.processID)) ?? []
        return ListError.busy(path: log.path, processes: processes)
    }

    /// Puts the commits that were not appended back in the queue, and lets nobody lead until they are made again. The lock
    /// is held.
    private func lose() {
        state.putBack()
        (state.race.isLost, state.isLed) = (true, false)
        state.race.lossCount += 1
        // A task does not make commits again itself.
        if !state.waiters.tasks.isEmpty { queueFlush() }
        wakeAll()
    }

    /// Ends an attempt, which failed. The lock is held, except while waking the waiters.
    ///
    /// - Parameter isLeading: whether the calling thread leads; otherwise another one may.
    private func fail(_ error: ListError, isLeading: Bool = true) {
        state.attempts.failureCount &+= 1
        state.attempts.failure = error
        state.waiters.gathering = Gathering()
        isFailing.store(true, ordering: .releasing)
        if isLeading { state.isLed = false }
        failures.tell(error)
        diagnostics.report(.appendFailed(durable: state.head.version, reason: Diagnostics.reason(error)))
        startRetryTimer()
        let head = state.head.version
        let tasks = state.waiters.takeTasks()
        monitor.unlock()
        wakeAll()
        for task in tasks {
            if task.version <= head { task.continuation.resume() } else { task.continuation.resume(throwing: error) }
        }
        monitor.lock()
    }
}

// MARK: - Trying again

extension GroupCommit {
    /// How many times the pause between two attempts doubles: from half a second to a minute.
    private static var doublingCount: Int { 7 }

    /// Sees to it that what could not be appended is tried again, after a pause that grows with each failure. The lock is
    /// held.
    private func startRetryTimer() {
        if state.timers.retry != nil || state.isLetGo || state.isStopped { return }
        let timer = StoreTimer(self)
        state.timers.retry = timer
        let pause = retryDelay * (1 << min(state.attempts.retryCount, GroupCommit.doublingCount))
        state.attempts.retryCount += 1
        background.asyncAfter(deadline: .now() + .nanoseconds(pause.timerNanoseconds)) { timer.take()?.retry() }
    }

    private func retry() {
        monitor.withLock { state.timers.retry = nil }
        // Report the failure, and start the timer again. Not as a waiting thread, as in `flushQueued`.
        try? meet(.now)
    }

    /// Why the last attempt to append failed; nil if it did not.
    var failure: ListError? { monitor.withLock { state.attempts.failure } }

    /// A sequence of the failures from now on. It begins with the present state.
    func observeFailures() -> AsyncStream<ListError?> {
        // Failures are reported with the lock held, so none comes between the two.
        monitor.withLock { failures.stream(beginningWith: state.attempts.failure) }
    }
}

// MARK: - Giving up

extension GroupCommit {
    /// Ends all writing for good, calls `body`, and discards what is not in the file.
    ///
    /// Waiters of discarded commits receive the error that the store is closed. If `body` throws, writing continues.
    func discardUnappended(_ body: () throws -> Void) throws {
        monitor.withLock {
            // No new leader begins, and the present one wakes the threads of its group, of which this is one.
            state.isStopped = true
            waitUntilNobodyLeads()
        }
        do { try body() } catch {
            monitor.withLock { state.isStopped = false }
            try? meet(.now)
            // A thread that has given up may have been the one that the last leader woke.
            wakeAll()
            throw error
        }
        let (tasks, timer) = monitor.withLock {
            diagnostics.report(.discarded(commits: state.newest.rawValue - state.head.version.rawValue))
            state.dropQueue()
            (state.race.isLost, state.race.racer) = (false, nil)
            return (state.waiters.takeTasks(), state.timers.flush)
        }
        // It would keep the queue, however long it still runs.
        _ = timer?.take()
        wakeAll()
        for task in tasks { task.continuation.resume(throwing: ListError.closed) }
    }
}
