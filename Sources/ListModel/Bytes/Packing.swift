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

// MARK: - Rice's code

// The upper part of a number as so many ones and a zero, then its lower bits, whose count is the parameter. It suits numbers of which
// small ones are more frequent; the best parameter follows from their mean.

extension BitWriter {
    /// A number of 48 bits may have any parameter up to this.
    static let greatestRiceParameter = 47
    /// From this upper part on, a number is written as so many ones, and then all of its bits.
    fileprivate static let riceEscape = 20
    fileprivate static let escapedWidth = 48

    /// The parameter for numbers with this sum.
    static func riceParameter(sum: UInt64, count: Int) -> Int {
        let mean = count == 0 ? 0 : sum / UInt64(count)
        return mean == 0 ? 0 : min(greatestRiceParameter, UInt64.bitWidth - 1 - mean.leadingZeroBitCount)
    }

    /// Writes a number below 2⁴⁸.
    @inline(__always)
    mutating func write(rice value: UInt64, _ parameter: Int, _ writer: inout ByteWriter) {
        assert(value &>> UInt64(BitWriter.escapedWidth) == 0, "a number has at most 48 bits")
        let upper = value &>> UInt64(parameter)
        if upper < UInt64(BitWriter.riceEscape) {
            write(1 &<< upper &- 1, Int(truncatingIfNeeded: upper) &+ 1, &writer)
            write(value & (1 &<< UInt64(parameter) &- 1), parameter, &writer)
        } else {
            write(1 &<< UInt64(BitWriter.riceEscape) &- 1, BitWriter.riceEscape, &writer)
            write(value, BitWriter.escapedWidth, &writer)
        }
    }
}

/// Reads what a ``BitWriter`` wrote. Bits beyond the end are 0.
struct BitReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether more was read than there is.
    var isBehindEnd: Bool { position > 8 &* bytes.count }

    /// Whether everything was read but for what fills the last byte.
    var isInLastByte: Bool { (position &+ 7) &>> 3 == bytes.count }

    /// Reads a number of `width` bits, at most ``BitWriter/greatestWidth``.
    @inline(__always)
    mutating func read(_ width: Int) -> UInt64 {
        defer { position &+= width }
        return bytes.bits(at: position, width)
    }

    /// Reads a number in Rice's code.
    @inline(__always)
    mutating func readRice(_ parameter: Int) -> UInt64 {
        let upper = (~bytes.bits(at: position, BitWriter.riceEscape)).trailingZeroBitCount
        if upper < BitWriter.riceEscape {
            position &+= upper &+ 1
            return UInt64(truncatingIfNeeded: upper) &<< UInt64(parameter) | read(parameter)
        }
        position &+= BitWriter.riceEscape
        return read(BitWriter.escapedWidth)
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
