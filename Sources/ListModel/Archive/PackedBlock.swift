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
/// There are four ways to read a block: ``replay(into:through:)`` folds its commits, ``PackedReversal`` takes them back,
/// ``forEachRecord(with:after:through:_:)`` gives back the records, and ``withContent(of:_:)`` finds one content without a
/// state. ``headers(near:_:)`` reads headers of commits, and ``forEachIdentifier(_:)`` the ids that came into the list, also without
/// a state.
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
    let identifiers: Piece
    private let events: Piece
    /// The headers and the contents, in order.
    private let (headers, contents): ([Piece], [Piece])

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
        identifiers = try reader.readPiece(.identifiers, 0..<commitCount, most)
        events = try reader.readPiece(.events, 0..<commitCount, most)
        headers = try reader.readChunks(.headers, commitCount, most)
        contents = try reader.readChunks(.contents, commitCount, most)
        guard reader.isAtEnd else {
            throw reader.error(
                .invalid(what: "block", expected: "its end", found: "\(bytes.count - reader.offset) more bytes"))
        }
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

    private func unpacked(_ piece: Piece) throws -> UnpackedBytes {
        let packed = UnsafeRawBufferPointer(rebasing: bytes[piece.place])
        guard let memory = UnpackedBytes(packed, count: piece.count) else {
            throw RecordError(
                version: first, offset: piece.place.lowerBound,
                problem: .invalid(what: "part", expected: "\(piece.count) compressed bytes", found: "damage"))
        }
        return memory
    }

    /// Reads some columns.
    func reader(_ piece: Piece) throws -> ColumnReader {
        try ColumnReader(unpacked(piece), piece.part, version: first)
    }

    /// Reads the events, and the identifiers of new rows and sections.
    func eventReader() throws -> ColumnReader {
        var reader = try reader(events)
        try reader.append(unpacked(identifiers), .identifiers, version: first)
        return reader
    }

    /// The headers of a commit and of those around it.
    func headers(of commit: Int) -> Piece { chunk(of: commit, headers) }

    /// The contents of a commit and of those around it.
    func contents(of commit: Int) -> Piece { chunk(of: commit, contents) }

    private func chunk(of commit: Int, _ chunks: [Piece]) -> Piece {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle].commits.upperBound <= commit { low = middle + 1 } else { high = middle }
        }
        precondition(low < chunks.count, "every commit of the block is in a chunk")
        return chunks[low]
    }
}

extension RecordReader {
    /// Reads where chunks of all commits lie, each after the number of its commits, and passes over them.
    fileprivate mutating func readChunks(
        _ part: PackedPart, _ commitCount: Int, _ most: Int
    ) throws -> [PackedBlock.Piece] {
        var chunks: [PackedBlock.Piece] = []
        var (start, bytes) = (0, 0)
        while start < commitCount {
            let count = try readVarint("a number of commits")
            guard count > 0 && count <= commitCount - start else {
                throw invalid("number of commits", expected: "as many as the block has, in all", found: count)
            }
            let chunk = try readPiece(part, start..<start + Int(count), most)
            chunks.append(chunk)
            (start, bytes) = (start + Int(count), bytes + chunk.count)
            // Few compressed bytes cannot ask for much memory. The lengths of its columns are what a chunk has by itself.
            guard bytes <= most + 64 * chunks.count else {
                throw invalid("size of all chunks", expected: "that of the records", found: UInt64(bytes))
            }
        }
        return chunks
    }

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
