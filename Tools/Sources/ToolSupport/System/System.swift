// What the tool asks the system about: files by their paths, its own program, time.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What the system knows about a file.
struct FileStatus {
    let isFolder: Bool
    /// In bytes.
    let size: Int

    /// The file at a path; nil if there is none.
    ///
    /// - Throws: ``SystemError`` if the system does not say whether there is one.
    init?(_ path: String) throws(SystemError) {
        var found = stat()
        guard stat(path, &found) == 0 else {
            let error = SystemError()
            if error.saysNoFile { return nil }
            throw error
        }
        isFolder = found.st_mode & S_IFMT == S_IFDIR
        size = Int(found.st_size)
    }
}

/// The program of this process.
public enum ThisProgram {
    /// Where it is; nil if the system does not tell.
    public static var path: String? {
        #if canImport(Darwin)
        Bundle.main.executablePath
        #else
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #endif
    }
}

/// Lets the thread sleep.
func pause(for duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var rest = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    var left = timespec()
    // A signal cuts it short.
    while nanosleep(&rest, &left) != 0 && errno == EINTR { rest = left }
}

extension Double {
    /// The number with so many digits after the point.
    func text(places: Int) -> String {
        // The greatest number has 309 digits; a sign, the point and the end of the text come to them.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 320 + places) { buffer in
            withVaList([Int32(places), self]) { _ = vsnprintf(buffer.baseAddress!, buffer.count, "%.*f", $0) }
            // SAFETY: `vsnprintf` has ended the text with a zero.
            return String(cString: buffer.baseAddress!)
        }
    }
}
