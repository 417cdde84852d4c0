// Writes a compacted store: named versions before the base, the base, the commits, the checkpoints.
//
// The kept commits are replayed into a new list. So every checkpoint of the new file equals a replay, and the packer
// knows what follows from the rows.
//
// Always holds: a block ends at a checkpoint, so the next one can be replayed from there; every content that the new
// file refers to is in the new file, except those that are erased, which were never given to it.

import LMDB
import ListModel

/// A compaction in progress.
struct Compactor: ~Copyable {
    /// The result.
    struct Written {
        var base = LogBase()
        /// The names of versions that the old store had at the beginning.
        var names: [NamedVersion]
        var version: Version
        var stateHash: StateHash
        var droppedBefore: Version
        var packedCount: UInt64 = 0
        var unpackedCount: UInt64 = 0
        var eventCount: UInt64 = 0
        var blockBytes = 0
        var erased: Erased?

        /// Verifies the file that was written.
        ///
        /// - Throws: ``ListError`` if it is damaged, or has not the newest rows; what `progress` throws.
        func verify(_ path: String, progress: (Double) throws -> Void) throws {
            let found = try StoreVerification(ofCompacted: path, progress: progress)
            guard found.stateHash == stateHash, found.version == version else {
                throw ListError.headMismatch(
                    what: "compacted state", expected: "\(stateHash)", found: "\(found.stateHash)")
            }
        }

        func report(bytesBefore: Int, bytesAfter: Int) -> CompactionReport {
            CompactionReport(
                oldestVersion: base.version, version: version,
                droppedCount: base.version.rawValue - droppedBefore.rawValue, packedCount: packedCount,
                unpackedCount: unpackedCount, eventCount: eventCount, blockBytes: blockBytes, bytesBefore: bytesBefore,
                bytesAfter: bytesAfter)
        }
    }

    /// What was erased.
    struct Erased {
        var contentCount: Int
        var byteCount: Int
        var commitCount: Int
        /// How many contents were written by commits whose origin is not known any more.
        var unattributedCount = 0
        /// How many rows of the newest version have an erased content.
        var deletedCount = 0
    }

    private let source: UntypedStore
    private let compaction: Compaction
    private var file: NewStoreFile
    private var state: ListState
    private var written: Written
    private var eraser: ContentEraser?

    init(_ source: UntypedStore, _ compaction: Compaction, to path: String, _ options: StoreOptions) throws {
        var options = options
        options.identifierKinds = source.identifierKinds.withLock { $0 }
        let file = try NewStoreFile(at: path, options)
        // Later commits may still be discarded.
        let newest = try source.snapshot(at: source.durableVersion)
        let names = try compaction.isForOthers ? [] : source.group.log.names()
        self.source = source
        self.compaction = compaction
        written = Written(
            names: names, version: newest.version, stateHash: newest.stateHash, droppedBefore: source.oldestVersion)
        state = ListState(NodePool(limits: NewStoreFile.limits, source: file.database))
        self.file = file
    }

    /// Blocks occupy whole pages, so few large ones waste less.
    private static let blockSize = 16_384

