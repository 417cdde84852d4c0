// How much of the log of a replica is in a shared log: see `Docs/Design/Sync.md`.
//
// The commits behind the confirmed end are pending. They may be made again, and then they have other versions. So nothing that is
// derived from the log covers them: no checkpoint, no packed block, no segment of touches, no stored state of a projection.
//
// Always holds: the row in the file is this end or an earlier one. An earlier one does no harm, because the commits behind it come
// back from the shared log as they are.

import LMDB
import ListModel

/// The confirmed end of the log, if the store is a replica.
final class ConfirmedEnd: Sendable {
    private let environment: Environment
    private let meta: Database<String, [UInt8]>
    private let commits: Database<UInt64, [UInt8]>
    private let state: Locked<State>

    private struct State: Equatable, Sendable {
        /// The end; nil if the store is no replica.
        var end: LogPosition?
        /// Whether the file has an earlier one.
        var isUnsaved = false
    }

    /// Reads the row of a file.
    ///
    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if that is damaged.
    init(
        _ environment: Environment, meta: Database<String, [UInt8]>, commits: Database<UInt64, [UInt8]>
    ) throws {
        self.environment = environment
        (self.meta, self.commits) = (meta, commits)
        state = Locked(State(end: try ConfirmedEnd.read(environment, meta)))
    }

    private static func read(_ environment: Environment, _ meta: Database<String, [UInt8]>) throws -> LogPosition? {
        try environment.read { try read($0, meta) }
    }

    /// The row as a transaction sees it; nil if the store is no replica.
    static func read(
        _ txn: borrowing some Transaction & ~Copyable, _ meta: Database<String, [UInt8]>
    ) throws -> LogPosition? {
        try txn.withValue(forKey: LogFormat.confirmedKey, in: meta) { row in
            try row.map { row in
                guard let end = LogPosition(row) else {
                    throw ListError.headMismatch(
                        what: "confirmed end", expected: LogPosition.expectation, found: "another")
                }
                return end
            }
        }
    }

    /// Learns where another process has moved the end, forward or back. An end that is not saved is further only if it was moved here.
    private func refresh() {
        let before = state.withLock { $0 }
        // Not under the lock: to begin to read may mean to wait for a writer, and that writer may wait for this lock.
        guard let known = before.end, let end = (try? ConfirmedEnd.read(environment, meta)) ?? nil else { return }
        guard known.version < end.version || !before.isUnsaved else { return }
        state.withLock { if $0 == before { $0 = State(end: end) } }
    }

    /// Learns that another process has made the store a replica, while this one had it open for reading.
    func learn() {
        guard end == nil, let found = (try? ConfirmedEnd.read(environment, meta)) ?? nil else { return }
        state.withLock { if $0.end == nil { $0 = State(end: found) } }
    }

    /// The end as this process knows it; nil if the store is no replica.
    var end: LogPosition? { state.withLock { $0.end } }

    /// The end, also if another process has moved it; nil if the store is no replica.
    var current: LogPosition? {
        refresh()
        return end
    }

    /// The present end of a replica.
    var required: LogPosition {
        guard let end = current else { preconditionFailure("the store is no replica: call beginSharing first") }
        return end
    }

    /// Whether the file has an earlier end.
    var isUnsaved: Bool { state.withLock { $0.isUnsaved } }

    /// Whether a version is in the shared log, or there is none.
    func covers(_ version: Version) -> Bool { limit(version) == version }

    /// The last version that may be covered by what is derived from the log.
    func limit(_ version: Version) -> Version {
        min(version, current?.version ?? version)
    }

    /// Moves the end forward, unless another process has moved it further. The file learns of it later.
    func advance(to end: LogPosition) {
        state.withLock { state in
            if state.end.map({ $0.version < end.version }) ?? true { (state.end, state.isUnsaved) = (end, true) }
        }
    }

    /// Makes the store a replica of which nothing is confirmed.
    func begin() throws {
        try environment.write { txn in try put(LogPosition(), &txn) }
        adopt(LogPosition())
    }

    /// Moves the end back: the shared log has lost what is behind it.
    ///
    /// - Throws: ``LostRace`` if another process has moved the end.
    func retreat(from known: LogPosition, to end: LogPosition) throws {
        try save()
        try environment.write { txn in
            guard try ConfirmedEnd.read(txn, meta) == known else { throw LostRace() }
            try put(end, before: known.version, &txn)
        }
        adopt(end)
    }

    /// Writes an end that is before the present one.
    func put(_ end: LogPosition, before known: Version, _ txn: inout WriteTransaction) throws {
        // After an earlier retreat, more commits may have been confirmed once.
        let once = max(known, try confirmedOnce(txn))
        try put(once: once, &txn)
        try put(end, &txn)
    }

    /// Up to where pending commits were confirmed once, before the shared log lost them. All replicas may have had these, so the rules of
    /// this app do not judge them. If it is not behind the confirmed end, there are none.
    func confirmedOnce(_ txn: borrowing some Transaction & ~Copyable) throws -> Version {
        try txn.withValue(forKey: LogFormat.confirmedOnceKey, in: meta) { $0.flatMap(ConfirmedEnd.once) ?? .empty }
    }

    /// What the row of that says; nil if it is damaged.
    static func once(_ row: UnsafeRawBufferPointer) -> Version? {
        row.count == 8 ? Version(UInt64(littleEndian: row.loadUnaligned(as: UInt64.self))) : nil
    }

    /// Moves that with the commits.
    ///
    /// - Parameter rebased: what the pending commits have become.
    func moveConfirmedOnce(with rebased: [RebasedCommit], _ txn: inout WriteTransaction) throws {
        let once = try confirmedOnce(txn)
        // Those that another replica has made again come before the others, in any order.
        let last = rebased.prefix { $0.version <= once }.map(\.commit.version).max()
        if let last { try put(once: last, &txn) }
    }

    private func put(once version: Version, _ txn: inout WriteTransaction) throws {
        let bytes = withUnsafeBytes(of: version.rawValue.littleEndian) { Array($0) }
        try txn.put(bytes, forKey: LogFormat.confirmedOnceKey, in: meta)
    }

    /// Adopts an end that a transaction has just written.
    func adopt(_ end: LogPosition) { state.withLock { $0 = State(end: end) } }

    /// Writes the end into the file, unless it has it. If another process has moved it further, or has moved it back and replaced the commits
    /// behind it, learns that.
    func save() throws {
        guard let end = state.withLock({ $0.isUnsaved ? $0.end : nil }) else { return }
        let saved = try environment.write { txn -> LogPosition in
            if let known = try ConfirmedEnd.read(txn, meta) {
                let isReplaced = try txn.withValue(forKey: end.version.rawValue, in: commits) { record in
                    record.map { CommitLog.storedChecksum($0) != end.checksum } ?? false
                }
                if known.version >= end.version || isReplaced { return known }
            }
            try put(end, &txn)
            return end
        }
        state.withLock { if $0.end == end { $0 = State(end: saved) } }
    }

    func put(_ end: LogPosition, _ txn: inout WriteTransaction) throws {
        try txn.put(end.bytes, forKey: LogFormat.confirmedKey, in: meta)
    }
}
