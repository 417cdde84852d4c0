// A position in the log, with what an end of the log has to agree about: the row of the head, that of the confirmed end, the beginning of a
// journal entry, and what a process has published are such positions.
//
// Always holds: the counts are those of all commits before it, dropped ones included, so differences of two positions are counts of what is
// between them.

import ListModel

/// A position in the log: between a commit and the next one, or before the first.
struct LogPosition: Equatable {
    /// The version of the commit before it.
    var version = Version.empty
    /// The checksum of the record of that commit.
    var checksum: UInt64 = 0
    /// How many events the commits before it have together.
    var eventCount: UInt64 = 0
    /// How many bytes their records have together.
    var recordBytes: UInt64 = 0

    static let byteCount = 32
    /// What is read must be that.
    static let expectation =
        "\(byteCount) bytes, with a version below \(Limits.versions) and totals below \(Limits.totals)"

    var bytes: [UInt8] {
        [version.rawValue, checksum, eventCount, recordBytes].flatMap { word in
            withUnsafeBytes(of: word.littleEndian) { Array($0) }
        }
    }

    /// The beginning of a log that has all its commits.
    init() {}

    /// The beginning of a compacted log.
    init(_ base: LogBase) {
        (version, checksum) = (base.version, base.checksum)
        (eventCount, recordBytes) = (base.eventCount, base.recordBytes)
    }

    /// The position of its bytes; nil if they are none, or if it is out of bounds.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == LogPosition.byteCount else { return nil }
        func word(_ index: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
        }
        (version, checksum, eventCount, recordBytes) = (Version(word(0)), word(1), word(2), word(3))
        guard word(0) < Limits.versions, eventCount < Limits.totals, recordBytes < Limits.totals else { return nil }
    }

    /// The position before the commit that is in front of this one.
    ///
    /// - Parameter checksum: the checksum of the commit before that.
    func removing(_ commit: Commit, after checksum: UInt64) -> LogPosition {
        var position = self
        position.version = version.previous
        position.checksum = checksum
        position.eventCount &-= UInt64(commit.eventCount)
        position.recordBytes &-= UInt64(commit.record.count)
        return position
    }

    /// Moves behind the next commit.
    mutating func append(_ record: UnsafeRawBufferPointer, version: Version, eventCount: Int) {
        self.version = version
        checksum = UInt64(littleEndian: record.loadUnaligned(as: UInt64.self))
        self.eventCount &+= UInt64(eventCount)
        recordBytes &+= UInt64(record.count)
    }
}
