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

// MARK: - The exponential Golomb code

// A number x with the parameter k: so many zeros as x + 2ᵏ has more than k + 1 digits, a one, and its digits without the
// first one (J. Teuhola, "A Compression Method for Clustered Bit-Vectors", 1978). A number takes k + 1 bits, and twice as many as
// x + 2ᵏ has above that: so a few that are far greater than the others cost little.

extension BitWriter {
    /// A number has at most so many bits; any parameter up to that suits.
    static let greatestGolombWidth = 49

    /// Writes a number below 2⁴⁹.
    @inline(__always)
    mutating func write(golomb value: UInt64, _ parameter: Int, _ writer: inout ByteWriter) {
        assert(value &>> UInt64(BitWriter.greatestGolombWidth) == 0, "a number has at most 49 bits")
        let sum = value &+ 1 &<< UInt64(parameter)
        let width = UInt64.bitWidth &- 1 &- sum.leadingZeroBitCount
        let zeros = width &- parameter
        write(1 &<< UInt64(zeros), zeros &+ 1, &writer)
        write(sum & (1 &<< UInt64(width) &- 1), width, &writer)
    }
}

/// How many numbers of several fields have so many bits.
struct GolombCounts {
    let fieldCount: Int
    /// A stretch for each field.
    private var counts: [Int]
    private static let widths = BitWriter.greatestGolombWidth + 1

    init(fieldCount: Int) {
        self.fieldCount = fieldCount
        counts = [Int](repeating: 0, count: fieldCount * GolombCounts.widths)
    }

    @inline(__always)
    mutating func add(_ value: UInt64, field: Int) {
        counts[field &* GolombCounts.widths &+ UInt64.bitWidth &- value.leadingZeroBitCount] &+= 1
    }

    /// The parameter of a field: half of its numbers have no more bits. It takes at most a bit for each number more than the best one.
    fileprivate func parameter(of field: Int) -> Int {
        let start = field * GolombCounts.widths
        let total = counts[start..<start + GolombCounts.widths].reduce(0, +)
        var (width, count) = (0, counts[start])
        while count < total - count {
            width += 1
            count += counts[start + width]
        }
        return width
    }
}

/// The parameters of at most eight fields.
struct GolombParameters {
    private let fieldCount: Int
    /// A byte for each field.
    private var bytes: UInt64 = 0

    /// Those that suit the numbers of some fields.
    init(_ counts: GolombCounts) {
        assert(counts.fieldCount <= 8, "a word has eight bytes")
        fieldCount = counts.fieldCount
        for field in 0..<fieldCount { bytes |= UInt64(counts.parameter(of: field)) &<< UInt64(8 * field) }
    }

    /// Reads the parameters; nil if they are damaged.
    init?(_ reader: inout NodeReader, fieldCount: Int) {
        assert(fieldCount <= 8, "a word has eight bytes")
        self.fieldCount = fieldCount
        for field in 0..<fieldCount {
            let parameter = reader.readByte()
            if parameter > BitWriter.greatestGolombWidth { return nil }
            bytes |= UInt64(parameter) &<< UInt64(8 * field)
        }
        if reader.isDamaged { return nil }
    }

    func write(to writer: inout ByteWriter) {
        for field in 0..<fieldCount { writer.write(byte: UInt8(self[field])) }
    }

    subscript(field: Int) -> Int {
        @inline(__always) get { Int(truncatingIfNeeded: bytes &>> UInt64(8 &* field) & 0xFF) }
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

    /// Reads a number in the exponential Golomb code. What is none counts as behind the end.
    @inline(__always)
    mutating func readGolomb(_ parameter: Int) -> UInt64 {
        let zeros = bytes.bits(at: position, BitWriter.greatestWidth).trailingZeroBitCount
        let width = zeros &+ parameter
        guard width <= BitWriter.greatestGolombWidth &+ 1 else {
            // Far enough, and not so far that the next numbers would overflow it.
            position = Int.max / 2
            return 0
        }
        position &+= zeros &+ 1
        return (1 &<< UInt64(width) | read(width)) &- 1 &<< UInt64(parameter)
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
