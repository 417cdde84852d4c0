// The editor: turns edits into events, applies each event to the state at once, and writes it into the record of the
// commit.
//
// All this is one pass. The record is written while the edits are made, so content has its final position in the record
// from the beginning, and `finish` only adds the hash and the checksum.
//
// Always holds:
// - edits are possible only between `begin` and `finish` or `cancel`;
// - an edit that throws has changed neither the rows nor the record;
// - after `cancel` the rows are those of the version before `begin`; after `finish` they are the new version.

/// Edits the newest version of a list, one commit after another.
///
/// ```swift
/// try editor.begin(CommitDraft(name: "Add milk", time: now))
/// try editor.insert(NewRow(id: 7, content: milk), at: .end(ofSection: "today"))
/// let commit = try editor.finish()
/// ```
public struct UntypedEditor: ~Copyable, @unchecked Sendable {
    // @unchecked Sendable: it is not copyable, so only one task has it at a time. Nodes that its trees share with
    // snapshots are immutable, and its buffers belong to it alone.

    /// The state to which the edits are applied.
    public package(set) var state: ListState

    /// Where the records of earlier commits are read.
    public package(set) var source: any CommitSource
    /// The base of the log: commits up to this version were compacted away, and cannot be undone or redone.
    package var oldestVersion = Version.empty
    private var writer = ByteWriter()
    /// The checksum of the newest commit; 0 for the empty list.
    package private(set) var checksum: UInt64

    /// Whether a commit is in progress.
    public private(set) var isEditing = false
    /// Whether the editor is lent to the closure of a commit, which may make edits but neither begin nor end a commit.
    /// Only `UntypedEditor+Lending` changes it.
    var isLent = false
    /// The draft of the present commit, or of the last one.
    private var draft = CommitDraft(name: "", time: Timestamp(microseconds: 0))
    /// The history entry of the commit, on the assumption that it begins a step.
    private var entry = HistoryEntry.untracked
    /// The shape of its edits so far, which decides whether it continues a step.
    private var shape = EditShape.nothing
    /// The size of the record before its first event, in bytes.
    private var eventsOffset = 0
    /// How many reads of nodes had failed before the present commit.
    private var failuresBefore = 0
    private var eventCount = 0
    /// The number of events that are annotations.
    private var annotationCount = 0
    /// A reserved name that the app has given to an annotation: ``finish()`` refuses the commit.
    var refusedAnnotation: String?

    private var historyWriter = HistoryWriter()
    var coalescing = StepCoalescing()
    var undone = UndoneSteps()
    var standing = StandingUndos()
    /// The most steps that undo goes back from the tip.
    package var undoLimit = Int.max
    /// Whether the present commit continues the step before it, if that is known: it is made again.
    var repeatedStep: Bool?
    /// The rows before and after the present commit as it was before, if it is made again and changes the same, and the contents that have
    /// moved since.
    var repeatedChange: (commit: Commit, before: UntypedSnapshot, after: UntypedSnapshot, moved: MovedContents)?
    /// Whether the present commit is made even if it has only annotations.
    var isKeptEmpty = false
    /// The rules of the app, which each commit has to keep.
    package var rules: [ListRule] = []
    /// The rows before the present commit, if there are rules.
    private var rowsBefore: UntypedSnapshot?
    /// Makes the ids of commits, if the list is that of a replica.
    package var makeIdentifier: (@Sendable () -> [UInt8])?
    /// The id of the present commit, if that is known: it is made again.
    var repeatedIdentifier: [UInt8]?
    /// The most bytes of a record: the value of `Limits`, except in tests.
    var recordLimit = Limits.recordBytes
    /// The most commits since a step that a merge reads to learn which rows others have moved; others in tests.
    var othersLimit: UInt64 = 1_024

    /// An editor of a state.
    ///
    /// - Parameters:
    ///   - state: the newest version of the list.
    ///   - checksum: the checksum of its commit; 0 for the empty list.
    ///   - source: where the records of earlier commits are read.
    public init(_ state: consuming ListState, checksum: UInt64 = 0, source: any CommitSource) {
        self.state = state
        self.checksum = checksum
        self.source = source
    }

    /// How many times a stored node could not be read, and why: see ``NodePool/failure(since:)``. A caller in another module
    /// that asked the pool itself would get a copy of the state.
    package var failureCount: Int { state.pool.failureCount }
    package func failure(since count: Int) -> (any Error)? { state.pool.failure(since: count) }

