// What the file system says of a path.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

enum FileStatus {
    /// Whether anything is at the path.
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

    /// How many bytes the file at the path has; 0 if there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
