// The leader: appends the queued commits and releases their waiters.

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
        if !isRest { takeGroup() }
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
        guard let racer = state.racer else { throw ListError.closed }
        monitor.unlock()
        let result = Result { try racer.catchUp() }
        monitor.lock()
        do { try result.get() } catch let error as LostRace { throw error } catch {
            let failure = ListError.appendFailed(durable: state.head.version, cause: named(error))
            fail(failure, isLeading: false)
            throw failure
        }
    }

    /// Takes all queued commits as the group to write.
    private func takeGroup() {
        state.writing = state.waiting
        let next = state.waiting.version(state.waiting.count)
        state.waiting = RecordRun(first: next, reserving: min(state.writing.size, 1 << 20))
        state.groupCount &+= 1
        state.threadCount = 0
        state.hasTimekeeper = false
        state.gathering.beginGroup()
    }

    private func finish(since start: ContinuousClock.Instant, _ leader: Leader) {
        state.lossCount = 0
        // The records are in the log, and one of them may be large.
        state.writing = RecordRun(first: state.waiting.first)
        state.gathering.endGroup(since: start)
        if isFailing.exchange(false, ordering: .acquiringAndReleasing) {
            (state.failure, state.retryCount) = (nil, 0)
            diagnostics.report(.appendSucceeded(durable: state.head.version))
            failures.tell(nil)
        }
        state.isLed = false
        startStoreTimer()
        release(leader)
    }

    /// Releases the waiters of durable commits, and arranges the next group. The lock is held, except while waking
    /// them.
    private func release(_ leader: Leader) {
        let head = state.head.version
        let tasks = state.tasks.isEmpty ? [] : state.tasks.filter { $0.version <= head }
        if !tasks.isEmpty { state.tasks.removeAll { $0.version <= head } }
        let condition = state.groupCount & 1
        let needsBackground = state.needsBackground
        let needsFlush = needsBackground && leader == .thread && !state.isFlushQueued
        if needsFlush { state.isFlushQueued = true }
        let needsThread = state.threadCount > 0 && !needsFlush && (leader == .thread || !needsBackground)
        let isReady = state.waiting.count > 0 && state.gathering.remaining == .zero
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
        (state.isLost, state.isLed) = (true, false)
        state.lossCount += 1
        // A task does not make commits again itself.
        if !state.tasks.isEmpty { queueFlush() }
        monitor.broadcast(0)
        monitor.broadcast(1)
    }

    /// Ends an attempt, which failed. The lock is held, except while waking the waiters.
    ///
    /// - Parameter isLeading: whether the calling thread leads; otherwise another one may.
    private func fail(_ error: ListError, isLeading: Bool = true) {
        state.failureCount &+= 1
        state.failure = error
        state.gathering = Gathering()
        isFailing.store(true, ordering: .releasing)
        if isLeading { state.isLed = false }
        failures.tell(error)
        diagnostics.report(.appendFailed(durable: state.head.version, reason: Diagnostics.reason(error)))
        startRetryTimer()
        let head = state.head.version
        let tasks = state.tasks
        state.tasks = []
        monitor.unlock()
        monitor.broadcast(0)
        monitor.broadcast(1)
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
        if state.retryTimer != nil || state.isLetGo || state.isStopped { return }
        let timer = StoreTimer(self)
        state.retryTimer = timer
        let pause = retryDelay * (1 << min(state.retryCount, GroupCommit.doublingCount))
        state.retryCount += 1
        background.asyncAfter(deadline: .now() + .nanoseconds(pause.timerNanoseconds)) { timer.take()?.retry() }
    }

    private func retry() {
        monitor.withLock { state.retryTimer = nil }
        // Report the failure, and start the timer again. Not as a waiting thread, as in `flushQueued`.
        try? meet(.now)
    }

    /// Why the last attempt to append failed; nil if it did not.
    var failure: ListError? { monitor.withLock { state.failure } }

    /// A sequence of the failures from now on. It begins with the present state.
    func observeFailures() -> AsyncStream<ListError?> {
        // Failures are reported with the lock held, so none comes between the two.
        monitor.withLock { failures.stream(beginningWith: state.failure) }
    }
}

/// The observers of whether commits can be appended.
final class AppendFailures: Sendable {
    private let state = Locked(State())

    private struct State: Sendable {
        var observers: [(number: Int, continuation: AsyncStream<ListError?>.Continuation)] = []
        var nextNumber = 0
    }

    /// Whether nobody observes.
    var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

