// The header of a commit, for projections.

/// The header of a commit, without its events.
public struct CommitInfo: Hashable, Sendable {
    /// The version that the commit made.
    public let version: Version
    /// Why it was made.
    public let cause: Commit.Cause
    /// The name of the user's action.
    public let name: String
    /// Who made it; may be empty.
    public let origin: String
    /// When it was made.
    public let time: Timestamp
    /// Whether it stands for all commits up to the version, which were dropped by compaction. Then name and origin are
    /// empty, and the time is 0.
    public let isSeed: Bool

    /// The header of a commit.
    public init(_ commit: Commit) {
        self.init(commit.version, commit.cause, name: commit.name, origin: commit.origin, commit.time)
    }

    /// The header of a commit, from its record, which is checked and not copied.
    ///
    /// - Throws: ``RecordError`` if the record is damaged.
    package init(record: UnsafeRawBufferPointer, version: Version) throws {
        let header = try RecordHeader(record, version: version, previousChecksum: nil)
        let (name, origin) = try header.names(record, version: version)
        self.init(version, header.cause, name: name, origin: origin, header.time)
    }

    /// A stand-in for all commits up to a version.
    public init(seedOf version: Version) {
        self.init(version, .edit, name: "", origin: "", Timestamp(microseconds: 0), isSeed: true)
    }

    init(
        _ version: Version, _ cause: Commit.Cause, name: String, origin: String, _ time: Timestamp, isSeed: Bool = false
    ) {
        (self.version, self.cause, self.name, self.origin) = (version, cause, name, origin)
        (self.time, self.isSeed) = (time, isSeed)
    }
}

extension CommitInfo: CustomStringConvertible {
    /// As that of the commit: `8 undo of 7 "Add Milk" by anna, 2026-11-23T05:40:41Z`.
    public var description: String {
        isSeed ? "what was before \(version)" : Commit.text(version, cause, name: name, origin: origin, time)
    }
}
