// Writes a compacted store: the base, the commits, the checkpoints.
//
// The kept commits are replayed into a new list. So every checkpoint of the new file equals a replay, and the packer
// knows what follows from the rows.
//
// Always holds: a block ends at a checkpoint, so the next one can be replayed from there; every content that the new
// file refers to is in the new file.

import LMDB
import ListModel

/// A compaction in progress.
struct Compactor: ~Copyable {
    /// The result.
    struct Written {
        var base = LogBase()
        var version: Version
        var stateHash: StateHash
        var droppedBefore: Version
        var packedCount: UInt64 = 0
        var unpackedCount: UInt64 = 0
        var eventCount: UInt64 = 0
        var blockBytes = 0

        func report(bytesBefore: Int, bytesAfter: Int) -> CompactionReport {
            CompactionReport(
                oldestVersion: base.version, version: version,
                droppedCount: base.version.rawValue - droppedBefore.rawValue, packedCount: packedCount,
                unpackedCount: unpackedCount, eventCount: eventCount, blockBytes: blockBytes, bytesBefore: bytesBefore,
                bytesAfter: bytesAfter)
        }
    }

    private let source: Store
    private let compaction: Compaction
    private let log: CommitLog
    private let database: CheckpointDatabase
    private let blocks: Database<UInt64, [UInt8]>
    private let contents: Database<[UInt8], [UInt8]>
    private var state: ListState
    private var written: Written
    private var head = LogHead()
    private var newest: Checkpoint?
    private var nextNumber: UInt64 = 1
    /// The records of the next transaction.
    private var records: [(version: Version, bytes: [UInt8])] = []
    private var packed: [(first: Version, bytes: [UInt8])] = []
    private var pendingBytes = 0

    init(_ source: Store, _ compaction: Compaction, to path: String, _ options: StoreOptions) throws {
        // The journal is made when the new file is first opened for editing.
        var options = options
        options.journal.isUsed = false
        let log = try CommitLog(path: path, mode: .create, options: options)
        guard let database = try CheckpointDatabase(log.environment, meta: log.meta) else {
            preconditionFailure("a file that may be written gets its databases")
        }
        let blocks = try log.environment.openDatabase(
            named: LogFormat.blockDatabase, of: UInt64.self, [UInt8].self, create: true)
        let contents = try log.environment.openDatabase(
            named: LogFormat.contentDatabase, of: [UInt8].self, [UInt8].self, create: true)
        let newest = try source.snapshot
        self.source = source
        self.compaction = compaction
        self.log = log
        self.database = database
        self.blocks = blocks
        self.contents = contents
        written = Written(
            version: newest.version, stateHash: newest.stateHash, droppedBefore: source.oldestVersion)
        state = ListState(NodePool(limits: Compactor.limits, source: database))
    }

    /// Wide nodes take less space. The first edit splits them again.
    private static let limits = TreeLimits(leafCapacity: 128, innerCapacity: 64)
    /// Blocks occupy whole pages, so few large ones waste less.
    private static let blockSize = 16_384

    /// Writes everything.
    mutating func run(_ progress: (Double) -> Void) throws -> Written {
        let base = try findBase()
        try begin(at: base)
        let last = written.version.rawValue
        let sealed =
            compaction.isPacked && last > UInt64(compaction.unpackedCount)
            ? max(base.rawValue, last - UInt64(max(1, compaction.unpackedCount))) : base.rawValue
        var packer = BlockPacker(
            after: written.base.checksum, options: BlockPacker.Options(commitCount: Compactor.blockSize))
        var version = base
        while version.rawValue < last {
            version = version.next
            let record = try source.group.withRecord(of: version) { Array($0) }
            if version.rawValue <= sealed {
                try record.withUnsafeBytes { record in
                    try packer.add(record, to: &state) { try Self.note($0, record, &packed, &records, &written) }
                }
            } else {
                _ = try record.withUnsafeBytes { try state.replay($0, previousChecksum: head.checksum) }
                records.append((version, record))
                written.unpackedCount += 1
            }
            let events = try record.withUnsafeBytes { try RecordHeader.eventCount($0, version: version) }
            record.withUnsafeBytes { head.append($0, version: version, eventCount: events) }
            pendingBytes += record.count
            let distance = head.eventCount - (newest?.eventCount ?? 0)
            let isCheckpointDue = distance >= UInt64(max(1, compaction.checkpointSpacing))
            if version.rawValue == sealed || isCheckpointDue {
                try packer.finish { try Self.note($0, nil, &packed, &records, &written) }
            }
            if pendingBytes > 4 << 20 { try flush() }
            if isCheckpointDue && version.rawValue < last { try takeCheckpoint() }
            if version.rawValue % 8_192 == 0 { progress(Double(version.rawValue) / Double(last)) }
        }
        written.base.sealed = Version(sealed)
        written.eventCount = head.eventCount - written.base.eventCount
        try flush()
        if newest?.version != written.version && written.version > .empty {
            // A rebuilt tree has full leaves, unlike that of an edited list.
            try state.rebuild()
            try takeCheckpoint()
        }
        try finishMeta()
        try source.copyProjections(to: database, from: written.base.version)
        return written
    }

    /// Copies the written file, without free pages, to its final path.
    consuming func finish(_ path: String) throws {
        try log.environment.copy(to: path)
        try database.close()
    }

