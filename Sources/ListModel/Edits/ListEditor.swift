// The editor: turns edits into events, folds each into the state at once, and writes it into the record of a commit.
//
// One pass does all of it: the record is written while the edits are made, so content has its final place in the log
// from the first moment, and a finished commit only needs its hash and checksum.
//
// Always holds:
// - edits are made between `begin` and `finish` or `cancel`;
// - an edit that throws has changed nothing, neither rows nor record;
// - after `cancel` the rows are those of the version before `begin`; after `finish` they are the new version.

/// What is known of a commit before its events.
public struct CommitDraft: Sendable {
    /// What the user does, as a menu names it: "Add milk".
    public var name: String
    /// Who does it: a user, a device, a sync. May be empty.
    public var origin: String
    /// When it is done; frozen into the commit.
    public var time: Timestamp
    /// Why it is done.
    var cause = Commit.Cause.edit

    /// The beginning of an edit.
    public init(name: String, origin: String = "", time: Timestamp) {
        self.name = name
        self.origin = origin
        self.time = time
    }
}

/// Edits the newest version of a list, one commit after another.
///
/// ```swift
/// editor.begin(CommitDraft(name: "Add milk", time: now))
/// try editor.insert(NewItem(id: 7, content: milk), at: .end(ofSection: "today"))
/// let commit = try editor.finish()
/// ```
public struct ListEditor: ~Copyable, @unchecked Sendable {
    // @unchecked Sendable: not copyable, so only one task has it at a time; what its trees share with snapshots is
    // immutable, and the buffers it owns are nobody else's.

    /// The state that the edits are folded into.
    public package(set) var state: ListState

    /// Where the records of earlier commits are read.
    public var source: any CommitSource
    /// The version before which commits are no longer there, and cannot be undone or redone.
    package var oldestVersion = Version.empty
    private var writer = RecordWriter()
    /// The checksum of the newest commit; 0 for the empty list.
    package private(set) var checksum: UInt64

    /// The commit that is being made, if there is one.
    private var draft: CommitDraft?
    private var historyAfter = History.empty
    /// How many bytes the record had before its first event.
    private var eventsOffset = 0
    private var eventCount = 0
    /// How many of them are annotations.
    private var annotationCount = 0

    /// An editor of a state.
    ///
    /// - Parameters:
    ///   - state: the newest version of the list.
    ///   - checksum: the checksum of the commit that made it; 0 for the empty list.
    ///   - source: where the records of earlier commits are read.
    public init(_ state: consuming ListState, checksum: UInt64 = 0, source: any CommitSource) {
        self.state = state
        self.checksum = checksum
        self.source = source
    }

    /// Whether a commit is being made.
    public var isEditing: Bool { draft != nil }

    /// How many events the commit that is being made has so far.
    public var pendingEventCount: Int { eventCount }

    /// The rows of the newest version.
    ///
    /// - Precondition: no commit is being made: its rows have no version yet. ``state`` tells what it did so far.
    /// - Complexity: O(1), plus the hashes of what changed since the last time.
    public mutating func snapshot() -> Snapshot {
        precondition(!isEditing, "a snapshot is taken between commits")
        return state.snapshot()
    }

    /// The rows as they are, with what the commit that is being made did so far, under the version before it: for tests
    /// that look into a commit.
    package mutating func pendingSnapshot() -> Snapshot { state.snapshot() }

    /// Folds a commit of the log into the state, while the store is opened.
    ///
    /// - Throws: as ``ListState/replay(_:previousChecksum:check:)``.
    public mutating func replay(_ record: UnsafeRawBufferPointer, check: ReplayCheck = .records) throws {
        checksum = try state.replay(record, previousChecksum: checksum, check: check)
    }

    /// Checks what always holds of the state.
    ///
    /// - Throws: ``InvariantViolation``.
    /// - Complexity: O(n).
    public func checkInvariants() throws { try state.checkInvariants() }

    /// Compares the hash of the rows with the one that a commit says they have.
    public mutating func checkHash(_ expected: StateHash) throws { try state.checkHash(expected) }
}

