import Dispatch

/// Runs an actor on a dispatch queue of its own, so that the calls of a blocking client library do not take threads from Swift's
/// cooperative pool, which has few.
package final class ConnectionExecutor: SerialExecutor {
    package let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// When a connection may be made again: each attempt that fails doubles the pause before the next one.
package struct GrowingPause: Sendable {
    private let first: Duration
    private let longest: Duration
    private var current: Duration
    private var earliest: ContinuousClock.Instant?

    package init(first: Duration = .milliseconds(50), longest: Duration = .seconds(10)) {
        self.first = first
        self.longest = longest
        current = first
    }

    /// How long to wait before the next attempt; zero if it may be made now.
    package var remaining: Duration {
        guard let earliest else { return .zero }
        return max(.zero, earliest - ContinuousClock.now)
    }

    package mutating func failed() {
        earliest = ContinuousClock.now + current
        current = min(longest, current * 2)
    }

    package mutating func succeeded() {
        earliest = nil
        current = first
    }
}

extension Duration {
    package var milliseconds: Int64 {
        components.seconds.multipliedReportingOverflow(by: 1000).partialValue
            &+ components.attoseconds / 1_000_000_000_000_000
    }
}
