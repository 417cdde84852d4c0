// Calls the peer in C.

import BenchSupport
import RawLMDB

/// Appends records to LMDB with nothing in between.
enum RawLog {
    /// A call of LMDB failed.
    struct Failed: Error {
        let code: Int
    }

    /// The seconds that the peer needs to append records in groups of a size, each with one sync.
    static func seconds(_ records: [[UInt8]], batch: Int, path: String) throws -> Double {
        let bytes = records.flatMap { $0 }
        return try bytes.withUnsafeBytes { bytes in
            var offset = 0
            let parts = records.map { record in
                defer { offset += record.count }
                return raw_record(bytes: bytes.baseAddress! + offset, count: record.count)
            }
            // SAFETY: the parts point into `bytes`, which lives until the closure returns.
            let seconds = raw_lmdb_append(path, parts, parts.count, batch)
            guard seconds >= 0 else { throw Failed(code: Int(seconds)) }
            return seconds
        }
    }
}
