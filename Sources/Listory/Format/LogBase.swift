// The beginning of a compacted log: the version before its first commit, and totals of the dropped commits.
//
// Always holds: the checkpoint of the base is in the file and is never dropped; the contents of rows that were written in
// dropped commits and may still be shown are in the database of contents.

import ListModel

/// The row of `meta` for the beginning of the log.
struct LogBase: Equatable {
    /// The oldest version that exists.
    var version = Version.empty
    /// The checksum of the record of its commit, to which the first commit links.
    var checksum: UInt64 = 0
    /// The number of events, and the bytes of records, up to it.
    var eventCount: UInt64 = 0
    var recordBytes: UInt64 = 0
    /// The last version whose commit may be in a packed block; those after it are records.
    var lastPacked = Version.empty

    static let byteCount = 48
    /// How many bytes a row of an earlier build has; in later rows, a checksum follows them.
    static let uncheckedByteCount = 40

    init() {}

    /// The totals up to a checkpoint, except for the bytes of records, which it does not have.
    init(_ checkpoint: Checkpoint) {
        (version, checksum) = (checkpoint.version, checkpoint.checksum)
        eventCount = min(checkpoint.eventCount, 1 << 60)
    }

    var bytes: [UInt8] {
        let words = [version.rawValue, checksum, eventCount, recordBytes, lastPacked.rawValue]
        let bytes = words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
        return bytes + withUnsafeBytes(of: LogBase.checksum(bytes).littleEndian) { Array($0) }
    }

    init?(bytes: [UInt8]) {
        guard bytes.count == LogBase.byteCount || bytes.count == LogBase.uncheckedByteCount else { return nil }
        let words = bytes.withUnsafeBytes { raw in
            stride(from: 0, to: bytes.count, by: 8).map {
                UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
        if bytes.count == LogBase.byteCount {
            guard words[5] == LogBase.checksum(Array(bytes[..<LogBase.uncheckedByteCount])) else { return nil }
        }
        version = Version(words[0])
        checksum = words[1]
        eventCount = words[2]
        recordBytes = words[3]
        lastPacked = Version(words[4])
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { XXHash64.hash($0, seed: 0) }
    }

    /// Checks that a head can be the end of a log with this base, because counts are computed as differences of the
    /// two.
    ///
    /// - Throws: ``ListError/headMismatch(what:expected:found:)``.
    func check(_ head: LogPosition) throws {
        // Far above the size of any log, and far below the point where sums overflow.
        let limit: UInt64 = 1 << 62
        let isSound =
            max(version, lastPacked) <= head.version && head.version.rawValue < limit
            && eventCount <= head.eventCount && head.eventCount < limit
            && recordBytes <= head.recordBytes && head.recordBytes < limit
        guard isSound else {
            throw ListError.headMismatch(
                what: "base row", expected: "one that the log can end after with \(head)", found: "\(self)")
        }
    }
}
