// Takes the checkpoints of a store in the background, one at a time.
//
// A checkpoint is captured under the store's lock, which takes as long as copying the chunks that changed. Then its
// nodes are written in slices, each in a transaction of its own, and commits are appended between them. When the last
// transaction has made the checkpoint the newest, the store's lock is taken again to tell the nodes their stored
// numbers.
//
// Always holds: a checkpoint is completed only after the commit of its version is durable; a checkpoint that cannot be
// written changes only the next free numbers.

import Dispatch
import ListModel

/// The checkpointing of a store.
final class Checkpointer: Sendable {
    let database: CheckpointDatabase
    /// The index of touches.
    let touches: TouchDatabase
    /// Packs old commits.
    let packer: LogPacker
    private let policy: CheckpointPolicy
    private let memoryBudget: Int
    private let background = DispatchQueue(label: "listory.checkpoint", qos: .utility)
    private let state: Locked<State>
    /// The lock that is held while a checkpoint is taken.
    private let running = Locked<Void>(())

    private struct State: Sendable {
        /// The events and commits since the newest captured checkpoint.
        var events = 0
        var commits = 0
        /// Whether anything was committed since the store was opened.
        var isEdited = false
        /// The work to replay them, without and with the nodes that they change.
        var commitWork = 0
        var work = 0
        /// The total work up to the newest captured checkpoint.
        var workBefore: UInt64 = 0
        /// Whether this process has the checkpoint role, so that no other process takes checkpoints, and has read the newest one since.
        var hasRole = false
        /// Whether a checkpoint is due, and whether one is running or scheduled.
        var isDue = false
        /// Whether twice the work has been done after which one is due.
        var isOverdue = false
        var isQueued = false
        /// Whether a captured version is being written.
        var isWriting = false
        /// Edits that wait for the running checkpoint.
        var waiting: [DispatchSemaphore] = []
        /// The number of intervals until a checkpoint is due: more after a failure.
        var patience = 1
        /// The error of the last attempt.
        var failure: (any Error)?
        /// The newest checkpoint.
        var newest: Checkpoint?
        var nextNumber: UInt64 = 1
        /// Whether the stored nodes are unusable and must be deleted first.
        var isUnusable = false
        /// The checkpoints that are kept, from the oldest to the newest; read when the first one is taken.
        var kept: [Checkpoint]?
        /// Superfluous numbers.
        var superfluous: [UInt64] = []
        /// Chunks of locators that a checkpoint of this version replaced. Another process may still read them.
        var replaced: [(version: Version, chunks: [UInt64])] = []
        /// The approximate bytes of nodes that checkpoints keep in memory.
        var residentSize = 0

        /// Begins to count again, behind a checkpoint to which so much work led.
        mutating func countAnew(after work: UInt64) {
            (events, commits, commitWork, self.work) = (0, 0, 0, 0)
            (isDue, isOverdue) = (false, false)
            workBefore = work
        }
    }

    /// The base of the log; its checkpoint is never dropped.
    private let base: LogBase

    init(
        _ database: CheckpointDatabase, _ packer: LogPacker, _ base: LogBase, newest: Checkpoint?,
        recovered: UntypedStore.Recovery,
        options: StoreOptions
    ) throws {
        self.base = base
        self.database = database
        self.packer = packer
        touches = TouchDatabase(database, base)
        policy = options.checkpoints
        memoryBudget = options.memoryBudget
        var state = State()
        state.newest = newest
        state.nextNumber = (newest?.lastNumber ?? 0) + 1
        // Old numbers may still be in a cache or a snapshot.
        if recovered.wasRebuilt { state.nextNumber = try database.boundOfNumbers() + 1 }
        state.isUnusable = recovered.wasRebuilt
        state.events = Int(clamping: recovered.eventCount)
        state.commits = Int(clamping: recovered.commitCount)
        state.commitWork = state.events
        state.work = state.events
        state.workBefore = newest?.work ?? base.eventCount
        // Since the newest checkpoint was read, another process may have taken one, and given up the role.
        state.hasRole = database.table == nil
        self.state = Locked(state)
    }

    /// The newest checkpoint.
    var newest: Checkpoint? { state.withLock { $0.newest } }

    /// Whether a captured version is being written. It began under the store's lock, under which it also ends.
    var isWriting: Bool { state.withLock { $0.isWriting } }

