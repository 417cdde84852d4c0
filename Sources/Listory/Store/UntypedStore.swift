// A durable list of any content: the untyped core of `ListStore`; tools use it directly.
//
// An edit is applied in memory under a lock; then the group commit appends its commit to the log. Opening reads the
// newest checkpoint and replays the commits after it.
//
// Always holds:
// - the rows in memory are the fold of the log and of the queued commits;
// - edits of several tasks never interleave inside a commit: each waits for its turn;
// - a commit that was reported durable is in the file, even after a crash or a power cut.

import Dispatch
import LMDB
import ListModel

/// A list whose every edit is an event in a log: edits are saved and can be undone, and any earlier version can be
/// read.
///
/// ```swift
/// let store = try UntypedStore.create(at: "todo.listory")
/// try store.edit("Add milk") { list in
///     try list.insertSection(NewSection(id: "today", title: "Today"))
///     try list.insert(NewRow(id: 7, content: milk), at: .end(ofSection: "today"))
/// }
/// try store.undo()
/// try store.close()
/// ```
///
/// Any number of processes may edit a store: see `Docs/Design/Processes.md`. ``ListStore`` adds an app's own types.
///
/// - Important: The closure of an edit must not use the store itself: that throws ``ListError/usedInside(_:)``. It runs
///   under the store's lock, so readers wait for it; those of a ``ListStore`` do not.
public final class UntypedStore: Sendable {
    /// The state that the lock protects.
    struct Head: ~Copyable, Sendable {
        var editor: UntypedEditor
        var observers = UpdateObservers()
        /// How many events led to the newest version.
        var eventCount: UInt64
        var isClosed = false
        /// The histories at a version that was the end of the log when another process had appended.
        var known: (version: Version, histories: HistoryTable)?
        /// The confirmed end of a replica when the log was last read: commits up to it are replaced only if another process makes them
        /// pending again first.
        var confirmed: LogPosition?
        /// The error for which the rows have to be read from the file again: nodes could not be read, and the trees may
        /// have substitutes for them.
        var failure: (any Error)?
        /// Whether the present undo step ends with the edit in progress.
        var endsStep = false
        /// How many reads of nodes had failed when the lock was taken.
        fileprivate var failuresBefore = 0

        /// Checks that no read of a node failed under the lock.
        func checkNodes() throws {
            if let failure = editor.failure(since: failuresBefore) ?? failure { throw failure.ofRows }
        }

        /// Records whether nodes could not be read under the lock.
        fileprivate mutating func noteFailure() {
            guard let found = editor.failure(since: failuresBefore), !found.saysDamage else { return }
            failure = found
        }

        /// The newest rows; during an edit, those before it. Damaged rows say that they are unreadable; after another error,
        /// this throws.
        mutating func snapshot() throws -> UntypedSnapshot {
            if let failure { throw failure }
            return try editor.isEditing ? editor.snapshotBeforeEdits() : editor.snapshot()
        }
    }

    /// The path of the file.
    public let path: String
    /// The options with which it was opened.
    public let options: StoreOptions
    /// The work of opening it.
    public let recovery: Recovery

    let group: GroupCommit
    /// Takes checkpoints; nil if there are none and the store may only be read.
    let checkpointer: Checkpointer?
    /// Finds versions of the past.
    let past: Past
    /// The projections.
    let followers = StoreFollowers()
    /// What writes a successor.
    let keeper = Locked<(any StoreKeeper)?>(nil)
    /// The touches of the commits that are not indexed.
    let tails = Locked(TouchTails())
    /// Held by an edit, or another change, from its beginning to its end.
    let turn = Locked<Void>(())
    /// The list. It is locked within a turn, or for reading at any time: then an edit may be in progress.
    let head: Locked<Head>
    /// The rows before the edit in progress, if it is a long one: readers take them without any other lock.
    let shown = Locked<UntypedSnapshot?>(nil)
    /// The kinds of its ids, if an app's store was made.
    let identifierKinds: Locked<IdentifierKinds?>
    /// The queue on which the edits of tasks are made.
    let editQueue = DispatchQueue(label: "listory.edits", qos: .userInitiated)
    /// Catches up with other processes.
    let racer: StoreRacer

