import Synchronization

/// Sends values to all who read them. A reader that is busy gets the newest.
package final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var streams: [Int: AsyncStream<Element>.Continuation] = [:]
        var next = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    package init() {}

    deinit { finish() }

    /// The values from now on, after a first one.
    package func stream(beginningWith first: Element) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(1))
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
        continuation.yield(first)
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.streams.removeValue(forKey: key) }
        }
        return stream
    }

    package func yield(_ element: Element) {
        // Outside of the lock: a continuation may run code of others.
        for continuation in state.withLock({ Array($0.streams.values) }) { continuation.yield(element) }
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

/// Wakes all who wait for changes of one log. The reader looks at the end of the log anyway, so more than one wake-up would say nothing new.
package typealias ChangeBroadcast = Broadcast<Void>

extension Broadcast<Void> {
    /// Its reader knows of no earlier change, so it is woken at once.
    package func stream() -> AsyncStream<Void> { stream(beginningWith: ()) }

    package func yield() { yield(()) }
}
