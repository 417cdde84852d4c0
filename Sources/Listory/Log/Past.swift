// Versions of the past: reached from the nearest known version.
//
// Known versions are the empty list or the base of a compacted log, the checkpoints, the head, and the version that was
// read last. From there commits are replayed, or reverted if the known version is later. Packed commits can only be
// replayed, from the beginning of a block.

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
        /// The records of the block that was read last.
        var block: (first: Version, records: [[UInt8]])?
        /// The history marks of the commits of recently read blocks, the last block first.
        var marks: [(first: Version, marks: [HistoryMark])] = []
    }

    init(_ log: CommitLog, _ database: CheckpointDatabase?, _ nodes: NodePool) {
        self.log = log
        self.database = database
        self.nodes = nodes
    }

    /// Forgets the version that was read last.
    func clear() { state.withLock { $0 = State() } }

    /// A version before the newest, whose commits are all in the file.
    ///
    /// - Parameters:
    ///   - version: a version of the log.
    ///   - others: known versions.
    /// - Throws: an error of the log.
    func point(at version: Version, _ others: [UntypedSnapshot] = []) throws -> UntypedSnapshot {
        if let last = state.withLock({ $0.last }), last.version == version { return last }
        let candidates = try candidates(for: version) + others
        let usable = try candidates.filter { try canReach(version, from: $0.version) }
        func distance(_ point: UntypedSnapshot) -> UInt64 {
            max(point.version, version).rawValue - min(point.version, version).rawValue
        }
        guard let start = usable.min(by: { distance($0) < distance($1) }) else {
            throw ListError.unknownVersion(version, head: log.base.version)
        }
        let point: UntypedSnapshot
        do {
            point = try replay(from: start, to: version)
        } catch {
            // An unreadable checkpoint only makes the replay longer.
            guard case ListError.damagedNode = error, let first = candidates.first, first.version < start.version
            else { throw error }
            point = try replay(from: first, to: version)
        }
        state.withLock { $0.last = point }
        return point
    }

    /// The known versions, the oldest first.
    private func candidates(for version: Version) throws -> [UntypedSnapshot] {
        var candidates: [UntypedSnapshot] = []
        if log.base.version == .empty {
            let empty = ListState(NodePool(limits: nodes.limits), isTracking: false)
            candidates.append(UntypedSnapshot(empty: empty))
        }
        guard let database else { return candidates }
        for (checkpoint, lease) in try database.checkpoints(for: version, oldest: log.base.version) {
            candidates.append(checkpoint.snapshot(NodePool(after: nodes, lease)))
        }
        if let last = state.withLock({ $0.last }) { candidates.append(last) }
        return candidates
    }

    /// Whether commits can be replayed or reverted between two versions.
    private func canReach(_ version: Version, from start: Version) throws -> Bool {
        if start == version { return true }
        guard let sealed = log.sealed else { return true }
        if start > version { return version >= sealed.base.sealed }
        return try sealed.withBlock(of: start.next, isVerified: true) { $0.first == start.next } ?? true
    }

    private func replay(from start: UntypedSnapshot, to version: Version) throws -> UntypedSnapshot {
        if start.version == version { return start }
        var state = ListState(from: start)
        let pool = state.pool
        let failures = pool.failureCount
        do {
            // Events do not fit rows that could not be read: that is the error to report.
            try pool.checked {
                if start.version < version {
                    _ = try log.replay(into: &state, through: version)
                } else {
                    try log.unreplay(&state, to: version)
                }
            }
        } catch {
            throw pool.failure(since: failures) == nil ? error : error.ofRows
        }
        return state.snapshot()
    }
}

// MARK: - Packed records

extension Past {
    /// The record of a commit that is in a packed block, byte for byte as it was; nil if it is in none.
    func packedRecord(of version: Version) throws -> [UInt8]? {
        let known = state.withLock { state -> [UInt8]? in
            guard let block = state.block, version >= block.first else { return nil }
            let index = version.rawValue - block.first.rawValue
            return index < UInt64(block.records.count) ? block.records[Int(index)] : nil
        }
        if let known { return known }
        guard let first = try log.sealed?.withBlock(of: version, isVerified: true, \.first) else { return nil }
        let before = try point(at: Version(first.rawValue - 1))
        var state = ListState(from: before)
        var records: [[UInt8]] = []
        try log.sealed?.withBlockCopy(of: version) { block in
            try block.forEachRecord(with: &state) { _, record in records.append(record) }
        }
        let index = Int(version.rawValue - first.rawValue)
        guard index < records.count else { return nil }
        self.state.withLock { $0.block = (first, records) }
        return records[index]
    }

    /// The mark in the history of a commit that is in a packed block; nil if it is in none.
    func packedMark(of version: Version) throws -> HistoryMark? {
        guard let sealed = log.sealed, version <= sealed.base.sealed else { return nil }
        func known(_ marks: [(first: Version, marks: [HistoryMark])]) -> HistoryMark? {
            for block in marks where version >= block.first {
                let index = version.rawValue - block.first.rawValue
                if index < UInt64(block.marks.count) { return block.marks[Int(index)] }
            }
            return nil
        }
        if let mark = state.withLock({ known($0.marks) }) { return mark }
        let block = try sealed.withBlock(of: version, isVerified: true) { block in
            var marks: [HistoryMark] = []
            try block.forEachCommit { marks.append($0.mark) }
            return (first: block.first, marks: marks)
        }
        guard let block else { return nil }
        // A path up the history reads a few blocks, some of them twice.
        state.withLock { $0.marks = [block] + $0.marks.prefix(3) }
        return known([block])
    }

    /// The time of a packed commit; nil if it is not packed.
    func packedTime(of version: Version) throws -> Timestamp? {
        try log.sealed?.withBlock(of: version, isVerified: true) { try $0.commit(version).time }
    }
}