    /// Replaces the state by one with the same rows and histories, after nodes could not be read.
    package mutating func replace(_ state: consuming ListState) {
        precondition(!isEditing && state.version == self.state.version, "the same version, between two commits")
        self.state = state
    }

    /// Replaces the state by that of another log.
    ///
    /// - Parameter checksum: the checksum of its newest commit.
    package mutating func replace(_ state: consuming ListState, checksum: UInt64) {
        precondition(!isEditing, "a log is replaced between two commits")
        self.state = state
        adopt(checksum)
        coalescing.endSteps()
    }

    /// Continues from a commit that this editor did not make: nothing that was remembered of the log holds.
    mutating func adopt(_ checksum: UInt64) {
        self.checksum = checksum
        (historyWriter, undone, standing) = (HistoryWriter(), UndoneSteps(), StandingUndos())
        coalescing.endStep()
    }

    /// The number of events of the present commit so far.
    public var pendingEventCount: Int { eventCount }

    /// The rows of the newest version. During a commit, the rows include its edits so far, but the snapshot has the
    /// version before the commit.
    ///
    /// - Complexity: O(1), plus the hashes of the nodes that changed since the last call.
    public mutating func snapshot() -> UntypedSnapshot { state.snapshot() }

    /// Checks the invariants of the state.
    ///
    /// - Throws: ``InvariantViolation``.
    /// - Complexity: O(n).
    package func checkInvariants() throws { try state.checkInvariants() }
}

// MARK: - Commits

extension UntypedEditor {
    /// Begins a commit.
    ///
    /// - Throws: an error of the log. The log is read for the first commit after an undo or another checkout.
    public mutating func begin(_ draft: consuming CommitDraft) throws {
        try checkNotLent()
        guard let scope = draft.scope else { return begin(draft, .untracked) }
        if coalescing.hasGroups, repeatedStep == nil, let name = coalescing.groupName(scope) { draft.name = name }
        let history = state.histories[scope]
        if !historyWriter.isReady(scope) { try historyWriter.load(scope, history, tree) }
        begin(draft, .node(historyWriter.node(state.version.next, history)))
    }

    /// Begins a commit with a history entry: a checkout or a revision.
    mutating func begin(_ draft: consuming CommitDraft, _ entry: consuming HistoryEntry) {
        precondition(!isEditing, "a commit is finished or cancelled before the next begins")
        let version = state.version.next
        writer.begin(draft, version: version, entry: entry, link: RecordLayout.link(to: checksum))
        eventsOffset = writer.count
        (eventCount, annotationCount, refusedAnnotation) = (0, 0, nil)
        failuresBefore = state.pool.failureCount
        rowsBefore = rules.isEmpty ? nil : state.snapshot()
        shape = .nothing
        self.entry = entry
        self.draft = draft
        isEditing = true
    }

    /// The history tree.
    var tree: HistoryTree { HistoryTree(source, oldest: oldestVersion) }

    /// Finishes a commit.
    ///
    /// - Returns: the commit, ready to be appended to the log; nil if it has no events except annotations, and then the
    ///   version does not change. (A checkout is a commit even without events.)
    /// - Throws: ``ListError/commitTooLarge(bytes:)``, ``ListError/limitReached(what:limit:)`` for versions,
    ///   ``ListError/brokenRule(name:reason:)`` or ``ListError/reservedAnnotation(_:)``. The commit is then cancelled.
    /// - Complexity: O(nodes changed + bytes).
    public mutating func finish() throws -> Commit? {
        try checkNotLent()
        precondition(isEditing, "a commit is begun before it is finished")
        // A snapshot that is kept would keep the file open.
        let rowsBefore = rowsBefore.take()
        if let name = refusedAnnotation {
            cancel()
            throw ListError.reservedAnnotation(name)
        }
        guard eventCount > annotationCount || draft.cause.isMove || isKeptEmpty else {
            isEditing = false
            (eventCount, annotationCount) = (0, 0)
            return nil
        }
        if let failure = state.pool.failure(since: failuresBefore) {
            cancel()
            throw failure
        }
        // What changes no rows breaks no rule: others may have broken it.
        if let rowsBefore, eventCount > annotationCount {
            do { try checkRules(since: rowsBefore) } catch {
                cancel()
                throw error
            }
        }
        if let id = repeatedIdentifier ?? makeIdentifier?() { annotate(own: CommitAnnotation.identifier, with: id) }
        // An event takes at least one byte, so this also limits the number of events.
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

    private mutating func checkRules(since before: UntypedSnapshot) throws {
        let after = state.snapshot()
        try before.checked {
            try after.checked {
                try rules.check(from: before, to: after) { row in try withContent(of: row.content) { Array($0) } }
            }
        }
    }

    /// The final history entry of a commit, after all its edits.
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
        let isAtTip = node.branchSwitch == nil && node.steps > 1
        let continues = coalescing.continues(
            draft, version, in: scope, after: state.histories[scope].position, isAtTip: isAtTip,
            isRepeated: repeatedStep != nil, shape)
        if repeatedStep.map({ $0 && isAtTip }) ?? continues {
            node = node.continuing
        }
        historyWriter.append(node)
        return .node(node)
    }

