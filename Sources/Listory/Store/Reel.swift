// The frames of a playback, made as they are needed.
//
// Backward, versions are reached in runs: the rows of a run are made in the order of the log, because packed commits can be
// replayed only in that order, and then given out the other way round.
//
// Always holds: what was given out last ended with `rows`.

import ListModel

/// Makes the frames of a range of versions.
struct Reel {
    private let store: Store
    private let target: Version
    /// The rows that the next frame begins with.
    private var rows: Snapshot
    /// Rows that were made ahead, the next ones last.
    private var ahead: [Snapshot] = []

    /// How many versions are made ahead, playing backward.
    private static let runLength: UInt64 = 64

    /// - Parameters:
    ///   - start: the rows to begin with.
    ///   - target: the version to end with.
    init(_ store: Store, _ start: Snapshot, to target: Version) {
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
        // What stood between two commits stood as long, whichever way it is played.
        let commit = try store.commit(max(version, rows.version))
        let frame = PlaybackFrame(previous: rows, snapshot: next, commit: commit, pause: try pause(since: rows.version))
        rows = next
        return frame
    }

    /// How long the rows of a version stood in the direction of the target.
    private func pause(since version: Version) throws -> Duration {
        let isBackward = version > target
        // Of the newest rows nobody knows how long they will stand, of the oldest since when they did.
        if isBackward ? try version == store.version : version <= store.oldestVersion { return .zero }
        let (from, to) = (try store.commit(version).time, try store.commit(version.next).time)
        let (microseconds, isOver) = to.microseconds.subtractingReportingOverflow(from.microseconds)
        return isOver || microseconds < 0 ? .zero : .microseconds(microseconds)
    }

    private mutating func earlierRows(_ version: Version) throws -> Snapshot {
        if ahead.isEmpty {
            let count = min(Reel.runLength, version.rawValue - target.rawValue + 1)
            for number in version.rawValue + 1 - count...version.rawValue {
                ahead.append(try store.snapshot(at: Version(number)))
            }
        }
        return ahead.removeLast()
    }
}
