// Verifies a store: every page, every record, every hash, and the history.
//
// Always holds: verification never writes, and opens the file only after it has checked all pages.

import LMDB
import ListModel

/// The result of a verification.
public struct StoreVerification: Hashable, Sendable {
    /// The newest version.
    public let version: Version
    /// How many commits were replayed, the state hash of each compared.
    public let commitCount: UInt64
    /// How many events were replayed.
    public let eventCount: UInt64
    /// The hash of the newest rows.
    public let stateHash: StateHash
    /// How many checkpoints were compared with the replay.
    public let checkpointCount: Int
    /// How many nodes these checkpoints have together.
    public let nodeCount: Int
    /// How many names versions have, each of which was compared with its version.
    public let nameCount: Int
    /// How many of the newest commits are in the journal only.
    public let journalCommitCount: UInt64
    /// How many contents were lost already when the store was salvaged. No row of the newest version needs to have them.
    public let lostContentCount: Int

    /// Checks a store from the first byte to the last.
    ///
    /// - Parameters:
    ///   - path: the store. Other processes may have it open, this one may not.
    ///   - progress: called from time to time with the part that is done, 0 to 1. An error that it throws ends the check.
    /// - Throws: ``ListError``, for the first fault: ``ListError/failed(cause:)`` with an `LMDBError` for damaged pages, or with a
    ///   `RecordError` for a damaged record; other cases for events that do not fit, a hash that differs, a head or a history that
    ///   is not the log's, or a damaged state of a projection.
    /// - Complexity: O(events · log n).
    public init(path: String, progress: (Double) throws -> Void = { _ in }) throws {
        self = try door {
            var (ends, earlier): (Ends?, Ends?)
            var attempt = 1
            while true {
                do { return try StoreVerification(checking: path, ends: &ends, progress) } catch  where error.saysDamage
                {
                    // Another process may have replaced the pending commits of a replica while they were read: then the ends are others the
                    // next time. If that process edits a damaged replica, the ends differ each time, so the attempts are counted.
                    guard ends?.confirmed != nil, ends != earlier, attempt < StoreVerification.attemptCount else {
                        throw error
                    }
                    (earlier, attempt) = (ends, attempt + 1)
                }
            }
        }
    }

    /// How often a replica is checked in which damage is found: as often as the pages of a changing file.
    private static let attemptCount = 8

    /// Where the log and what is confirmed of it end.
    private struct Ends: Equatable {
        var head: LogPosition
        var confirmed: LogPosition?
    }

    /// Checks a file that is about to take the place of another one. A commit that was set aside may be damaged as it was there.
    init(ofCompacted path: String, progress: (Double) throws -> Void) throws {
        var ends: Ends?
        try self.init(checking: path, checksSharing: false, ends: &ends, progress)
    }

