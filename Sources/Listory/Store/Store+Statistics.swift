// Numbers about a store, for people who look after one.

import LMDB
import ListModel

/// How much a store holds.
public struct StoreStatistics: Hashable, Sendable {
    /// The newest version.
    public let version: Version
    /// How many commits and events the log has.
    public let commitCount: UInt64
    public let eventCount: UInt64
    /// How many sections and rows the newest version has.
    public let sectionCount: Int
    public let itemCount: Int
    /// How many commits can be undone and redone.
    public let undoDepth: Int
    public let redoDepth: Int
    /// The size of the file, and of the records in it, in bytes.
    public let fileBytes: Int
    public let recordBytes: UInt64
    /// The hash of the newest rows.
    public let stateHash: StateHash

    /// Bytes in the file for every event; 0 without events.
    public var bytesPerEvent: Double {
        eventCount == 0 ? 0 : Double(fileBytes) / Double(eventCount)
    }
}

extension Store {
    /// Numbers about the store, with everything so far made durable.
    public func statistics() throws -> StoreStatistics {
        try group.flush(through: nil)
        let (snapshot, history) = try withHead { ($0.editor.snapshot(), group.log.base.kept($0.editor.state.history)) }
        let head = group.head
        return StoreStatistics(
            version: snapshot.version, commitCount: head.version.rawValue, eventCount: head.eventCount,
            sectionCount: snapshot.sectionCount, itemCount: snapshot.itemCount, undoDepth: history.undo.depth,
            redoDepth: history.redo.depth, fileBytes: FileStatus.size(path), recordBytes: head.recordBytes,
            stateHash: snapshot.stateHash)
    }
}
