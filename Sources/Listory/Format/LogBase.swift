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
    var sealed = Version.empty

    static let byteCount = 40

    init() {}

    var bytes: [UInt8] {
        [version.rawValue, checksum, eventCount, recordBytes, sealed.rawValue].flatMap { word in
            withUnsafeBytes(of: word.littleEndian) { Array($0) }
        }
    }

    init?(bytes: [UInt8]) {
        guard bytes.count == LogBase.byteCount else { return nil }
        let words = bytes.withUnsafeBytes { raw in
            stride(from: 0, to: LogBase.byteCount, by: 8).map {
                UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
        version = Version(words[0])
        checksum = words[1]
        eventCount = words[2]
        recordBytes = words[3]
        sealed = Version(words[4])
    }
}
