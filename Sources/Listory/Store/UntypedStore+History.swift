// Undo, redo, branches, groups, reverting and restoring. `Docs/Design/History.md` explains them.
//
// Always holds: what changes the list appends one commit for each step, and changes no other commit.

import ListModel

extension StoreProtocol {
    /// The position in the shared history or, if ``StoreOptions/undoScope`` is `.origin`, in that of the origin "".
    /// Compacted steps are not counted.
    public var history: ListHistory {
        get throws { try history(of: "") }
    }

    /// The position in the history of an origin.
    ///
    /// - Complexity: O(1), or O(log n) records in a compacted store.
    public func history(of origin: String) throws -> ListHistory {
        let scope = core.options.undoScope.history(of: origin)
        return try core.withHead { try core.reachable($0, scope) }
    }

    /// The position in the history of an origin at a version of the past.
    ///
    /// - Parameter origin: whose history; see ``StoreOptions/undoScope``.
    /// - Returns: the history as it was then. If the store was compacted, its position may lie before ``oldestVersion``.
    /// - Throws: ``ListError/unknownVersion(_:head:)``, ``ListError/droppedVersion(_:oldest:)``, or an error of the log.
    /// - Complexity: O(commits since the last one of that history, or since the checkpoint before) records.
    public func history(of origin: String = "", at version: Version) throws -> ListHistory {
        try door {
            let newest = try self.version
            if version < oldestVersion { throw ListError.droppedVersion(version, oldest: oldestVersion) }
            if version > newest { throw ListError.unknownVersion(version, head: newest) }
            return try core.history(core.options.undoScope.history(of: origin), at: version)
        }
    }

    /// Undoes the newest steps that are not undone yet, each with a commit of its own.
    ///
    /// - Parameters:
    ///   - count: how many. If there are fewer, none is undone.
    ///   - origin: the origin that undoes; ``StoreOptions/undoScope`` decides which steps it can undo.
    ///   - onConflict: the policy if another scope changed the rows meanwhile.
    ///   - durability: what to wait for; nil for the store's default.
    /// - Returns: the last of the new commits, if `count` is not 0, and the skipped conflicts.
    /// - Throws: ``ListError/nothingToUndo(requested:available:)``; ``ListError/conflicts(_:)``: the steps before the one
    ///   with conflicts are undone then; or as ``UntypedStore/edit(_:origin:time:tracking:isDiscardable:durability:_:)``.
    /// - Complexity: O(k log n) for k rows that the undone commits changed, at any length of the log.
    @discardableResult
    public func undo(
        _ count: Int = 1, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.moves(count, durability, origin, available: { $0.undoCount }, ListError.nothingToUndo) {
            try $0.undo(in: $1, origin: origin, time: $2, onConflict: onConflict)
        }
    }

    /// Redoes the next steps on the current branch, each with a commit of its own.
    ///
    /// - Parameters:
    ///   - count: how many; if there are fewer, none is redone.
    ///   - origin: the origin that redoes; ``StoreOptions/undoScope`` decides which steps it can redo.
    ///   - onConflict: the policy if another scope changed the rows meanwhile.
    ///   - durability: what to wait for; nil for the store's default.
    /// - Throws: ``ListError/nothingToRedo(requested:available:)``, or as ``undo(_:origin:onConflict:durability:)``.
    /// - Complexity: as ``undo(_:origin:onConflict:durability:)``, and O(log n) records.
    @discardableResult
    public func redo(
        _ count: Int = 1, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.moves(count, durability, origin, available: { $0.redoCount }, ListError.nothingToRedo) {
            try $0.redo(in: $1, origin: origin, time: $2, onConflict: onConflict)
        }
    }

