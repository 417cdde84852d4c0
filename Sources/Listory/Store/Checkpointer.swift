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
    let policy: CheckpointPolicy
    let memoryBudget: Int
    let background = DispatchQueue(label: "listory.checkpoint", qos: .utility)
    let state: Locked<State>
    /// Contents that checkpoints store with their rows.
    let shortContents = ShortContents()
    /// The lock that is held while a checkpoint is taken.
    let running = Locked<Void>(())

    struct State: Sendable {
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
    let base: LogBase

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
                    chunks: chunks, changes: max(touched, state.commits), rowBytes: rowBytes,
                    memoryBudget: memoryBudget)
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
    func delay(_ error: (any Error)? = nil) {
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

    /// Whether this process may write a successor: as ``mayPack``, also if it has not taken a checkpoint yet. Then it takes the role, which
    /// the caller has to give up: ``giveUpUnusedRole()``.
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
        policy.atClose
            && state.withLock {
                $0.events > 0 && ($0.isEdited || $0.isUnusable || $0.work >= policy.interval)
            } && (state.withLock { $0.hasRole } || database.table?.takeRole() ?? true)
    }
}
