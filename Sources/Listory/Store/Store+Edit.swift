// Editing a store: commits, and how long each waits. What is computed from earlier commits is in `Store+History.swift`.

import ListModel

extension Store {
    /// Makes one commit of the edits that `body` makes.
    ///
    /// - Parameters:
    ///   - name: what the user does, as a menu names it.
    ///   - origin: who does it; may be empty.
    ///   - time: when it was done, if that was not now: for what is imported from elsewhere.
    ///   - tracking: which history it belongs to; nil for that of ``StoreOptions/undoScope``. `.untracked` leaves it out of undo.
    ///   - isDiscardable: whether it does not matter to the user, so that nothing need be saved on its account.
    ///   - durability: what to wait for; nil for the store's own choice.
    ///   - body: makes the edits. It must not use the store itself.
    /// - Returns: the commit, or nil if nothing changed and nothing was appended.
    /// - Throws: what `body` throws: then nothing has happened. ``StoreError/appendFailed(durable:cause:)`` if the log
    ///   could not be written: then the edits are in memory and will be tried again. ``StoreError/readOnly``.
    /// - Complexity: O(k log n) for k rows, in memory; then the wait.
    @discardableResult
    public func edit(
        _ name: String, origin: String = "", time: Timestamp? = nil, tracking: Tracking? = nil,
        isDiscardable: Bool = false, durability: Durability? = nil, _ body: (inout ListEditor) throws -> Void
    ) throws -> Commit? {
        try perform(durability) { head -> (Commit?, Queued?) in
            let draft = CommitDraft(
                name: name, origin: origin, time: time ?? options.now(),
                tracking: tracking ?? options.undoScope.tracking, isDiscardable: isDiscardable)
            guard let commit = try head.editor.commit(draft, body) else { return (nil, nil) }
            return (commit, append(commit, &head))
        }
    }

    /// The version of a commit, and what its place in the queue asks for.
    struct Queued {
        var version: Version
        var demand: GroupCommit.Demand
    }

    /// Queues a commit for the log and then tells the observers, which may read it at once.
    func append(_ commit: Commit, _ head: inout Head) -> Queued {
        if let pause = options.updates.tellsEarly {
            tell(of: commit, &head)
            pause()
        }
        let demand = group.enqueue(commit)
        if options.updates.tellsEarly == nil { tell(of: commit, &head) }
        head.eventCount += UInt64(commit.eventCount)
        checkpointer?.note(
            events: commit.eventCount, bytes: commit.record.count, touched: head.editor.state.store.touched)
        return Queued(version: commit.version, demand: demand)
    }

    private func tell(of commit: Commit, _ head: inout Head) {
        if head.observers.hasReaders { head.observers.publish(head.editor.snapshot(), commit) }
        head.observers.signal()
    }

    /// Makes commits under the lock, and waits for the last of them.
    ///
    /// - Parameter body: makes them; returns what the caller gets, and the last of them if there is one.
    func perform<Result>(
        _ durability: Durability?, _ body: (inout Head) throws -> (Result, Queued?)
    ) throws -> Result {
        if options.isReadOnly { throw StoreError.readOnly }
        try checkIsOutside()
        // What could not be appended is tried again before anything is added to it.
        if group.hasFailed { try group.flush(through: nil) }
        let (result, queued): (Result, Queued?)
        do {
            (result, queued) = try withHead { head in
                try head.checkNodes()
                do { return try body(&head) } catch {
                    // Rows that cannot be read are not found either: that is the reason, then.
                    try head.checkNodes()
                    throw error
                }
            }
        } catch {
            checkpointer?.distrustIfDamaged(error)
            checkpointer?.meetDemand(self)
            // Of several commits the first may be in the queue already, and nobody will wait for it.
            try? group.meet(.now)
            throw error
        }
        guard let last = queued else { return result }
        defer { checkpointer?.meetDemand(self) }
        switch durability ?? options.durability {
        case .immediate: try group.flush(through: last.version, .shared)
        case .deferred: try group.meet(last.demand)
        }
        return result
    }
}
