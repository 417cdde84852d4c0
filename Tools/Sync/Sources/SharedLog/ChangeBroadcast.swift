import Synchronization

/// Wakes all who wait for changes of one log.
///
/// A stream keeps one wake-up for a reader that is busy: the reader looks at the end of the log anyway, so more would say nothing new.
package final class ChangeBroadcast: Sendable {
    private struct State {
        var streams: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    package init() {}

    deinit { finish() }

    package func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let key: Int? = state.withLock { state in
            if state.isFinished { return nil }
            state.next += 1
            state.streams[state.next] = continuation
            return state.next
        }
        guard let key else {
            continuation.finish()
            return stream
        }
        // The reader of a new stream knows of no earlier change.
        continuation.yield()
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.streams.removeValue(forKey: key) }
        }
        return stream
    }

    package func yield() {
        // Outside of the lock: a continuation may run code of others.
        for continuation in state.withLock({ Array($0.streams.values) }) { continuation.yield() }
    }

    package func finish() {
        let streams = state.withLock { state in
            state.isFinished = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for continuation in streams { continuation.finish() }
    }
}
