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

        /// Sizes of blocks, clamped to the limits of the format.
        package init(commitCount: Int = 4_096, recordBytes: Int = 65_536, totalBytes: Int = 1 << 22) {
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
    private var encoder: CommitEncoder?
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
        if let reason = reasonToLeave(record, version) {
            checksum = try state.replay(record, previousChecksum: checksum)
            try finish(emit)
            return try emit(.record(version, reason))
        }
        let header = try RecordHeader(record, version: version, previousChecksum: checksum)
        let link = UInt32(truncatingIfNeeded: checksum)
        let commit = try ExactCommit(header, record, &state, link: link, &writer)
        let checksumBefore = checksum
        checksum = header.checksum
        guard let commit else {
            try finish(emit)
            return try emit(.record(version, .notExact))
        }
        if let pending = encoder?.recordBytes, pending + record.count > options.totalBytes { try finish(emit) }
        if encoder == nil {
            encoder = CommitEncoder(first: version, checksumBefore: checksumBefore)
        }
        encoder?.append(commit, record)
        if encoder?.commitCount == options.commitCount { try finish(emit) }
    }

    /// Completes the last block, if there are commits that are in no piece yet.
    package mutating func finish(_ emit: (Piece) throws -> Void) throws {
        guard let encoder = encoder.take() else { return }
        let first = encoder.first
        let last = Version(first.rawValue + UInt64(encoder.commitCount) - 1)
        try emit(.block(first: first, last: last, encoder.finish()))
    }

    private func reasonToLeave(_ record: UnsafeRawBufferPointer, _ version: Version) -> Reason? {
        if record.count > min(options.recordBytes, options.totalBytes) { return .tooLarge }
        let greatest = PackedLimits.versions - 2 - UInt64(PackedLimits.commitCount)
        return version.rawValue > greatest ? .versionTooGreat : nil
    }
}
