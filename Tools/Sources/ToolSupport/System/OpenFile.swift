// Reads and writes open files, without buffering and with the errors of the system.
//
// Always holds: bytes are written completely and in order; a call that a signal has interrupted is repeated, and so is
// one for which a file was not ready; no file goes on to programs that this one starts, unless it is one of their streams.

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

/// A file, or an end of a pipe, that is closed when nobody has it any more.
final class OpenFile: Sendable {
    /// The number by which the system knows it.
    let descriptor: Int32
    private let isOwned: Bool

    /// - Parameter isOwned: whether it is to be closed.
    private init(_ descriptor: Int32, isOwned: Bool = true) throws(SystemError) {
        guard descriptor >= 0 else { throw SystemError() }
        (self.descriptor, self.isOwned) = (descriptor, isOwned)
        if isOwned { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    deinit { if isOwned { close(descriptor) } }

    /// Opens a file for reading.
    convenience init(reading path: String) throws(SystemError) { try self.init(open(path, O_RDONLY)) }

    /// Opens a file for writing.
    convenience init(writing path: String) throws(SystemError) { try self.init(open(path, O_WRONLY)) }

    /// Makes a file, which must not exist, for writing.
    convenience init(creating path: String) throws(SystemError) {
        try self.init(open(path, O_WRONLY | O_CREAT | O_EXCL, 0o666))
    }

    /// Makes a file without a name, for writing and reading.
    static func temporary() throws(SystemError) -> OpenFile {
        let folder = FileManager.default.temporaryDirectory
        var path = Array(folder.appendingPathComponent("listory-XXXXXX").path.utf8CString)
        let file = try OpenFile(mkstemp(&path))
        unlink(path)
        return file
    }

    /// The two ends of a new pipe.
    static func pipe() throws(SystemError) -> (reader: OpenFile, writer: OpenFile) {
        var ends: [Int32] = [-1, -1]
        guard makePipe(&ends) == 0 else { throw SystemError() }
        return (try OpenFile(ends[0]), try OpenFile(ends[1]))
    }

    /// The standard input of the process.
    static func standardInput() throws(SystemError) -> OpenFile { try OpenFile(STDIN_FILENO, isOwned: false) }

    /// The next bytes, at most so many; none at the end. Waits until there are some.
    func read(upTo count: Int = 1 << 16) throws(SystemError) -> [UInt8] {
        var found = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            found = OpenFile.repeating(descriptor, POLLIN) { readBytes(descriptor, buffer.baseAddress, count) }
            initializedCount = max(0, found)
        }
        if found < 0 { throw SystemError() }
        return bytes
    }

    /// All bytes up to the end.
    func readToEnd() throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try read()
            if more.isEmpty { return bytes }
            bytes += more
        }
    }

    /// Goes back to the beginning.
    func rewind() throws(SystemError) { if lseek(descriptor, 0, SEEK_SET) < 0 { throw SystemError() } }

    /// Writes bytes.
    func write(_ bytes: [UInt8]) throws(SystemError) { try OpenFile.write(bytes, to: descriptor) }

    /// Writes bytes to the file with a number.
    static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) throws(SystemError) {
        let bytes = ContiguousArray(bytes)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                // SAFETY: `written` is less than the number of bytes.
                repeating(descriptor, POLLOUT) {
                    writeBytes(descriptor, raw.baseAddress! + written, raw.count - written)
                }
            }
            if count < 0 { throw SystemError() }
            written += count
        }
    }

    private static func repeating(_ descriptor: Int32, _ event: Int32, _ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || !canRepeat(descriptor, event) { return result }
        }
    }

    /// Whether a failed call can be repeated: a signal interrupted it, or the file was not ready, and now is.
    /// Another program may have made a standard stream non-blocking; then calls fail instead of waiting.
    ///
    /// - Parameter event: `POLLIN` for a read, `POLLOUT` for a write.
    static func canRepeat(_ descriptor: Int32, _ event: Int32) -> Bool {
        if errno == EINTR { return true }
        guard errno == EAGAIN || errno == EWOULDBLOCK else { return false }
        var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return poll(&request, 1, -1) >= 0 || errno == EINTR
    }
}

// The functions of the C library whose names are those of members above.
private func makePipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }
private func readBytes(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, bytes, count)
}
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