    /// The error of the last checkpoint; nil if it succeeded.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Counts commits.
    ///
    /// - Parameters:
    ///   - commits: how many there are.
    ///   - touched: how many nodes were changed since the last capture.
    ///   - chunks: how many chunks of the index were.
    func note(commits: Int, events: Int, bytes: Int, touched: Int, chunks: Int) {
        packer.note(events: events)
        state.withLock { state in
            state.events &+= events
            state.commits &+= commits
            state.isEdited = true
            state.commitWork &+= policy.work(events: events, bytes: bytes)
            state.work = state.commitWork &+ touched &* policy.nodeWeight
            func interval(rowBytes: Int) -> Int {
                policy.interval(
                    chunks: chunks, commits: state.commits, rowBytes: rowBytes, memoryBudget: memoryBudget)
            }
            let rowBytes = WrittenNodes.size(rowNodes: touched)
            state.isDue = state.work / state.patience >= interval(rowBytes: rowBytes)
            // After twice the work, or with twice the memory.
            state.isOverdue = state.work / 2 > interval(rowBytes: rowBytes / 2)
        }
    }

    /// The longest time that an edit waits for checkpoints to keep up: half a frame of a display.
    private static let patienceOfEdits = DispatchTimeInterval.milliseconds(8)

    /// Takes a checkpoint if one is due: soon, or now if the policy says so.
    ///
    /// Then waits for a moment if the edits are so far ahead of the running checkpoint that the next one would be too
    /// far from it. Without this, edits in a tight loop would leave gaps that take long to replay.
    func meetDemand(_ store: UntypedStore) {
        if store.isInsideEdit { return }
        packer.meetDemand(store)
        let (begins, semaphore) = state.withLock { state -> (Bool, DispatchSemaphore?) in
            let begins = state.isDue && !state.isQueued && store.group.log.confirmed.covers(store.group.durableVersion)
            if begins { state.isQueued = true }
            guard state.isQueued, policy.isBackground, state.isOverdue else {
                return (begins, nil)
            }
            let semaphore = DispatchSemaphore(value: 0)
            state.waiting.append(semaphore)
            return (begins, semaphore)
        }
        if begins { begin(store) }
        _ = semaphore?.wait(timeout: .now() + Self.patienceOfEdits)
    }

    private func begin(_ store: UntypedStore) {
        guard policy.isBackground else { return attempt(store) }
        // The store is retained until its checkpoint is taken.
        background.async { self.attempt(store) }
    }

    private func attempt(_ store: UntypedStore) {
        do {
            try take(store, isUrgent: false)
        } catch {
            // No data is lost, because the log has everything.
            delay(error)
            store.options.diagnostics.report(.checkpointFailed(reason: Diagnostics.reason(error)))
        }
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isQueued = false
            return state.waiting
        }
        for semaphore in waiting { semaphore.signal() }
        packer.noteCheckpoint(store)
    }

    /// Waits longer until the next attempt.
    private func delay(_ error: (any Error)? = nil) {
        state.withLock { state in
            state.failure = error
            state.patience = min(1_024, state.patience * 2)
        }
    }

    /// Invalidates the checkpoints in the file if an error says that they are damaged.
    func distrustIfDamaged(_ error: any Error) {
        var cause = error
        if case ListError.damagedNode(let inner) = error { cause = inner }
        // A temporary read error is no damage.
        guard cause is NodeError, !database.environment.options.isReadOnly else { return }
        // If this fails as well, the next opening detects the damage again.
        try? database.distrust()
    }

    /// Whether this process may pack commits: it has the checkpoint role, so that no other process does, and no checkpoint is damaged.
    var mayPack: Bool { state.withLock { $0.hasRole && !$0.isUnusable } }

    /// Whether this process may write a successor: as ``mayPack``, also if it has not taken a checkpoint yet.
    var mayTrim: Bool {
        let (hasRole, isUnusable) = state.withLock { ($0.hasRole, $0.isUnusable) }
        return !isUnusable && (hasRole || database.table?.takeRole() ?? true)
    }

    /// Runs `body` while no checkpoint is running.
    func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
        try running.withLock { _ in try body() }
    }

    /// Whether closing the store should take a checkpoint. It does not if nothing was edited, because another process
    /// may be editing and could not take checkpoints then; unless so much was replayed that one is due.
    var isDueAtClose: Bool {
        policy.atClose && (state.withLock { $0.hasRole } || database.table?.takeRole() ?? true)
            && state.withLock {
                $0.events > 0 && ($0.isEdited || $0.isUnusable || $0.work >= policy.interval)
            }
    }
}

