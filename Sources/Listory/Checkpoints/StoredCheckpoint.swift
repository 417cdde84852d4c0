// What is said of the checkpoints of a store.

import ListModel

/// A version whose rows are stored, so that a replay can begin there.
public struct StoredCheckpoint: Hashable, Sendable {
    /// The version.
    public let version: Version
    /// The number of events from the beginning of the log to this version.
    public let eventCount: UInt64
    /// The number of its rows.
    public let itemCount: Int
    /// The hash of its rows and sections.
    public let stateHash: StateHash

    init(_ checkpoint: Checkpoint) {
        (version, eventCount) = (checkpoint.version, checkpoint.eventCount)
        (itemCount, stateHash) = (checkpoint.itemCount, checkpoint.stateHash)
    }
}
