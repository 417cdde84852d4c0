// A packed block: consecutive commits of the log, in columns, without what follows from replaying them.
// `Docs/Design/FileFormat.md` describes each byte; the golden-bytes test checks that the code agrees with it.
//
// Most of a record follows from the state: hashes, links, ids and references of the rows at the positions of an event.
// A block keeps the rest and rebuilds every record byte for byte. The checksum of its last record is in the header and,
// through the links, verifies all records before.
//
// Always holds: the ranges lie in the bytes. Everything else is checked when it is read.

/// Consecutive commits, packed. It refers to bytes that it does not own, and is valid only as long as they are.
///
/// There are three ways to read a block: ``replay(into:through:)`` folds its commits,
/// ``forEachRecord(with:through:_:)`` gives back the records, and ``withContent(of:_:)`` finds one content without a
/// state. ``forEachCommit(_:)`` lists the headers of commits, also without a state.
package struct PackedBlock {
    /// The first version whose commit is in the block.
    package let first: Version
    /// How many commits there are.
    package let commitCount: Int
    /// How many events they have.
    package let eventCount: Int
    /// How many bytes their records have.
    package let recordBytes: Int
    /// The checksum of the record before the first; 0 before the first of the log.
    package let checksumBefore: UInt64
    /// The checksum of the last record, to which the commit after the block links.
    package let checksum: UInt64
    /// The hash of the list after the last commit.
    package let stateHash: StateHash

    let bytes: UnsafeRawBufferPointer
    /// The bytes of the block.
    package var allBytes: UnsafeRawBufferPointer { bytes }
    /// The affixes.
    let affixes: [Affix]
    /// Where the columns lie, in the order of ``PackedColumn``; then the literals, the names, the contents.
    private let parts: [Range<Int>]

    /// The last version whose commit is in the block.
    package var last: Version { Version(first.rawValue + UInt64(commitCount) - 1) }

    /// A prefix and a suffix that contents share, left out of each of them.
    struct Affix {
        var prefix: UnsafeRawBufferPointer
        var suffix: UnsafeRawBufferPointer
    }
}

/// The fixed places in a packed block, in bytes from its start.
enum PackedLayout {
    static let first = 8
    static let format = 52
    /// Where the part of varying length begins.
    static let variable = 53

    /// The checksum that a block should have.
    static func checksum(_ bytes: UnsafeRawBufferPointer, first: UInt64) -> UInt64 {
        XXHash64.hash(UnsafeRawBufferPointer(rebasing: bytes[PackedLayout.first...]), seed: first)
    }
}

extension PackedBlock {
    /// A block from its bytes, which must stay as they are as long as the block is used.
    ///
    /// - Parameters:
    ///   - bytes: the bytes, as they were packed.
    ///   - isVerified: whether the checksum was compared before, and need not be again. Without it, damage in
    ///     contents is not noticed; anything else is safe.
    /// - Throws: ``RecordError`` with the first version of the block and the offset in the block, if the bytes are
    ///   damaged, foreign or newer than this library.
    /// - Complexity: O(bytes) for the checksum.
    package init(_ bytes: UnsafeRawBufferPointer, isVerified: Bool = false) throws {
        let unknown = RecordReader(bytes, version: .empty)
        guard bytes.count >= PackedLayout.variable else { throw unknown.error(.truncated(expected: "a packed block")) }
        // SAFETY: the check above found the fixed part.
        let number = UInt64(
            littleEndian: bytes.loadUnaligned(fromByteOffset: PackedLayout.first, as: UInt64.self))
        var reader = RecordReader(bytes, version: Version(number))
        let found = try reader.read(fixed: UInt64.self, "a checksum")
        if !isVerified {
            let expected = PackedLayout.checksum(bytes, first: number)
            guard found == expected else {
                throw RecordError(
                    version: Version(number), offset: 0, problem: .checksum(expected: expected, found: found))
            }
        }
        let format = bytes[PackedLayout.format]
        guard format == PackedLimits.currentFormat else {
            throw RecordError(
                version: Version(number), offset: PackedLayout.format, problem: .unknownFormat(found: Int(format)))
        }
        first = Version(try reader.read(fixed: UInt64.self, "a version"))
        checksumBefore = try reader.read(fixed: UInt64.self, "a checksum")
        checksum = try reader.read(fixed: UInt64.self, "a checksum")
        stateHash = StateHash(rawValue: try reader.read(fixed: UInt64.self, "a state hash"))
        commitCount = Int(try reader.read(fixed: UInt32.self, "a number of commits"))
        eventCount = Int(try reader.read(fixed: UInt32.self, "a number of events"))
        recordBytes = Int(try reader.read(fixed: UInt32.self, "a number of bytes"))
        try PackedBlock.checkHeader(reader, first, commitCount, eventCount, recordBytes)
        _ = try reader.readByte("a format")
        affixes = try reader.readAffixes()
        parts = try reader.readDirectory(PackedColumn.allCases.count + 2)
        self.bytes = bytes
    }

