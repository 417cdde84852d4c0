// The frames of a playback, made on demand.
//
// Backward, the frames are made in runs: the versions of a run are replayed in the order of the log, because a block of packed
// commits is decoded from its start, and then returned in reverse.
//
// Always holds: the last frame ended with `rows`.

import ListModel

/// Makes the frames of a range of versions.
struct Reel {
    private let store: UntypedStore
    private let target: Version
    /// The rows that the next frame begins with.
    private var rows: UntypedSnapshot
    /// Prepared rows, the next ones last.
    private var ahead: [UntypedSnapshot] = []

    /// How many versions are prepared at once, playing backward.
    private static let runLength: UInt64 = 64

    /// - Parameters:
    ///   - start: the rows to begin with.
    ///   - target: the version to end with.
    init(_ store: UntypedStore, _ start: UntypedSnapshot, to target: Version) {
        self.store = store
        self.target = target
        rows = start
    }

    /// The next frame; nil at the end.
    mutating func next() throws -> PlaybackFrame? {
        if rows.version == target { return nil }
        let isBackward = rows.version > target
        let version = isBackward ? rows.version.previous : rows.version.next
        let next = try isBackward ? earlierRows(version) : store.snapshot(at: version)
        // The rows between two commits are shown equally long in both directions.
        let commit = try store.commit(max(version, rows.version))
        let frame = PlaybackFrame(previous: rows, snapshot: next, commit: commit, pause: try pause(since: rows.version))
        rows = next
        return frame
    }

    /// How long the rows of a version were shown, in the direction of the target.
    private func pause(since version: Version) throws -> Duration {
        let isBackward = version > target
        // The durations of the newest and of the oldest rows are unknown.
        if isBackward ? try version == store.version : version <= store.oldestVersion { return .zero }
        let (from, to) = (try store.commitInfo(version).time, try store.commitInfo(version.next).time)
        let (microseconds, isOver) = to.microseconds.subtractingReportingOverflow(from.microseconds)
        return isOver || microseconds < 0 ? .zero : .microseconds(microseconds)
    }

    private mutating func earlierRows(_ version: Version) throws -> UntypedSnapshot {
        if ahead.isEmpty {
            let count = min(Reel.runLength, version.rawValue - target.rawValue + 1)
            for number in version.rawValue + 1 - count...version.rawValue {
                ahead.append(try store.snapshot(at: Version(number)))
            }
        }
        return ahead.removeLast()
    }
}
