// The touches of the commits after the last indexed one, in memory.
//
// Always holds: `run` has the touches of the commits after `first`, up to `last`.

import ListModel

/// The touches that are not indexed yet, as far as somebody has asked for them.
struct TouchTail: Sendable {
    private(set) var first = Version.empty
    private(set) var last = Version.empty
    /// The checksum of the last commit; nil before the first. A commit that is made again, because another process was
    /// faster, is another one.
    private var checksum: UInt64?
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
    ///
    /// - Throws: ``RecordError`` with the problem `link` if the commits so far are not those before these.
    mutating func add(_ records: RecordRun) throws {
        for index in 0..<records.count {
            try records.withRecord(index) { record in
                checksum = try run.add(record, of: records.version(index), previousChecksum: checksum)
            }
        }
        last = records.version(records.count - 1)
    }

    /// The touches of a fingerprint up to a version, the newest first.
    func touches(of fingerprint: UInt32, through version: Version) -> [Touch] {
        run.touches.reversed().filter { $0.fingerprint == fingerprint && $0.version <= version }
    }

    /// The versions that deleted something, up to a version, the newest first.
    func deletions(through version: Version) -> [Version] { run.deletions.reversed().filter { $0 <= version } }
}
