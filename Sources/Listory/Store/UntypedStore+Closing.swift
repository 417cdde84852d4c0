// Closing a store.
//
// Always holds: a store is closed only when its commits are in the log, unless they are to be discarded; one that could not be closed is
// open as before.

import ListModel
import LMDB

extension UntypedStore {
    /// Waits until everything is durable, takes a checkpoint, ends all update sequences and closes the file.
    ///
    /// Snapshots do not change. As long as one is kept whose rows are not all in memory, the file stays open for it;
    /// nevertheless the store can be opened again, with the same options.
    ///
    /// A store that packs its past (``StoreOptions/unpackedCount``) gives free pages back if most of the file is free: a copy without them
    /// takes the place of the file. While that is being made, opening the store again fails with ``ListError/inUse(path:)``.
    ///
    /// A store whose last commits cannot be appended, because another process wrote to the file or the disk is full,
    /// can only be closed without them:
    ///
    /// ```swift
    /// do { try store.close() } catch ListError.appendFailed {
    ///     try store.close(discardingUnappended: true)
    /// }
    /// ```
    ///
    /// - Parameter discardingUnappended: whether to discard commits that cannot be appended. One more attempt to append
    ///   them is made first; the lost versions are those after ``StoreProtocol/durableVersion`` then.
    /// - Throws: ``ListError/appendFailed(durable:cause:)`` if the last commits could not be appended and are not to
    ///   be discarded; `LMDBError` with `closeBlocked` during a read from the store, for instance inside
    ///   `withRecord(of:_:)` of its ``source``. The store then stays open, and can be closed later.
    ///   ``ListError/discardFailed(durable:cause:)`` if the store is closed, but what was discarded may come back.
    ///   ``ListError/closed`` if it is closed already.
    /// - Complexity: as taking a checkpoint; O(size of the file) if pages are given back, and packing up to 262,144 commits; O(events) that
    ///   are to be appended to a file without old history (``StoreProtocol/keep(_:)``): as a rule, those of the last ten minutes.
    public func close(discardingUnappended: Bool = false) throws {
        try door {
            try withHead { _ in }
            if !discardingUnappended { try group.flush(through: nil) }
            if !options.isReadOnly, let checkpointer, checkpointer.isDueAtClose {
                // All commits are in the log; without a checkpoint, the next opening only takes longer.
                try? checkpointer.take(self)
            }
            if !options.isReadOnly, let checkpointer {
                checkpointer.packer.packRest(self)
                // If it cannot be done, the next checkpoint does it.
                try? checkpointer.freeSuperfluous(group.log)
            }
            // Before the projections release what it makes them fold.
            let keeper = keeper.withLock { $0 }
            keeper?.stop()
            var isClosed = false
            defer { if !isClosed, (try? withHead { _ in }) != nil { keeper?.start() } }
            if !options.isReadOnly { followers.storeStates(in: self, isClosing: true) }
            // The rows that they keep would keep the file open.
            followers.letGo()
            let successor = catchUpSuccessor()
            var isMostlyFree = false
            try exclusively {
                // The packer may have freed most of it while this thread waited.
                isMostlyFree = self.isMostlyFree
                try withTurn { head in
                    // No commit can be queued while the lock is held, but some may have been queued since the first flush.
                    do { _ = try racer.catchingUp(&head) { _ in try group.flush(through: nil) } } catch {
                        guard discardingUnappended else { throw error }
                    }
                    if let damage = head.editor.state.pool.damage { checkpointer?.distrustIfDamaged(damage) }
                    past.clear()
                    // They would keep the file open, also if they were kept here.
                    let hadRows = head.observers.takeRows() != nil
                    var discarding: Result<Void, any Error> = .success(())
                    do {
                        try group.discardUnappended {
                            if !options.isReadOnly { discarding = Result { try group.settle() } }
                            try closeFile(&head)
                        }
                    } catch {
                        if hadRows { head.observers.putBack(head.editor.snapshot()) }
                        throw error
                    }
                    head.isClosed = true
                    isClosed = true
                    // The file may be that of another store already.
                    checkpointer?.state.withLock { $0.hasRole = false }
                    head.observers.finish()
                    group.failures.finish()
                    head.editor = UntypedEditor(ListState(), source: group)
                    do { try discarding.get() } catch {
                        throw ListError.discardFailed(durable: group.durableVersion, cause: error)
                    }
                }
            }
            racer.stop()
            group.setRacer(nil)
            if let successor { put(successor) } else if isMostlyFree { giveBack() }
            options.diagnostics.wait()
        }
    }

    /// Closes the file, or lets the snapshots that still read from it close it.
    private func closeFile(_ head: inout Head) throws {
        guard let checkpointer else { return try group.log.environment.close() }
        // The store's own pool is released, because only then the remaining leases show which snapshots read the newest
        // checkpoint. The new pool continues the epochs of the old one, because closing may fail and the list be edited
        // again: a node with the number of an earlier epoch must not seem to be changed in the present one.
        head.editor.state.replaceStore(NodePool(after: head.editor.state.pool))
        do { try checkpointer.database.close() } catch {
            if let newest = checkpointer.newest {
                let lease = checkpointer.database.lease(newest.version)
                head.editor.state.replaceStore(NodePool(after: head.editor.state.pool, lease))
            }
            throw error
        }
    }

    /// Runs `body` while no checkpoint is taken and nothing is packed.
    private func exclusively(_ body: () throws -> Void) throws {
        guard let checkpointer else { return try body() }
        try checkpointer.packer.exclusively { try checkpointer.exclusively(body) }
    }
}