    /// - Parameter earlier: the work of opening the file whose successor this is.
    private init(_ log: CommitLog, _ options: StoreOptions, after earlier: Recovery? = nil) throws {
        do {
            // Opened first, so that the view of a process without leases is not newer than the head that it reads next.
            let database =
                try log.lingering
                ?? CheckpointDatabase(log.environment, log.journal.table, meta: log.meta, share: log.share)
            // Before the checkpoints are read: no other process changes them from then on.
            if !options.isReadOnly { _ = log.journal.table?.takeRole() }
            // Before the end of the log is read, which is then not older.
            let newest = options.lastVersion == nil ? database.map { Recovery.newest($0) } : nil
            let findings = try log.readHead()
            let logHead =
                try options.lastVersion.map { version in
                    try Past(log, database, NodePool(limits: options.limits, source: database))
                        .head(findings.head, at: version)
                } ?? findings.head
            let recovered = try Recovery.run(log, logHead, database, newest, options)
            guard recovered.checksum == logHead.checksum else {
                throw ListError.headMismatch(
                    what: "checksum of commit \(logHead.version)", expected: String(logHead.checksum, radix: 16),
                    found: String(recovered.checksum, radix: 16))
            }
            path = log.path
            self.options = options
            var recovery = recovered.recovery
            recovery.journalCommitCount = findings.commitCount + (earlier?.journalCommitCount ?? 0)
            if earlier?.wasRebuilt ?? false { recovery.wasRebuilt = true }
            recovery.lostVersion = findings.lost
            self.recovery = recovery
            let past = Past(log, database, recovered.nodes)
            self.past = past
            group = GroupCommit(log, past, head: logHead, options: options)
            checkpointer = try database.map {
                try Checkpointer(
                    $0, LogPacker(log, past, $0, options), log.base, newest: recovered.newest, recovered: recovery,
                    options: options)
            }
            var editor = UntypedEditor(recovered.state, checksum: recovered.checksum, source: group)
            editor.oldestVersion = log.base.version
            editor.coalescingPolicy = options.coalescing
            editor.rules = options.rules
            if log.confirmed.end != nil { editor.makeIdentifier = options.makeIdentifier }
            editor.undoLimit = options.undoLimit
            head = Locked(Head(editor: editor, eventCount: logHead.eventCount, confirmed: log.confirmed.end))
            identifierKinds = Locked(try log.identifierKinds())
            racer = StoreRacer(turn, head, group, checkpointer, options)
            // The process that edits takes it.
            checkpointer?.giveUpUnusedRole()
        } catch {
            let isReplaced = log.mayBeReplaced
            // The first error is the one to report.
            log.giveUp()
            var isPassing = isReplaced && error.saysDamage
            if case ListError.writtenElsewhere = error { isPassing = true }
            // A file that snapshots keep open cannot be opened once more.
            if isPassing && log.lingering == nil && log.share == nil { throw ChangedMeanwhile(cause: error) }
            throw CommitLog.refusal(error, log.path, isReadOnly: options.isReadOnly)
        }
    }

    /// What was read does not fit together: another process has deleted nodes meanwhile that it no longer needs, or may have replaced
    /// pending commits of a replica.
    private struct ChangedMeanwhile: Error {
        let cause: any Error
    }

    deinit {
        // In a fork, a thread of the parent may hold these locks for ever.
        guard group.log.environment.isOwnProcess else { return }
        racer.stop()
        // Who still waits for one of them would wait for ever, and a sequence keeps the file open.
        head.withLock { $0.observers.finish() }
        group.failures.finish()
        group.letGo()
    }

    /// Creates a new, empty store.
    ///
    /// - Parameters:
    ///   - path: a file that does not exist; a lock file is created beside it, with `-lock` after the name.
    ///   - options: how the store is opened.
    /// - Throws: ``ListError/alreadyExists(path:)``, or an `LMDBError` that names the call that failed.
    public static func create(at path: String, options: StoreOptions = StoreOptions()) throws -> UntypedStore {
        try door {
            if options.isReadOnly { throw ListError.readOnly }
            return try started(at: path, .create, options)
        }
    }

    /// Opens a store, or creates a new, empty one if there is none.
    package static func openOrCreate(at path: String, options: StoreOptions) throws -> UntypedStore {
        try door { try started(at: path, .openOrCreate, options) }
    }

    /// Opens a store: reads the newest checkpoint, and replays the commits after it.
    ///
    /// - Throws: ``ListError`` if the file is missing, foreign or newer; ``ListError/damagedCommit(_:cause:)`` or an
    ///   `LMDBError` if it is damaged.
    /// - Complexity: O(log n), and a replay of the events since the newest checkpoint.
    public static func open(at path: String, options: StoreOptions = StoreOptions()) throws -> UntypedStore {
        try door {
            precondition(options.isReadOnly || options.lastVersion == nil, "an earlier version is only read")
            var options = options
            if options.lastVersion != nil { options.isKnownToOthers = false }
            return try started(at: path, .open, options)
        }
    }

    /// Opens a store, and tries again if another process has changed what was being read. Damage remains, and what another process does is
    /// soon done.
    ///
    /// - Parameter earlier: the work of opening the file whose successor this is.
    private static func opened(
        at path: String, _ mode: CommitLog.Mode, _ options: StoreOptions, after earlier: Recovery? = nil
    ) throws -> UntypedStore {
        var (mode, attempt) = (mode, 1)
        while true {
            do {
                return try UntypedStore(
                    CommitLog(path: path, mode: mode, options: options), options, after: earlier)
            } catch let error as ChangedMeanwhile {
                if attempt == 10 { throw error.cause }
                Platform.sleep(microseconds: UInt32(attempt) * 1_000)
                // If it was to be created, it is there now.
                (mode, attempt) = (.open, attempt + 1)
            }
        }
    }

