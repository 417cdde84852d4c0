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
    let commits: Piece
    let events: Piece
    /// The contents, in order.
    private let chunks: [Piece]

    /// Some columns, compressed by themselves.
    struct Piece {
        let part: PackedPart
        /// Which commits of the block it belongs to.
        let commits: Range<Int>
        /// Where it lies in the block, and how many bytes it is when it is unpacked.
        fileprivate let place: Range<Int>
        fileprivate let count: Int
    }

    /// The last version whose commit is in the block.
    package var last: Version { Version(first.rawValue + UInt64(commitCount) - 1) }
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
    ///   - isVerified: whether the checksum was compared before, and need not be again. Without it, some damage is not
    ///     noticed; anything else is safe.
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
        self.bytes = bytes
        let most = PackedLimits.partBytes(recordBytes)
        commits = try reader.readPiece(.commits, 0..<commitCount, most)
        events = try reader.readPiece(.events, 0..<commitCount, most)
        var chunks: [Piece] = []
        while !reader.isAtEnd {
            let (start, count) = (chunks.last?.commits.upperBound ?? 0, try reader.readVarint("a number of commits"))
            guard count > 0 && count <= commitCount - start else {
                throw reader.invalid("number of commits", expected: "as many as the block has, in all", found: count)
            }
            chunks.append(try reader.readPiece(.contents, start..<start + Int(count), most))
        }
        self.chunks = chunks
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
        try check("number of events", eventCount, 0...recordBytes / 3)
    }

    /// Reads some columns.
    func reader(_ piece: Piece) throws -> ColumnReader {
        let packed = UnsafeRawBufferPointer(rebasing: bytes[piece.place])
        guard let memory = UnpackedBytes(packed, count: piece.count) else {
            throw RecordError(
                version: first, offset: piece.place.lowerBound,
                problem: .invalid(what: "part", expected: "\(piece.count) compressed bytes", found: "damage"))
        }
        return try ColumnReader(memory, piece.part, version: first)
    }

    /// The contents of a commit and of those around it.
    func chunk(of commit: Int) throws -> Piece {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle].commits.upperBound <= commit { low = middle + 1 } else { high = middle }
        }
        guard low < chunks.count else {
            throw RecordError(
                version: first, offset: bytes.count, problem: .truncated(expected: "the contents of commit \(commit)"))
        }
        return chunks[low]
    }
}

extension RecordReader {
    /// Reads where some columns lie, and passes over them.
    fileprivate mutating func readPiece(
        _ part: PackedPart, _ commits: Range<Int>, _ most: Int
    ) throws -> PackedBlock.Piece {
        let count = try readVarint("the size of a part")
        guard count > 0 && count <= most else {
            throw invalid("size of a part", expected: "that of a part of the records", found: count)
        }
        let packed = try readCount("the size of a part in the block")
        let start = offset
        _ = try readBytes(packed, "a part")
        return PackedBlock.Piece(part: part, commits: commits, place: start..<start + packed, count: Int(count))
    }
}