    /// Takes a piece from the packer.
    private static func note(
        _ piece: BlockPacker.Piece, _ record: UnsafeRawBufferPointer?,
        _ packed: inout [(first: Version, bytes: [UInt8])], _ records: inout [(version: Version, bytes: [UInt8])],
        _ written: inout Written
    ) throws {
        switch piece {
        case .block(let first, let last, let bytes):
            packed.append((first, bytes))
            written.packedCount += last.rawValue - first.rawValue + 1
            written.blockBytes += bytes.count
        case .record(let version, _):
            // A record that no block takes is the one that was just added.
            guard let record else { preconditionFailure("the packer gives back what it was given") }
            records.append((version, Array(record)))
            written.unpackedCount += 1
        }
    }

    /// Writes the collected rows.
    private mutating func flush() throws {
        let (packed, records, head) = (packed, records, head)
        let (commits, meta, blocks) = (log.commits, log.meta, blocks)
        try log.environment.write { txn in
            for (first, bytes) in packed {
                try bytes.withUnsafeBytes { try txn.append(bytes: $0, forKey: first.rawValue, in: blocks) }
            }
            for (version, bytes) in records {
                try bytes.withUnsafeBytes { try txn.append(bytes: $0, forKey: version.rawValue, in: commits) }
            }
            try txn.put(head.bytes, forKey: LogFormat.headKey, in: meta)
        }
        self.packed = []
        self.records = []
        pendingBytes = 0
    }

    private mutating func finishMeta() throws {
        let (base, meta) = (written.base, log.meta)
        try log.environment.write { txn in try txn.put(base.bytes, forKey: LogFormat.baseKey, in: meta) }
    }
}

// MARK: - The beginning

extension Compactor {
    /// The version that the compacted log begins with.
    private func findBase() throws -> Version {
        let (oldest, newest) = (source.oldestVersion, written.version)
        switch compaction.kept {
        case .everything: return oldest
        case .from(let version):
            if version < oldest { throw StoreError.droppedVersion(version, oldest: oldest) }
            if version > newest { throw StoreError.unknownVersion(version, head: newest) }
            return version
        case .since(let time):
            var base = oldest
            while base < newest, try source.group.commit(base.next).time < time { base = base.next }
            return base
        case .recordBytes(let bytes):
            var base = newest
            var total = 0
            while base > oldest {
                total += try source.group.withRecord(of: base) { $0.count }
                if total > bytes { break }
                base = Version(base.rawValue - 1)
            }
            return base
        }
    }

    /// Writes the version that the log begins with, and the contents that were written before it.
    private mutating func begin(at base: Version) throws {
        guard base > .empty else { return }
        let snapshot = try source.baseSnapshot(at: base)
        let (totals, histories) = try source.totals(at: base)
        state = try ListState(rebuilding: snapshot, histories: histories, state.pool)
        head.version = base
        head.checksum = totals.checksum
        head.eventCount = totals.eventCount
        head.recordBytes = totals.recordBytes
        written.base = totals
        try copyContents(snapshot, before: base)
        try takeCheckpoint()
    }

    /// Copies the contents of dropped commits that the rows of the base or later events still refer to.
    private func copyContents(_ snapshot: Snapshot, before base: Version) throws {
        var references: Set<ContentReference> = []
        for section in snapshot.sections { for item in section.items { references.insert(item.content) } }
        var version = base
        while version < written.version {
            version = version.next
            for event in try source.group.commit(version).events() {
                event.forEachReference { if $0.version <= base { references.insert($0) } }
            }
        }
        let sorted = references.map { (key: SealedLog.contentKey($0), reference: $0) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let (source, contents, environment) = (source, contents, log.environment)
        for start in stride(from: 0, to: sorted.count, by: 8_192) {
            let part = try sorted[start..<min(start + 8_192, sorted.count)].map { entry in
                (entry.key, try source.group.content(of: entry.reference))
            }
            try environment.write { txn in
                for (key, content) in part { try txn.put(content, forKey: key, in: contents) }
            }
        }
    }

    /// Takes a checkpoint. Short contents are stored with their rows, which takes less space than their hashes.
    private mutating func takeCheckpoint() throws {
        try flush()
        let image = state.captureCheckpoint(nextNumber: nextNumber)
        let (database, source) = (database, source)
        var slice = NodeSlice()
        var writer = CheckpointWriter(
            image, contentOf: { $0.length <= 8 ? try? source.group.content(of: $0) : nil }
        ) { number, bytes in
            slice.append(number, bytes)
            if slice.size > 4 << 20 {
                try database.put(slice, freeing: [])
                slice.removeAll()
            }
        }
        let checkpoint = try writer.write(
            eventCount: head.eventCount, work: head.eventCount, checksum: head.checksum)
        let gone = newest.map { writer.nodesGone(since: $0, state.pool) } ?? []
        try database.put(slice, freeing: [])
        let completion = CheckpointDatabase.Completion(
            checkpoint: checkpoint, locators: image.locators, gone: gone, superfluous: image.retiredChunks,
            lastNumbers: [])
        var (superfluous, _) = try database.complete(completion)
        while !superfluous.isEmpty {
            let freed = superfluous.suffix(4_096)
            try database.put(NodeSlice(), freeing: freed)
            superfluous.removeLast(freed.count)
        }
        try database.clearSuperfluous()
        nextNumber = writer.nextNumber
        newest = checkpoint
        state.adopt(writer.written, NodePool(after: state.pool))
    }
}

extension Store {
    /// The rows of a version, whether old or the newest, to begin a compacted log with.
    fileprivate func baseSnapshot(at version: Version) throws -> Snapshot {
        let newest = try snapshot
        return version == newest.version ? newest : try past.point(at: version, [newest])
    }

    /// The totals up to a version: the checksum of its record, the number of events, and the bytes of records; and its
    /// histories.
    fileprivate func totals(at version: Version) throws -> (LogBase, HistoryTable) {
        var totals = group.log.base
        var histories = try checkpointer?.database.checkpoint(totals.version)?.histories ?? HistoryTable()
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
