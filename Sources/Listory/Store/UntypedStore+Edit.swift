// Edits a store: makes commits and waits for their durability. Commits that are computed from others are in
// `UntypedStore+History.swift`.

import ListModel

extension UntypedStore {
    /// Makes one commit of the edits that `body` makes.
    ///
    /// - Parameters:
    ///   - name: the user's action, for a menu.
    ///   - origin: the author of the commit; may be empty.
    ///   - time: the time of the commit, for imports; nil for now.
    ///   - tracking: which history it belongs to; nil for that of ``StoreOptions/undoScope``. `.untracked` excludes it
    ///     from undo.
    ///   - isDiscardable: whether nothing needs to be saved because of it.
    ///   - durability: what to wait for; nil for the store's default.
    ///   - body: makes the edits. It must not use the store itself.
    /// - Returns: the commit, or nil if nothing changed and nothing was appended.
    /// - Throws: what `body` throws; then nothing has changed. ``ListError/appendFailed(durable:cause:)`` if earlier
    ///   commits still cannot be saved; then this edit was not made. ``ListError/readOnly``. A commit that is made and cannot be
    ///   saved throws nothing: see ``StoreProtocol/appendFailures()``.
    /// - Complexity: O(k log n) for k rows, in memory; then the wait.
    @discardableResult
    public func edit(
        _ name: String, origin: String = "", time: Timestamp? = nil, tracking: Tracking? = nil,
        isDiscardable: Bool = false, durability: Durability? = nil, _ body: (inout UntypedEditor) throws -> Void
    ) throws -> Commit? {
        try perform(
            durability, { [group] _, last in group.successor(of: last) },
            making: {
                try withTurnForEditing { head -> (Commit?, Queued?) in
                    let draft = CommitDraft(
                        name: name, origin: origin, time: time ?? options.now(),
                        tracking: tracking ?? options.undoScope.tracking, isDiscardable: isDiscardable)
                    let kinds = identifierKinds.withLock { $0 }
                    let commit = try head.editor.commit(draft) { editor in
                        try body(&editor)
                        if let kinds { for event in try editor.pendingEvents() { try kinds.check(event) } }
                    }
                    guard let commit else { return (nil, nil) }
                    return (commit, append(commit, &head))
                }
            })
    }

    /// As ``edit(_:origin:time:tracking:isDiscardable:durability:_:)``, without locking the list while `body` runs.
    func editInSteps(
        _ name: String, origin: String, tracking: Tracking?, isDiscardable: Bool, durability: Durability?,
        _ body: (EditTurn) throws -> Void
    ) throws -> Commit? {
        try perform(
            durability, { [group] _, last in group.successor(of: last) },
            making: {
                try withTurnInSteps { editor in
                    try editor.lend(
                        for: CommitDraft(
                            name: name, origin: origin, time: options.now(),
                            tracking: tracking ?? options.undoScope.tracking, isDiscardable: isDiscardable))
                } _: { turn in
                    try body(turn)
                } end: { head -> (Commit?, Queued?) in
                    let commit = try head.editor.finishLoan()
                    // Before anybody is told of the new rows, so that nobody reads the old ones afterwards.
                    shown.withLock { $0 = nil }
                    guard let commit else { return (nil, nil) }
                    return (commit, append(commit, &head))
                }
            })
    }

    /// A queued commit, and the work that follows.
    struct Queued {
        var commit: Commit
        /// How far commits had been shifted when it was queued.
        var shift: UInt64
        var demand: GroupCommit.Demand
    }

    /// Queues a commit for the log and then notifies the observers, which may read it at once.
    func append(_ commit: Commit, _ head: inout Head) -> Queued {
        let (demand, shift): (GroupCommit.Demand, UInt64)
        if let pause = options.updates.tellsEarly {
            tell(of: commit, &head)
            pause()
            (demand, shift) = group.enqueue(commit)
        } else {
            (demand, shift) = group.enqueue(commit)
            tell(of: commit, &head)
        }
        head.eventCount += UInt64(commit.eventCount)
        checkpointer?.note(
            commits: 1, events: commit.eventCount, bytes: commit.record.count, touched: head.editor.state.pool.touched,
            chunks: head.editor.state.dirtyChunkCount)
        return Queued(commit: commit, shift: shift, demand: demand)
    }

    @inline(__always)
    private func tell(of commit: Commit, _ head: inout Head) {
        if head.observers.hasReaders { head.observers.publish(head.editor.snapshot(), commit) }
        head.observers.signal()
    }

    /// Makes commits under the lock, and waits for the last of them.
    ///
    /// - Parameters:
    ///   - replacing: returns the result if the last commit was made again, because other processes committed first.
    ///   - body: makes them; returns the result for the caller, and the last of them if there is one.
    func perform<Result>(
        _ durability: Durability?, _ replacing: (Result, Commit) -> Result,
        _ body: (inout Head) throws -> (Result, Queued?)
    ) throws(ListError) -> Result {
        try door { try perform(durability, replacing, making: { try withTurnForEditing(body) }) }
    }

    /// - Parameter commits: makes them, when it is their turn.
    @inline(__always)
    private func perform<Result>(
        _ durability: Durability?, _ replacing: (Result, Commit) -> Result,
        making commits: () throws -> (Result, Queued?)
    ) throws -> Result {
        if options.isReadOnly { throw ListError.readOnly }
        var span = options.diagnostics.begin(.edit)
        // Commits that could not be appended are retried before another is added.
        if group.hasFailed {
            try checkIsOutside()
            try group.flush(through: nil)
        }
        let (result, queued): (Result, Queued?)
        do {
            (result, queued) = try commits()
        } catch {
            checkpointer?.distrustIfDamaged(error)
            checkpointer?.meetDemand(self)
            // Earlier commits of the call may be queued already, and no thread waits for them.
            try? group.meet(.now)
            throw ListError.atDoor(error)
        }
        span.noteMade()
        defer { options.diagnostics.end(span, .edited(queued?.commit.cause, events: queued?.commit.eventCount ?? 0)) }
        guard let last = queued else { return result }
        defer { checkpointer?.meetDemand(self) }
        // From here on the commit stands. If it cannot be saved yet, `appendFailures()` reports that.
        switch durability ?? options.durability {
        case .deferred: try? group.meet(last.demand)
        case .immediate:
            let shift = try? group.flush(through: last.commit.version, .shared, since: last.shift)
            if let shift, shift != last.shift { return replacing(result, last.commit) }
        }
        return result
    }
}