    /// Writes everything.
    mutating func run(_ progress: (Double) throws -> Void) throws -> Written {
        let base = try source.beginning(ofKept: compaction.kept, through: written.version)
        try findErased()
        try begin(at: base, progress)
        let last = written.version.rawValue
        let unpacked = UInt64(max(1, compaction.unpackedCount))
        let lastPacked = compaction.isPacked && last > unpacked ? max(base.rawValue, last - unpacked) : base.rawValue
        var packer = BlockPacker(
            after: written.base.checksum, options: BlockPacker.Options(commitCount: Compactor.blockSize))
        var version = base
        while version.rawValue < last {
            version = version.next
            let record = try record(of: version)
            if version.rawValue <= lastPacked {
                try record.withUnsafeBytes { record in
                    try packer.add(record, to: &state) { try Self.note($0, record, &file, &written) }
                }
            } else {
                let checksum = file.head.checksum
                _ = try record.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
                file.add(record: record, of: version)
                written.unpackedCount += 1
            }
            try record.withUnsafeBytes { try file.advance(over: $0, of: version) }
            let distance = file.head.eventCount - (file.newest?.eventCount ?? 0)
            let isCheckpointDue = distance >= UInt64(max(1, compaction.checkpointSpacing))
            if version.rawValue == lastPacked || isCheckpointDue {
                try packer.finish { try Self.note($0, nil, &file, &written) }
            }
            try file.flushIfLarge()
            if isCheckpointDue && version.rawValue < last { try takeCheckpoint() }
            if version.rawValue % 1_024 == 0 { try progress(Double(version.rawValue) / Double(last)) }
        }
        written.base.lastPacked = Version(lastPacked)
        written.eventCount = file.head.eventCount - written.base.eventCount
        try file.flush()
        if file.newest?.version != written.version && written.version > .empty {
            // A rebuilt tree has full leaves, unlike that of an edited list.
            state.rebuild()
            try takeCheckpoint()
        }
        try file.put(written.base)
        // An open store may have got newer ones meanwhile.
        try file.put(written.names.filter { $0.version <= written.version })
        if eraser != nil {
            // States of projections may contain anything.
            written.erased?.deletedCount = try state.snapshot().erasedRows.count
        } else if !compaction.isForOthers {
            try source.copyProjections(to: file.database, from: written.base.version, through: written.version)
        }
        return written
    }

    /// Copies the written file, without free pages, to its final path.
    consuming func finish(_ path: String) throws {
        try file.copy(to: path)
        try file.close()
    }

    /// Takes a piece from the packer.
    private static func note(
        _ piece: BlockPacker.Piece, _ record: UnsafeRawBufferPointer?,
        _ file: inout NewStoreFile, _ written: inout Written
    ) throws {
        switch piece {
        case .block(let first, let last, let bytes):
            file.add(block: bytes, from: first)
            written.packedCount += last.rawValue - first.rawValue + 1
            written.blockBytes += bytes.count
        case .record(let version, _):
            // A record that no block takes is the one that was just added.
            guard let record else { preconditionFailure("the packer gives back what it was given") }
            file.add(record: Array(record), of: version)
            written.unpackedCount += 1
        }
    }
}

// MARK: - The beginning

extension Compactor {
    /// The versions that have names and are before the one that the log begins with, and that one.
    private func firstVersions(through base: Version) -> [Version] {
        Set(written.names.map(\.version).filter { $0 < base } + [base]).sorted()
    }

    /// Writes the version that the log begins with, older ones that have names, and the contents that were written before.
    private mutating func begin(at base: Version, _ progress: (Double) throws -> Void) throws {
        guard base > .empty else { return }
        var versions: [FirstVersion] = []
        for version in firstVersions(through: base) {
            let (totals, histories) = try source.totals(at: version, after: versions.last)
            versions.append(
                FirstVersion(totals: totals, rows: try source.baseSnapshot(at: version), histories: histories))
            written.base = totals
        }
        try copyContents(versions, before: base, progress)
        let contentOf = contentOf
        try file.begin(&state, with: versions, without: eraser, contentOf: contentOf)
    }

    /// Copies the contents of dropped commits that the first versions or later events still refer to.
    private mutating func copyContents(
        _ versions: [FirstVersion], before base: Version, _ progress: (Double) throws -> Void
    ) throws {
        var references: Set<ContentReference> = []
        func note(_ content: ContentReference) {
            if !(eraser?.reference(content) ?? content).isErased { references.insert(content) }
        }
        versions.forEachContent(note)
        var version = base
        while version < written.version {
            version = version.next
            if version.rawValue % 1_024 == 0 { try progress(0) }
            for event in try source.group.commit(version).events() {
                event.forEachContent { if $1.version <= base { note($1) } }
            }
        }
        let source = source
        _ = try file.putContents(references) { reference in
            if try source.group.log.packed.isKnownAsLost(reference) { return nil }
            return try source.group.content(of: reference)
        }
        if compaction.erased?.origins.isEmpty == false {
            written.erased?.unattributedCount = references.count { $0.version <= source.oldestVersion }
        }
    }

