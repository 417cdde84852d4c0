// Reads the bytes of a record, which may be damaged: every read is checked against the end of the bytes.
// Sums of offsets cannot overflow after that check, and are not checked again.
//
// Always holds: `offset` is at most `bytes.count`; a read that fails throws a `RecordError` that says where.

/// A damaged or unknown record of the log.
public struct RecordError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of damage and of foreign data.
    public enum Problem: Equatable, Sendable {
        /// The record ends too early.
        case truncated(expected: String)
        /// The checksum does not match the bytes.
        case checksum(expected: UInt64, found: UInt64)
        /// The record does not continue the one before it.
        case link(expected: UInt32, found: UInt32)
        /// The record was written in a format that this library does not know.
        case unknownFormat(found: Int)
        /// The record holds a kind of event or a flag that this library does not know.
        case unknown(what: String, found: Int)
        /// A value that is impossible at its place.
        case invalid(what: String, expected: String, found: String)
    }

    /// The version whose commit the record holds.
    public let version: Version
    /// Where in the record, in bytes from its start.
    public let offset: Int
    /// What is wrong.
    public let problem: Problem

    public var description: String {
        let place = "commit \(version), byte \(offset): "
        switch problem {
        case .truncated(let expected): return place + "the record ends where \(expected) was expected"
        case .checksum(let expected, let found):
            return place + "the record is damaged: expected the checksum \(String(expected, radix: 16)), "
                + "found \(String(found, radix: 16))"
        case .link(let expected, let found):
            return place + "the record does not follow the one before it: expected the link "
                + "\(String(expected, radix: 16)), found \(String(found, radix: 16))"
        case .unknownFormat(let found):
            return place + "unknown format \(found): "
                + (found > RecordLayout.currentFormat
                    ? "written by a newer version of the library" : "written before there was a release")
        case .unknown(let what, let found):
            return place + "unknown \(what) \(found): written by a newer version of the library"
        case .invalid(let what, let expected, let found):
            return place + "\(what): expected \(expected), found \(found)"
        }
    }
}

/// Reads the primitive encodings of the file format.
struct RecordReader {
    let bytes: UnsafeRawBufferPointer
    let version: Version
    private(set) var offset: Int

    /// - Parameter offset: where reading begins; the caller knows that it is not beyond the end.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, version: Version, from offset: Int = 0) {
        precondition(offset >= 0 && offset <= bytes.count, "reading begins in the bytes")
        self.bytes = bytes
        self.version = version
        self.offset = offset
    }

    var isAtEnd: Bool { offset == bytes.count }

    /// How many bytes are still to be read.
    var rest: Int { bytes.count &- offset }

    func error(_ problem: RecordError.Problem) -> RecordError {
        RecordError(version: version, offset: offset, problem: problem)
    }

    @inline(__always)
    private func check(_ count: Int, _ what: StaticString) throws {
        if count > bytes.count &- offset { throw truncated(what) }
    }

    // Errors are made out of line: where something is read is inlined often.

    @inline(never)
    private func truncated(_ what: StaticString) -> RecordError { error(.truncated(expected: "\(what)")) }

    @inline(never)
    func invalid(_ what: StaticString, expected: StaticString, found: UInt64) -> RecordError {
        error(.invalid(what: "\(what)", expected: "\(expected)", found: String(found)))
    }

    @inline(never)
    private func tooMany(_ what: StaticString, most: UInt64, found: UInt64) -> RecordError {
        error(.invalid(what: "\(what)", expected: "at most \(most)", found: String(found)))
    }

    @inline(never)
    private func tooLong(_ what: StaticString) -> RecordError {
        error(.invalid(what: "\(what)", expected: "at most 64 bits", found: "more"))
    }

    @inline(__always)
    mutating func readByte(_ what: StaticString) throws -> UInt8 {
        try check(1, what)
        defer { offset &+= 1 }
        return bytes[offset]
    }

    @inline(__always)
    mutating func read<Integer: FixedWidthInteger>(fixed type: Integer.Type, _ what: StaticString) throws -> Integer {
        try check(MemoryLayout<Integer>.size, what)
        defer { offset &+= MemoryLayout<Integer>.size }
        // SAFETY: checked against the end just above.
        return Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }

    @inline(__always)
    mutating func readVarint(_ what: StaticString) throws -> UInt64 {
        let first = try readByte(what)
        if first < 0x80 { return UInt64(first) }
        var result = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while true {
            let byte = try readByte(what)
            let bits = UInt64(byte & 0x7F)
            if shift > 63 || (shift == 63 && bits > 1) { throw tooLong(what) }
            result |= bits &<< shift
            if byte < 0x80 { return result }
            shift &+= 7
        }
    }

    /// A count of things that take at least one byte each, so a damaged count cannot request all memory.
    @inline(__always)
    mutating func readCount(_ what: StaticString) throws -> Int {
        let value = try readVarint(what)
        let most = UInt64(bytes.count &- offset)
        if value > most { throw tooMany(what, most: most, found: value) }
        return Int(value)
    }

    /// An index.
    @inline(__always)
    mutating func readIndex(_ what: StaticString) throws -> Int {
        let value = try readVarint(what)
        guard let index = Int(exactly: value) else {
            throw invalid(what, expected: "an index", found: value)
        }
        return index
    }

    @inline(__always)
    mutating func readBytes(_ count: Int, _ what: StaticString) throws -> UnsafeRawBufferPointer {
        try check(count, what)
        defer { offset &+= count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset &+ count])
    }

    /// Checks that no bytes follow the last event.
    func checkEnd(after eventCount: Int) throws {
        guard isAtEnd else {
            throw error(
                .invalid(
                    what: "record", expected: "its end after \(eventCount) events",
                    found: "\(bytes.count - offset) more bytes"))
        }
    }

    mutating func readString(_ what: StaticString) throws -> String {
        let utf8 = try readBytes(try readCount(what), what)
        // Validation takes longer than the rest of a short record, and ASCII needs none.
        if utf8.allSatisfy({ $0 < 0x80 }) { return String(decoding: utf8, as: UTF8.self) }
        guard let string = String(validating: utf8, as: UTF8.self) else {
            throw error(.invalid(what: "\(what)", expected: "UTF-8", found: "\(utf8.count) other bytes"))
        }
        return string
    }
}
