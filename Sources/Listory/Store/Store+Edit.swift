// Editing a store: groups of edits, undo and redo, and how long each waits.

import ListModel

extension Store {
    /// Makes one commit of the edits that `body` makes.
    ///
    /// - Parameters:
    ///   - name: what the user does, as a menu names it.
    ///   - origin: who does it; may be empty.
    ///   - durability: what to wait for; nil for the store's own choice.
    ///   - body: makes the edits. It must not use the store itself.
    /// - Returns: the commit, or nil if nothing changed and nothing was appended.
    /// - Throws: what `body` throws: then nothing has happened. ``StoreError/appendFailed(durable:cause:)`` if the log
    ///   could not be written: then the edits are in memory and will be tried again. ``StoreError/readOnly``.
    /// - Complexity: O(k log n) for k rows, in memory; then the wait.
    @discardableResult
    public func edit(
        _ name: String, origin: String = "", durability: Durability? = nil,
        _ body: (inout ListEditor) throws -> Void
    ) throws -> Commit? {
        var result: Commit?
        var isDone = false
        try commits(durability) { editor in
            if isDone { return nil }
            isDone = true
            result = try editor.commit(CommitDraft(name: name, origin: origin, time: options.now()), body)
            return result
        }
        return result
    }

    /// Undoes the newest commits that were not undone yet, each by a commit of its own.
    ///
    /// - Parameter count: how many; if there are fewer, none is undone.
    /// - Returns: the last of the new commits, or nil if `count` is 0.
    /// - Throws: ``ListError/nothingToUndo(requested:available:)``, or as ``edit(_:origin:durability:_:)``.
    /// - Complexity: O(k log n) for k rows that the undone commits named, at any age of the log.
    @discardableResult
    public func undo(_ count: Int = 1, origin: String = "", durability: Durability? = nil) throws -> Commit? {
        try revert(count, durability) { editor, done in
            let available = editor.state.history.undo.depth
            guard count - done <= available else {
                throw ListError.nothingToUndo(requested: count, available: available)
            }
            return try editor.undo(origin: origin, time: options.now())
        }
    }

    /// Takes the newest undos back that no edit followed, each by a commit of its own.
    ///
    /// - Parameter count: how many; if there are fewer, none is taken back.
    /// - Returns: the last of the new commits, or nil if `count` is 0.
    /// - Throws: ``ListError/nothingToRedo(requested:available:)``, or as ``edit(_:origin:durability:_:)``.
    /// - Complexity: as ``undo(_:origin:durability:)``.
    @discardableResult
    public func redo(_ count: Int = 1, origin: String = "", durability: Durability? = nil) throws -> Commit? {
        try revert(count, durability) { editor, done in
            let available = editor.state.history.redo.depth
            guard count - done <= available else {
                throw ListError.nothingToRedo(requested: count, available: available)
            }
            return try editor.redo(origin: origin, time: options.now())
        }
    }

    private func revert(
        _ count: Int, _ durability: Durability?, _ step: (inout ListEditor, _ done: Int) throws -> Commit
    ) throws -> Commit? {
        var last: Commit?
        var done = 0
        // The first step checks that there are as many as asked for, and the lock is held from first to last.
        try commits(durability) { editor in
            guard done < count else { return nil }
            last = try step(&editor, done)
            done += 1
            return last
        }
        return last
    }

    /// Makes commits under the lock until `next` has no more, and waits for the last of them.
    private func commits(_ durability: Durability?, _ next: (inout ListEditor) throws -> Commit?) throws {
        if options.isReadOnly { throw StoreError.readOnly }
        // What could not be appended is tried again before anything is added to it.
        if group.failure != nil { try group.flush(through: nil) }
        var last: Version?
        var isCrowded = false
        try withHead { head in
            while let commit = try next(&head.editor) {
                isCrowded = group.enqueue(commit)
                head.publish(commit)
                last = commit.version
            }
        }
        guard let last else { return }
        switch durability ?? options.durability {
        case .immediate: try group.flush(through: last)
        case .deferred: if isCrowded { try group.flush(through: nil) } else { group.scheduleFlush() }
        }
    }
}