    /// Checks out any revision of the history: many steps of undo and redo at once, on any branch.
    ///
    /// ```swift
    /// for branch in try store.branches() { print(branch.name, branch.time) }
    /// try store.go(to: branches[1].tip)
    /// ```
    ///
    /// - Parameters:
    ///   - version: a revision of the history (not an undo, a redo, a go or an untracked commit), or ``oldestVersion``.
    ///   - origin: the origin that checks out; ``StoreOptions/undoScope`` decides which steps it sees.
    ///   - onConflict: the policy if another scope changed the rows meanwhile.
    ///   - durability: what to wait for; nil for the store's default.
    /// - Returns: the commit; none if the list already has that revision.
    /// - Throws: ``ListError/notInHistory(_:)``, or as ``undo(_:origin:onConflict:durability:)``.
    /// - Complexity: O(k log n) for k rows that differ, and a replay from the nearest checkpoint.
    @discardableResult
    public func go(
        to version: Version, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        let (time, scope) = (core.options.now(), core.options.undoScope.history(of: origin))
        return try core.compute(durability) {
            try $0.go(to: version, in: scope, origin: origin, time: time, onConflict: onConflict)
        }
    }

    /// The branches of the history: the current one first, then the others, the most recently left first.
    ///
    /// - Parameters:
    ///   - origin: whose history; see ``StoreOptions/undoScope``.
    ///   - limit: how many at most.
    /// - Complexity: O(changes of the branch + branches · log² n) records.
    public func branches(origin: String = "", limit: Int = .max) throws -> [HistoryBranch] {
        try door {
            let scope = core.options.undoScope.history(of: origin)
            return try core.tree.branches(core.withHead { $0.editor.state.histories[scope] }, limit: limit)
        }
    }

    /// The versions whose rows led to those of a version, from the oldest version on: itself, the one before it, and so on.
    ///
    /// Branches of the shared history that were left are not among them: before an undo, a redo or a go comes the revision that it
    /// goes to, or the last commit in no history before that revision was continued. Every other commit follows the version
    /// before it in the log, also the undo of an origin in its own history.
    ///
    /// - Returns: runs of consecutive versions, the earliest first: one if nothing was ever undone.
    /// - Throws: ``ListError/unknownVersion(_:head:)``, ``ListError/droppedVersion(_:oldest:)``, or an error of the log.
    /// - Complexity: O(log n) records for each run, and one for each commit that is not in a history.
    public func lineage(of version: Version) throws -> [ClosedRange<Version>] {
        try door {
            let newest = try self.version
            if version < oldestVersion { throw ListError.droppedVersion(version, oldest: oldestVersion) }
            if version > newest { throw ListError.unknownVersion(version, head: newest) }
            return try core.tree.lineage(of: version)
        }
    }

    /// Takes one commit back, of any origin and at any place in the history, with a commit that can itself be undone.
    ///
    /// - Parameters:
    ///   - version: the commit.
    ///   - name: the user's action; nil for the name of the commit.
    ///   - origin: the author of the new commit.
    ///   - onConflict: the policy for rows that were changed since.
    ///   - durability: what to wait for; nil for the store's default.
    /// - Returns: the commit; none if nothing is left to take back.
    /// - Throws: ``ListError/conflicts(_:)``, ``ListError/notInHistory(_:)`` if there is no such commit, or as ``UntypedStore/edit(_:origin:time:tracking:isDiscardable:durability:_:)``.
    /// - Complexity: O(k log n) for k rows that the commit or later ones changed, and a replay from the nearest
    ///   checkpoint.
    @discardableResult
    public func revert(
        _ version: Version, name: String? = nil, origin: String = "", onConflict: ConflictPolicy = .refuse,
        durability: Durability? = nil
    ) throws -> Reversal {
        let draft = core.draft(name ?? "", origin)
        return try core.compute(durability) { try $0.revert(version, as: draft, onConflict: onConflict) }
    }

