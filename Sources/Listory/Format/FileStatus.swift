// Queries the file system about paths.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

enum FileStatus {
    /// Whether a file exists at the path.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    /// Whether two paths lead to the same file.
    static func isSame(_ first: String, _ second: String) -> Bool {
        var (left, right) = (stat(), stat())
        guard stat(first, &left) == 0, stat(second, &right) == 0 else { return false }
        return left.st_dev == right.st_dev && left.st_ino == right.st_ino
    }

    /// The path without symbolic links; unchanged if a part of it does not exist.
    static func resolved(_ path: String) -> String {
        guard let buffer = realpath(path, nil) else { return path }
        defer { free(buffer) }
        return String(cString: buffer)
    }

    /// Removes a store that no process has open, with its lock file.
    static func remove(_ path: String) {
        unlink(path)
        unlink(path + "-lock")
    }

    /// How many bytes the file at the path has; 0 if there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

/// A fingerprint that changes when a file is written or replaced: its identity, its length, and the time of its last
/// change.
struct FileFingerprint: Equatable {
    private let numbers: [Int64]

    /// The fingerprint of the file at a path; nil if there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        numbers = [
            Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino),
            Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec),
        ]
    }
}
