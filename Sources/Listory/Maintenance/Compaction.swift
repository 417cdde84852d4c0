// Making a store smaller: dropping old history, and packing what is kept.

import LMDB
import ListModel

/// What compacting a store keeps, and how.
public struct Compaction: Sendable {
    /// Which versions can still be reached afterwards.
    public enum Kept: Hashable, Sendable {
        /// All of them.
        case everything
        /// This version and those after it.
        case from(Version)
        /// The version at this moment and those after it, by the times of the commits.
        case since(Timestamp)
        /// As many of the newest commits as have this many bytes of records together.
        case recordBytes(Int)
    }

    /// Which versions can still be reached. What came before cannot be undone any more either.
    public var kept: Kept
    /// Whether the commits that are kept are packed: many of them together, without what replaying them tells. They are
    /// read more slowly, one by one; going to their versions takes as long as before.
    public var isPacked = true
    /// How many of the newest commits stay as they are, so that undoing them is fast.
    public var unpackedCount = 256
    /// After how many events a checkpoint is kept. Half as many, or fewer, have to be replayed to reach a version; every
    /// checkpoint takes room.
    public var checkpointSpacing = 65_536

    /// A compaction that keeps these versions.
    public init(keeping kept: Kept = .everything) {
        self.kept = kept
    }
}

/// What compacting a store did.
public struct CompactionReport: Hashable, Sendable {
    /// The oldest version that can be reached.
    public let oldestVersion: Version
    /// The newest version.
    public let version: Version
    /// How many commits were dropped, packed into blocks, and left as they were.
    public let droppedCount: UInt64
    public let packedCount: UInt64
    public let unpackedCount: UInt64
    /// How many events the kept commits have.
    public let eventCount: UInt64
    /// How many bytes the packed blocks have.
    public let blockBytes: Int
    /// The size of the file before and after, in bytes.
    public let bytesBefore: Int
    public let bytesAfter: Int

    /// Bytes in the new file for every event that is kept; 0 without events.
    public var bytesPerEvent: Double {
        eventCount == 0 ? 0 : Double(bytesAfter) / Double(eventCount)
    }
}

extension Store {
    /// Compacts a store: writes what is to be kept into a new file, verifies that file, and puts it in the place of the old
    /// one, at once or not at all.
    ///
    /// The newest rows, their content, the state hash of every version that is kept, and undo within those stay what they
    /// are. What is dropped is not in the new file, not in free pages either.
    ///
    /// ```swift
    /// try Store.compact(at: path, Compaction(keeping: .since(lastMonth)))
    /// ```
    ///
    /// - Parameters:
    ///   - path: a store that is open nowhere. No snapshot of it is kept in this process.
    ///   - compaction: what is kept, and how.
    ///   - options: how wide nodes are, and how far the file may grow meanwhile.
    ///   - progress: called now and then with the share that is done, 0 to 1.
    /// - Throws: ``StoreError/inUse(path:)`` if the store is open; ``StoreError/writtenElsewhere(expected:found:)`` if
    ///   another process wrote to it meanwhile; ``StoreError/droppedVersion(_:oldest:)`` and
    ///   ``StoreError/unknownVersion(_:head:)`` for a version to keep that is not there; what opening and verifying a store
    ///   throws. The old file is then where it was.
    /// - Complexity: O(events · log n + rows), twice, because the new file is verified.
    @discardableResult
    public static func compact(
        at path: String, _ compaction: Compaction = Compaction(), options: StoreOptions = StoreOptions(),
        progress: (Double) -> Void = { _ in }
    ) throws -> CompactionReport {
        let bytesBefore = FileStatus.size(path)
        let scratch = path + "-compacting"
        let copy = path + "-compacted"
        defer { for name in [scratch, copy] { FileStatus.remove(name) } }
        for name in [scratch, copy] { FileStatus.remove(name) }
        var readOptions = options
        readOptions.isReadOnly = true
        let fingerprint: FileFingerprint?
        let written: Compactor.Written
        do {
            let source = try Store.open(at: path, options: readOptions)
            defer { try? source.close() }
            var compactor = try Compactor(source, compaction, to: scratch, options)
            written = try compactor.run { progress($0 * 0.6) }
            try compactor.finish(copy)
            fingerprint = FileFingerprint(path)
            guard try source.isNewest() else {
                throw StoreError.writtenElsewhere(expected: written.version, found: written.version.next)
            }
        } catch let error as LMDBError {
            if case .alreadyOpen = error.kind { throw StoreError.inUse(path: path) }
            throw error
        }
        let verified = try StoreVerification(path: copy) { progress(0.6 + $0 * 0.4) }
        guard verified.stateHash == written.stateHash, verified.version == written.version else {
            throw StoreError.headMismatch(
                what: "compacted state", expected: "\(written.stateHash)", found: "\(verified.stateHash)")
        }
        try replace(path, with: copy, fingerprint, written.version)
        return written.report(bytesBefore: bytesBefore, bytesAfter: FileStatus.size(path))
    }

    private static func replace(
        _ path: String, with copy: String, _ fingerprint: FileFingerprint?, _ version: Version
    ) throws {
        let isReplaced: Bool
        do {
            isReplaced = try DataFile.replace(path, with: copy) { FileFingerprint(path) == fingerprint }
        } catch {
            switch error.kind {
            case .inUse, .alreadyOpen: throw StoreError.inUse(path: path)
            default: throw error
            }
        }
        if !isReplaced { throw StoreError.writtenElsewhere(expected: version, found: version.next) }
    }

    /// Whether the log still ends with what this store knows.
    private func isNewest() throws -> Bool {
        try group.log.readHead().head == group.head
    }
}
