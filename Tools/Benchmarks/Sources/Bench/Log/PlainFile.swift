// What a commit costs at least: a write of its bytes to a file, and a sync.
//
// Always holds: the file has its size and its bytes before the measurement, so a sync writes no metadata.

import BenchSupport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Writes records one after another to a plain file.
enum PlainFile {
    /// A call of the system failed.
    struct Failed: Error {
        let call: String
        let code: Int32
    }

    /// The seconds for writing each record with `pwrite` and `fdatasync`.
    static func seconds(_ records: [[UInt8]], path: String) throws -> Double {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { throw Failed(call: "open", code: errno) }
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: records.reduce(0) { $0 + $1.count })
        try write(zeros, to: descriptor, at: 0)
        var offset = 0
        return try BenchSupport.seconds {
            for record in records {
                try write(record, to: descriptor, at: offset)
                offset += record.count
            }
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int) throws {
        guard pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
            throw Failed(call: "pwrite", code: errno)
        }
        #if canImport(Darwin)
        guard fcntl(descriptor, F_FULLFSYNC) == 0 else { throw Failed(call: "fcntl", code: errno) }
        #else
        guard fdatasync(descriptor) == 0 else { throw Failed(call: "fdatasync", code: errno) }
        #endif
    }
}
