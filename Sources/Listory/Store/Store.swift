// A durable list of any content: the untyped core under `ListStore`, and what tools open.
//
// An edit is applied in memory under a lock, at once and whole; its commit then goes through the group commit into the
// log. Opening replays the log.
//
// Always holds:
// - the rows in memory are the fold of the log and the commits that wait to be appended;
// - edits of several tasks never interleave inside a commit: the lock is held from begin to end;
// - a commit that was reported durable is in the file, whatever happens to the process or the machine.

import ListModel
import Synchronization

/// A list whose every edit is an event in a log: it persists, it undoes, and it can show any moment of its past.
///
/// ```swift
/// let store = try Store.create(at: "todo.listory")
/// try store.edit("Add milk") { list in
///     try list.insertSection(NewSection(id: "today", title: "Today"))
///     try list.insert(NewItem(id: 7, content: milk), at: .end(ofSection: "today"))
/// }
/// try store.undo()
/// try store.close()
/// ```
///
/// One process at a time may edit a store; any number may read it. ``ListStore`` adds an app's own types.
///
/// - Important: The closure of an edit runs under the store's lock. It may take its time (a group of edits can wait for
///   input), but it must not use the store itself.
public final class Store: Sendable {
    /// What opening the store had to do.
    public struct Recovery: Hashable, Sendable {
        /// How many commits were replayed.
        public let commitCount: UInt64
        /// How many events they had.
        public let eventCount: UInt64
        /// How long that took.
        public let duration: Duration
    }

    /// What is protected by the lock.
    struct Head: ~Copyable, Sendable {
        var editor: ListEditor
        var observers = UpdateObservers()
        var isClosed = false
    }

    /// Where the store is.
    public let path: String
    /// How it was opened.
    public let options: StoreOptions
    /// What opening it had to do.
    public let recovery: Recovery

    let group: GroupCommit
    private let head: Locked<Head>
    /// The thread that is inside an edit, so that an edit within an edit is noticed instead of waiting for ever.
    private let editingThread = Atomic<UInt>(0)

    private init(_ log: CommitLog, head: consuming Head, logHead: LogHead, recovery: Recovery, options: StoreOptions) {
        path = log.path
        self.options = options
        self.recovery = recovery
        group = GroupCommit(log, head: logHead, options: options)
        head.editor.source = group
        self.head = Locked(head)
    }

    /// Makes a new, empty store.
    ///
    /// - Parameters:
    ///   - path: a file that does not exist; a second one, with `-lock` after its name, will stand beside it.
    ///   - options: how the store is opened.
    /// - Throws: ``StoreError/alreadyExists(path:)``, or an `LMDBError` that names the call that failed.
    public static func create(at path: String, options: StoreOptions = StoreOptions()) throws -> Store {
        if options.isReadOnly { throw StoreError.readOnly }
        return try Store(CommitLog(path: path, mode: .create, options: options), options)
    }

    /// Opens a store, and recovers its newest version by replaying the log.
    ///
    /// - Throws: ``StoreError`` if the file is missing, foreign or newer; an `LMDBError` or `RecordError` if it is
    ///   damaged; ``ListError`` if its events do not fit together.
    /// - Complexity: O(events · log n).
    public static func open(at path: String, options: StoreOptions = StoreOptions()) throws -> Store {
        try Store(CommitLog(path: path, mode: .open, options: options), options)
    }

    private convenience init(_ log: CommitLog, _ options: StoreOptions) throws {
        do {
            let clock = ContinuousClock()
            let start = clock.now
            let logHead = try log.head()
            var state = ListState(limits: options.limits)
            let checksum = try log.replay(into: &state, through: logHead.version)
            guard checksum == logHead.checksum else {
                throw StoreError.headMismatch(
                    what: "checksum of commit \(logHead.version)", expected: String(logHead.checksum, radix: 16),
                    found: String(checksum, radix: 16))
            }
            let recovery = Recovery(
                commitCount: logHead.version.rawValue, eventCount: logHead.eventCount,
                duration: clock.now - start)
            let editor = ListEditor(state, checksum: checksum, source: EmptyLog())
            self.init(log, head: Head(editor: editor), logHead: logHead, recovery: recovery, options: options)
        } catch {
            // The first error is the one to report.
            try? log.environment.close()
            throw error
        }
    }

    /// Calls `body` with what the lock protects.
    func withHead<Result>(_ body: (inout Head) throws -> Result) throws -> Result {
        precondition(!isInsideEdit, "the closure of an edit must not use the store itself")
        return try head.withLock { head in
            if head.isClosed { throw StoreError.closed }
            editingThread.store(currentThreadNumber(), ordering: .relaxed)
            defer { editingThread.store(0, ordering: .relaxed) }
            return try body(&head)
        }
    }

    /// Whether the calling thread is inside the closure of an edit, or otherwise holds the lock.
    var isInsideEdit: Bool { editingThread.load(ordering: .relaxed) == currentThreadNumber() }

    /// Waits until everything is durable, ends all update sequences and closes the file.
    ///
    /// A store whose last commits cannot be appended, because another process wrote to the file or the disk is full,
    /// can only be closed without them:
    ///
    /// ```swift
    /// do { try store.close() } catch StoreError.appendFailed {
    ///     try store.close(discardingUnappended: true)
    /// }
    /// ```
    ///
    /// - Parameter discardingUnappended: whether what cannot be appended is given up. Lost are then exactly the
    ///   versions after ``durableVersion``, as it stands afterwards; one more attempt to append them is made first.
    /// - Throws: ``StoreError/appendFailed(durable:cause:)`` if the last commits could not be appended and are not to
    ///   be given up; `LMDBError` with `closeBlocked` while somebody reads from the store, for instance inside of
    ///   `withRecord(of:_:)` of its ``source``. The store then stays open, and can be closed later.
    ///   ``StoreError/closed`` if it is closed already.
    public func close(discardingUnappended: Bool = false) throws {
        if !discardingUnappended { try group.flush(through: nil) }
        try withHead { head in
            // Nothing can be enqueued while the lock is held, but something may have been since the first flush.
            do { try group.flush(through: nil) } catch {
                guard discardingUnappended else { throw error }
            }
            try group.discardUnappended { try group.log.environment.close() }
            head.isClosed = true
            head.observers.finish()
        }
    }
}

// MARK: - Reading

extension Store {
    /// The newest rows. A value: it stays as it is, whatever happens to the store.
    ///
    /// - Complexity: O(1).
    public var snapshot: Snapshot {
        get throws { try withHead { $0.editor.snapshot() } }
    }

    /// What undo and redo would revert.
    public var history: History {
        get throws { try withHead { $0.editor.state.history } }
    }

    /// Where the row of an id is in the newest version, or nil if there is none.
    ///
    /// - Complexity: O(log n).
    public func indexPath(of id: Identifier) throws -> ListIndexPath? {
        try withHead { $0.editor.state.indexPath(of: id) }
    }

    /// The row of an id in the newest version, or nil if there is none.
    ///
    /// - Complexity: O(1) expected.
    public func item(_ id: Identifier) throws -> ListItem? {
        try withHead { $0.editor.state.item(id) }
    }

    /// Where the content of rows and the commits of the past are read.
    public var source: any CommitSource { group }
}

/// A log without commits, for an editor that has not got its own yet.
private struct EmptyLog: CommitSource {
    func withRecord<Result>(
        of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        throw StoreError.unknownVersion(version, head: .empty)
    }
}
