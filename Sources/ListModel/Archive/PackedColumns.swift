// The columns of a packed block: numbers and bytes of one kind, one after another, so that they compress well.
// `Docs/Design/FileFormat.md` describes each column.
//
// Always holds: the order of the cases of a part is the order in the block; a reader takes from each column what the writer put
// there, in the same order, or throws.

/// A column of a packed block.
enum PackedColumn: Int, CaseIterable {
    // A count for each commit; for each content, how many bytes of the record are between it and the content before, its
    // length, and its bytes.
    case contentCounts
    case contentGaps
    case contentLengths
    case contentBytes
    // One value for each commit; `targets` only if it speaks of another, and the places in its history as far as it has them.
    case causes
    case flags
    case times
    case names
    case origins
    case eventCounts
    case targets
    case steps
    case places0, places1, places2, places3, places4, places5, places6, places7
    /// The names and origins of the commits.
    case strings
    // One value for each event that has such a part.
    case kinds
    case sections
    case rows
    case rowCounts
    case destinations
    // One value for each content, string or value that does not follow from the state.
    case contentTags
    case referenceVersions
    case referenceOffsets
    case referenceLengths
    case annotations
    /// The names of annotations.
    case annotationNames
    case lengths
    /// Titles, and the hashes of contents.
    case literals
    /// The values of annotations.
    case values
    // One value for each identifier of a new row or section: its kind, and what that kind needs.
    case identifierKinds
    case integers
    case uuids
    case identifierLengths
    case identifierBytes

    /// The place of a commit in its history is a few numbers, each in a column of its own.
    static func places(_ index: Int) -> PackedColumn {
        guard let column = PackedColumn(rawValue: places0.rawValue + index), column.rawValue <= places7.rawValue else {
            preconditionFailure("a place in a history has at most eight numbers")
        }
        return column
    }
}

/// Some of the columns, which are compressed by themselves.
enum PackedPart: Int, CaseIterable {
    /// The identifiers of all rows and sections that came into the list.
    case identifiers
    case events
    /// What is needed to list commits. A block has several of these, each of some commits.
    case headers
    /// What is needed to find one content. A block has several of these, each of some commits.
    case contents

    var columns: Range<Int> {
        let (headers, events) = (PackedColumn.causes.rawValue, PackedColumn.kinds.rawValue)
        let identifiers = PackedColumn.identifierKinds.rawValue
        return switch self {
        case .contents: 0..<headers
        case .headers: headers..<events
        case .events: events..<identifiers
        case .identifiers: identifiers..<PackedColumn.allCases.count
        }
    }
}

/// Writes all columns of a block.
struct ColumnWriter {
    private var columns = [[UInt8]](repeating: [], count: PackedColumn.allCases.count)
    private var last = [Int64](repeating: 0, count: PackedColumn.allCases.count)

    /// Writes a number that is small or rarely changes.
    mutating func put(_ column: PackedColumn, _ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            columns[column.rawValue].append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        columns[column.rawValue].append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a number that is near 0.
    mutating func put(_ column: PackedColumn, near value: Int64) { put(column, value.zigzag) }

    /// Writes a number that is near the last one of the column. Differences wrap.
    mutating func put(_ column: PackedColumn, next value: Int64) {
        put(column, near: value &- last[column.rawValue])
        last[column.rawValue] = value
    }

    mutating func put(_ column: PackedColumn, bytes: UnsafeRawBufferPointer) {
        columns[column.rawValue].append(contentsOf: bytes)
    }

    /// The bytes of a part: its columns, each after its length.
    func plain(_ part: PackedPart) -> [UInt8] {
        var writer = ByteWriter()
        for column in columns[part.columns] {
            writer.write(count: column.count)
            column.withUnsafeBytes { writer.write(raw: $0) }
        }
        return writer.withBytes { Array($0) }
    }
}

/// Reads the columns of a part, or of two parts one of which follows the other.
struct ColumnReader {
    private var memory: [UnpackedBytes] = []
    private let first: Int
    private var columns: [RecordReader] = []
    private var last: [Int64] = []

    /// - Throws: ``RecordError`` if the columns do not lie in the bytes.
    init(_ memory: UnpackedBytes, _ part: PackedPart, version: Version) throws {
        first = part.columns.lowerBound
        try append(memory, part, version: version)
    }

