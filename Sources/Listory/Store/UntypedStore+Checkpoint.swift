// Takes a checkpoint when an app asks for it.

import ListModel

extension StoreProtocol {
    /// Takes a checkpoint of the newest version now, and returns when it is complete: opening the store after this replays
    /// nothing. Without a new commit since the last one, nothing happens.
    ///
    /// Checkpoints are taken automatically (``StoreOptions/checkpoints``). Call this at a convenient moment, as when
    /// the app goes to the background.
    ///
    /// - Throws: ``ListError/readOnly``, ``ListError/appendFailed(durable:cause:)``, or an `LMDBError`; the store is
    ///   then unchanged.
    /// - Complexity: O(rows changed since the last checkpoint).
    public func checkpoint() throws {
        try door {
            if core.options.isReadOnly { throw ListError.readOnly }
            try core.checkIsOutside()
            try core.checkpointer?.take(core)
        }
    }

    /// The version of the newest checkpoint; ``Version/empty`` if there is none.
    public var checkpointVersion: Version { core.checkpointer?.newest?.version ?? .empty }

    /// The error of the last checkpoint in the background; nil if it succeeded.
    ///
    /// Nothing is lost, because the log has everything. Opening the store takes longer until an attempt succeeds.
    public var checkpointFailure: (any Error)? { core.checkpointer?.failure }
}
