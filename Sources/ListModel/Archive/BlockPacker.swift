// Packs a range of the log: records go in; blocks, and records that no block takes, come out, in order.
//
// Always holds: every added commit is in exactly one piece; the pieces, including those of `finish`, are in the order
// of the log. A record that cannot be rebuilt byte for byte is in no block.

/// Packs consecutive commits of a log into blocks.
///
/// ```swift
/// var packer = BlockPacker(after: checksum)
/// for record in records { try packer.add(record, to: &state) { piece in … } }
/// try packer.finish { piece in … }
/// ```
///
/// Before the records are deleted, read the block once: ``PackedBlock/forEachRecord(with:through:_:)``, with the state
/// before it, proves that all records can be rebuilt.
package struct BlockPacker: ~Copyable {
    /// How large blocks become.
    package struct Options: Sendable {
        /// The most commits of a block.
        package var commitCount: Int
        /// The most bytes of a record; a larger one stays as it is.
        package var recordBytes: Int
        /// The most bytes of all records of a block.
        package var totalBytes: Int
        /// How many commits a chunk of headers has. In smaller ones, what each chunk has by itself takes too much; larger ones take longer
        /// to unpack for one header.
        package var headerCount: Int

        /// Sizes of blocks, clamped to the limits of the format.
        package init(
            commitCount: Int = 4_096, recordBytes: Int = 65_536, totalBytes: Int = 1 << 22, headerCount: Int = 512
        ) {
            self.headerCount = max(headerCount, 1)
            self.commitCount = min(max(commitCount, 1), PackedLimits.commitCount)
            self.recordBytes = min(max(recordBytes, 0), PackedLimits.recordBytes)
            self.totalBytes = min(max(totalBytes, 1), PackedLimits.totalBytes)
        }
    }

    /// Why a commit is in no block.
    package enum Reason: Equatable, Sendable {
        /// The record has too many bytes.
        case tooLarge
        /// The record does not follow from its events and the rows.
        case notExact
        /// The version exceeds what a block can store.
        case versionTooGreat
    }

    /// A range of the log, packed or not.
    package enum Piece: Equatable, Sendable {
        /// The commits of these versions, packed.
        case block(first: Version, last: Version, [UInt8])
        /// One commit, whose record stays as it is.
        case record(Version, Reason)
    }

    private let options: Options
    /// The checksum of the newest commit.
    private var checksum: UInt64
    private var pending: BlockWriter?
    private var writer = ByteWriter()

    /// A packer that begins after a commit.
    ///
    /// - Parameter checksum: the checksum of its record; 0 before the first commit of a log.
    package init(after checksum: UInt64, options: Options = Options()) {
        self.checksum = checksum
        self.options = options
    }

    /// Folds the next commit into the state and packs it.
    ///
    /// - Parameters:
    ///   - record: the record of the commit.
    ///   - state: the list before the commit; afterwards the list after it.
    ///   - emit: receives the pieces that are complete with this commit, if any.
    /// - Throws: ``RecordError``, ``ListError`` if the log is damaged, and what `emit` throws. The packer and the state
    ///   must not be used afterwards.
    /// - Complexity: as replaying the commit with its hash; O(block) when a block is complete.
    package mutating func add(
        _ record: UnsafeRawBufferPointer, to state: inout ListState, _ emit: (Piece) throws -> Void
    ) throws {
        let version = state.version.next
        let before = checksum
        func leave(_ reason: Reason) throws {
            try finish(emit)
            try emit(.record(version, reason))
        }
        if let reason = reasonToLeave(record, version) {
            checksum = try state.replay(record, previousChecksum: before)
            return try leave(reason)
        }
        guard let commit = try ExactCommit(record, version: version, previousChecksum: before) else {
            checksum = try state.replay(record, previousChecksum: before)
            return try leave(.notExact)
        }
        checksum = commit.checksum
        guard try commit.isExact(record, &state, link: RecordLayout.link(to: before), &writer) else {
            return try leave(.notExact)
        }
        if let bytes = pending?.recordBytes, bytes + record.count > options.totalBytes { try finish(emit) }
        if pending == nil { pending = BlockWriter(first: version, checksumBefore: before, options.headerCount) }
        try pending?.append(commit, record)
        if pending?.commitCount == options.commitCount { try finish(emit) }
    }

    /// Completes the last block, if there are commits that are in no piece yet.
    package mutating func finish(_ emit: (Piece) throws -> Void) throws {
        guard let pending = pending.take() else { return }
        try emit(.block(first: pending.first, last: pending.next.previous, pending.finish()))
    }

    private func reasonToLeave(_ record: UnsafeRawBufferPointer, _ version: Version) -> Reason? {
        if record.count > min(options.recordBytes, options.totalBytes) { return .tooLarge }
        let greatest = PackedLimits.versions - 2 - UInt64(PackedLimits.commitCount)
        return version.rawValue > greatest ? .versionTooGreat : nil
    }
}

/// Collects the commits of a block.
private struct BlockWriter {
    let first: Version
    private let checksumBefore: UInt64
    private(set) var commitCount = 0
    private(set) var recordBytes = 0
    private var eventCount = 0
    private var checksum: UInt64 = 0
    private var stateHash = StateHash(rawValue: 0)

    private var headers: HeaderWriter
    private var events = EventWriter()
    private var contents = ContentWriter()

    init(first: Version, checksumBefore: UInt64, _ headerCount: Int) {
        (self.first, self.checksumBefore) = (first, checksumBefore)
        headers = HeaderWriter(chunkSize: headerCount)
    }

    /// The version of the next commit.
    var next: Version { Version(first.rawValue + UInt64(commitCount)) }

    /// Packs the next commit.
    mutating func append(_ commit: ExactCommit, _ record: UnsafeRawBufferPointer) throws {
        headers.append(commit.header)
        let places = commit.contents.joined()
        try events.put(commit.packed, isNew: places.map { $0 != nil })
        contents.append(places.compactMap { $0 }, of: record)
        commitCount += 1
        recordBytes += record.count
        eventCount += commit.header.eventCount
        (checksum, stateHash) = (commit.checksum, commit.stateHash)
    }

    /// The block of the commits that were appended, of which there is at least one.
    ///
    /// - Complexity: O(bytes).
    consuming func finish() -> [UInt8] {
        headers.endChunk()
        contents.endChunk()
        var writer = ByteWriter()
        writer.write(fixed: UInt64(0))
        for word in [first.rawValue, checksumBefore, checksum, stateHash.rawValue] { writer.write(fixed: word) }
        for count in [commitCount, eventCount, recordBytes] { writer.write(fixed: UInt32(count)) }
        writer.write(byte: PackedLimits.currentFormat)
        writer.write(piece: events.columns.plain(.identifiers))
        writer.write(piece: events.columns.plain(.events))
        for chunk in headers.chunks + contents.chunks {
            writer.write(count: chunk.commitCount)
            writer.write(piece: chunk.plain)
        }
        writer.patch(writer.withBytes { PackedLayout.checksum($0, first: first.rawValue) }, at: 0)
        return writer.withBytes { Array($0) }
    }
}

extension ByteWriter {
    /// Writes some columns, compressed.
    fileprivate mutating func write(piece plain: [UInt8]) {
        let packed = plain.withUnsafeBytes { Deflate.packed($0) }
        write(count: plain.count)
        write(count: packed.count)
        packed.withUnsafeBytes { write(raw: $0) }
    }
}
