// The memory of this process, from the kernel.
//
// Always holds: nothing is estimated; without /proc the result is nil. Reading takes only 1 KiB of the stack, so it
// does not change the result.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The resident memory of the process.
public struct ProcessMemory: Sendable {
    /// The private memory, without the pages of mapped files.
    public let privateBytes: Int
    /// The pages of mapped files, which the system may drop at any time.
    public let mappedBytes: Int
    /// The greatest sum of both so far.
    public let peakBytes: Int

    /// The present memory; nil if there is no /proc/self/status.
    public static func current() -> ProcessMemory? {
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var fields = StatusFields()
        // Larger ones are not always on the stack.
        let isRead = withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 1) { buffer in
            while true {
                // SAFETY: `read` writes at most as many bytes as the buffer has.
                let count = read(file, buffer.baseAddress, buffer.count)
                guard count > 0 else { return count == 0 }
                for byte in buffer[..<count] { fields.take(byte) }
            }
        }
        return isRead ? ProcessMemory(fields) : nil
    }

    /// The present memory, after freed memory was returned to the system, so that later allocations are visible.
    public static func afterTrimming() -> ProcessMemory? {
        // Swift does not see the declaration of this function of the GNU C library; elsewhere there is none.
        if let symbol = dlsym(nil, "malloc_trim") {
            // SAFETY: malloc_trim(3) takes a size_t and returns an int.
            _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
        }
        return current()
    }

    /// The values in a status file of the kernel; nil if it has none about memory.
    public init?(status: some Sequence<UInt8>) {
        var fields = StatusFields()
        for byte in status { fields.take(byte) }
        self.init(fields)
    }

    private init?(_ fields: StatusFields) {
        guard let anonymous = fields.anonymous, let file = fields.file, let peak = fields.peak else { return nil }
        privateBytes = anonymous * 1_024
        mappedBytes = file * 1_024
        peakBytes = peak * 1_024
    }
}

/// A parser of a status file, each line of which is a name, a colon and a value.
private struct StatusFields {
    /// In KiB, as the kernel gives them.
    private(set) var anonymous: Int?
    private(set) var file: Int?
    private(set) var peak: Int?

    /// The last eight bytes of the line's name; all wanted names are shorter.
    private var name: UInt64 = 0
    private var isInName = true
    /// The digits of the line's value as a number.
    private var number = 0

    /// Parses the next byte.
    mutating func take(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\n"): endLine()
        case UInt8(ascii: ":"): isInName = false
        case _ where isInName: name = name << 8 | UInt64(byte)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number &* 10 &+ Int(byte - UInt8(ascii: "0"))
        default: break
        }
    }

    private mutating func endLine() {
        switch name {
        case StatusFields.word("RssAnon"): anonymous = number
        case StatusFields.word("RssFile"): file = number
        case StatusFields.word("VmHWM"): peak = number
        default: break
        }
        (name, isInName, number) = (0, true, 0)
    }

    /// A name of at most seven bytes, in the form of `name`.
    private static func word(_ name: StaticString) -> UInt64 {
        name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }
}
