// Reading a column of a packed block, one value after another or one run of equal values after another.
//
// Always holds: `index` values were read; `nextException` is not before it. All bytes are checked: a missing value is
// an error, and no value can make a later read leave the bytes.

/// Reads the values of a column.
///
/// A column is a base, a width and, for each value, `width` bits. A value is the base plus the zigzag number in its
/// bits; a value that does not fit follows as an exception. A column of width 0 has no bits and no end.
struct ColumnReader {
    private var reader: RecordReader
    private var base: Int64 = 0
    private var width = 0
    /// Where the bits begin, and how many values they hold.
    private var bitsOffset = 0
    private var packedCount = 0
    /// How many values were read.
    private(set) var index = 0
    private var nextException = Int.max
    private var exception: UInt64 = 0

    /// The column that lies in a range of the bytes of a block.
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, version: Version) throws {
        reader = RecordReader(UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound]), version: version)
        if range.isEmpty { return }
        _ = try reader.readBytes(range.lowerBound, "a column")
        base = Int64(zigzag: try reader.readVarint("the base of a column"))
        width = Int(try reader.readByte("the width of a column"))
        guard width <= BitWriter.greatestWidth else {
            throw reader.error(
                .invalid(what: "width of a column", expected: "at most 57 bits", found: String(width)))
        }
        if width > 0 {
            packedCount = try reader.readIndex("the number of values of a column")
            let room = (range.upperBound - reader.offset) * 8 / width
            guard packedCount <= room else {
                throw reader.error(
                    .invalid(
                        what: "number of values of a column", expected: "at most \(room)",
                        found: String(packedCount)))
            }
            bitsOffset = reader.offset
            _ = try reader.readBytes((packedCount * width + 7) / 8, "the values of a column")
        }
        try readException()
    }

    /// The next value.
    @inline(__always)
    mutating func next() throws -> Int64 {
        var value: UInt64 = 0
        if width > 0 { value = try bits() }
        if index == nextException {
            value = exception
            index &+= 1
            try readException()
        } else {
            index &+= 1
        }
        return base &+ Int64(zigzag: value)
    }

    /// The next value and how often it comes, at most `limit` times, which is at least 1. It may come again after.
    mutating func nextRun(_ limit: Int) throws -> (value: Int64, count: Int) {
        if width > 0 || index == nextException { return (try next(), 1) }
        let count = min(limit, nextException - index)
        index += count
        return (base, count)
    }

    /// Skips values.
    mutating func skip(_ count: Int) throws {
        let target = index + count
        while index < target { _ = try nextRun(target - index) }
    }

    /// The sum of the next values, none of which may be negative, nor the sum more than `most`.
    mutating func sum(_ count: Int, most: Int, _ what: StaticString) throws -> Int {
        let target = index + count
        var sum = 0
        while index < target {
            let run = try nextRun(target - index)
            let (product, isTooLarge) = run.value.multipliedReportingOverflow(by: Int64(run.count))
            guard run.value >= 0, !isTooLarge, product <= Int64(most - sum) else {
                throw error("\(what)", expected: "at most \(most) in all", found: "\(run.count) times \(run.value)")
            }
            sum += Int(product)
        }
        return sum
    }

    /// An error in the value that was read last.
    func error(_ what: String, expected: String, found: String) -> RecordError {
        reader.error(.invalid(what: what, expected: expected, found: found))
    }

    @inline(__always)
    private func bits() throws -> UInt64 {
        guard index < packedCount else { throw reader.error(.truncated(expected: "a value of a column")) }
        return reader.bytes.bits(at: bitsOffset &* 8 &+ index &* width, width)
    }

    private mutating func readException() throws {
        if reader.isAtEnd {
            nextException = .max
            return
        }
        let token = try reader.readVarint("an exception")
        let gap = token &>> 2
        guard gap < 1 << 32 else {
            throw reader.error(.invalid(what: "exception", expected: "below value 2³²", found: "value \(gap)"))
        }
        nextException = index &+ Int(gap)
        let code = token & 3
        // Wraps only for numbers that no writer makes; the result is then another number.
        let excess = code < 3 ? code : try reader.readVarint("an exception") &+ 3
        exception = excess &+ 1 &<< UInt64(width)
    }
}
