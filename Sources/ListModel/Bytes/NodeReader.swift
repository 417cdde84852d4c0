// Reading the bytes of a stored node. Nothing in them is believed.
//
// Always holds: a read beyond the end gives 0 and sets `isDamaged`, so that decoding needs one check at its end instead
// of one at every number; nothing is read outside the bytes, and counts are checked before anything is made room for.

struct NodeReader {
    // Two addresses and no count of bytes: while a leaf is decoded, they stay in registers.
    private var next: UnsafeRawPointer
    private let end: UnsafeRawPointer
    /// Whether something was read that is not there, or cannot mean anything.
    private(set) var isDamaged = false

    init(_ bytes: UnsafeRawBufferPointer) {
        // SAFETY: an address for no bytes, at which nothing is ever read.
        next = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
        end = next + bytes.count
    }

    /// How many bytes are left.
    @inline(__always)
    var remaining: Int { end - next }

    /// Notes that what was read cannot mean anything.
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

    /// An unsigned number in LEB128: seven bits a byte, the lowest first, the eighth says that another follows.
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

    /// A signed number in zigzag.
    @inline(__always)
    mutating func readDelta() -> Int64 {
        Int64(zigzag: readVarint())
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
