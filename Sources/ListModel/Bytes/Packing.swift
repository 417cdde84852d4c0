// What several encodings pack bytes with: numbers of a few bits, and what byte sequences have in common.
//
// Always holds: what was written is read again; nothing is read outside the bytes.

/// Writes numbers of up to ``greatestWidth`` bits one after another, the lowest bit first.
struct BitWriter {
    /// With seven bits before it, a number still lies in eight bytes.
    static let greatestWidth = 57

    private var word: UInt64 = 0
    private var used = 0

    mutating func write(_ value: UInt64, _ width: Int, _ writer: inout ByteWriter) {
        word |= value &<< UInt64(used)
        used += width
        while used >= 8 {
            writer.write(byte: UInt8(truncatingIfNeeded: word))
            word &>>= 8
            used -= 8
        }
    }

    mutating func finish(_ writer: inout ByteWriter) {
        if used > 0 { writer.write(byte: UInt8(truncatingIfNeeded: word)) }
    }
}

extension UnsafeRawBufferPointer {
    /// The number of `width` bits that a ``BitWriter`` wrote; `position` counts bits. Bits beyond the end are 0.
    @inline(__always)
    func bits(at position: Int, _ width: Int) -> UInt64 {
        let offset = position &>> 3
        var word: UInt64 = 0
        if offset &+ 8 <= count {
            // SAFETY: the check above found eight bytes.
            word = UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        } else {
            let end = Swift.max(offset, count)
            for byte in offset..<end { word |= UInt64(self[byte]) &<< UInt64((byte &- offset) &* 8) }
        }
        return (word &>> UInt64(position & 7)) & (1 &<< UInt64(width) &- 1)
    }
}

extension ArraySlice<UInt8> {
    /// How many bytes both begin with alike.
    func commonPrefix(with other: ArraySlice<UInt8>) -> Int { countAlike(zip(self, other)) }

    /// How many bytes both end with alike.
    func commonSuffix(with other: ArraySlice<UInt8>) -> Int { countAlike(zip(reversed(), other.reversed())) }

    private func countAlike(_ pairs: some Sequence<(UInt8, UInt8)>) -> Int {
        var length = 0
        for (left, right) in pairs {
            if left != right { break }
            length += 1
        }
        return length
    }
}
