// The editor: turns edits into events, folds each into the state at once, and writes it into the record of a commit.
//
// One pass does all of it: the record is written while the edits are made, so content has its final place in the log
// from the first moment, and a finished commit only needs its hash and checksum.
//
// Always holds:
// - edits are made between `begin` and `finish` or `cancel`;
// - an edit that throws has changed nothing, neither rows nor record;
// - after `cancel` the rows are those of the version before `begin`; after `finish` they are the new version.

/// Edits the newest version of a list, one commit after another.
///
/// ```swift
/// try editor.begin(CommitDraft(name: "Add milk", time: now))
/// try editor.insert(NewItem(id: 7, content: milk), at: .end(ofSection: "today"))
/// let commit = try editor.finish()
/// ```
public struct ListEditor: ~Copyable, @unchecked Sendable {
    // @unchecked Sendable: not copyable, so only one task has it at a time; what its trees share with snapshots is
    // immutable, and the buffers it owns are nobody else's.

    /// The state that the edits are folded into.
    public package(set) var state: ListState

    /// Where the records of earlier commits are read.
    public package(set) var source: any CommitSource
    /// The version before which commits are no longer there, and cannot be undone or redone.
    package var oldestVersion = Version.empty
    private var writer = ByteWriter()
    /// The checksum of the newest commit; 0 for the empty list.
    package private(set) var checksum: UInt64

    /// Whether a commit is being made.
    public private(set) var isEditing = false
    /// Whether the closure of a commit has the editor: it makes edits, and neither begins nor ends a commit.
    private var isLent = false
    /// What is known of it, or of the one before it.
    private var draft = CommitDraft(name: "", time: Timestamp(microseconds: 0))
    /// Its place in the history, as if it began a step.
    private var entry = HistoryEntry.untracked
    /// What it did so far, as far as it matters to whether it continues a step.
    private var shape = EditShape.nothing
    /// How many bytes the record had before its first event.
    private var eventsOffset = 0
    private var eventCount = 0
    /// How many of them are annotations.
    private var annotationCount = 0

    private var historyWriter = HistoryWriter()
    var coalescing = StepCoalescing()
    var undone = UndoneSteps()
    /// How many steps undo goes back from the tip at most.
    package var undoLimit = Int.max
    /// How many bytes a record has at most: as `Limits` says, but in tests.
    var recordLimit = Limits.recordBytes

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

    /// How many events the commit that is being made has so far.
    public var pendingEventCount: Int { eventCount }

    /// The rows of the newest version. While a commit is being made, they are as it has left them so far, under the version
    /// before it.
    ///
    /// - Complexity: O(1), plus the hashes of what changed since the last time.
    public mutating func snapshot() -> Snapshot { state.snapshot() }

    /// Checks what always holds of the state.
    ///
    /// - Throws: ``InvariantViolation``.
    /// - Complexity: O(n).
    package func checkInvariants() throws { try state.checkInvariants() }
}

// MARK: - Commits

extension ListEditor {
    /// Begins a commit.
    ///
    /// - Throws: an error of the log, which is read for the first commit after an undo or the like.
    public mutating func begin(_ draft: consuming CommitDraft) throws {
        try checkNotLent()
        guard let scope = draft.scope else { return begin(draft, .untracked) }
        if coalescing.hasGroups, let name = coalescing.groupName(scope) { draft.name = name }
        let history = state.histories[scope]
        if !historyWriter.isReady(scope) { try historyWriter.load(scope, history, tree) }
        begin(draft, .node(historyWriter.node(state.version.next, history)))
    }

    /// Begins a commit that moves in the history, or makes a node there.
    mutating func begin(_ draft: consuming CommitDraft, _ entry: consuming HistoryEntry) {
        precondition(!isEditing, "a commit is finished or cancelled before the next begins")
        let version = state.version.next
        writer.begin(draft, version: version, entry: entry, link: RecordLayout.link(to: checksum))
        eventsOffset = writer.count
        (eventCount, annotationCount) = (0, 0)
        shape = .nothing
        self.entry = entry
        self.draft = draft
        isEditing = true
    }

    /// The tree of commits.
    var tree: HistoryTree { HistoryTree(source, oldest: oldestVersion) }

