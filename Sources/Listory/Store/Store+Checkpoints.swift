// Taking a checkpoint by hand.

import ListModel

extension Store {
    /// Takes a checkpoint of the newest version now, and returns when it is complete: opening the store after this replays
    /// nothing. Without a new commit since the last one, nothing happens.
    ///
    /// Checkpoints are taken by themselves, as ``StoreOptions/checkpoints`` says; this is for a moment that suits better.
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

    /// Why the last attempt to take a checkpoint in the background failed; nil if it did not.
    ///
    /// Nothing is lost then, because the log has everything: opening the store takes longer, until an attempt succeeds.
    public var checkpointFailure: (any Error)? { checkpointer?.failure }
}
