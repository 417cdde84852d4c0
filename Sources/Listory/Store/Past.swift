// Versions of the past: reached from the nearest one that is at hand.
//
// At hand are the empty list or the beginning of a compacted log, the checkpoints, the newest version, and the one that was
// looked at last. From there commits are replayed, or taken back if the one at hand is later. What is packed can be
// replayed only, and only from where a block begins.

import ListModel
import Synchronization

/// Finds versions of the past.
final class Past: Sendable {
    /// A version with what replaying from it needs.
    struct Point: Sendable {
        var snapshot: Snapshot
        var history: History

        var version: Version { snapshot.version }
    }

    private let log: CommitLog
    private let database: CheckpointDatabase?
    /// What all stores of nodes have in common; it belongs to no checkpoint.
    let nodes: NodeStore
    private let state = Mutex(State())

    private struct State {
        /// The version that was looked at last: the next one is often near it.
        var last: Point?
        /// The records of the block that was read last.
        var block: (first: Version, records: [[UInt8]])?
    }

    init(_ log: CommitLog, _ database: CheckpointDatabase?, _ nodes: NodeStore) {
        self.log = log
        self.database = database
        self.nodes = nodes
    }

    /// Forgets what was looked at last.
    func clear() { state.withLock { $0 = State() } }

    /// A version before the newest, whose commits are all in the file.
    ///
    /// - Parameters:
    ///   - version: one that the log can reach.
    ///   - others: versions that are at hand.
    /// - Throws: an error of the log.
    func point(at version: Version, _ others: [Point] = []) throws -> Point {
        if let last = state.withLock({ $0.last }), last.version == version { return last }
        let candidates = try candidates(for: version) + others
        let usable = try candidates.filter { try canReach(version, from: $0.version) }
        func distance(_ point: Point) -> UInt64 {
            max(point.version, version).rawValue - min(point.version, version).rawValue
        }
        guard let start = usable.min(by: { distance($0) < distance($1) }) else {
            throw StoreError.unknownVersion(version, head: log.base.version)
        }
        let point: Point
        do {
            point = try replay(from: start, to: version)
        } catch {
            // A checkpoint that cannot be read only makes the way longer.
            guard case StoreError.damagedNode = error, let first = candidates.first, first.version < start.version
            else { throw error }
            point = try replay(from: first, to: version)
        }
        state.withLock { $0.last = point }
        return point
    }

    /// Versions that are at hand, the oldest first.
    private func candidates(for version: Version) throws -> [Point] {
        var candidates: [Point] = []
        if log.base.version == .empty {
            let empty = ListState(NodeStore(limits: nodes.limits), isTracking: false)
            candidates.append(Point(snapshot: Snapshot(empty: empty), history: .empty))
        }
        guard let database else { return candidates }
        let oldest = log.base.version == .empty ? nil : try database.checkpoint(log.base.version)
        for checkpoint in try [oldest].compactMap({ $0 }) + database.nearest(to: version) {
            let store = database.store(for: checkpoint.version) { NodeStore(after: nodes) }
            candidates.append(Point(snapshot: checkpoint.snapshot(store), history: checkpoint.history))
        }
        if let last = state.withLock({ $0.last }) { candidates.append(last) }
        return candidates
    }

    /// Whether commits can be replayed or taken back between two versions.
    private func canReach(_ version: Version, from start: Version) throws -> Bool {
        if start == version { return true }
        guard let sealed = log.sealed else { return true }
        if start > version { return version >= sealed.base.sealed }
        return try sealed.withBlock(of: start.next, isVerified: true) { $0.first == start.next } ?? true
    }

    private func replay(from start: Point, to version: Version) throws -> Point {
        if start.version == version { return start }
        var state = ListState(from: start.snapshot, history: start.history)
        do {
            if start.version < version {
                _ = try log.replay(into: &state, through: version)
            } else {
                try log.unreplay(&state, to: version)
            }
        } catch {
            // Events do not fit rows that could not be read; that is the reason, then.
            if let damage = state.store.damage { throw StoreError.damagedNode(damage) }
            throw error
        }
        if let damage = state.store.damage { throw StoreError.damagedNode(damage) }
        return Point(snapshot: state.snapshot(), history: state.history)
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
        var state = ListState(from: before.snapshot, history: before.history)
        var records: [[UInt8]] = []
        _ = try log.sealed?.withBlock(of: version) { block in
            try block.forEachRecord(with: &state) { _, record in records.append(record) }
        }
        let index = Int(version.rawValue - first.rawValue)
        guard index < records.count else { return nil }
        self.state.withLock { $0.block = (first, records) }
        return records[index]
    }

    /// The history at a version of a compacted part of the log; nil if its record says it.
    func packedHistory(at version: Version) throws -> History? {
        if version == log.base.version, version > .empty { return try database?.checkpoint(version)?.history }
        return try log.sealed?.withBlock(of: version, isVerified: true) { try $0.commit(version).history }
    }
}