// MARK: - Commits

extension ListEditor {
    /// Begins a commit.
    public mutating func begin(_ draft: CommitDraft) {
        begin(draft, beforeTarget: .empty)
    }

    private mutating func begin(_ draft: CommitDraft, beforeTarget: History) {
        precondition(self.draft == nil, "a commit is finished or cancelled before the next begins")
        let version = state.version.next
        historyAfter = state.history.after(version, draft.cause, beforeTarget: beforeTarget)
        writer.begin(draft, version: version, history: historyAfter, link: UInt32(truncatingIfNeeded: checksum))
        eventsOffset = writer.count
        (eventCount, annotationCount) = (0, 0)
        self.draft = draft
    }

    /// Ends a commit.
    ///
    /// - Returns: the commit, ready to be appended to the log, or nil if nothing happened but annotations: the version
    ///   then stands.
    /// - Throws: ``ListError/commitTooLarge(bytes:)``; the commit is then cancelled.
    /// - Complexity: O(nodes changed + bytes).
    public mutating func finish() throws -> Commit? {
        guard let draft else { preconditionFailure("a commit is begun before it is finished") }
        // An undo is a commit all the same, if what it reverts changed nothing that can be taken back.
        guard eventCount > annotationCount || draft.cause != .edit else {
            self.draft = nil
            (eventCount, annotationCount) = (0, 0)
            return nil
        }
        if let damage = state.store.damage {
            cancel()
            throw damage
        }
        guard UInt32(exactly: writer.count) != nil, UInt32(exactly: eventCount) != nil else {
            let bytes = writer.count
            cancel()
            throw ListError.commitTooLarge(bytes: bytes)
        }
        self.draft = nil
        let version = state.version.next
        state.version = version
        state.history = historyAfter
        let stateHash = state.stateHash()
        let record = writer.finish(version: version, stateHash: stateHash, eventCount: eventCount)
        let commit = Commit(
            version: version, cause: draft.cause, name: draft.name, origin: draft.origin, time: draft.time,
            history: historyAfter, stateHash: stateHash, eventCount: eventCount, record: record,
            eventsOffset: eventsOffset)
        checksum = commit.checksum
        eventCount = 0
        return commit
    }

    /// Takes everything back that was done since `begin`.
    public mutating func cancel() {
        precondition(draft != nil, "a commit is begun before it is cancelled")
        rollBack(to: eventsOffset, keeping: 0)
        draft = nil
    }

    /// Makes one commit of what `body` does; if it throws, nothing has happened.
    ///
    /// - Returns: the commit, or nil if no event happened.
    public mutating func commit(_ draft: CommitDraft, _ body: (inout ListEditor) throws -> Void) throws -> Commit? {
        begin(draft)
        do { try body(&self) } catch {
            cancel()
            throw error
        }
        return try finish()
    }

    /// Undoes the newest commit that was not undone yet, by a commit of its own.
    ///
    /// - Throws: ``ListError/nothingToUndo(requested:available:)``, or an error of the log.
    /// - Complexity: O(k log n) for a commit that named k rows, at any age of the log.
    public mutating func undo(origin: String = "", time: Timestamp) throws -> Commit {
        let target = state.history.undo.top
        guard target > oldestVersion else { throw ListError.nothingToUndo(requested: 1, available: 0) }
        return try revert(target, origin: origin, time: time, cause: .undo(of: target))
    }

    /// Takes the newest undo back that no edit followed, by a commit of its own.
    ///
    /// - Throws: ``ListError/nothingToRedo(requested:available:)``, or an error of the log.
    /// - Complexity: as ``undo(origin:time:)``.
    public mutating func redo(origin: String = "", time: Timestamp) throws -> Commit {
        let target = state.history.redo.top
        guard target > oldestVersion else { throw ListError.nothingToRedo(requested: 1, available: 0) }
        return try revert(target, origin: origin, time: time, cause: .redo(of: target))
    }

