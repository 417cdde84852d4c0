// Writes a column of a packed block: the most common value costs nothing, common values cost a few bits.
//
// Always holds: the same values give the same bytes on every machine; `ColumnReader` returns the values.

/// Chooses how a column is written, and writes it.
struct ColumnWriter {
    private let values: [Int64]
    private var base: Int64 = 0
    private var width = 0

    init(_ values: [Int64]) {
        self.values = values
        guard !values.isEmpty else { return }
        // The most common value is a good base for a column with few others; the median is one for a column without a
        // common value.
        let sorted = values.sorted()
        var best = Int.max
        for base in [ColumnWriter.mostCommon(sorted), sorted[sorted.count / 2]] {
            let (size, width) = ColumnWriter.bestWidth(values, base)
            if size < best { (best, self.base, self.width) = (size, base, width) }
        }
    }

    /// Appends the column; nothing if all values are 0.
    func write(to writer: inout ByteWriter) {
        guard values.contains(where: { $0 != 0 }) else { return }
        writer.write(varint: base.zigzag)
        writer.write(byte: UInt8(width))
        if width > 0 { writeBits(to: &writer) }
        var gap: UInt64 = 0
        for value in values {
            let number = (value &- base).zigzag
            if isPacked(number) {
                gap += 1
                continue
            }
            let excess = number &- 1 &<< UInt64(width)
            writer.write(varint: gap &<< 2 | min(excess, 3))
            if excess >= 3 { writer.write(varint: excess &- 3) }
            gap = 0
        }
    }

    private func isPacked(_ number: UInt64) -> Bool { number &>> UInt64(width) == 0 }

    private func writeBits(to writer: inout ByteWriter) {
        writer.write(count: values.count)
        var bits = BitWriter()
        for value in values {
            let number = (value &- base).zigzag
            bits.write(isPacked(number) ? number : 0, width, &writer)
        }
        bits.finish(&writer)
    }

    private static func mostCommon(_ sorted: [Int64]) -> Int64 {
        var best = (count: 0, value: Int64(0))
        var start = 0
        for index in sorted.indices where index + 1 == sorted.count || sorted[index + 1] != sorted[index] {
            if index + 1 - start > best.count { best = (index + 1 - start, sorted[index]) }
            start = index + 1
        }
        return best.value
    }

    /// The approximate size of the column with the best width.
    private static func bestWidth(_ values: [Int64], _ base: Int64) -> (size: Int, width: Int) {
        var counts = [Int](repeating: 0, count: 65)
        for value in values { counts[64 - (value &- base).zigzag.leadingZeroBitCount] += 1 }
        var best = (size: Int.max, width: 0)
        for width in 0...BitWriter.greatestWidth {
            // Bits come with their number.
            var size = width == 0 ? 0 : (values.count * width + 7) / 8 + 2
            // An exception takes a byte for its place and, unless it is small, its bits in bytes of seven.
            for bits in width + 1..<65 where counts[bits] > 0 {
                size += counts[bits] * (1 + (bits <= 2 && width < 2 ? 0 : (bits + 6) / 7))
            }
            if size < best.size { best = (size, width) }
        }
        return best
    }
}
