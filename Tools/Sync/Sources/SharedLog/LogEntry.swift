// An entry of a shared log, and its bytes on a server.
//
// Layout (all integers little-endian):
//
//     0  format    u8   1
//     1  link      u64  the checksum of the entry before; 0 for the first one
//     9  checksum  u64  XXH64 of the payload, with the number as the seed
//    17  payload
//
// The number is not among the bytes: it says where the entry is, and the server knows that. An entry at a wrong number has a wrong
// checksum.
//
// The checksum covers the payload alone, so that a replica can compute the checksum of any number from the payload that it has,
// without following the links from the beginning. The payload itself should depend on what is before it: a record of Listory has a
// link and the hash of the state.
//
// Always holds: the checksum of a `LogEntry` is that of its payload and number.

/// An entry of a shared log.
public struct LogEntry: Hashable, Sendable {
    /// The place in the log: 1, 2, …
    public let number: UInt64
    /// The checksum of the entry before; 0 for the first one.
    public let link: UInt64
    /// The checksum of this entry.
    public let checksum: UInt64
    /// What the server stores for the replicas.
    public let payload: ArraySlice<UInt8>

    /// The entry that follows a position.
    public init(after position: LogPosition, payload: [UInt8]) { self.init(after: position, sharing: payload[...]) }

    /// The entry that follows a position, whose payload is a part of other bytes.
    public init(after position: LogPosition, sharing payload: ArraySlice<UInt8>) {
        self.init(number: position.number + 1, link: position.checksum, sharing: payload)
    }

    public init(number: UInt64, link: UInt64, payload: [UInt8]) {
        self.init(number: number, link: link, sharing: payload[...])
    }

    private init(number: UInt64, link: UInt64, sharing payload: ArraySlice<UInt8>) {
        self.number = number
        self.link = link
        self.payload = payload
        checksum = payload.withUnsafeBytes { LogEntry.checksum(of: $0, number: number) }
    }

    /// The position behind this entry.
    public var position: LogPosition { LogPosition(number: number, checksum: checksum) }

    /// The checksum of an entry with a payload at a number.
    public static func checksum(of payload: UnsafeRawBufferPointer, number: UInt64) -> UInt64 {
        XXHash64.hash(payload, seed: number)
    }

    // MARK: Bytes

    /// The format that is written.
    public static let format: UInt8 = 1
    /// The number of bytes before the payload.
    public static let headerBytes = 17

    /// The number of bytes on a server.
    public var encodedCount: Int { LogEntry.headerBytes + payload.count }

    /// The bytes on a server.
    public func encoded() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: encodedCount) { buffer, count in
            write(to: UnsafeMutableRawBufferPointer(buffer))
            count = encodedCount
        }
    }

    /// Writes the bytes to the beginning of a buffer, which has room for them.
    package func write(to buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count >= encodedCount, "an entry does not fit into its buffer")
        buffer[0] = LogEntry.format
        buffer.storeBytes(of: link.littleEndian, toByteOffset: 1, as: UInt64.self)
        buffer.storeBytes(of: checksum.littleEndian, toByteOffset: 9, as: UInt64.self)
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[LogEntry.headerBytes...])
        payload.withUnsafeBytes { rest.copyMemory(from: $0) }
    }

    /// Reads an entry from bytes of a server, which may be anything.
    public init(encoded: [UInt8], number: UInt64) throws {
        self = try encoded.withUnsafeBytes { try LogEntry(encoded: $0, number: number) }
    }

    /// Reads an entry from bytes of a server, which may be anything.
    public init(encoded: UnsafeRawBufferPointer, number: UInt64) throws {
        let header = try Header(encoded, number: number)
        let bytes = UnsafeRawBufferPointer(rebasing: encoded[LogEntry.headerBytes...])
        let found = LogEntry.checksum(of: bytes, number: number)
        guard found == header.checksum else {
            throw SharedLogError.damaged(
                .entry(number), expected: "checksum \(hexadecimal(header.checksum))", found: hexadecimal(found))
        }
        self.number = number
        link = header.link
        checksum = found
        payload = Array(bytes)[...]
    }

    /// The part before the payload, whose checksum it does not compare.
    package struct Header {
        package let link: UInt64
        package let checksum: UInt64

        package init(_ bytes: UnsafeRawBufferPointer, number: UInt64) throws {
            guard let format = bytes.first else {
                throw SharedLogError.damaged(.entry(number), expected: "an entry", found: "no bytes")
            }
            guard format <= LogEntry.format else {
                throw SharedLogError.futureFormat(.entry(number), expected: Int(LogEntry.format), found: Int(format))
            }
            guard format == LogEntry.format else {
                throw SharedLogError.damaged(
                    .entry(number), expected: "format \(LogEntry.format)", found: "format \(format)")
            }
            guard bytes.count >= LogEntry.headerBytes else {
                throw SharedLogError.damaged(
                    .entry(number), expected: "at least \(LogEntry.headerBytes) bytes", found: "\(bytes.count)")
            }
            link = bytes.littleEndian(at: 1)
            checksum = bytes.littleEndian(at: 9)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The integer at an offset, where there are enough bytes.
    @inlinable
    package func littleEndian<Integer: FixedWidthInteger>(at offset: Int, as type: Integer.Type = Integer.self)
        -> Integer
    {
        Integer(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}

extension [UInt8] {
    /// Appends the bytes of an integer, the lowest first.
    package mutating func append(littleEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
