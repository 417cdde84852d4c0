// Reading the bytes of a stored node. Nothing in them is believed.
//
// Always holds: a read beyond the end gives 0 and sets `isDamaged`, so that decoding needs one check at its end instead
// of one at every number; nothing is read outside the bytes, and counts are checked before anything is made room for.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct NodeReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0
    /// Whether something was read that is not there, or cannot mean anything.
    private(set) var isDamaged = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// How many bytes are left.
    var remaining: Int { bytes.count &- offset }

    /// Notes that what was read cannot mean anything.
    mutating func fail() {
        isDamaged = true
        offset = bytes.count
    }

    @inline(__always)
    mutating func readByte() -> UInt8 {
        guard offset < bytes.count else {
            fail()
            return 0
        }
        defer { offset &+= 1 }
        return bytes[offset]
    }

    @inline(__always)
    mutating func read<Integer: FixedWidthInteger>(fixed type: Integer.Type) -> Integer {
        guard remaining >= MemoryLayout<Integer>.size else {
            fail()
            return 0
        }
        defer { offset &+= MemoryLayout<Integer>.size }
        // SAFETY: checked against the end just above.
        return Integer(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }

    @inline(__always)
    mutating func readVarint() -> UInt64 {
        let first = readByte()
        if first < 0x80 { return UInt64(first) }
        var result = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while shift < 64 {
            let byte = readByte()
            result |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return result }
            shift &+= 7
        }
        fail()
        return 0
    }

    /// A signed number in zigzag.
    @inline(__always)
    mutating func readDelta() -> Int64 {
        let value = readVarint()
        return Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// A number that fits 32 bits.
    @inline(__always)
    mutating func readWord() -> UInt32 {
        let value = readVarint()
        if value > UInt64(UInt32.max) { fail() }
        return UInt32(truncatingIfNeeded: value)
    }

    /// The next `count` bytes; none if there are not as many.
    @inline(__always)
    mutating func readBytes(_ count: Int) -> UnsafeRawBufferPointer {
        guard count >= 0 && count <= remaining else {
            fail()
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        defer { offset &+= count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset &+ count])
    }

    mutating func readString() -> String {
        let utf8 = readBytes(Int(readWord()))
        guard let string = String(validating: utf8, as: UTF8.self) else {
            fail()
            return ""
        }
        return string
    }

    /// An identifier: a kind, then the value.
    mutating func readIdentifier() -> Identifier {
        switch readByte() {
        case 0: return .integer(readDelta())
        case 1: return .uuid(readUUID())
        case 2: return .string(readString())
        default:
            fail()
            return .integer(0)
        }
    }

    mutating func readUUID() -> UUID {
        let bytes = readBytes(16)
        // SAFETY: sixteen bytes were checked to be there, and a uuid_t is any sixteen bytes.
        return bytes.count == 16
            ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
            : UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
}
