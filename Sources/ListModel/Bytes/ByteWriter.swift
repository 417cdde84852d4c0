// A growing buffer for the bytes of a record.
//
// Sums of offsets cannot overflow, because the bytes are in memory. Overflow checks are therefore left out here and in
// other hot loops; together they would cost an edit some per cent of its instructions.
//
// Always holds: `count` bytes are initialised. Returned offsets stay valid, because bytes are only appended, or
// truncated at the end after a rejected edit.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A growing buffer with the primitive encodings of the file format.
struct ByteWriter: ~Copyable {
    private var bytes: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    init() {
        capacity = 512
        bytes = ByteWriter.reallocate(nil, capacity)
    }

    deinit {
        // SAFETY: the memory was allocated here or in `grow`, and the pointer never leaves the writer.
        free(bytes)
    }

    /// For large records, `realloc` remaps chunks and copies nothing.
    private static func reallocate(_ bytes: UnsafeMutableRawPointer?, _ capacity: Int) -> UnsafeMutableRawPointer {
        guard let larger = realloc(bytes, capacity) else { fatalError("there is no memory for \(capacity) bytes") }
        return larger
    }

    /// Removes the bytes at and after `count`.
    mutating func truncate(to count: Int) { self.count = count }

    /// Forgets all bytes. A buffer that has become large is not kept for records that will hardly be as large.
    mutating func clear() {
        count = 0
        if capacity <= ByteWriter.keptCapacity { return }
        capacity = ByteWriter.keptCapacity
        bytes = ByteWriter.reallocate(bytes, capacity)
    }

    private static var keptCapacity: Int { 1 << 16 }

    /// The bytes written so far, valid until the next write.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if count &+ more > capacity { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        capacity = max(capacity * 2, count + more)
        bytes = ByteWriter.reallocate(bytes, capacity)
    }

    @inline(__always)
    mutating func write(byte: UInt8) {
        reserve(1)
        // SAFETY: `reserve` made room; the same holds below.
        bytes.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    @inline(__always)
    mutating func write<Integer: FixedWidthInteger>(fixed value: Integer) {
        reserve(MemoryLayout<Integer>.size)
        bytes.storeBytes(of: value.littleEndian, toByteOffset: count, as: Integer.self)
        count &+= MemoryLayout<Integer>.size
    }

    /// Writes LEB128: seven bits a byte, the lowest first. The top bit is set if another byte follows.
    @inline(__always)
    mutating func write(varint value: UInt64) {
        reserve(10)
        var rest = value
        while rest >= 0x80 {
            bytes.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
            count &+= 1
            rest &>>= 7
        }
        bytes.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    @inline(__always)
    mutating func write(count value: Int) { write(varint: UInt64(value)) }

    @inline(__always)
    mutating func write(raw source: UnsafeRawBufferPointer) {
        reserve(source.count)
        if let base = source.baseAddress { bytes.advanced(by: count).copyMemory(from: base, byteCount: source.count) }
        count &+= source.count
    }

    /// Writes the length in UTF-8 bytes, then the bytes.
    @inline(__always)
    mutating func write(_ string: String) {
        var string = string
        string.withUTF8 {
            write(count: $0.count)
            write(raw: UnsafeRawBufferPointer($0))
        }
    }

    /// Overwrites an integer that was written before.
    mutating func patch<Integer: FixedWidthInteger>(_ value: Integer, at offset: Int) {
        precondition(offset + MemoryLayout<Integer>.size <= count, "patched bytes were written before")
        bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Integer.self)
    }
}

extension Int64 {
    /// 0, −1, 1, −2 … as 0, 1, 2, 3 …
    @inline(__always)
    var zigzag: UInt64 { UInt64(bitPattern: (self &<< 1) ^ (self &>> 63)) }

    /// The signed number of a zigzag number.
    @inline(__always)
    init(zigzag value: UInt64) {
        self = Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1)
    }
}

extension ByteWriter {
    /// Writes a signed number in zigzag: 0, −1, 1, −2 … are 0, 1, 2, 3 …
    @inline(__always)
    mutating func write(delta value: Int64) {
        write(varint: value.zigzag)
    }

    /// Writes bytes run-length encoded: each byte once, then the length of its run.
    mutating func write(runs bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            var end = start + 1
            while end < bytes.count && bytes[end] == bytes[start] { end += 1 }
            write(byte: bytes[start])
            write(count: end - start)
            start = end
        }
    }
}
