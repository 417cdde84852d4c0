// The names that lead to a file, and those in a folder.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Platform {
    /// Whether a file has further names (hard links). They still lead to it after another file has got this name.
    package static func hasOtherNames(_ path: String) -> Bool {
        var record = stat()
        // SAFETY: `record` lives through the call; the path is a C string for its duration.
        return stat(path, &record) == 0 && record.st_nlink > 1
    }

    /// The names in a folder, in any order, or the error number. They are bytes, because they need not be text.
    package static func names(in folder: String) -> Result<[[UInt8]], SystemError> {
        guard let stream = opendir(folder) else { return .failure(SystemError(number: errno)) }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            // At the end of the folder, the error number stays as it is.
            errno = 0
            guard let entry = readdir(stream) else {
                return errno == 0 ? .success(names) : .failure(SystemError(number: errno))
            }
            // SAFETY: the entry is valid until the next one is read, and its name ends with a zero.
            names.append(withUnsafeBytes(of: &entry.pointee.d_name) { name in Array(name.prefix { $0 != 0 }) })
        }
    }
}