    /// Makes the rows equal to those of a version, with a commit that can itself be undone.
    ///
    /// - Parameters:
    ///   - version: any version of the store, also one before ``oldestVersion`` that has a name.
    ///   - name: the user's action.
    ///   - origin: the author of the new commit.
    ///   - durability: what to wait for; nil for the store's default.
    /// - Returns: the commit, or nil if the rows are already equal. Its changeset is in ``UntypedStore/updates()``, like any other.
    /// - Throws: ``ListError/notInHistory(_:)`` for a version that there is not yet, ``ListError/droppedVersion(_:oldest:)``, or as ``UntypedStore/edit(_:origin:time:tracking:isDiscardable:durability:_:)``.
    /// - Complexity: as ``go(to:origin:onConflict:durability:)``.
    @discardableResult
    public func restore(
        _ version: Version, name: String = "Restore", origin: String = "", durability: Durability? = nil
    ) throws -> Commit? {
        let draft = core.draft(name, origin)
        return try core.compute(durability) { Reversal(commit: try $0.restore(version, as: draft), conflicts: []) }
            .commit
    }
}

// MARK: - One row, one section

extension UntypedStore {
    /// Restores a row as it was at a version, with a commit that can itself be undone.
    ///
    /// ```swift
    /// let last = try store.trash(limit: 1)[0]
    /// try store.restoreRow(last.row.id, from: last.commit.version.previous)
    /// ```
    ///
    /// - Parameters:
    ///   - id: the row. If it is in the list, it gets its content, checkmark and depth back; otherwise it comes back beside its former
    ///     neighbours. Rows after it keep their depths, so in an outline they may get another parent. See
    ///     ``UntypedEditor/restore(_:from:)``, which does this inside an edit.
    ///   - version: any version that has the row.
    ///   - name: the user's action.
    ///   - origin: the author of the commit.
    ///   - durability: what to wait for; nil for the store's default.
    /// - Returns: the commit, or nil if the row is as it was.
    /// - Throws: ``ListError/notInVersion(what:_:)`` if the version does not have the row; as ``snapshot(at:)-(Version)`` and
    ///   ``edit(_:origin:time:tracking:isDiscardable:durability:_:)``.
    /// - Complexity: that of ``snapshot(at:)-(Version)``, and O(n), because an old version has no index of ids.
    @discardableResult
    public func restoreRow(
        _ id: UntypedID, from version: Version, name: String = "Restore Row", origin: String = "",
        durability: Durability? = nil
    ) throws -> Commit? {
        let then = try snapshot(at: version)
        return try edit(name, origin: origin, durability: durability) { try $0.restore(id, from: then) }
    }

    /// Restores a section of a version with its rows, with a commit that can itself be undone.
    ///
    /// Rows of it that are in the list now stay as they are. See ``UntypedEditor/restoreSection(_:from:)``, which does this inside
    /// an edit.
    ///
    /// - Parameters, Returns, Throws: as ``restoreRow(_:from:name:origin:durability:)``.
    /// - Complexity: that of ``snapshot(at:)-(Version)``, and O(s + k log n) for s sections, and k rows that come back.
    @discardableResult
    public func restoreSection(
        _ id: UntypedID, from version: Version, name: String = "Restore Section", origin: String = "",
        durability: Durability? = nil
    ) throws -> Commit? {
        let then = try snapshot(at: version)
        return try edit(name, origin: origin, durability: durability) { try $0.restoreSection(id, from: then) }
    }
}

// MARK: - Commits that follow from others

extension UntypedStore {
    /// A history, with the counts of reachable steps.
    func reachable(_ head: borrowing Head, _ scope: HistoryScope) throws -> ListHistory {
        let history = try tree.reachable(head.editor.state.histories[scope])
        let undo = min(history.undoCount, max(0, options.undoLimit - history.redoCount))
        return history.counting(undo: undo, redo: history.redoCount)
    }

    /// The tree of commits.
    var tree: HistoryTree { HistoryTree(group, oldest: oldestVersion) }

    /// The history of a scope at a version of the log. Checkpoints have the histories of all scopes.
    func history(_ scope: HistoryScope, at version: Version) throws -> ListHistory {
        let stored = try checkpointer?.database.newest(through: version, oldest: oldestVersion)
        return try tree.history(at: version, in: scope, after: stored.map { ($0.version, $0.histories) })
    }

