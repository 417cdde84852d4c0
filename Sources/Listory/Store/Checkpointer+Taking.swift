// Taking a checkpoint: capturing it, writing its nodes in slices, and making it the newest.
//
// Always holds: what fails on the way is as if it had not begun, but for the numbers of nodes.

import ListModel

extension Checkpointer {
    /// Takes a checkpoint of the newest version, and returns when it is complete. If another process has the checkpoint role,
    /// continues from the newest one that it has taken.
    ///
    /// - Parameter isUrgent: whether it is taken even if a reader stands still.
    /// - Throws: ``ListError``, `LMDBError`; the store is then unchanged.
    func take(_ store: UntypedStore, isUrgent: Bool = true) throws {
        try running.withLock { _ in
            // A closed store must not use its file.
            try store.withHead { try $0.checkNodes() }
            if !isUrgent && store.group.log.isHeldBack { return delay() }
            do { try takeNow(store) } catch {
                // The next attempt begins as if the role were new.
                if case ListError.writtenElsewhere = error { state.withLock { $0.hasRole = false } }
                giveUpUnusedRoleNow()
                throw error
            }
        }
    }

    private func takeNow(_ store: UntypedStore) throws {
        guard try takeRole(store) else { return }
        try prepare()
        do { try captureAndWrite(store, isDurable: false) } catch is LostRace {
            // Another process has committed before a commit of the captured version was in the log.
            try prepare()
            try captureAndWrite(store, isDurable: true)
        }
        // Only now does no snapshot share the nodes, so they can be evicted.
        try evict(store)
        database.environment.unloadPages()
        store.followers.storeStates(in: store, isClosing: false)
        extendTouches(store)
    }

    /// Indexes the commits up to the newest checkpoint. If that fails, the checkpoint is complete all the same, and a search
    /// reads the log.
    @inline(never)  // `Tools/bench --instructions` finds it by its name.
    private func extendTouches(_ store: UntypedStore) {
        do {
            try touches.extend(
                through: newest?.version ?? base.version, store.group.head.recordBytes, policy.touches,
                store.group.forEachRecord)
        } catch {
            store.options.diagnostics.report(.checkpointFailed(reason: Diagnostics.reason(error)))
        }
    }

    /// - Parameter isDurable: whether edits wait until the version that is captured is in the log, so that it stays as it is.
    private func captureAndWrite(_ store: UntypedStore, isDurable: Bool) throws {
        let captured = try store.withTurn { head in
            if isDurable { _ = try store.racer.catchingUp(&head) { _ in try store.group.flush(through: nil) } }
            return try self.capture(&head, store.group)
        }
        guard let captured else { return }
        defer { state.withLock { $0.isWriting = false } }
        do {
            try write(captured, store)
        } catch {
            state.withLock { state in
                state.events += captured.events
                state.commits += captured.commits
                state.commitWork += Int(clamping: captured.work - captured.workBefore)
                state.workBefore = captured.workBefore
                // The next attempt must delete the written nodes.
                state.kept = nil
            }
            try? store.withTurn { head in
                if head.editor.state.pool === captured.pool { head.editor.state.restore(captured.image) }
            }
            throw error
        }
    }

    /// The captured version.
    private struct Captured {
        var image: CheckpointImage
        /// Whether its commits were in the log, so that they are not made again.
        var isDurable: Bool
        /// How far commits had been shifted by then: a commit that is made again later is another one.
        var shift: UInt64
        /// The pool of its trees.
        var pool: NodePool
        /// How many reads of nodes had failed by then.
        var failures: Int
        var eventCount: UInt64
        var checksum: UInt64
        var events: Int
        var commits: Int
        /// The total work up to the version, and up to the one captured before.
        var work: UInt64
        var workBefore: UInt64
    }