    private static func checkHeader(
        _ reader: RecordReader, _ first: Version, _ commitCount: Int, _ eventCount: Int, _ recordBytes: Int
    ) throws {
        func check(_ what: String, _ value: Int, _ valid: ClosedRange<Int>) throws {
            guard valid.contains(value) else {
                throw reader.error(
                    .invalid(
                        what: what, expected: "\(valid.lowerBound) to \(valid.upperBound)", found: String(value)))
            }
        }
        let versions = Int(PackedLimits.versions) - 1 - PackedLimits.commitCount
        try check("first version", Int(clamping: first.rawValue), 1...versions)
        try check("number of commits", commitCount, 1...PackedLimits.commitCount)
        try check("number of bytes", recordBytes, 1...PackedLimits.totalBytes)
        try check("number of events", eventCount, 0...recordBytes)
    }

    /// Where a column lies.
    func range(of column: PackedColumn) -> Range<Int> { parts[column.rawValue] }

    /// Where the bytes of UUIDs, strings and hashes lie.
    var literals: Range<Int> { parts[PackedColumn.allCases.count] }

    /// Where the names and origins lie.
    var names: Range<Int> { parts[PackedColumn.allCases.count + 1] }

    /// Where the contents lie, without their affixes.
    var contents: Range<Int> { parts[PackedColumn.allCases.count + 2] }

    /// The values of a column.
    func reader(_ column: PackedColumn) throws -> ColumnReader {
        try ColumnReader(bytes, range(of: column), version: first)
    }

    /// The primitive values in a part of the block.
    func reader(_ part: Range<Int>) throws -> RecordReader {
        var reader = RecordReader(UnsafeRawBufferPointer(rebasing: bytes[..<part.upperBound]), version: first)
        _ = try reader.readBytes(part.lowerBound, "a part of a block")
        return reader
    }
}

extension RecordReader {
    fileprivate mutating func readAffixes() throws -> [PackedBlock.Affix] {
        let count = try readIndex("a number of affixes")
        guard count <= PackedLimits.affixCount else {
            throw error(
                .invalid(
                    what: "number of affixes", expected: "at most \(PackedLimits.affixCount)", found: String(count)))
        }
        return try (0..<count).map { _ in
            let prefix = try readBytes(Int(try readByte("a affix")), "a affix")
            return PackedBlock.Affix(prefix: prefix, suffix: try readBytes(Int(try readByte("a affix")), "a affix"))
        }
    }

    /// Reads the lengths of consecutive parts. The bytes after these parts are the last part.
    fileprivate mutating func readDirectory(_ count: Int) throws -> [Range<Int>] {
        var lengths: [Int] = []
        lengths.reserveCapacity(count)
        for _ in 0..<count { lengths.append(try readCount("the length of a column")) }
        var parts: [Range<Int>] = []
        parts.reserveCapacity(count + 1)
        var start = offset
        for length in lengths {
            guard length <= bytes.count - start else { throw error(.truncated(expected: "a column")) }
            parts.append(start..<start + length)
            start += length
        }
        parts.append(start..<bytes.count)
        return parts
    }
}