    /// Ends a commit.
    ///
    /// - Returns: the commit, ready to be appended to the log, or nil if nothing happened but annotations: the version
    ///   then stands. (A move in the history is a commit all the same.)
    /// - Throws: ``ListError/commitTooLarge(bytes:)``, ``ListError/limitReached(what:limit:)`` for versions; the commit is then
    ///   cancelled.
    /// - Complexity: O(nodes changed + bytes).
    public mutating func finish() throws -> Commit? {
        try checkNotLent()
        precondition(isEditing, "a commit is begun before it is finished")
        guard eventCount > annotationCount || draft.cause.isMove else {
            isEditing = false
            (eventCount, annotationCount) = (0, 0)
            return nil
        }
        if let damage = state.store.damage {
            cancel()
            throw damage
        }
        // An event takes a byte at least.
        guard writer.count <= recordLimit else {
            let bytes = writer.count
            cancel()
            throw ListError.commitTooLarge(bytes: bytes)
        }
        let version = state.version.next
        guard version.rawValue < Limits.versions else {
            cancel()
            throw ListError.limitReached(what: "versions", limit: Limits.versions - 1)
        }
        isEditing = false
        let entry = settled(version)
        state.version = version
        state.histories.note(entry, in: draft.scope, at: version)
        let stateHash = state.stateHash()
        let record = writer.finish(version: version, entry: entry, stateHash: stateHash, eventCount: eventCount)
        let commit = Commit(
            version: version, cause: draft.cause, name: draft.name, origin: draft.origin, time: draft.time,
            tracking: draft.tracking, entry: entry, isDiscardable: draft.isDiscardable, stateHash: stateHash,
            eventCount: eventCount, record: record, eventsOffset: eventsOffset)
        checksum = commit.checksum
        eventCount = 0
        return commit
    }

    /// The place of a commit in the history, now that it is known what it did.
    private mutating func settled(_ version: Version) -> HistoryEntry {
        guard let scope = draft.scope else {
            coalescing.endStep()
            return .untracked
        }
        guard case .node(var node) = entry else {
            historyWriter.forget(scope)
            coalescing.endStep()
            return entry
        }
        if draft.cause != .edit { shape = .other }
        if coalescing.continues(draft, version, in: scope, isAtTip: node.branchSwitch == nil && node.steps > 1, shape) {
            node = node.continuing
        }
        historyWriter.append(node)
        return .node(node)
    }

    /// Takes everything back that was done since `begin`. The closure of a commit may then go on with an empty one.
    public mutating func cancel() {
        precondition(isEditing, "a commit is begun before it is cancelled")
        rollBack(to: eventsOffset, keeping: 0)
        shape = .nothing
        isEditing = isLent
    }

    /// Checks that the editor is not in the hands of the closure of a commit.
    ///
    /// - Throws: ``ListError/insideCommit``.
    func checkNotLent() throws {
        if isLent { throw ListError.insideCommit }
    }

    /// Makes one commit of what `body` does; if it throws, nothing has happened.
    ///
    /// - Returns: the commit, or nil if no event happened.
    /// - Throws: what `body` throws. It gets ``ListError/insideCommit`` from what begins or ends a commit itself.
    public mutating func commit(_ draft: CommitDraft, _ body: (inout ListEditor) throws -> Void) throws -> Commit? {
        try begin(draft)
        isLent = true
        do { try body(&self) } catch {
            takeBack()
            cancel()
            throw error
        }
        takeBack()
        return try finish()
    }

    /// Ends what `isLent` says.
    private mutating func takeBack() {
        precondition(isLent, "the editor that a closure was given was replaced by another one")
        isLent = false
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
        precondition(isEditing, "an edit is part of a commit")
        writer.write(ancillary: event)
        eventCount += 1
        annotationCount += 1
    }

    /// Appends an event that `write` puts into the record.
    @inline(__always)
    private mutating func append(_ event: Event, _ write: (inout ByteWriter) -> Void) throws {
        precondition(isEditing, "an edit is part of a commit")
        let mark = writer.count
        write(&writer)
        do { try state.apply(event) } catch {
            writer.truncate(to: mark)
            throw error
        }
        eventCount += 1
        shape.note(event)
    }

    /// Writes an event with content that is new, and folds it into the state.
    ///
    /// - Parameter write: writes the whole event and returns it, its content now being in the record.
    mutating func appendNew(_ write: (inout ByteWriter, Version) throws -> Event?) throws {
        precondition(isEditing, "an edit is part of a commit")
        let mark = writer.count
        do {
            guard let event = try write(&writer, state.version.next) else {
                writer.truncate(to: mark)
                return
            }
            try state.apply(event)
            shape.note(event)
        } catch {
            writer.truncate(to: mark)
            throw error
        }
        eventCount += 1
    }

    /// Does several edits as one: if the last of them throws, the first has not happened either.
    mutating func atomically(_ body: (inout ListEditor) throws -> Void) throws {
        let mark = writer.count
        let (count, before) = (eventCount, shape)
        do { try body(&self) } catch {
            rollBack(to: mark, keeping: count)
            shape = before
            throw error
        }
    }

    /// Takes back the events that were written at and after `offset`.
    private mutating func rollBack(to offset: Int, keeping count: Int) {
        let version = state.version.next
        let undone = eventCount - count
        do {
            let events = try writer.withBytes { bytes in
                var reader = RecordReader(bytes, version: version, from: offset)
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
