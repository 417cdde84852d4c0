// Leading: one thread appends what has queued up, and releases those who waited for it.

import ListModel

extension GroupCommit {
    /// Writes everything that waits, and releases those who waited for it. The lock is held, but not during the write.
    func lead() {
        state.isLed = true
        if !state.hasLeftover { takeBatch() }
        let batch = state.writing
        let start = ContinuousClock.now
        // Before which record one lies that could not be appended; the records after it have not been tried.
        var suspectEnd = 0
        while state.head.version.next < batch.version(batch.count) {
            let head = state.head
            let first = Int(head.version.next.rawValue - batch.first.rawValue)
            // What cannot be appended must not hold back what was committed before it: halves lead there in few steps.
            let end = first < suspectEnd ? first + (suspectEnd - first + 1) / 2 : batch.count
            monitor.unlock()
            let result = Result { try log.append(batch, first..<end, after: head) }
            monitor.lock()
            switch result {
            case .success(let head): state.head = head
            case .failure(let error):
                guard end - first == 1 else {
                    suspectEnd = end
                    continue
                }
                return fail(StoreError.appendFailed(durable: head.version, cause: error))
            }
        }
        finish(since: start)
    }

    /// Makes all that waits the batch that is written.
    private func takeBatch() {
        state.writing = state.waiting
        let next = state.waiting.version(state.waiting.count)
        state.waiting = RecordBatch(first: next, reserving: state.writing.size)
        state.batchCount &+= 1
        state.threadCount = 0
        state.hasTimekeeper = false
        state.gathering.beginBatch()
    }

    private func finish(since start: ContinuousClock.Instant) {
        state.gathering.endBatch(since: start)
        isFailing.store(false, ordering: .releasing)
        state.isLed = false
        let head = state.head.version
        let tasks = state.tasks.isEmpty ? [] : state.tasks.filter { $0.version <= head }
        if !tasks.isEmpty { state.tasks.removeAll { $0.version <= head } }
        let condition = state.batchCount & 1
        let hasThreads = state.threadCount > 0
        let needsFlush = !state.tasks.isEmpty && !state.isFlushQueued
        if needsFlush { state.isFlushQueued = true }
        monitor.unlock()
        monitor.broadcast(condition)
        if hasThreads { monitor.signal(1 - condition) }
        for task in tasks { task.continuation.resume() }
        if needsFlush { flushInBackground() }
        monitor.lock()
    }

    private func fail(_ error: StoreError) {
        state.failureCount &+= 1
        state.failure = error
        state.gathering = Gathering()
        isFailing.store(true, ordering: .releasing)
        state.isLed = false
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

// MARK: - Giving up

extension GroupCommit {
    /// Ends all writing for good, calls `body`, and gives up what is not in the file.
    ///
    /// Whoever still waits for it is told that the store is closed. If `body` throws, writing goes on.
    func discardUnappended(_ body: () throws -> Void) throws {
        monitor.withLock {
            // Nobody begins to lead any more, and whoever leads wakes the threads of its batch, of which this is one.
            state.isStopped = true
            while state.isLed { monitor.wait(state.batchCount & 1) }
        }
        do { try body() } catch {
            monitor.withLock { state.isStopped = false }
            try? meet(.now)
            throw error
        }
        let tasks = monitor.withLock {
            let empty = RecordBatch(first: state.head.version.next)
            (state.writing, state.waiting) = (empty, empty)
            defer { state.tasks = [] }
            return state.tasks
        }
        monitor.broadcast(0)
        monitor.broadcast(1)
        for task in tasks { task.continuation.resume(throwing: StoreError.closed) }
    }
}