    /// Appends the inverses of a commit's events, the last one first.
    private mutating func revert(
        _ target: Version, origin: String, time: Timestamp, cause: Commit.Cause
    ) throws -> Commit {
        let commit = try source.commit(target)
        let beforeTarget = try source.history(at: Version(target.rawValue - 1))
        let events = try commit.events()
        var draft = CommitDraft(name: commit.name, origin: origin, time: time)
        draft.cause = cause
        begin(draft, beforeTarget: beforeTarget)
        do {
            for event in events.reversed() {
                if let inverse = event.inverse { try append(inverse) }
            }
            // A commit in the log has at least one event, but perhaps none that has an inverse.
            if eventCount == 0 { annotate("", []) }
        } catch {
            cancel()
            throw error
        }
        return try finish()!
    }
}

// MARK: - Events

extension ListEditor {
    /// Appends an event whose content was all written before.
    mutating func append(_ event: Event) throws {
        let version = state.version.next
        try append(event) { writer in writer.write(event, version: version) }
    }

    /// Appends an event that says nothing about the rows.
    mutating func append(ancillary event: Event) {
        precondition(draft != nil, "an edit is part of a commit")
        writer.write(ancillary: event)
        eventCount &+= 1
        annotationCount &+= 1
    }

    /// Appends an event that `write` puts into the record.
    @inline(__always)
    private mutating func append(_ event: Event, _ write: (inout RecordWriter) -> Void) throws {
        precondition(draft != nil, "an edit is part of a commit")
        let mark = writer.count
        write(&writer)
        do { try state.apply(event) } catch {
            writer.truncate(to: mark)
            throw error
        }
        eventCount &+= 1
    }

    /// Writes an event with content that is new, and folds it into the state.
    ///
    /// - Parameter write: writes the whole event and returns it, its content now being in the record.
    mutating func appendNew(_ write: (inout RecordWriter, Version) throws -> Event?) throws {
        precondition(draft != nil, "an edit is part of a commit")
        let mark = writer.count
        do {
            guard let event = try write(&writer, state.version.next) else {
                writer.truncate(to: mark)
                return
            }
            try state.apply(event)
        } catch {
            writer.truncate(to: mark)
            throw error
        }
        eventCount &+= 1
    }

    /// Does several edits as one: if the last of them throws, the first has not happened either.
    mutating func atomically(_ body: (inout ListEditor) throws -> Void) throws {
        let mark = writer.count
        let count = eventCount
        do { try body(&self) } catch {
            rollBack(to: mark, keeping: count)
            throw error
        }
    }

    /// Takes back the events that were written at and after `offset`.
    private mutating func rollBack(to offset: Int, keeping count: Int) {
        let version = state.version.next
        let undone = eventCount - count
        do {
            let events = try writer.withBytes { bytes in
                var reader = RecordReader(bytes, version: version)
                _ = try reader.readBytes(offset, "the events before")
                return try (0..<undone).map { _ in try reader.readEvent() }
            }
            for event in events.reversed() {
                if let inverse = event.inverse { try state.apply(inverse) } else { annotationCount -= 1 }
            }
        } catch {
            // Rows that could not be read cannot be put back; nobody commits anything to such a list any more.
            precondition(
                state.store.damage != nil, "an event that was just applied cannot be taken back: \(error)")
        }
        writer.truncate(to: offset)
        eventCount = count
    }

    /// Calls `body` with the content of a row, even if it was written by the commit that is being made.
    ///
    /// - Throws: as ``CommitSource/withContent(of:_:)``, and what `body` throws.
    public func withContent<Result>(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        if reference.version == state.version.next {
            return try writer.withBytes { try body(try reference.content(in: $0)) }
        }
        return try source.withContent(of: reference, body)
    }

    /// Whether the content at `reference` is `content`, byte for byte.
    func isContent(_ reference: ContentReference, equalTo content: UnsafeRawBufferPointer) throws -> Bool {
        guard Int(reference.length) == content.count, reference.hash == ContentReference.hash(of: content) else {
            return false
        }
        // Equal hashes are no proof: somebody may have searched for two contents that share one.
        return try withContent(of: reference) { $0.elementsEqual(content) }
    }
}
