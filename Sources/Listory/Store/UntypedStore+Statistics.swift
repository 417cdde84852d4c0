// Statistics of a store.

import LMDB
import ListModel

/// The sizes and counts of a store.
public struct StoreStatistics: Hashable, Sendable {
    /// The newest version.
    public let version: Version
    /// How many commits the log has, without compacted ones.
    public let commitCount: UInt64
    /// How many events these commits have.
    public let eventCount: UInt64
    /// How many sections the newest version has.
    public let sectionCount: Int
    /// How many rows the newest version has.
    public let itemCount: Int
    /// How many steps can be undone, in the shared history.
    public let undoDepth: Int
    /// How many steps can be redone, in the shared history.
    public let redoDepth: Int
    /// The oldest version that exists; ``Version/empty`` unless the store was compacted.
    public let oldestVersion: Version
    /// The last version whose commit may be packed; the same as ``oldestVersion`` if none is.
    public let lastPackedVersion: Version
    /// How many commits are in packed blocks.
    public let packedCommitCount: UInt64
    /// The version of the newest checkpoint; ``Version/empty`` if there is none.
    public let checkpointVersion: Version
    /// How many checkpoints are kept.
    public let checkpointCount: Int
    /// How many nodes are stored for all checkpoints together: nodes of the trees, chunks of the index by id, and nodes
    /// that are not deleted yet.
    public let nodeCount: Int
    /// The size of the index of which commits changed which row, in bytes of the file.
    public let rowIndexBytes: Int
    /// The size of the file, in bytes.
    public let fileBytes: Int
    /// The disk space of the file, in bytes: less than ``fileBytes`` if free pages were given back, or the file system has not
    /// written all of it yet.
    public let diskBytes: Int
    /// The size of the records of its commits before packing, in bytes.
    public let recordBytes: UInt64
    /// The hash of the newest rows.
    public let stateHash: StateHash

    /// Bytes in the file for every event; 0 without events.
    public var bytesPerEvent: Double {
        eventCount == 0 ? 0 : Double(fileBytes) / Double(eventCount)
    }
}

extension StoreProtocol {
    /// The statistics, after all commits so far are durable.
    ///
    /// - Complexity: O(checkpoints and their nodes), some 50 ms after a million scattered edits: nodes are counted.
    public func statistics() throws -> StoreStatistics {
        try door {
            let (group, checkpointer) = (core.group, core.checkpointer)
            try group.flush(through: nil)
            let (snapshot, history) = try core.withHead { (try $0.snapshot(), try core.reachable($0, .shared)) }
            let (head, base) = (group.head, group.log.base)
            let checkpoints = try checkpointer?.database.all() ?? []
            return StoreStatistics(
                version: snapshot.version, commitCount: head.version.rawValue - base.version.rawValue,
                eventCount: head.eventCount - base.eventCount,
                sectionCount: snapshot.sectionCount, itemCount: snapshot.itemCount, undoDepth: history.undoCount,
                redoDepth: history.redoCount, oldestVersion: base.version,
                lastPackedVersion: try group.log.packed.lastPacked(),
                packedCommitCount: try group.log.packed.packedCount(),
                checkpointVersion: checkpoints.last?.version ?? .empty, checkpointCount: checkpoints.count,
                nodeCount: try checkpointer?.database.nodeCount() ?? 0,
                rowIndexBytes: try checkpointer?.touches.byteCount() ?? 0, fileBytes: Platform.size(core.path),
                diskBytes: Platform.diskSize(core.path),
                recordBytes: head.recordBytes - base.recordBytes, stateHash: snapshot.stateHash)
        }
    }

    /// The checkpoints that are kept, from the oldest to the newest.
    ///
    /// - Complexity: O(checkpoints).
    public func checkpoints() throws -> [StoredCheckpoint] {
        try door { try (core.checkpointer?.database.all() ?? []).map(StoredCheckpoint.init) }
    }

    /// The other processes that have the store open now. Those that cannot write beside the file, as into an app's bundle,
    /// are not known.
    public func otherProcesses() throws -> [OtherProcess] {
        try door { try (core.group.log.journal.table?.neighbours() ?? []).map(OtherProcess.init) }
    }
}