    /// Reads the state that only checkpointing needs, and deletes unusable nodes.
    private func prepare() throws {
        let (isUnusable, kept, newest) = state.withLock { ($0.isUnusable, $0.kept, $0.newest) }
        if isUnusable {
            try checkNeighboursOrGiveUp()
            // Snapshots of this process may be read from the nodes as well.
            if let version = database.versionsInUse.first(where: { $0 > base.version }) {
                throw ListError.damagedCheckpoint(version)
            }
            try database.clear(keeping: base)
            state.withLock { $0.isUnusable = false }
        }
        guard kept == nil else { return }
        if !isUnusable {
            // What the log begins with stays, also while there is no newer checkpoint.
            let last = try newest ?? database.first(of: base)
            try database.deleteUnfinished(after: last?.lastNumber ?? 0)
        }
        let all = try database.all()
        let superfluous = try database.superfluous()
        let isAlone = try database.table?.neighbours().allSatisfy { $0.leases.located == nil } ?? true
        state.withLock { state in
            state.kept = all
            state.superfluous = isAlone ? superfluous : []
            // Which of them other processes still read is not known any more; as if all were replaced just now.
            state.replaced = isAlone ? [] : [(state.newest?.version ?? .empty, superfluous)]
        }
    }

    private func capture(_ head: inout UntypedStore.Head, _ group: GroupCommit) throws -> Captured? {
        try head.checkNodes()
        // Pending commits may be made again.
        guard group.log.confirmed.covers(head.editor.state.version) else { return nil }
        let (shift, durable) = (group.shift, group.durableVersion)
        return state.withLock { state in
            guard head.editor.state.version != state.newest?.version ?? .empty else { return nil }
            let image = head.editor.state.captureCheckpoint(nextNumber: state.nextNumber)
            state.isWriting = true
            // The chunks have numbers from here on, even if the checkpoint fails.
            state.nextNumber = image.firstNodeNumber
            let work = state.workBefore + UInt64(max(1, state.work))
            defer { state.countAnew(after: work) }
            return Captured(
                image: image, isDurable: image.version <= durable, shift: shift, pool: head.editor.state.pool,
                failures: head.editor.state.pool.failureCount, eventCount: head.eventCount,
                checksum: head.editor.checksum, events: state.events, commits: state.commits, work: work,
                workBefore: state.workBefore)
        }
    }

    private func write(_ captured: Captured, _ store: UntypedStore) throws {
        let image = captured.image
        let span = store.options.diagnostics.begin(.checkpoint)
        // The commits up to the version must be in the log first.
        if !captured.isDurable {
            let shift = try store.group.flush(through: image.version, since: captured.shift)
            if shift != captured.shift { throw LostRace() }
        }
        try store.group.store()
        var slice = NodeSlice()
        var writer = CheckpointWriter(
            image, contentOf: { [shortContents] in shortContents.content(of: $0, store.group.recordedContent) }
        ) { [self] number, bytes in
            slice.append(number, bytes)
            if slice.size >= policy.sliceSize {
                try put(slice)
                slice.removeAll()
            }
        }
        defer { state.withLock { $0.nextNumber = writer.nextNumber } }
        let previous = state.withLock { $0.newest }
        let checkpoint = try writer.write(
            eventCount: captured.eventCount, work: captured.work, checksum: captured.checksum, after: previous,
            captured.pool)
        // A chunk or a node that could not be read meanwhile may be missing from the checkpoint.
        if let failure = captured.pool.failure(since: captured.failures) { throw failure.ofRows }
        try complete(checkpoint, image, writer.gone, slice, store.group)
        try adopt(checkpoint, writer.written, captured.pool, store)
        store.options.diagnostics.end(
            span, .checkpointed(checkpoint.version, nodes: slice.totalCount, bytes: slice.totalSize))
    }

    private func put(_ slice: NodeSlice) throws {
        let freed = state.withLock { self.freed(beside: slice, $0) }
        try database.put(slice, freeing: freed)
        state.withLock { $0.superfluous.removeLast(freed.count) }
    }

    /// The superfluous numbers that a transaction frees, the last of the list: more than a checkpoint adds, so that the list shrinks.
    private func freed(beside slice: NodeSlice, _ state: State) -> ArraySlice<UInt64> {
        state.superfluous.suffix(max(1_024, slice.count * 2))
    }