// MARK: - Taking a checkpoint

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
                // The next attempt begins as if the role were new. The lock stays taken.
                if case ListError.writtenElsewhere = error { state.withLock { $0.hasRole = false } }
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

    /// Whether this process has the checkpoint role. If it has not had it before, or has not got it, it continues from the newest
    /// checkpoint, because the rows in memory refer to the nodes of an earlier one.
    private func takeRole(_ store: UntypedStore) throws -> Bool {
        if state.withLock({ $0.hasRole }) { return true }
        let hasRole = database.table?.takeRole() ?? true
        let newest = try database.newestVersion()
        if state.withLock({ $0.isUnusable }) {
            // They are deleted before the next one is taken. What the other process has written to them is read, damaged or not.
            if hasRole { _ = try? database.newest() } else { delay() }
        } else {
            do {
                if newest > self.newest?.version ?? .empty {
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
        database.isUnusable.withLock { $0 = true }
        do { try store.withTurn { try store.racer.readAgain(&$0) } } catch {
            database.isUnusable.withLock { $0 = false }
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

    /// The rows that other processes show may be read from unusable nodes.
    private func checkNeighbours() throws {
        if let other = try database.table?.neighbours().first(where: { !$0.leases.isEmpty }) {
            throw ListError.busy(path: database.environment.path, processes: [other.processID])
        }
    }

    /// Reads the state that only checkpointing needs, and deletes unusable nodes.
    private func prepare() throws {
        let (isUnusable, kept, last) = state.withLock { ($0.isUnusable, $0.kept, $0.newest?.lastNumber ?? 0) }
        if isUnusable {
            try checkNeighbours()
            // Snapshots of this process may be read from the nodes as well.
            if let version = database.versionsInUse.first(where: { $0 > base.version }) {
                throw ListError.damagedCheckpoint(version)
            }
            try database.clear(keeping: base)
            state.withLock { $0.isUnusable = false }
        }
        guard kept == nil else { return }
        if !isUnusable { try database.deleteUnfinished(after: last) }
        let all = try database.all()
        let superfluous = try database.superfluous()
        let isAlone = try database.table?.neighbours().allSatisfy(\.leases.isEmpty) ?? true
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
        var writer = CheckpointWriter(image) { [self] number, bytes in
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
        try put(slice)
        // A chunk or a node that could not be read meanwhile may be missing from the checkpoint.
        if let failure = captured.pool.failure(since: captured.failures) { throw failure.ofRows }
        try complete(checkpoint, image, writer.gone, store.group)
        try adopt(checkpoint, writer.written, captured.pool, store)
        store.options.diagnostics.end(
            span, .checkpointed(checkpoint.version, nodes: slice.totalCount, bytes: slice.totalSize))
    }

    private func put(_ slice: NodeSlice) throws {
        // More than a checkpoint makes superfluous, so that the list shrinks.
        let freed = state.withLock { $0.superfluous.suffix(max(1_024, slice.count * 2)) }
        try database.put(slice, freeing: freed)
        state.withLock { $0.superfluous.removeLast(freed.count) }
    }

    private func complete(
        _ checkpoint: Checkpoint, _ image: CheckpointImage, _ gone: [UInt64], _ group: GroupCommit
    ) throws {
        let (kept, superfluous, replaced) = state.withLock {
            (($0.kept ?? []) + [checkpoint], $0.superfluous, $0.replaced + [(checkpoint.version, image.retiredChunks)])
        }
        let completion = CheckpointDatabase.Completion(
            checkpoint: checkpoint, locators: image.locators, gone: gone, superfluous: superfluous, replaced: replaced,
            lastNumbers: kept.map { ($0.version, $0.lastNumber) })
        // Those before the log are of versions with names, and nothing could rebuild them.
        let ofLog = Array(kept.drop { $0.version < base.version })
        let (left, needed, dropped) = try database.complete(completion) { txn in
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
            let lease = database.lease(checkpoint.version)
            head.editor.state.adopt(written, NodePool(after: head.editor.state.pool, lease))
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