    private init(
        checking path: String, checksSharing: Bool = true, ends: inout Ends?, _ progress: (Double) throws -> Void
    ) throws {
        var options = StoreOptions()
        (options.isReadOnly, options.isKnownToOthers) = (true, false)
        (options.gate, options.unloadsPages) = (.full, true)
        let log = try CommitLog(path: path, mode: .open, options: options)
        defer { log.giveUp() }
        // Opened first, so that the pages are not newer than the head that is read next.
        let database = try CheckpointDatabase(log.environment, nil, meta: log.meta)
        if database == nil { try CheckpointDatabase.checkComplete(log.environment) }
        // A name is written after the commit of its version.
        var names = try NameCheck(log)
        let findings = try log.readHead()
        if let lost = findings.lost {
            throw ListError.headMismatch(
                what: "journal", expected: "entries that follow it", found: "one that ends with version \(lost)"
            )
        }
        let expected = findings.head
        ends = Ends(head: expected, confirmed: log.confirmed.end)
        journalCommitCount = findings.commitCount
        let checkpoints = try database?.all() ?? []
        let base = log.base
        let nodes = NodePool(limits: TreeLimits(), source: database)
        var state = try UntypedStore.Recovery.beginning(log, database, nodes)
        let commits = CommitsOfFile(log: log, past: Past(log, database, nodes))
        var replay = Replay(
            checkpoints: checkpoints.filter { $0.version > base.version }, base: base,
            HistoryCheck(of: commits, after: base.version, state.histories))
        let total = Double(max(1, expected.version.rawValue))
        var touches = try database.map { try TouchCheck(TouchDatabase($0, base)) }
        var contents = DroppedContents(log)
        for checkpoint in checkpoints where checkpoint.version < base.version {
            try names.check(checkpoint.version, checkpoint.stateHash)
        }
        try names.check(base.version, state.stateHash())
        if contents.isNeeded { try contents.check(state.snapshot()) }
        try log.forEachExactRecord(into: &state, after: base.checksum, through: expected.version) { version, record in
            let commit = try replay.check(version, record)
            try names.check(version, commit.stateHash)
            if contents.isNeeded { try contents.check(commit) }
            try touches?.add(record, of: version)
            if version.rawValue % 4_096 == 0 { try progress(Double(version.rawValue) / total) }
        }
        let found = replay.found
        guard found == expected else {
            throw ListError.headMismatch(what: "head row", expected: "\(expected)", found: "\(found)")
        }
        try StoreVerification.checkInvariants(state)
        if let left = replay.checkpoints.first { throw ListError.damagedCheckpoint(left.version) }
        nodeCount = try StoreVerification.checkNodes(checkpoints, database)
        checkpointCount = checkpoints.count
        for checkpoint in checkpoints where checkpoint.version < base.version {
            try contents.check(checkpoint.snapshot(NodePool(after: nodes)))
        }
        try names.finish()
        if checksSharing { try log.checkSharing(through: found.version) }
        try touches?.finish(at: found.version)
        try database?.checkRows(through: found.version)
        version = found.version
        nameCount = names.count
        commitCount = found.version.rawValue - base.version.rawValue
        eventCount = found.eventCount - base.eventCount
        stateHash = state.stateHash()
        lostContentCount = contents.lostCount
        try progress(1)
    }

    /// The commits that are being checked.
    private struct CommitsOfFile: CommitSource {
        let log: CommitLog
        let past: Past

        func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
            if try log.withRecord(of: version, { try $0.map(body) }) != nil { return }
            if try past.withPackedRecord(of: version, body) == nil { throw ListError.missingCommit(version) }
        }

