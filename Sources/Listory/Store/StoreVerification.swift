// Checking a whole store: every page, every record, every hash, and that the history is the fold of the commits.
//
// Always holds: verifying never writes, and opens the file only after its pages were checked, because LMDB itself
// believes what it reads.

import LMDB
import ListModel

/// What a complete check of a store went through.
public struct StoreVerification: Hashable, Sendable {
    /// The newest version.
    public let version: Version
    /// How many commits and events were replayed, each commit's state hash compared.
    public let commitCount: UInt64
    public let eventCount: UInt64
    /// The hash of the newest rows.
    public let stateHash: StateHash
    /// How many checkpoints were compared with the replay, and how many nodes they have together.
    public let checkpointCount: Int
    public let nodeCount: Int

    /// Checks a store from the first byte to the last.
    ///
    /// - Parameters:
    ///   - path: the store. Other processes may have it open, this one may not.
    ///   - progress: called now and then with the share that is done, 0 to 1.
    /// - Throws: the first fault: `LMDBError` for damaged pages, `RecordError` for a damaged record, `ListError` for
    ///   events that do not fit or a hash that differs, ``StoreError`` for a head or a history that is not the log's.
    /// - Complexity: O(events · log n).
    public init(path: String, progress: (Double) -> Void = { _ in }) throws {
        var options = StoreOptions()
        options.isReadOnly = true
        options.gate = .full
        let log = try CommitLog(path: path, mode: .open, options: options)
        defer { try? log.environment.close() }
        let expected = try log.head()
        var found = LogHead()
        var state = ListState()
        let database = try CheckpointDatabase(log.environment, meta: log.meta)
        let checkpoints = try database?.all() ?? []
        var compared = 0
        // The history before each undoable commit that may still be undone or redone, by version.
        var histories: [History] = [.empty]
        let total = Double(max(1, expected.version.rawValue))
        _ = try log.replay(into: &state, through: expected.version, check: .everyHash) { version, record in
            let commit = try Commit(record: Array(record), version: version)
            try StoreVerification.checkHistory(commit, &histories)
            found.append(record, version: version, eventCount: commit.eventCount)
            if compared < checkpoints.count, checkpoints[compared].version == version {
                try StoreVerification.compare(checkpoints[compared], commit, found.eventCount)
                compared += 1
            }
            if version.rawValue % 4_096 == 0 { progress(Double(version.rawValue) / total) }
        }
        guard found == expected else {
            throw StoreError.headMismatch(what: "head row", expected: "\(expected)", found: "\(found)")
        }
        try state.checkInvariants()
        if compared < checkpoints.count { throw StoreError.damagedCheckpoint(checkpoints[compared].version) }
        nodeCount = try StoreVerification.checkNodes(checkpoints, database)
        checkpointCount = checkpoints.count
        version = found.version
        commitCount = found.version.rawValue
        eventCount = found.eventCount
        stateHash = state.stateHash()
        progress(1)
    }

    /// Compares what a checkpoint says with the commit of its version.
    private static func compare(_ checkpoint: Checkpoint, _ commit: Commit, _ eventCount: UInt64) throws {
        guard checkpoint.stateHash == commit.stateHash, checkpoint.checksum == commit.checksum,
            checkpoint.history == commit.history,
            checkpoint.eventCount == eventCount
        else { throw StoreError.damagedCheckpoint(checkpoint.version) }
    }

    /// Reads every node of every checkpoint, and the locators of the newest, and returns how many nodes there are.
    ///
    /// The hash of a checkpoint is that of the replay, and each node has the hash that its parent says.
    private static func checkNodes(_ checkpoints: [Checkpoint], _ database: CheckpointDatabase?) throws -> Int {
        guard let database, let newest = checkpoints.last else { return 0 }
        var known: Set<UInt64> = []
        do {
            for checkpoint in checkpoints {
                let nodes = NodeStore(limits: TreeLimits(), source: database)
                try checkpoint.snapshot(nodes).checkNodes(&known)
            }
            guard let (checkpoint, locators) = try database.newest(), checkpoint.version == newest.version else {
                throw StoreError.damagedCheckpoint(newest.version)
            }
            let nodes = NodeStore(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4), source: database)
            try ListState(checkpoint, locators, nodes).checkInvariants()
            if let damage = nodes.damage { throw damage }
        } catch let error as NodeError {
            throw StoreError.damagedNode(error)
        }
        return known.count
    }

    /// Compares the history that a commit records with the fold of the commits before it.
    private static func checkHistory(_ commit: Commit, _ histories: inout [History]) throws {
        let before = histories[histories.count - 1]
        let expected: History
        switch commit.cause {
        case .edit: expected = before.after(commit)
        case .undo(let target), .redo(let target):
            expected = before.after(commit, beforeTarget: histories[Int(target.rawValue) - 1])
        }
        guard commit.history == expected else {
            throw StoreError.headMismatch(
                what: "history of commit \(commit.version)", expected: "\(expected)", found: "\(commit.history)")
        }
        histories.append(expected)
    }
}
