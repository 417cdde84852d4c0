// Tells observers whether commits can be appended.
//
// Always holds: a sequence begins with the state when it was asked for, and ends when the store is closed or released.

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
