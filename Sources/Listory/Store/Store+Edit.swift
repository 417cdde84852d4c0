// Editing a store: groups of edits, undo and redo, and how long each waits.

import ListModel

extension Store {
    /// Makes one commit of the edits that `body` makes.
    ///
    /// - Parameters:
    ///   - name: what the user does, as a menu names it.
    ///   - origin: who does it; may be empty.
    ///   - time: when it was done, if that was not now: for what is imported from elsewhere.
    ///   - durability: what to wait for; nil for the store's own choice.
    ///   - body: makes the edits. It must not use the store itself.
    /// - Returns: the commit, or nil if nothing changed and nothing was appended.
    /// - Throws: what `body` throws: then nothing has happened. ``StoreError/appendFailed(durable:cause:)`` if the log
    ///   could not be written: then the edits are in memory and will be tried again. ``StoreError/readOnly``.
    /// - Complexity: O(k log n) for k rows, in memory; then the wait.
    @discardableResult
    public func edit(
        _ name: String, origin: String = "", time: Timestamp? = nil, durability: Durability? = nil,
        _ body: (inout ListEditor) throws -> Void
    ) throws -> Commit? {
        try perform(durability) { head in
            let draft = CommitDraft(name: name, origin: origin, time: time ?? options.now())
            guard let commit = try head.editor.commit(draft, body) else { return nil }
            return append(commit, &head)
        }
    }

    /// Undoes the newest commits that were not undone yet, each by a commit of its own.
    ///
    /// - Parameter count: how many; if there are fewer, none is undone.
    /// - Returns: the last of the new commits, or nil if `count` is 0.
    /// - Throws: ``ListError/nothingToUndo(requested:available:)``, or as ``edit(_:origin:durability:_:)``.
    /// - Complexity: O(k log n) for k rows that the undone commits named, at any age of the log.
    @discardableResult
    public func undo(_ count: Int = 1, origin: String = "", durability: Durability? = nil) throws -> Commit? {
        let time = options.now()
        return try revert(
            count, durability, available: { $0.undo.depth }, tooFew: ListError.nothingToUndo(requested:available:)
        ) { try $0.undo(origin: origin, time: time) }
    }

    /// Takes the newest undos back that no edit followed, each by a commit of its own.
    ///
    /// - Parameter count: how many; if there are fewer, none is taken back.
    /// - Returns: the last of the new commits, or nil if `count` is 0.
    /// - Throws: ``ListError/nothingToRedo(requested:available:)``, or as ``edit(_:origin:durability:_:)``.
    /// - Complexity: as ``undo(_:origin:durability:)``.
    @discardableResult
    public func redo(_ count: Int = 1, origin: String = "", durability: Durability? = nil) throws -> Commit? {
        let time = options.now()
        return try revert(
            count, durability, available: { $0.redo.depth }, tooFew: ListError.nothingToRedo(requested:available:)
        ) { try $0.redo(origin: origin, time: time) }
    }

    /// Makes commits that revert others, one after another, under one hold of the lock; if there are too few to revert,
    /// none.
    private func revert(
        _ count: Int, _ durability: Durability?, available: (History) -> Int, tooFew: (Int, Int) -> ListError,
        _ step: (inout ListEditor) throws -> Commit
    ) throws -> Commit? {
        try perform(durability) { head in
            let available = available(group.log.base.kept(head.editor.state.history))
            guard count <= available else { throw tooFew(count, available) }
            var last: Queued?
            for _ in 0..<max(0, count) {
                let commit = try step(&head.editor)
                last = append(commit, &head)
            }
            return last
        }
    }

    /// A commit, and what its place in the queue asks for.
    private typealias Queued = (commit: Commit, demand: GroupCommit.Demand)

    /// Queues a commit for the log and tells the observers.
    private func append(_ commit: Commit, _ head: inout Head) -> Queued {
        if !head.observers.isEmpty { head.observers.publish(head.editor.snapshot(), commit) }
        head.eventCount += UInt64(commit.eventCount)
        checkpointer?.note(
            events: commit.eventCount, bytes: commit.record.count, touched: head.editor.state.store.touched)
        return (commit, group.enqueue(commit))
    }

    /// Makes commits under the lock, and waits for the last of them.
    private func perform(_ durability: Durability?, _ body: (inout Head) throws -> Queued?) throws -> Commit? {
        if options.isReadOnly { throw StoreError.readOnly }
        // What could not be appended is tried again before anything is added to it.
        if group.hasFailed { try group.flush(through: nil) }
        let queued: Queued?
        do {
            queued = try withHead { head in
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
        guard let last = queued else { return nil }
        defer { checkpointer?.meetDemand(self) }
        switch durability ?? options.durability {
        case .immediate: try group.flush(through: last.commit.version, .shared)
        case .deferred: try group.meet(last.demand)
        }
        return last.commit
    }
}