    /// Frees what is superfluous before the store is closed. That may be as much as the whole index of ids, which the last checkpoint has
    /// replaced. If it is little, the next checkpoint frees it, because a transaction waits for the disk.
    ///
    /// - Throws: as ``take(_:isUrgent:)``. What was freed before stays so.
    func freeSuperfluous(_ log: CommitLog) throws {
        try running.withLock { _ in
            let (hasRole, replaced) = state.withLock { ($0.hasRole, $0.replaced.flatMap(\.chunks)) }
            while hasRole, !log.isHeldBack, state.withLock({ $0.superfluous.count >= Self.leastFreed }) {
                let numbers = state.withLock { $0.superfluous }
                let freed = numbers.suffix(Self.mostFreed)
                try database.free(freed, leaving: numbers.dropLast(freed.count) + replaced)
                state.withLock { $0.superfluous.removeLast(freed.count) }
            }
        }
    }

    /// How many numbers are freed when the store is closed, at least and in one transaction.
    private static let (leastFreed, mostFreed) = (256, 4_096)

    private func complete(
        _ checkpoint: Checkpoint, _ image: CheckpointImage, _ gone: [UInt64], _ slice: NodeSlice, _ group: GroupCommit
    ) throws {
        let (kept, superfluous, replaced) = state.withLock {
            (($0.kept ?? []) + [checkpoint], $0.superfluous, $0.replaced + [(checkpoint.version, image.retiredChunks)])
        }
        let freed = state.withLock { self.freed(beside: slice, $0) }
        let completion = CheckpointDatabase.Completion(
            checkpoint: checkpoint, locators: image.locators, gone: gone,
            superfluous: superfluous.dropLast(freed.count), replaced: replaced,
            lastNumbers: kept.map { ($0.version, $0.lastNumber) })
        // Those before the log are of versions with names, and nothing could rebuild them.
        let ofLog = Array(kept.drop { $0.version < base.version })
        let (left, needed, dropped) = try database.complete(completion, slice, freeing: freed) { txn in
            // Pending commits of a replica may have been replaced meanwhile.
            guard try group.log.holdsForGood(checkpoint.version, checksum: checkpoint.checksum, txn) else {
                throw LostRace()
            }
        } dropping: { [policy, base] isNeeded in
            policy.surplus(ofLog.map(\.work), since: base.eventCount) { index in
                isNeeded(ofLog[index].version) || ofLog[index].version == base.version
            }.map { ofLog[$0].version }
        }
        state.withLock { state in
            state.kept = kept.filter { !dropped.contains($0.version) }
            (state.superfluous, state.replaced) = (left, needed)
            state.newest = checkpoint
            state.failure = nil
            state.patience = 1
        }
    }

    private func adopt(
        _ checkpoint: Checkpoint, _ written: WrittenNodes, _ pool: NodePool, _ store: UntypedStore
    ) throws {
        state.withLock { $0.residentSize += written.size }
        try store.withTurn { head in
            do { try head.checkNodes() } catch {
                // The checkpoint is complete, but the list in memory is not: the next opening has to check.
                distrustIfDamaged(error)
                throw error
            }
            // The rows were read again meanwhile, from the checkpoint before.
            guard head.editor.state.pool === pool else {
                state.withLock { $0.residentSize = 0 }
                return try store.racer.readAgain(&head)
            }
            let lease = database.leaseForHead(checkpoint.version)
            head.editor.state.adopt(written, NodePool(after: head.editor.state.pool, lease))
            // If this fails, only later processes with the checkpoint role do not know it.
            try? database.locate(in: checkpoint.version)
        }
    }

    private func evict(_ store: UntypedStore) throws {
        let (size, newest) = state.withLock { ($0.residentSize, $0.newest) }
        guard size > memoryBudget, let newest else { return }
        let left = try store.withTurn {
            $0.editor.state.evict(to: memoryBudget, olderThan: newest.firstNumber)
        }
        state.withLock { $0.residentSize = left }
    }
}