    /// Reverts all edits since `begin`. The closure of a commit may call it, and then continues with an empty commit.
    public mutating func cancel() {
        precondition(isEditing, "a commit is begun before it is cancelled")
        rollBack(to: eventsOffset, keeping: 0)
        (shape, refusedAnnotation) = (.nothing, nil)
        isEditing = isLent
        if !isLent { rowsBefore = nil }
    }

    /// The rows before the edits of the commit in progress, for readers that do not wait for its end.
    ///
    /// - Throws: an error of rows that could not be read.
    /// - Complexity: O(1) if there are no edits yet; otherwise that of taking them back, on nodes of its own.
    package mutating func snapshotBeforeEdits() throws -> UntypedSnapshot {
        let now = state.snapshot()
        if eventCount == annotationCount { return now }
        let events = try pendingEvents(eventCount, from: eventsOffset)
        return try now.applying(events.reversed().lazy.compactMap(\.inverse))
    }

    /// The events of the commit in progress.
    package func pendingEvents() throws -> [ListEvent] { try pendingEvents(eventCount, from: eventsOffset) }

    /// Events of the commit in progress.
    private func pendingEvents(_ count: Int, from offset: Int) throws -> [ListEvent] {
        try writer.withBytes { bytes in
            var reader = RecordReader(bytes, version: state.version.next, from: offset)
            return try reader.readEvents(count)
        }
    }
}

// MARK: - Events

extension UntypedEditor {
    /// Appends an event without new content: it refers only to content of earlier records or events.
    @inline(never)
    mutating func append(_ event: ListEvent) throws {
        precondition(isEditing, "an edit is part of a commit")
        let mark = writer.count
        writer.write(event, version: state.version.next)
        do { try state.apply(event) } catch {
            writer.truncate(to: mark)
            throw error
        }
        eventCount += 1
        shape.note(event)
    }

    /// Appends an ancillary event, which does not change the rows.
    mutating func append(ancillary event: ListEvent) {
        precondition(isEditing, "an edit is part of a commit")
        writer.write(ancillary: event)
        eventCount += 1
        annotationCount += 1
    }

    /// Writes an event with new content, and applies it to the state.
    ///
    /// - Parameter write: writes the whole event with its content, and returns the event with references to that
    ///   content.
    mutating func appendNew(_ write: (inout ByteWriter, Version) throws -> ListEvent?) throws {
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

    /// Makes several edits atomically: if one throws, those before it are rolled back.
    package mutating func atomically(_ body: (inout UntypedEditor) throws -> Void) throws {
        let mark = writer.count
        let (count, before, reserved) = (eventCount, shape, refusedAnnotation)
        do { try body(&self) } catch {
            rollBack(to: mark, keeping: count)
            (shape, refusedAnnotation) = (before, reserved)
            throw error
        }
    }

    /// Rolls back the events that were written at and after `offset`.
    private mutating func rollBack(to offset: Int, keeping count: Int) {
        do {
            for event in try pendingEvents(eventCount - count, from: offset).reversed() {
                if let inverse = event.inverse { try state.apply(inverse) } else { annotationCount -= 1 }
            }
        } catch {
            // Rolling back may fail only if rows could not be read. Nothing can be committed to such a list: its owner
            // has to replace the state.
            precondition(
                state.pool.failure(since: failuresBefore) != nil,
                "an event that was just applied cannot be taken back: \(error)")
        }
        writer.truncate(to: offset)
        eventCount = count
    }

    /// Calls `body` with the content of a row, even if the present commit wrote it.
    ///
    /// - Throws: as ``CommitSource/withContent(of:_:)``, and errors of `body`.
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
        guard Int(reference.length) == content.count, reference.hash == ContentReference.hash(of: content),
            !reference.isErased
        else { return false }
        // Equal hashes are not sufficient, because somebody may have constructed two contents with the same hash.
        return try withContent(of: reference) { $0.hasSameBytes(as: content) }
    }
}
