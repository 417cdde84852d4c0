// Versions of the past: reached from the nearest known version.
//
// A version before the beginning of the log can be read if the file has its checkpoint, because it has a name.
//
// Known versions are the empty list or the base of a compacted log, the checkpoints, the head, and the version that was
// read last. From there commits are replayed, or taken back if the known version is later. Packed commits can be taken back only with the
// rows before their block; if some are packed during the search, an earlier version is the beginning.

import ListModel

/// Finds versions of the past.
final class Past: Sendable {
    private let log: CommitLog
    private let database: CheckpointDatabase?
    /// What all node pools share; it belongs to no checkpoint.
    let nodes: NodePool
    private let state = Locked(State())

    private struct State: Sendable {
        /// The version that was read last: the next one is often near it.
        var last: UntypedSnapshot?
        /// The records of the blocks that were read recently, the last one first.
        var blocks: [RecordRun] = []
        /// The rows at the end of the block that was unpacked last, where the next one begins.
        var rows: UntypedSnapshot?
        /// The checkpoints behind which commits cannot be taken back as far as the next one.
        var oneWay: Set<Version> = []
        /// The headers of packed commits that were read recently, the last ones first.
        var headers: [PackedHeaders] = []
        /// How often all this was forgotten. What was being read then is not remembered.
        var generation = 0
        /// How many blocks were unpacked, and how often packed commits were taken back.
        var unpackings = 0
        var reversals = 0

        /// Undo and redo read several places of the log in turn: what is undone, the undos, and the way between.
        static let blockCount = 4
        /// So many bytes of records. A block has up to 4 MiB.
        static let blockBytes = 16 << 20

        /// The records of the block that has a version, if it was read recently.
        mutating func block(of version: Version) -> RecordRun? {
            guard let index = blocks.firstIndex(where: { $0.index(of: version) != nil }) else { return nil }
            if index > 0 { blocks.insert(blocks.remove(at: index), at: 0) }
            return blocks[0]
        }

        mutating func add(_ block: RecordRun, _ rows: UntypedSnapshot) {
            self.rows = rows
            // Another thread may have unpacked it meanwhile.
            blocks.removeAll { $0.first == block.first }
            blocks.insert(block, at: 0)
            func isTooMuch() -> Bool {
                blocks.count > State.blockCount || blocks.reduce(0) { $0 + $1.size } > State.blockBytes
            }
            while blocks.count > 1 && isTooMuch() { blocks.removeLast() }
        }
    }

    init(_ log: CommitLog, _ database: CheckpointDatabase?, _ nodes: NodePool) {
        self.log = log
        self.database = database
        self.nodes = nodes
    }

    /// How many blocks were unpacked.
    var unpackings: Int { state.withLock { $0.unpackings } }

    /// How often packed commits were taken back.
    var reversals: Int { state.withLock { $0.reversals } }

    /// Forgets the version that was read last.
    func clear() {
        state.withLock {
            $0 = State(generation: $0.generation + 1, unpackings: $0.unpackings, reversals: $0.reversals)
        }
    }

    /// A version before the newest, whose commits are all in the file, or which is kept because it has a name.
    ///
    /// - Parameters:
    ///   - version: a version of the log, or before it.
    ///   - others: known versions.
    /// - Throws: ``ListError/droppedVersion(_:oldest:)``, an error of the log.
    func point(at version: Version, _ others: [UntypedSnapshot] = []) throws -> UntypedSnapshot {
        if version < log.base.version { return try keptPoint(at: version) }
        let (last, generation) = state.withLock { ($0.last, $0.generation) }
        if let last, last.version == version { return last }
        let point = try nearestPoint(at: version, stored(for: version), [last].compactMap(\.self) + others)
        state.withLock { if $0.generation == generation { $0.last = point } }
        return point
    }

    /// A version before the beginning of the log.
    private func keptPoint(at version: Version) throws -> UntypedSnapshot {
        guard let database, let checkpoint = try database.keptCheckpoint(version) else {
            throw ListError.droppedVersion(version, oldest: log.base.version)
        }
        // No process drops it while the log begins where it does.
        return checkpoint.snapshot(NodePool(after: nodes, database.lease(version)))
    }

    /// A version, replayed forward from a checkpoint, the base or the empty list. A block is packed and unpacked with such rows
    /// only: an old commit may name a row that equals the one that was there, and taking it back gives that one.
    ///
    /// - Parameters:
    ///   - other: another version that was replayed like that, the one before or an earlier one. If a checkpoint is as near, that is used:
    ///     its nodes are in the file, and need not stay in memory.
    ///   - isFromOldest: whether it is replayed from the oldest of them.
    func foldedPoint(
        at version: Version, or other: UntypedSnapshot? = nil, isFromOldest: Bool = false
    ) throws -> UntypedSnapshot {
        let stored = try stored(for: version).filter { $0.rows.version <= version }
        let others = [other].compactMap(\.self).filter { $0.version <= version }
        return try isFromOldest
            ? nearestPoint(at: version, Array(stored.prefix(1)), []) : nearestPoint(at: version, stored, others)
    }

