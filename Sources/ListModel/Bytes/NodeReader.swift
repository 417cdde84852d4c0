// Reads the bytes of a stored node, and validates all of them.
//
// Always holds: a read beyond the end returns 0 and sets `isDamaged`, so that a decoder checks once at its end and not
// after every number. Nothing is read outside the bytes. Counts are checked before memory is allocated for them.

struct NodeReader {
    // Two addresses instead of an address and a count, because they stay in registers while a leaf is decoded.
    private var next: UnsafeRawPointer
    private let end: UnsafeRawPointer
    /// Whether a read went beyond the end or found an invalid value.
    private(set) var isDamaged = false

    init(_ bytes: UnsafeRawBufferPointer) {
        // SAFETY: without bytes the address is a placeholder, and nothing is ever read from it.
        next = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
        end = next + bytes.count
    }

    /// The number of bytes left.
    @inline(__always)
    var remaining: Int { end - next }

    /// Marks the bytes as damaged, after an invalid value.
    @inline(__always)
    mutating func fail() {
        isDamaged = true
        next = end
    }

    @inline(__always)
    mutating func readByte() -> UInt8 {
        guard next < end else {
            fail()
            return 0
        }
        defer { next += 1 }
        // SAFETY: checked against the end just above.
        return next.load(as: UInt8.self)
    }

    @inline(__always)
    mutating func read<Integer: FixedWidthInteger>(fixed type: Integer.Type) -> Integer {
        guard remaining >= MemoryLayout<Integer>.size else {
            fail()
            return 0
        }
        defer { next += MemoryLayout<Integer>.size }
        // SAFETY: checked against the end just above.
        return Integer(littleEndian: next.loadUnaligned(as: Integer.self))
    }

    /// Reads an unsigned number in LEB128: seven bits a byte, the lowest first. The eighth bit is set if another byte
    /// follows.
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
            shift += 7
        }
        fail()
        return 0
    }

    /// Reads a signed number in zigzag.
    @inline(__always)
    mutating func readDelta() -> Int64 {
        Int64(zigzag: readVarint())
    }

    /// Reads an unsigned number that must fit into 32 bits.
    @inline(__always)
    mutating func readWord() -> UInt32 {
        let value = readVarint()
        if value > UInt64(UInt32.max) { fail() }
        return UInt32(truncatingIfNeeded: value)
    }

    /// Reads `count` bytes; returns none if fewer are left.
    @inline(__always)
    mutating func readBytes(_ count: Int) -> UnsafeRawBufferPointer {
        guard count >= 0 && count <= remaining else {
            fail()
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        defer { next += count }
        return UnsafeRawBufferPointer(start: next, count: count)
    }

    mutating func readString() -> String {
        let utf8 = readBytes(Int(readWord()))
        guard let string = String(validating: utf8, as: UTF8.self) else {
            fail()
            return ""
        }
        return string
    }
}