    private static func started(
        at path: String, _ mode: CommitLog.Mode, _ options: StoreOptions
    ) throws -> UntypedStore {
        var options = options
        options.diagnostics = Diagnostics(options.label, slowEdit: options.slowEditThreshold)
        let span = options.diagnostics.begin(.opening)
        var store = try opened(at: path, mode, options)
        // It was written for a process that was killed.
        if store.catchUpSuccessor() != nil, (try? store.close()) != nil {
            store = try opened(at: path, .open, options, after: store.recovery)
        }
        options.diagnostics.end(span, .opened(store.recovery.report(of: store.durableVersion)))
        if options.lastVersion == nil { store.racer.start() }
        options.diagnostics.wait()
        return store
    }

    /// Calls `body` with the protected state, under the lock, for a moment. An edit may be in progress: `body` neither edits
    /// nor reads the rows of the editor.
    func withHead<Result>(_ body: (inout Head) throws -> Result) throws(ListError) -> Result {
        try checkIsOutside()
        return try door { try entering(body) }
    }

    /// Calls `body` with the protected state when no edit is in progress.
    func withTurn<Result>(_ body: (inout Head) throws -> Result) throws(ListError) -> Result {
        try checkIsOutside()
        return try door { try turn.withLock { _ in try entering(body) } }
    }

    private func entering<Result>(_ body: (inout Head) throws -> Result) throws -> Result {
        try head.withLock { head in
            try enter(&head)
            defer { head.noteFailure() }
            return try body(&head)
        }
    }

    /// As ``withTurn(_:)``, for edits: without copies of what `body` returns. Throws the error of nodes that could not be
    /// read before that of `body`, because an unreadable row is not found.
    @inline(__always)
    func withTurnForEditing<Result>(_ body: (inout Head) throws -> Result) throws -> Result {
        try checkIsOutside()
        return try turn.withLock { _ in
            try head.withLock { head in
                try enter(&head)
                try racer.followReplica(&head)
                return try editing(&head, body)
            }
        }
    }

    /// Edits the rows, or begins or ends an edit.
    @inline(__always)
    private func editing<Result>(_ head: inout Head, _ body: (inout Head) throws -> Result) throws -> Result {
        do {
            try head.checkNodes()
            let result = try body(&head)
            head.noteFailure()
            return result
        } catch {
            head.noteFailure()
            try head.checkNodes()
            throw error
        }
    }

    /// Makes an edit for which the list is locked only at its beginning, at its end, and for each use of the editor. Readers
    /// do not wait for it.
    ///
    /// - Parameters:
    ///   - begin: lends the editor.
    ///   - body: makes the edits.
    ///   - end: takes the editor back, and finishes the commit.
    func withTurnInSteps<Result>(
        begin: (inout UntypedEditor) throws -> Void, _ body: (EditTurn) throws -> Void,
        end: (inout Head) throws -> Result
    ) throws -> Result {
        try checkIsOutside()
        return try turn.withLock { _ in
            let failuresBefore = try head.withLock { head in
                try enter(&head)
                try racer.followReplica(&head)
                try editing(&head) { try begin(&$0.editor) }
                return head.failuresBefore
            }
            defer { shown.withLock { $0 = nil } }
            let edited = Swift.Result { try body(EditTurn(head, shown)) }
            return try head.withLock { head in
                // Readers have used the head meanwhile.
                head.failuresBefore = failuresBefore
                defer { if exchange(&head.endsStep, with: false) { head.editor.breakUndoCoalescing() } }
                do {
                    try head.checkNodes()
                    try edited.get()
                } catch {
                    head.editor.cancelLoan()
                    head.noteFailure()
                    throw error
                }
                return try editing(&head, end)
            }
        }
    }

    /// Prepares the state for a use under the lock.
    @inline(__always)
    private func enter(_ head: inout Head) throws {
        if head.isClosed { throw ListError.closed }
        if head.failure != nil && !head.editor.isEditing { racer.reload(&head) }
        head.failuresBefore = head.editor.failureCount
    }

    /// Whether the calling thread is inside the closure of an edit, or otherwise holds a lock.
    var isInsideEdit: Bool { turn.isHeldByCaller || head.isHeldByCaller }

    /// Checks that the calling thread does not hold the lock, and that this is the process that opened the store. Functions that take
    /// another lock first call this before.
    func checkIsOutside() throws(ListError) {
        if isInsideEdit { throw ListError.usedInside("the closure of an edit or of a read") }
        if !group.log.environment.isOwnProcess { try refuseFork() }
    }

    private func refuseFork() throws(ListError) {
        do { try group.log.environment.requireOwnProcess("UntypedStore") } catch { throw ListError(error) }
    }
}

// MARK: - Of any items

/// The functions of every store, for any items: undo and redo, groups, branches, time travel, durability, copies.
///
/// ``UntypedStore`` and ``ListStore``, which adds an app's own types, have them.
public protocol StoreProtocol: AnyObject, Sendable {
    /// The store of identifiers and bytes.
    var core: UntypedStore { get }
}

extension UntypedStore: StoreProtocol {
    /// The store itself.
    public var core: UntypedStore { self }
}