    private mutating func takeCheckpoint() throws {
        let contentOf = contentOf
        try file.takeCheckpoint(of: &state, contentOf: contentOf)
    }

    /// Reads a content of the new file in the old one.
    private var contentOf: (ContentReference) -> [UInt8]? {
        let (source, eraser) = (source, eraser)
        return { try? source.group.content(of: eraser?.formerReference($0) ?? $0) }
    }
}

// MARK: - Erasing

extension Compactor {
    /// Finds the contents to erase.
    private mutating func findErased() throws {
        guard let erased = compaction.erased else { return }
        var eraser = ContentEraser(rows: erased.rows, origins: erased.origins)
        for version in firstVersions(through: source.oldestVersion) {
            for section in try source.snapshot(at: version).sections {
                for row in section.items { eraser.find(in: row) }
            }
        }
        if source.oldestVersion < written.version {
            let versions = source.oldestVersion.next.rawValue...written.version.rawValue
            try source.group.forEachRecord(in: versions) { try eraser.find(in: $1, of: $0) }
            try source.group.forEachRecord(in: versions) { try eraser.findName(in: $1, of: $0) }
        }
        written.erased = Erased(
            contentCount: eraser.contentCount, byteCount: eraser.byteCount, commitCount: eraser.commitCount)
        self.eraser = eraser
    }

    /// The record of a commit in the new file.
    private mutating func record(of version: Version) throws -> [UInt8] {
        let checksum = file.head.checksum
        return try source.group.withRecord(of: version) {
            try eraser?.record($0, of: version, after: checksum) ?? Array($0)
        }
    }
}

extension UntypedStore {
    /// The version with which a compacted log begins.
    ///
    /// - Parameter newest: the newest version of that log.
    /// - Throws: ``ListError/droppedVersion(_:oldest:)``, ``ListError/unknownVersion(_:head:)``; an error of the log.
    func beginning(ofKept kept: Compaction.Kept, through newest: Version) throws -> Version {
        switch kept {
        case .everything: return oldestVersion
        case .from(let version):
            if version < oldestVersion { throw ListError.droppedVersion(version, oldest: oldestVersion) }
            if version > newest { throw ListError.unknownVersion(version, head: newest) }
            return version
        case .since(let time): return try min(newest, version(isOld: { $0 < time }))
        case .recordBytes(let bytes): return try min(newest, version(ofBytes: bytes))
        }
    }

    /// The rows of a version, whether old or the newest, to begin a compacted log with.
    fileprivate func baseSnapshot(at version: Version) throws -> UntypedSnapshot {
        let newest = try snapshot
        return version == newest.version ? newest : try past.point(at: version, [newest])
    }

    /// The totals up to a version: the checksum of its record, the number of events, and the bytes of records; and its
    /// histories.
    ///
    /// - Parameter earlier: an earlier version of which they are known.
    fileprivate func totals(at version: Version, after earlier: FirstVersion?) throws -> (LogBase, HistoryTable) {
        var totals = group.log.base
        let stored = try checkpointer?.database.checkpoint(min(version, totals.version))
        var histories = stored?.histories ?? HistoryTable()
        if version < totals.version {
            guard let stored else { throw ListError.damagedCheckpoint(version) }
            totals = LogBase(stored)
        } else if let earlier, earlier.totals.version > totals.version {
            (totals, histories) = (earlier.totals, earlier.histories)
        }
        while totals.version < version {
            let next = totals.version.next
            try group.withRecord(of: next) { record in
                totals.checksum = UInt64(littleEndian: record.loadUnaligned(as: UInt64.self))
                totals.eventCount += UInt64(try RecordHeader.eventCount(record, version: next))
                totals.recordBytes += UInt64(record.count)
                histories.note(try RecordHeader.mark(record, version: next), at: next)
            }
            totals.version = next
        }
        return (totals, histories)
    }
}
