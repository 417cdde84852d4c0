// Clocks that a test advances.

import ListModel
import Synchronization

/// A wall clock for commits.
public final class TestTime: Sendable {
    private let microseconds: Atomic<Int64>

    public init(_ start: Timestamp = Timestamp(microseconds: 1_700_000_000_000_000)) {
        microseconds = Atomic(start.microseconds)
    }

    public var now: Timestamp { Timestamp(microseconds: microseconds.load(ordering: .relaxed)) }

    /// Lets time pass, or go back.
    public func advance(milliseconds: Int64) { microseconds.add(milliseconds * 1_000, ordering: .relaxed) }
}

/// A clock whose sleeps return at once; it records their durations.
public final class SleepingClock: Clock, Sendable {
    public struct Instant: InstantProtocol {
        public var offset: Duration
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State: Sendable {
        var now = Duration.zero
        var pauses: [Duration] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var now: Instant { Instant(offset: state.withLock { $0.now }) }
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The duration of each sleep.
    public var pauses: [Duration] { state.withLock { $0.pauses } }

    /// Advances the time without a sleep.
    public func advance(by duration: Duration) { state.withLock { $0.now += duration } }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.pauses.append(deadline.offset - state.now)
            state.now = max(state.now, deadline.offset)
        }
    }
}