        func historyMark(of version: Version) throws -> HistoryMark {
            let mark = try log.withRecord(of: version) { try $0.map { try RecordHeader.mark($0, version: version) } }
            return try mark ?? past.packedHeaders(of: version, .all)?.mark(version)
                ?? recordedMark(of: version)
        }
    }

    /// Compares records and checkpoints while the log is replayed.
    private struct Replay: ~Copyable {
        /// The checkpoints that are not reached yet.
        var checkpoints: ArraySlice<Checkpoint>
        var found: LogPosition
        private var histories: HistoryCheck

        init(checkpoints: [Checkpoint], base: LogBase, _ histories: consuming HistoryCheck) {
            self.checkpoints = checkpoints[...]
            found = LogPosition(base)
            self.histories = histories
        }

        mutating func check(_ version: Version, _ record: UnsafeRawBufferPointer) throws -> Commit {
            let commit = try Commit(record: Array(record), version: version)
            if let expected = try histories.check(commit) {
                throw ListError.headMismatch(
                    what: "history of commit \(version)", expected: "\(expected)", found: "\(commit.mark.entry)")
            }
            found.append(record, version: version, eventCount: commit.eventCount)
            guard let checkpoint = checkpoints.first, checkpoint.version == version else { return commit }
            guard checkpoint.stateHash == commit.stateHash, checkpoint.checksum == commit.checksum,
                checkpoint.fits(commit.mark), checkpoint.eventCount == found.eventCount
            else { throw ListError.damagedCheckpoint(version) }
            checkpoints.removeFirst()
            return commit
        }
    }

    /// Reads the contents of dropped commits, which no record has.
    private struct DroppedContents {
        private let packed: PackedLog
        private var known: Set<ContentReference> = []
        /// How many were lost already when the store was salvaged.
        private(set) var lostCount = 0

        init(_ log: CommitLog) { packed = log.packed }

        /// Whether there are dropped commits.
        var isNeeded: Bool { packed.base.version > .empty }

        mutating func check(_ rows: UntypedSnapshot) throws {
            for section in rows.sections { for item in section.items { try check(item.content) } }
        }

        mutating func check(_ commit: Commit) throws {
            for reference in try commit.contents(through: packed.base.version) { try check(reference) }
        }

        private mutating func check(_ reference: ContentReference) throws {
            guard reference.version <= packed.base.version, !reference.isErased, known.insert(reference).inserted
            else { return }
            if try packed.isKnownAsLost(reference) { return lostCount += 1 }
            let isThere: Void? = try packed.withContent(of: reference) { try reference.check($0) }
            guard isThere != nil else {
                throw ListError.headMismatch(
                    what: "content of commit \(reference.version)", expected: "\(reference.length) bytes", found: "none"
                )
            }
        }
    }

    /// Reads every node of every checkpoint, and the locators of the newest, and returns how many nodes there are.
    ///
    /// The hash of a checkpoint must be that of the replay, and each node must have the hash that its parent states.
    private static func checkNodes(_ checkpoints: [Checkpoint], _ database: CheckpointDatabase?) throws -> Int {
        guard let database, let newest = checkpoints.last else { return 0 }
        var known = NumberSet()
        do {
            for checkpoint in checkpoints {
                let nodes = NodePool(limits: TreeLimits(), source: database)
                let snapshot = checkpoint.snapshot(nodes)
                try snapshot.checkNodes(&known)
                guard snapshot.sections.reduce(0, { $0 + $1.items.count }) == checkpoint.itemCount else {
                    throw ListError.damagedCheckpoint(checkpoint.version)
                }
            }
            guard let (checkpoint, locators) = try database.newest(), checkpoint.version == newest.version else {
                throw ListError.damagedCheckpoint(newest.version)
            }
            // Every node is read once, so few are kept.
            let nodes = NodePool(
                limits: TreeLimits(leafCapacity: 4, innerCapacity: 4), source: database, cacheSize: 1 << 20)
            try nodes.checked { try checkInvariants(ListState(checkpoint, locators, nodes)) }
        } catch let error as NodeError {
            throw ListError.damagedNode(error)
        }
        return known.count
    }

    /// Checks the invariants of rows and locators that were read from stored nodes.
    private static func checkInvariants(_ state: borrowing ListState) throws {
        do { try state.checkInvariants(isFilled: false) } catch { throw ListError.damagedNode(error) }
    }
}

extension CheckpointDatabase {
    /// Reads the rows of all checkpoints, the lists of numbers, and the states of all projections.
    ///
    /// - Parameter last: the newest version.
    /// - Throws: ``ListError/damagedCheckpoint(_:)`` for a checkpoint that is damaged; ``ListError/damagedProjection(name:)`` for a state
    ///   that is, or that belongs to no version.
    fileprivate func checkRows(through last: Version) throws {
        try reading { txn in
            try txn.forEach(in: checkpoints) { key, row in
                let version = Version(try UInt64.decode(key))
                if Checkpoint(row, version: version) == nil { throw ListError.damagedCheckpoint(version) }
                return true
            }
            try txn.forEach(in: gone) { key, row in
                let version = Version(try UInt64.decode(key))
                let numbers = StoredNumbers.numbers(row, seed: version.rawValue)
                if numbers == nil { throw ListError.damagedCheckpoint(version) }
                return true
            }
            let newest = Version(try txn.lastKey(in: checkpoints) ?? 0)
            try txn.withValue(forKey: LogFormat.superfluousKey, in: meta) { row in
                guard let row, StoredNumbers.numbers(row, seed: 0) == nil else { return }
                throw ListError.damagedCheckpoint(newest)
            }
            guard let projections else { return }
            try txn.forEach(in: projections) { key, row in
                let name = String(decoding: key, as: UTF8.self)
                guard let stored = ProjectionRow(row, name: name), stored.version <= last else {
                    throw ListError.damagedProjection(name: name)
                }
                return true
            }
        }
    }
}
