// Plays a range of versions one after another, at the original speed or another one, forward or backward.
//
// Always holds: a frame begins with the rows at the end of the frame before; playing changes neither the store nor the
// next undo.

import ListModel

/// One step of a playback: from the rows of a version to those of the next, or of the one before.
public struct PlaybackFrame: Sendable {
    /// The rows before.
    public let previous: UntypedSnapshot
    /// The rows after.
    public let snapshot: UntypedSnapshot
    /// The commit that made the difference. In a backward playback, it is taken back.
    public let commit: Commit
    /// How long the list had the rows before.
    public let pause: Duration

    /// The changes, for a list view to play. They are computed on access.
    ///
    /// - Complexity: O(k log n) for k rows that differ.
    public var changeset: Changeset { Changeset(from: previous, to: snapshot) }
}

/// The speed of a playback.
public struct PlaybackSpeed: Hashable, Sendable {
    private enum Pace: Hashable {
        case times(Double)
        case every(Duration)
    }

    private var pace: Pace
    /// The longest pause between two frames; nil for the original pauses.
    public var longestPause: Duration?

    /// The original speed.
    public static let original = PlaybackSpeed.times(1)
    /// One frame after another, without pauses.
    public static let unpaced = PlaybackSpeed.every(.zero)

    /// A multiple of the original speed.
    ///
    /// - Parameters:
    ///   - factor: how many times as fast; above 0.
    ///   - longestPause: the longest pause between two frames, after the factor; nil for none.
    public static func times(_ factor: Double, longestPause: Duration? = nil) -> PlaybackSpeed {
        precondition(factor > 0, "a playback goes on")
        return PlaybackSpeed(pace: .times(factor), longestPause: longestPause)
    }

    /// A frame in each interval, independent of the original times.
    public static func every(_ interval: Duration) -> PlaybackSpeed {
        PlaybackSpeed(pace: .every(interval), longestPause: nil)
    }

    /// The pause before a frame.
    ///
    /// - Parameter original: the original pause: ``PlaybackFrame/pause``.
    public func pause(_ original: Duration) -> Duration {
        let pause: Duration
        switch pace {
        case .times(1): pause = original
        case .times(let factor):
            // A very small factor would make a pause that is too long for a duration.
            pause = .seconds(min(original / .seconds(1) / factor, 1e9))
        case .every(let interval): pause = interval
        }
        return max(.zero, min(pause, longestPause ?? pause))
    }
}

/// The frames of a range of versions, each at its time.
///
/// ```swift
/// let playback = try store.playback(from: version, to: store.version, speed: .times(4, longestPause: .seconds(1)))
/// show(playback.initial)
/// for try await frame in playback {
///     play(frame.changeset, on: tableView)         // the rows: try ListSnapshot(frame.snapshot, of: store)
/// }
/// ```
///
/// Each loop plays from the beginning. The time that a loop takes for a frame is part of the next pause; if it takes
/// longer than that, the next frame follows at once. It ends with `CancellationError` if its task is cancelled.
public struct VersionPlayback<C: Clock<Duration>>: AsyncSequence, Sendable {
    public typealias Element = PlaybackFrame

    /// The rows before the first frame.
    public let initial: UntypedSnapshot
    /// The version that the last frame leads to.
    public let target: Version
    let store: UntypedStore
    let speed: PlaybackSpeed
    let clock: C

    public func makeAsyncIterator() -> Iterator { Iterator(playback: self, reel: Reel(store, initial, to: target)) }

    /// Waits for frames.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let playback: VersionPlayback
        fileprivate var reel: Reel
        /// The time from which the next pause is counted.
        fileprivate var due: C.Instant?

        /// Waits for the time of the next frame, and returns it; nil at the end.
        public mutating func next() async throws -> PlaybackFrame? {
            guard let frame = try door({ try reel.next() }) else { return nil }
            try Task.checkCancellation()
            let pause = playback.speed.pause(frame.pause)
            let instant = (due ?? playback.clock.now).advanced(by: pause)
            if playback.clock.now < instant {
                try await playback.clock.sleep(until: instant, tolerance: nil)
                due = instant
            } else {
                due = playback.clock.now
            }
            return frame
        }
    }
}

extension StoreProtocol {
    /// A range of versions as frames, each at its time.
    ///
    /// - Parameters:
    ///   - start: the version to begin with.
    ///   - end: the version to end with; if it is the older one, it is played backward.
    ///   - speed: the speed.
    ///   - clock: the clock for the pauses.
    /// - Throws: as ``UntypedStore/snapshot(at:)-(Version)``.
    /// - Complexity: that of ``UntypedStore/snapshot(at:)-(Version)``; of each frame, O(k log n) for k rows that its commit
    ///   changed.
    public func playback<C: Clock<Duration>>(
        from start: Version, to end: Version, speed: PlaybackSpeed = .original, clock: C = ContinuousClock()
    ) throws -> VersionPlayback<C> {
        let (first, last) = try ends(start, end)
        return VersionPlayback(initial: first, target: last.version, store: core, speed: speed, clock: clock)
    }

    /// Calls `body` with the frames of a range of versions, without waiting.
    ///
    /// - Parameters:
    ///   - start: the version to begin with.
    ///   - end: the version to end with; if it is the older one, it is played backward.
    ///   - body: is called with each frame.
    /// - Throws: as ``UntypedStore/snapshot(at:)-(Version)``, and what `body` throws.
    /// - Complexity: as ``playback(from:to:speed:clock:)``.
    public func forEachFrame(from start: Version, to end: Version, _ body: (PlaybackFrame) throws -> Void) throws {
        let (first, last) = try ends(start, end)
        var reel = Reel(core, first, to: last.version)
        while let frame = try door({ try reel.next() }) { try body(frame) }
    }

    /// The rows of two versions that commits lead to: a named version before the log has rows, and no frame.
    private func ends(_ start: Version, _ end: Version) throws -> (UntypedSnapshot, UntypedSnapshot) {
        let oldest = core.oldestVersion
        if min(start, end) < oldest { throw ListError.droppedVersion(min(start, end), oldest: oldest) }
        return (try core.snapshot(at: start), try core.snapshot(at: end))
    }
}