    func stream(beginningWith failure: ListError?) -> AsyncStream<ListError?> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ListError?.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(failure)
        let number = state.withLock { state in
            state.nextNumber += 1
            state.observers.append((state.nextNumber, continuation))
            return state.nextNumber
        }
        continuation.onEnd { [weak self] in self?.state.withLock { $0.observers.removeAll { $0.number == number } } }
        return stream
    }

    func tell(_ failure: ListError?) {
        state.withLock { for observer in $0.observers { observer.continuation.yield(failure) } }
    }

    /// Ends all sequences.
    func finish() {
        let all = state.withLock { state in
            defer { state.observers = [] }
            return state.observers
        }
        for observer in all { observer.continuation.finish() }
    }
}

// MARK: - The journal

/// The reference of a running timer to the queue. Not a weak reference, because an object that was ever referred to
/// weakly is counted slowly from then on, and every commit counts references to the queue.
final class StoreTimer: Sendable {
    private let group: Locked<GroupCommit?>

    init(_ group: GroupCommit) { self.group = Locked(group) }

    /// Takes the reference to the queue; nil if it was taken already.
    func take() -> GroupCommit? {
        group.withLock { group in
            defer { group = nil }
            return group
        }
    }
}

extension GroupCommit {
    /// Drains the durable entries of the journal into the database.
    ///
    /// - Throws: as `Journal.store`. Nothing is lost or less durable then.
    func store() throws {
        monitor.lock()
        defer { monitor.unlock() }
        // A background leader could continue for ever.
        state.moverCount += 1
        while state.isLed { monitor.wait(state.groupCount & 1) }
        state.moverCount -= 1
        try storeJournal()
    }

    /// As ``store()``, with the lock held and without a leader.
    private func storeJournal() throws {
        state.isLed = true
        monitor.unlock()
        let result = Result {
            try log.journal.store()
            try log.confirmed.save()
        }
        monitor.lock()
        state.isLed = false
        release(.thread)
        // Some threads waited for this and not for a commit.
        monitor.broadcast(0)
        monitor.broadcast(1)
        try result.get()
    }

    /// The pause after which the journal is looked at again that may not be drained yet.
    private static var heldBackPause: DispatchTimeInterval { .milliseconds(100) }

    /// Schedules draining the journal, and saving the confirmed end, unless that is scheduled already.
    func storeSoon() { monitor.withLock { startStoreTimer() } }

    /// As ``storeSoon()``. The lock is held.
    ///
    /// - Parameter delay: how long to wait; nil for what the options say.
    private func startStoreTimer(after delay: DispatchTimeInterval? = nil) {
        if state.storeTimer != nil || state.isLetGo || log.journal.isEmpty && !log.confirmed.isUnsaved { return }
        let timer = StoreTimer(self)
        state.storeTimer = timer
        background.asyncAfter(deadline: .now() + (delay ?? storeDelay)) { timer.take()?.storeInBackground() }
    }

    /// Cancels the timers, now and later, because the store was released; what is queued is still appended.
    func letGo() {
        let dropped = monitor.withLock {
            state.isLetGo = true
            // A flush drops the racer at its end.
            if !state.isEmpty && state.flushTimer == nil { queueFlush() }
            return (state.storeTimer, state.retryTimer, state.isEmpty ? state.racer.take() : nil)
        }
        _ = (dropped.0?.take(), dropped.1?.take())
    }

    private func storeInBackground() {
        monitor.lock()
        defer { monitor.unlock() }
        state.storeTimer = nil
        if state.isStopped { return }
        // The present leader schedules it again.
        if state.isLed { return startStoreTimer() }
        if log.isHeldBack { return startStoreTimer(after: Self.heldBackPause) }
        // If this fails, opening the store takes a little longer; the next commit that finds the journal full tries
        // again.
        try? storeJournal()
    }

    /// Prepares closing the file: empties the journal of durable entries and of entries that could not be appended.
    ///
    /// There is no leader any more. Durable entries that cannot be drained are left to the next opening.
    ///
    /// - Throws: as `Journal.discardFailed`.
    func settle() throws {
        defer {
            try? log.journal.store()
            try? log.confirmed.save()
        }
        try log.journal.discardFailed()
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
            while state.isLed { monitor.wait(state.groupCount & 1) }
        }
        do { try body() } catch {
            monitor.withLock { state.isStopped = false }
            try? meet(.now)
            // A thread that has given up may have been the one that the last leader woke.
            for condition in 0...1 { monitor.broadcast(condition) }
            throw error
        }
        let (tasks, timer) = monitor.withLock {
            diagnostics.report(.discarded(commits: state.newest.rawValue - state.head.version.rawValue))
            let empty = RecordRun(first: state.head.version.next)
            (state.writing, state.waiting) = (empty, empty)
            (state.isLost, state.racer) = (false, nil)
            defer { state.tasks = [] }
            return (state.tasks, state.flushTimer)
        }
        // It would keep the queue, however long it still runs.
        _ = timer?.take()
        monitor.broadcast(0)
        monitor.broadcast(1)
        for task in tasks { task.continuation.resume(throwing: ListError.closed) }
    }
}
