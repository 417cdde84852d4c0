// Touches of commits that are not indexed, in memory: those after the last indexed one, and those that a compaction has packed.
//
// A search sorts them, so the next ones look at few of them.
//
// Always holds: a tail has the touches of the commits after `first`, up to `last`. A commit that cannot be read may have done everything
// to all rows and sections. A search that has to know reads the commit, and gets its error; all others find what they look for.

import ListModel

/// The touches that are not indexed.
struct TouchTails: Sendable {
    /// Those of commits that a compaction has packed.
    var packed = TouchTail()
    /// Those of the newest commits.
    var newest = TouchTail()
    /// How often commits had been replaced when the newest were read.
    var revision: UInt64 = 0
    /// The rows and sections that the log begins with, once somebody has asked for them. They never change.
    var oldest: OldestSubjects?
    /// For tests: how many rows and sections of the oldest version were read.
    var oldestReadCount = 0
}

/// The touches of consecutive commits, as far as somebody has asked for them.
struct TouchTail: Sendable {
    private(set) var first = Version.empty
    private(set) var last = Version.empty
    private var run = TouchRun()
    /// The commits that cannot be read, ascending.
    private var gaps: [Version] = []
    /// For tests: how many touches searches have looked at.
    private(set) var lookCount = 0

    /// Begins after the last indexed commit.
    mutating func begin(after indexed: Version) {
        if indexed == first { return }
        if indexed > first && indexed < last {
            run.removeAll(through: indexed)
            gaps.removeAll { $0 <= indexed }
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

    /// Adds the next commit, which cannot be read.
    mutating func addGap() {
        last = last.next
        gaps.append(last)
    }

    /// What a commit that cannot be read may have done.
    static let anything: ChangeKinds = [.inserted, .deleted, .moved, .updated, .toggled, .outlined]

    /// The touches of some fingerprints up to a version, one for each commit; of each, the newest first.
    ///
    /// - Complexity: O(log n + k) for each fingerprint, for n touches in the tail, k of which have it; O(n) more if commits were added
    ///   since the last search.
    mutating func touches(of fingerprints: [UInt32], through version: Version) -> [[Touch]] {
        run.sort()
        let touches = run.touches
        let gaps = gaps.filter { $0 <= version }
        var lookCount = 0
        let found = fingerprints.map { fingerprint -> [Touch] in
            let start = touches.sortedIndex { touch in
                lookCount += 1
                if touch.fingerprint == fingerprint { return touch.version <= version }
                return touch.fingerprint > fingerprint
            }
            let own = touches[start...].prefix { $0.fingerprint == fingerprint }
            lookCount += own.count
            if gaps.isEmpty { return Array(own) }
            let unknown = gaps.map { Touch(fingerprint, TouchTail.anything, $0) }
            return (own + unknown).sorted { $0.version > $1.version }
        }
        self.lookCount += lookCount
        return found
    }

    /// All landmarks before a version.
    func landmarks(before end: Version) -> Landmarks {
        let landmarks = gaps.isEmpty ? run.landmarks : (run.landmarks + gaps).sorted()
        return Landmarks(versions: landmarks.reversed().filter { $0 < end }, since: first.next)
    }
}
