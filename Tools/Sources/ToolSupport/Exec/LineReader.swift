// Reads lines of a file, a pipe or a terminal, and tells whether more can be read without waiting.
//
// Always holds: each line is returned once, without its line feed; the last line need not have one.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads lines from a file descriptor.
public struct LineReader {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Where the next line begins.
    private var start = 0
    /// The end of the bytes without a line feed.
    private var searched = 0
    private var isAtEnd = false

    private static let blockSize = 1 << 16

    /// A reader of an open file descriptor, which the caller closes.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// A reader of bytes that are there already.
    public init(bytes: [UInt8]) {
        // The system is not asked about a negative descriptor.
        (descriptor, buffer, isAtEnd) = (-1, bytes, true)
    }

    /// The next line, if it was read completely.
    public mutating func next() -> ArraySlice<UInt8>? {
        if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            defer {
                start = end + 1
                searched = start
            }
            return buffer[start..<end]
        }
        searched = buffer.count
        guard isAtEnd && start < buffer.count else { return nil }
        defer { start = buffer.count }
        return buffer[start...]
    }

    /// Whether more can be read without waiting.
    public var isReady: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }

    /// Reads more, and waits for it if there is none.
    ///
    /// - Returns: whether there was more.
    /// - Throws: ``ToolError`` if the system could not read.
    public mutating func fill() throws -> Bool {
        if isAtEnd { return false }
        buffer.removeFirst(start)
        searched -= start
        start = 0
        while true {
            let old = buffer.count
            buffer.append(contentsOf: repeatElement(0, count: LineReader.blockSize))
            let count = buffer.withUnsafeMutableBytes { bytes in
                // SAFETY: the block that was just appended begins at `old` and has `blockSize` bytes.
                read(descriptor, bytes.baseAddress! + old, LineReader.blockSize)
            }
            buffer.removeLast(LineReader.blockSize - max(0, count))
            if count > 0 { return true }
            if count == 0 {
                isAtEnd = true
                return false
            }
            guard OpenFile.canRepeat(descriptor, POLLIN) else {
                throw ToolError(.inputOutput, "the input cannot be read: \(String(cString: strerror(errno)))")
            }
        }
    }
}