    /// A version, replayed from the nearest of known versions from which it can be: of a damaged log, that may be one on the other side.
    ///
    /// - Parameters:
    ///   - stored: the checkpoints and the beginning, the oldest first.
    ///   - others: other known versions.
    private func nearestPoint(
        at version: Version, _ stored: [StoredPoint], _ others: [UntypedSnapshot]
    ) throws -> UntypedSnapshot {
        var starts = stored.map(\.rows) + others
        var isRecord = false
        if starts.contains(where: { $0.version > version }) {
            do { isRecord = try log.withRecord(of: version.next) { $0 != nil } } catch {
                guard error.saysDamage else { throw error }
            }
        }
        let stretch = isRecord ? nil : try reversibleStretch(around: version, stored)
        starts.removeAll { $0.version > version && !isRecord && !(stretch?.versions.contains($0.version) ?? false) }
        func distance(_ point: UntypedSnapshot) -> UInt64 {
            if point.version <= version { return version.rawValue - point.version.rawValue }
            let distance = point.version.rawValue - version.rawValue
            guard let stretch else { return distance }
            // All commits of the stretch are decoded, and some rows are looked for in the list before it.
            return distance + distance / 8 + (point.version.rawValue - stretch.base.version.rawValue) / 16
        }
        starts.sort { distance($0) < distance($1) }
        var failure: (any Error)?
        while let start = starts.first {
            do {
                if let point = try replay(from: start, to: version, stretch?.base) { return point }
                // On the way back, there is a commit that cannot be taken back.
                starts.removeAll { $0.version > version }
                if let base = stretch?.base { state.withLock { _ = $0.oneWay.insert(base.version) } }
            } catch {
                guard error.saysDamage else { throw error }
                failure = failure ?? error
                if case ListError.damagedNode = error {
                    // An unreadable checkpoint only makes the replay longer.
                    starts.removeFirst()
                } else {
                    // From farther away, the damaged commit is on the way as well.
                    starts.removeAll { ($0.version > version) == (start.version > version) }
                }
            }
        }
        throw failure ?? ListError.unknownVersion(version, head: log.base.version)
    }

    /// A version whose nodes are in the file, or the empty list, which has no checkpoint.
    private struct StoredPoint {
        let rows: UntypedSnapshot
        let checkpoint: Checkpoint?
    }

    /// The empty list or the base, and the checkpoints around a version, the oldest first.
    private func stored(for version: Version) throws -> [StoredPoint] {
        var stored: [StoredPoint] = []
        if log.base.version == .empty {
            let empty = ListState(NodePool(limits: nodes.limits), isTracking: false)
            stored.append(StoredPoint(rows: UntypedSnapshot(empty: empty), checkpoint: nil))
        }
        guard let database else { return stored }
        for (checkpoint, lease) in try database.checkpoints(for: version, oldest: log.base.version) {
            let rows = checkpoint.snapshot(NodePool(after: nodes, lease))
            stored.append(StoredPoint(rows: rows, checkpoint: checkpoint))
        }
        return stored
    }

    /// The checkpoints around a version, if it is worth trying to take packed commits between them back: if most events in between change leaves
    /// of their own. Then a replay reads nodes most of the time, so decoding all of them to take a part of them back takes less.
    ///
    /// - Returns: the rows at the first checkpoint, and the versions of known rows from which commits may be taken back.
    private func reversibleStretch(
        around version: Version, _ stored: [StoredPoint]
    ) throws -> (base: UntypedSnapshot, versions: ClosedRange<Version>)? {
        guard let base = stored.last(where: { $0.rows.version <= version }),
            let end = stored.first(where: { $0.rows.version > version })?.checkpoint,
            state.withLock({ !$0.oneWay.contains(base.rows.version) })
        else { return nil }
        let events = end.eventCount &- (base.checkpoint?.eventCount ?? 0)
        // The policy counts a changed leaf as twelve.
        guard end.work &- (base.checkpoint?.work ?? 0) >= events &* 6 else { return nil }
        do {
            // No block goes across a checkpoint.
            let last = min(end.version, try log.packed.lastPacked())
            return last > version ? (base.rows, version.next...last) : nil
        } catch {
            guard error.saysDamage else { throw error }
            return nil
        }
    }

    /// - Parameter base: where the packed commits to take back begin; nil if they are not packed.
    /// - Returns: nil if a commit cannot be taken back.
    private func replay(
        from start: UntypedSnapshot, to version: Version, _ base: UntypedSnapshot?
    ) throws -> UntypedSnapshot? {
        if start.version == version { return start }
        var state = ListState(from: start)
        let isThere = try reading(start) {
            if start.version > version {
                guard let base else { return try log.unreplay(&state, to: version) }
                guard try reading(base, { try log.unreplayBlocks(&state, to: version, from: base) }) else {
                    return false
                }
                self.state.withLock { $0.reversals += 1 }
                return true
            }
            try log.replay(into: &state, through: version)
            return true
        }
        return isThere ? state.snapshot() : nil
    }

