// Takes a checkpoint on request.

import ListModel

extension Store {
    /// Takes a checkpoint of the newest version now, and returns when it is complete: opening the store after this replays
    /// nothing. Without a new commit since the last one, nothing happens.
    ///
    /// Checkpoints are taken automatically (``StoreOptions/checkpoints``). Call this at a convenient moment, as when
    /// the app goes to the background.
    ///
    /// - Throws: ``StoreError/readOnly``, ``StoreError/appendFailed(durable:cause:)``, or an `LMDBError`; the store is then
    ///   as it was.
    /// - Complexity: O(rows changed since the last checkpoint).
    public func checkpoint() throws {
        if options.isReadOnly { throw StoreError.readOnly }
        try checkIsOutside()
        try checkpointer?.take(self)
    }

    /// The version of the newest checkpoint; ``Version/empty`` if there is none.
    public var checkpointVersion: Version { checkpointer?.newest?.version ?? .empty }

    /// The error of the last checkpoint in the background; nil if it succeeded.
    ///
    /// Nothing is lost, because the log has everything. Opening the store takes longer until an attempt succeeds.
    public var checkpointFailure: (any Error)? { checkpointer?.failure }
}