    /// Adds the columns of the next part.
    ///
    /// - Throws: ``RecordError`` if the columns do not lie in the bytes.
    mutating func append(_ memory: UnpackedBytes, _ part: PackedPart, version: Version) throws {
        precondition(part.columns.lowerBound == first + columns.count, "the part follows")
        self.memory.append(memory)
        last += [Int64](repeating: 0, count: part.columns.count)
        var reader = RecordReader(memory.bytes, version: version)
        for _ in part.columns {
            let count = try reader.readCount("the length of a column")
            columns.append(RecordReader(try reader.readBytes(count, "a column"), version: version))
        }
    }

    @inline(__always)
    mutating func next(_ column: PackedColumn) throws -> UInt64 {
        try columns[column.rawValue - first].readVarint("a value of a column")
    }

    /// What some numbers of a column mean, one after another. It takes a fifth of the time that as many calls of ``next(_:)`` take.
    ///
    /// - Parameter meaning: receives the place among them and a number; nil if the number is impossible.
    @inline(__always)
    mutating func map<Meaning>(
        _ column: PackedColumn, count: Int, _ what: String, expected: @autoclosure () -> String,
        _ meaning: (Int, UInt64) -> Meaning?
    ) throws -> [Meaning] {
        var reader = columns[column.rawValue - first]
        defer { columns[column.rawValue - first] = reader }
        var found: [Meaning] = []
        found.reserveCapacity(count)
        for place in 0..<count {
            let number = try reader.readVarint("a value of a column")
            guard let meaning = meaning(place, number) else {
                throw reader.error(
                    .invalid(what: "\(what) (\(column))", expected: expected(), found: "\(number)"))
            }
            found.append(meaning)
        }
        return found
    }

    /// A number that was written with `put(_:near:)`.
    @inline(__always)
    mutating func near(_ column: PackedColumn) throws -> Int64 { Int64(zigzag: try next(column)) }

    /// A number that was written with `put(_:next:)`.
    @inline(__always)
    mutating func following(_ column: PackedColumn) throws -> Int64 {
        last[column.rawValue - first] &+= try near(column)
        return last[column.rawValue - first]
    }

    mutating func bytes(_ column: PackedColumn, _ count: Int) throws -> UnsafeRawBufferPointer {
        try columns[column.rawValue - first].readBytes(count, "bytes of a column")
    }

    mutating func string(_ column: PackedColumn, _ count: Int) throws -> String {
        let bytes = try bytes(column, count)
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw error(column, "string", expected: "UTF-8", found: "\(count) other bytes")
        }
        return string
    }

    /// A count.
    ///
    /// - Parameters:
    ///   - least: the least possible one.
    ///   - other: a column of which each of the things takes a byte or more; nil if there is none.
    mutating func count(_ column: PackedColumn, from least: Int = 0, eachIn other: PackedColumn?) throws -> Int {
        let value = try next(column)
        let most = other.map { columns[$0.rawValue - first].rest } ?? PackedLimits.totalBytes
        guard value >= least && value <= most else {
            throw error(column, "number", expected: "\(least) to \(most)", found: "\(value)")
        }
        return Int(value)
    }

    /// An index, near a place.
    @inline(__always)
    mutating func index(_ column: PackedColumn, near place: Int) throws -> Int {
        let value = Int64(place) &+ (try near(column))
        // Far more than any list has, and far from overflow.
        guard value >= 0 && value < 1 << 48 else {
            throw error(column, "position", expected: "an index", found: "\(value)")
        }
        return Int(value)
    }

    /// The index of one of some strings.
    mutating func index(_ column: PackedColumn, in strings: [String]) throws -> Int {
        let number = try next(column)
        guard number < strings.count else {
            throw error(column, "string", expected: "one of \(strings.count)", found: "\(number)")
        }
        return Int(number)
    }

    func isAtEnd(_ column: PackedColumn) -> Bool { columns[column.rawValue - first].isAtEnd }

    /// An error in a value that was just read.
    func error(_ column: PackedColumn, _ what: String, expected: String, found: String) -> RecordError {
        columns[column.rawValue - first].error(
            .invalid(what: "\(what) (\(column))", expected: expected, found: found))
    }
}

/// Memory that was unpacked from a block.
final class UnpackedBytes {
    let bytes: UnsafeRawBufferPointer

    /// - Parameter count: how many bytes they are when they are unpacked, at least one.
    /// - Returns: nil if they are damaged.
    init?(_ packed: UnsafeRawBufferPointer, count: Int) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        bytes = UnsafeRawBufferPointer(buffer)
        if !Deflate.unpack(packed, into: buffer) { return nil }
    }

    deinit { bytes.deallocate() }
}