    /// Makes several checkouts while holding the lock once; none if there are too few.
    fileprivate func moves(
        _ count: Int, _ durability: Durability?, _ origin: String, available: (ListHistory) -> Int,
        _ tooFew: (Int, Int) -> ListError, _ step: (inout UntypedEditor, HistoryScope, Timestamp) throws -> Reversal
    ) throws(ListError) -> Reversal {
        let (time, scope) = (options.now(), options.undoScope.history(of: origin))
        // A single one is tried directly, because counting needs a search of the tree in a compacted store.
        if count == 1 { return try compute(durability) { try step(&$0, scope, time) } }
        return try perform(durability, present) { head in
            let available = available(try reachable(head, scope))
            guard count <= available else { throw tooFew(count, available) }
            var all = Reversal.nothing
            var last: Queued?
            for _ in 0..<max(0, count) {
                let reversal = try racer.catchingUp(&head) { try step(&$0.editor, scope, time) }
                if let commit = reversal.commit { last = append(commit, &head) }
                all.append(reversal)
            }
            return (all, last)
        }
    }

    /// Makes a commit that is computed from others.
    func compute(
        _ durability: Durability?, _ body: (inout UntypedEditor) throws -> Reversal
    ) throws(ListError) -> Reversal {
        try perform(durability, present) { head in
            let reversal = try racer.catchingUp(&head) { try body(&$0.editor) }
            return (reversal, reversal.commit.map { append($0, &head) })
        }
    }

    /// A result as it is after its last commit was made again.
    private func present(_ reversal: Reversal, _ last: Commit) -> Reversal {
        reversal.replacing(group.successor(of: last, reversal.versions))
    }

    fileprivate func draft(_ name: String, _ origin: String) -> CommitDraft {
        CommitDraft(name: name, origin: origin, time: options.now(), tracking: options.undoScope.tracking)
    }
}

// MARK: - Groups

extension StoreProtocol {
    /// Makes one undo step of all commits that `body` makes. Groups nest.
    ///
    /// ```swift
    /// try store.group("Tidy up") {
    ///     try store.edit("Delete") { try $0.delete(.items(done)) }
    ///     try store.edit("Sort") { try $0.apply(sorted) }
    /// }
    /// ```
    ///
    /// Each commit is durable on its own: a crash inside the group keeps the commits before it, as one step.
    ///
    /// - Parameters:
    ///   - name: the name of all of them; nil to keep their own names.
    ///   - origin: the origin whose commits are grouped, if ``StoreOptions/undoScope`` is `.origin`; otherwise the
    ///     commits of all origins are.
    ///   - body: makes the commits.
    /// - Returns: what `body` returns.
    @discardableResult
    public func group<Result>(
        _ name: String? = nil, origin: String = "", _ body: () throws -> Result
    ) throws -> Result {
        try beginGroup(name, origin: origin)
        do {
            let result = try body()
            try endGroup(origin: origin)
            return result
        } catch {
            try? endGroup(origin: origin)
            throw error
        }
    }

    /// Begins a group; ``endGroup(origin:)`` ends it. For gestures that begin and end in different calls.
    public func beginGroup(_ name: String? = nil, origin: String = "") throws {
        let scope = core.options.undoScope.history(of: origin)
        try core.withTurn { $0.editor.beginGroup(in: scope, name: name) }
    }

    /// Ends the innermost group.
    ///
    /// - Throws: ``ListError/groupMismatch(expected:)`` if none is open.
    public func endGroup(origin: String = "") throws {
        let scope = core.options.undoScope.history(of: origin)
        try core.withTurn { try $0.editor.endGroup(in: scope) }
    }

    /// Ends the step: the next commit begins a new one, whatever ``StoreOptions/coalescing`` says. Call it when the
    /// selection moves or a field loses the focus.
    public func breakUndoCoalescing() throws {
        try core.withHead { head in
            // Without waiting for an edit in progress, which belongs to the step before.
            if head.editor.isEditing { head.endsStep = true } else { head.editor.breakUndoCoalescing() }
        }
    }
}
