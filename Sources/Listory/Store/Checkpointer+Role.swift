// The checkpoint role: only one process takes checkpoints, and another one that takes the role goes on from what that one has taken.
//
// Always holds: a process that has the role has read the newest checkpoint since it took it, or deletes all checkpoints before it takes one.

import ListModel

extension Checkpointer {
    /// Whether this process has the checkpoint role. If it has not had it before, or has not got it, it continues from the newest
    /// checkpoint, because the rows in memory refer to the nodes of an earlier one.
    func takeRole(_ store: UntypedStore) throws -> Bool {
        if state.withLock({ $0.hasRole }) { return true }
        let hasRole = database.table?.takeRole() ?? true
        let newest = try database.newestVersion()
        if state.withLock({ $0.isUnusable }) {
            // They are deleted before the next one is taken. What the other process has written to them is read, damaged or not.
            if hasRole { _ = try? database.newest() } else { delay() }
        } else {
            do {
                // What the log begins with is not newer than rows that were read from it and the log.
                if newest > max(self.newest?.version ?? .empty, base.version) {
                    try store.withTurn { try store.racer.follow(&$0) }
                    // The commits up to it were not published; the process that made them may have been killed.
                    guard self.newest?.version ?? .empty >= newest else {
                        if hasRole { database.table?.giveUpRole() }
                        delay()
                        return false
                    }
                } else if hasRole {
                    // The other process may have begun one, and deleted superfluous nodes.
                    _ = try database.newest()
                } else {
                    // The other process is not further.
                    delay()
                }
            } catch ListError.damagedCheckpoint where hasRole {
                try rebuild(store)
            }
        }
        state.withLock { state in
            state.hasRole = hasRole
            if hasRole { (state.kept, state.superfluous, state.replaced) = (nil, [], []) }
        }
        return hasRole
    }

    /// Reads the rows again from the log alone, because another process has found that stored nodes are damaged. So the nodes can be
    /// deleted before the next checkpoint.
    private func rebuild(_ store: UntypedStore) throws {
        try checkNeighbours()
        let last = try database.boundOfNumbers()
        let wasUnusable = database.isUnusable.withLock { exchange(&$0, with: true) }
        do { try store.withTurn { try store.racer.readAgain(&$0) } } catch {
            database.isUnusable.withLock { $0 = wasUnusable }
            throw error
        }
        // They may have rows that are read from the nodes.
        store.past.clear()
        store.followers.letGo()
        state.withLock { state in
            (state.newest, state.isUnusable, state.residentSize) = (nil, true, 0)
            // As when a store is opened.
            state.nextNumber = max(state.nextNumber, last + 1)
        }
    }

    /// Lets another process take checkpoints soon, if one is due and this process takes none: it only hears of what others edit.
    func giveUpRoleSoon() {
        guard mayGiveUpRole else { return }
        // Who hears must not wait for a checkpoint.
        background.async { [self] in
            running.withLock { _ in
                // An edit may have begun one meanwhile.
                if mayGiveUpRole { giveUpRole() }
            }
        }
    }

    private var mayGiveUpRole: Bool {
        guard database.table != nil, !hasNodesToDelete else { return false }
        return state.withLock {
            $0.hasRole && !$0.isQueued && ($0.isDue || $0.patience > 1 || policy.interval == .max)
        }
    }

    private func giveUpRole() {
        state.withLock { $0.hasRole = false }
        database.table?.giveUpRole()
    }

    /// Checks that no other process has leases, before nodes are deleted that are unusable. If one has, it may take checkpoints until it has
    /// none any more.
    func checkNeighboursOrGiveUp() throws {
        do { try checkNeighbours() } catch {
            giveUpRole()
            throw error
        }
    }

    /// Whether no checkpoint is complete since nodes were found to be damaged. Another process must not take one before this one has: its
    /// nodes could have the numbers of those that this one still remembers.
    private var hasNodesToDelete: Bool { state.withLock { $0.isUnusable } || database.isUnusable.withLock { $0 } }

    /// Gives up the role that was taken for a while, such as for opening the store.
    func giveUpUnusedRole() { running.withLock { _ in giveUpUnusedRoleNow() } }

    /// As ``giveUpUnusedRole()``, while no checkpoint can begin.
    func giveUpUnusedRoleNow() {
        if !hasNodesToDelete, !state.withLock({ $0.hasRole }) { database.table?.giveUpRole() }
    }

    /// Whether the rows in memory have moved so far from their checkpoint that a newer one of another process should be read.
    var shouldFollow: Bool {
        get throws {
            let (isDue, newest) = state.withLock { ($0.isDue && !$0.hasRole, $0.newest?.version ?? .empty) }
            return try isDue && database.newestVersion() > newest
        }
    }

    /// Continues from a checkpoint that another process has taken.
    func adopt(_ checkpoint: Checkpoint) {
        state.withLock { state in
            guard checkpoint.version > state.newest?.version ?? .empty else { return }
            state.newest = checkpoint
            state.nextNumber = checkpoint.lastNumber + 1
            state.countAnew(after: checkpoint.work)
            (state.kept, state.superfluous, state.replaced) = (nil, [], [])
            (state.residentSize, state.patience) = (0, 1)
        }
    }

    /// The rows that other processes show may be read from unusable nodes.
    func checkNeighbours() throws {
        if let other = try database.table?.neighbours().first(where: { !$0.leases.isEmpty }) {
            throw ListError.busy(path: database.environment.path, processes: [other.processID])
        }
    }
}
