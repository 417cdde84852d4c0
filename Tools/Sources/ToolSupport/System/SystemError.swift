// A failed call of the operating system. Always holds: it says what the system says.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A failed call of the operating system.
struct SystemError: Error, CustomStringConvertible {
    private let number: Int32

    /// An error with a number of the system; without one, that of the last failed call on this thread.
    init(_ number: Int32 = errno) { self.number = number }

    /// Whether there is no such file, nor a folder that could have it.
    var saysNoFile: Bool { number == ENOENT || number == ENOTDIR }
    /// Whether this process lacks a permission.
    var saysNotPermitted: Bool { number == EACCES || number == EPERM }
    /// Whether nobody reads any more what is written.
    var saysBrokenPipe: Bool { number == EPIPE }

    var description: String { String(cString: strerror(number)) }
}
