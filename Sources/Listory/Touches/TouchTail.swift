// Touches of commits that are not indexed, in memory: those after the last indexed one, and those that a compaction has packed.
//
// Always holds: a tail has the touches of the commits after `first`, up to `last`.

import ListModel

/// The touches that are not indexed.
struct TouchTails: Sendable {
    /// Those of commits that a compaction has packed.
    var packed = TouchTail()
    /// Those of the newest commits.
    var newest = TouchTail()
    /// How often commits had been replaced when the newest were read.
    var revision: UInt64 = 0
}

/// The touches of consecutive commits, as far as somebody has asked for them.
struct TouchTail: Sendable {
    private(set) var first = Version.empty
    private(set) var last = Version.empty
    private var run = TouchRun()

    /// Begins after the last indexed commit.
    mutating func begin(after indexed: Version) {
        if indexed == first { return }
        if indexed > first && indexed < last {
            run.removeAll(through: indexed)
            first = indexed
        } else {
            self = TouchTail()
            (first, last) = (indexed, indexed)
        }
    }

    /// Adds the next commits.
    mutating func add(_ records: RecordRun) throws {
        for index in 0..<records.count {
            let version = records.version(index)
            try records.withRecord(index) { try run.add($0, of: version) }
            last = version
        }
    }

    /// The touches of some fingerprints up to a version, one for each commit; of each, the newest first.
    func touches(of fingerprints: [UInt32], through version: Version) -> [[Touch]] {
        var found: [UInt32: [Touch]] = [:]
        for fingerprint in fingerprints { found[fingerprint] = [] }
        for touch in run.touches.reversed() where touch.version <= version { found[touch.fingerprint]?.add(touch) }
        return fingerprints.map { found[$0] ?? [] }
    }

    /// All landmarks before a version.
    func landmarks(before end: Version) -> Landmarks {
        Landmarks(versions: run.landmarks.reversed().filter { $0 < end }, since: first.next)
    }
}

extension [Touch] {
    /// Adds a touch. What a commit did in several events becomes one touch.
    fileprivate mutating func add(_ touch: Touch) {
        if last?.version == touch.version {
            self[count - 1].kinds.formUnion(touch.kinds)
        } else {
            append(touch)
        }
    }
}