    /// Runs `body`. If some of the rows could not be read, that is the error: events do not fit such rows.
    private func reading<Result>(_ rows: UntypedSnapshot, _ body: () throws -> Result) throws -> Result {
        let failures = rows.failureCount
        do { return try rows.checked(body) } catch {
            throw rows.failure(since: failures) == nil ? error : error.ofRows
        }
    }
}

// MARK: - Packed records

extension Past {
    /// The records of the block that has the commit of a version, byte for byte as they were; nil if none has it.
    ///
    /// - Complexity: O(1) for the blocks that were read last; otherwise a replay from the nearest checkpoint before the block, or from the end of
    ///   the block that was unpacked last.
    func packedRecords(of version: Version) throws -> RecordRun? {
        if let known = state.withLock({ $0.block(of: version) }) { return known }
        guard let first = try log.packed.withBlock(of: version, isVerified: true, \.first) else { return nil }
        let (rows, generation) = state.withLock { ($0.rows, $0.generation) }
        var (records, end): (RecordRun, UntypedSnapshot)
        do { (records, end) = try unpack(version, from: foldedPoint(at: first.previous, or: rows)) } catch {
            // An unreadable checkpoint only makes the replay longer.
            guard case ListError.damagedNode = error else { throw error }
            (records, end) = try unpack(version, from: foldedPoint(at: first.previous, isFromOldest: true))
        }
        state.withLock {
            $0.unpackings += 1
            if $0.generation == generation { $0.add(records, end) }
        }
        return records
    }

    /// Calls `body` with the record of a commit that is in a packed block; nil if it is in none.
    func withPackedRecord<Result>(
        of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        guard let records = try packedRecords(of: version), let index = records.index(of: version) else { return nil }
        return try records.withRecord(index, body)
    }

    /// The records of a block, and the rows at its end.
    private func unpack(_ version: Version, from rows: UntypedSnapshot) throws -> (RecordRun, UntypedSnapshot) {
        var records = RecordRun(first: rows.version.next)
        var state = ListState(from: rows)
        try reading(rows) {
            try log.packed.withBlockCopy(of: version) { block in
                try block.forEachRecord(with: &state) { _, record in
                    record.withUnsafeBytes { records.append($0, eventCount: 0) }
                }
            }
        }
        return (records, state.snapshot())
    }

    /// The checksum of the record of a version, packed or not, to which the next one links.
    func checksum(of version: Version) throws -> UInt64 {
        if let checksum = try log.checksum(of: version) { return checksum }
        let packed = try withPackedRecord(of: version) { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        guard let packed else { throw ListError.missingCommit(version) }
        return packed
    }

    /// The head of the log, if it ended with an earlier version. Its totals are those of the whole log.
    ///
    /// - Throws: ``ListError/unknownVersion(_:head:)``, ``ListError/droppedVersion(_:oldest:)``, an error of the log.
    func head(_ head: LogPosition, at version: Version) throws -> LogPosition {
        if version > head.version { throw ListError.unknownVersion(version, head: head.version) }
        if version < log.base.version { throw ListError.droppedVersion(version, oldest: log.base.version) }
        var found = head
        (found.version, found.checksum) = (version, try checksum(of: version))
        return found
    }

    /// The header of a commit that is in a packed block, and of those around it; nil if it is in none.
    ///
    /// - Parameter columns: what is needed of them.
    /// - Complexity: O(1) for those that were read last; otherwise some 20 microseconds. No rows are needed.
    func packedHeaders(of version: Version, _ columns: PackedHeaders.Columns = .info) throws -> PackedHeaders? {
        let known = state.withLock { state in
            state.headers.first { $0.versions.contains(version) && ($0.columns == columns || $0.columns == .all) }
        }
        if let known { return known }
        let headers = try log.packed.withBlock(of: version, isVerified: true) {
            try $0.headers(near: version, columns)
        }
        // A path up the history reads a few chunks, some of them twice.
        if let headers { state.withLock { $0.headers = [headers] + $0.headers.prefix(7) } }
        return headers
    }

    /// Calls `body` with the ids of all rows and sections that came into the list with a packed commit of the blocks of some versions.
    ///
    /// - Parameter versions: ascending.
    /// - Returns: the versions whose commits are not packed.
    /// - Complexity: O(ids).
    func forEachPackedIdentifier(
        around versions: [Version], _ body: (UntypedID) throws -> Void
    ) throws -> [Version] {
        var rest = versions[...]
        var others: [Version] = []
        while let next = rest.first {
            let last = try log.packed.withBlock(of: next, isVerified: true) { block in
                try block.forEachIdentifier(body)
                return block.last
            }
            if last == nil { others.append(next) }
            rest = rest.drop { $0 <= last ?? next }
        }
        return others
    }
}
