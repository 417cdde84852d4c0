// Undo, redo, go, revert and restore: commits that are computed from others.
//
// The fast path: if the hash of the rows is that after a commit, undo applies the inverses of its events. If it is that
// before the commit, redo applies its events. This reads only the records of the step. Otherwise somebody edited in
// between, in another scope or untracked, and the commit is merged (`UntypedEditor+Merge.swift`).
//
// Always holds: a function that throws has changed nothing. A checkout is one commit, with or without events.

extension UntypedEditor {
    /// Undoes the step that ends at the position of a history, with a new commit.
    ///
    /// - Parameters:
    ///   - scope: the scope of the history.
    ///   - origin: the origin of the new commit; in an origin's own history, that origin.
    ///   - time: the time of the new commit.
    ///   - onConflict: the policy for rows that others changed meanwhile.
    /// - Throws: ``ListError/nothingToUndo(requested:available:)``, ``ListError/conflicts(_:)``,
    ///   ``ListError/groupMismatch(expected:)`` while a group is open, or an error of the log.
    /// - Complexity: O(k log n) for a step that named k rows, whatever the length of the log. If others changed the
    ///   rows, also a replay from the nearest checkpoint, and one more for each time that others committed in the middle of the step; and
    ///   if they moved some, up to 1,024 records.
    public mutating func undo(
        in scope: HistoryScope = .shared, origin: String = "", time: Timestamp, onConflict: ConflictPolicy = .refuse
    ) throws -> Reversal {
        try checkUngrouped(scope)
        let history = state.histories[scope]
        guard history.redoCount < undoLimit, history.position > oldestVersion else {
            throw ListError.nothingToUndo(requested: 1, available: 0)
        }
        // This one record has everything that is needed: the revision, its name, its events.
        let last = try source.commit(history.position)
        let tree = tree
        let step = try tree.step(endingWith: HistoryTree.node(last.entry, last.version))
        if step.isEmpty { throw ListError.nothingToUndo(requested: 1, available: 0) }
        let undo = try tree.undoing(history, step, tipSteps: undone.tipSteps(history, in: scope))
        let draft = moveDraft(.undo(of: last.version), last.name, in: scope, origin, time)
        let isExact = isAt(last)
        let reversal = try move(draft, undo, onConflict) { editor in
            try editor.apply(undo.step, isInverse: true, in: scope, isExact: isExact, last: last, onConflict)
        }
        undone.noteUndo(undo, from: history, in: scope)
        standing.noteUndo(by: state.version, in: scope)
        return reversal
    }

    /// Redoes the next step from the position of a history to its tip, with a new commit.
    ///
    /// - Throws: ``ListError/nothingToRedo(requested:available:)``, or as ``undo(in:origin:time:onConflict:)``.
    /// - Complexity: as ``undo(in:origin:time:onConflict:)``, plus O(log n) records; for the first after the store was opened, up to
    ///   4,096 more.
    public mutating func redo(
        in scope: HistoryScope = .shared, origin: String = "", time: Timestamp, onConflict: ConflictPolicy = .refuse
    ) throws -> Reversal {
        try checkUngrouped(scope)
        let history = state.histories[scope]
        guard let redo = try undone.redoing(history, in: scope) ?? tree.redoing(history) else {
            throw ListError.nothingToRedo(requested: 1, available: 0)
        }
        let last = try source.commit(redo.after.position)
        let draft = moveDraft(.redo(of: last.version), last.name, in: scope, origin, time)
        let undo = try undoWithNothingSince(of: last.version, in: scope)
        let isExact = try undo == nil && (redo.step.first.map { try isAt($0.version.previous) } ?? false)
        let reversal = try move(draft, redo, onConflict) { editor in
            if let undo {
                // It also brings back what the undo has overridden.
                try editor.appendEvents(of: undo, isInverse: true)
                return []
            }
            return try editor.apply(redo.step, isInverse: false, in: scope, isExact: isExact, last: last, onConflict)
        }
        undone.noteRedo(from: history, in: scope)
        standing.noteRedo(by: state.version, of: undo?.version, in: scope)
        return reversal
    }

    /// Checks out any revision of a history: many steps of undo and redo at once, on any branch.
    ///
    /// - Parameter target: a commit of this history, or the root: ``Version/empty``, or where a compacted log begins.
    /// - Returns: the result; without a commit if the position is the target already.
    /// - Throws: ``ListError/notInHistory(_:)``, or as ``undo(in:origin:time:onConflict:)``.
    /// - Complexity: O(k log n) for k rows that differ, a replay from the nearest checkpoint to the target; and a replay and O(log n)
    ///   records for each place on the path where checkouts or commits of others are between two revisions.
    public mutating func go(
        to target: Version, in scope: HistoryScope = .shared, origin: String = "", time: Timestamp,
        onConflict: ConflictPolicy = .refuse
    ) throws -> Reversal {
        try checkUngrouped(scope)
        let history = state.histories[scope]
        let go = try tree.going(to: target, history, in: scope, at: state.version.next)
        if go.after.position == history.position { return Reversal(commit: nil, conflicts: []) }
        let changes = try tree.changes(from: history.position, to: go.after.position)
        let draft = try moveDraft(.go(to: target), name(of: target), in: scope, origin, time)
        return try move(draft, go, onConflict) { editor in
            var conflicts: [MergeConflict] = []
            for change in changes {
                let now = editor.state.snapshot()
                let isExact = try editor.tree.stateHash(at: change.from) == now.stateHash
                let base = try isExact ? now : editor.source.snapshot(at: change.from)
                conflicts += try editor.merge(
                    from: base, to: editor.source.snapshot(at: change.to), now: now, overrides: onConflict == .mine)
            }
            return conflicts
        }
    }

    /// Reverts one commit of any origin, whatever came after it, with a new commit that can be undone.
    ///
    /// - Parameters:
    ///   - version: the version of the commit.
    ///   - draft: origin, time and scope of the new commit. Without a name it gets the name of the reverted commit.
    /// - Returns: the result; without a commit if nothing of the commit is left to revert.
    /// - Throws: as ``undo(in:origin:time:onConflict:)``.
    /// - Complexity: O(k log n) for k rows that the commit named or that changed since, plus a replay from the nearest
    ///   checkpoint to the commit; and if others moved some, up to 1,024 records.
    public mutating func revert(
        _ version: Version, as draft: CommitDraft, onConflict: ConflictPolicy = .refuse
    ) throws -> Reversal {
        try checkNotLent()
        guard version > oldestVersion && version <= state.version else { throw ListError.notInHistory(version) }
        var draft = draft
        draft.cause = .revert(of: version)
        if draft.name.isEmpty { draft.name = try source.commit(version).name }
        return try node(draft, onConflict) { try $0.merge([version], isInverse: true, in: nil, onConflict) }
    }

    /// Restores the rows of a version, with a new commit that can be undone.
    ///
    /// - Parameters:
    ///   - version: any version whose rows can be read.
    ///   - draft: origin, time, name and scope of the new commit.
    /// - Returns: the commit; nil if the rows are the same already.
    /// - Throws: ``ListError/notInHistory(_:)`` for a version that there is not yet; an error of the log.
    /// - Complexity: as ``go(to:in:origin:time:onConflict:)``.
    public mutating func restore(_ version: Version, as draft: CommitDraft) throws -> Commit? {
        try checkNotLent()
        guard version <= state.version else { throw ListError.notInHistory(version) }
        var draft = draft
        draft.cause = .restore(of: version)
        let goal = try source.snapshot(at: version)
        let now = state.snapshot()
        return try node(draft, .refuse) { try $0.merge(from: now, to: goal, now: now) }.commit
    }
}

// MARK: - Groups

extension UntypedEditor {
    /// The policy that decides which commits coalesce with the step before them.
    public var coalescingPolicy: CoalescingPolicy {
        get { coalescing.policy }
        set { coalescing.policy = newValue }
    }

    /// Ends the present step: the next commit begins a new one, whatever the policy. Call it when the selection moves.
    public mutating func breakUndoCoalescing() { coalescing.endStep() }

    /// Begins a group: all commits of a scope until its end become one undo step. Groups nest; only the outermost
    /// counts.
    ///
    /// - Parameter name: a name for the commits of the group, instead of their own names. The outermost group with a
    ///   name determines it.
    public mutating func beginGroup(in scope: HistoryScope = .shared, name: String? = nil) {
        coalescing.beginGroup(scope, name: name)
    }

    /// Ends the innermost group of a scope.
    ///
    /// - Throws: ``ListError/groupMismatch(expected:)`` if none is open.
    public mutating func endGroup(in scope: HistoryScope = .shared) throws {
        guard coalescing.endGroup(scope) else { throw ListError.groupMismatch(expected: "a group that was begun") }
    }

    private func checkUngrouped(_ scope: HistoryScope) throws {
        try checkNotLent()
        if repeatedStep == nil, coalescing.isGrouping(scope) {
            throw ListError.groupMismatch(expected: "the end of the group first")
        }
    }
}

// MARK: - Parts

extension UntypedEditor {
    /// Makes the commit of a checkout. One that is made again may have to change what it had changed before.
    private mutating func move(
        _ draft: consuming CommitDraft, _ move: HistoryMove, _ onConflict: ConflictPolicy,
        _ body: (inout UntypedEditor) throws -> [MergeConflict]
    ) throws -> Reversal {
        begin(draft, move.entry)
        return try complete(move.stepVersions, onConflict) { editor in
            guard let change = editor.repeatedChange else { return try body(&editor) }
            return try editor.mergeAgain(change.commit, from: change.before, to: change.after, change.moved)
        }
    }

    /// Makes a commit that is a revision of the history, or untracked.
    private mutating func node(
        _ draft: consuming CommitDraft, _ onConflict: ConflictPolicy,
        _ body: (inout UntypedEditor) throws -> [MergeConflict]
    ) throws -> Reversal {
        try begin(draft)
        return try complete(.none, onConflict, body)
    }

    private mutating func complete(
        _ step: ListRun<Version>, _ onConflict: ConflictPolicy, _ body: (inout UntypedEditor) throws -> [MergeConflict]
    ) throws -> Reversal {
        do {
            // Several merges may find the same one.
            var known: Set<MergeConflict> = []
            let conflicts = try body(&self).filter { known.insert($0).inserted }
            if onConflict == .refuse && !conflicts.isEmpty { throw ListError.conflicts(conflicts) }
            return Reversal(commit: try finish(), step: step, conflicts: conflicts)
        } catch {
            if isEditing { cancel() }
            throw error
        }
    }

    /// Repeats or reverts the commits of a step, one after another.
    ///
    /// - Parameters:
    ///   - step: the commits; for reverting, the last one first.
    ///   - scope: the scope of the history.
    ///   - isExact: whether the rows are those that the first of them requires, so that no merge is necessary.
    ///   - last: the last commit of the step, which has been read already.
    private mutating func apply(
        _ step: HistoryStep, isInverse: Bool, in scope: HistoryScope, isExact: Bool, last: Commit,
        _ onConflict: ConflictPolicy
    ) throws -> [MergeConflict] {
        var isExact = isExact
        var conflicts: [MergeConflict] = []
        var neighbour: HistoryRevision?
        // Commits that continue each other are merged as one, so that what others took back of a later one is no conflict.
        var run: [Version] = []
        let known = Changeset.ReadCommits()
        try step.forEach { node in
            // The rows before a commit are those after the commit that it continues, unless others edited in between.
            var isContinued = true
            if let neighbour {
                let (later, earlier) = isInverse ? (neighbour, node) : (node, neighbour)
                isContinued = try tree.areSame(later.version.previous, earlier.version)
            }
            neighbour = node
            isExact = isExact && isContinued
            if isExact {
                let commit = try node.version == last.version ? last : source.commit(node.version)
                try appendEvents(of: commit, isInverse: isInverse)
            } else if isContinued || run.isEmpty {
                run.append(node.version)
            } else {
                conflicts += try merge(run, isInverse: isInverse, in: scope, onConflict, known)
                run = [node.version]
            }
        }
        if !run.isEmpty { conflicts += try merge(run, isInverse: isInverse, in: scope, onConflict, known) }
        return conflicts
    }

    /// Appends the events of a commit again, or their inverses in reversed order, for the rows that are there now.
    private mutating func appendEvents(of commit: Commit, isInverse: Bool) throws {
        let events = try commit.eventRun()
        if isInverse {
            try events.backwards.forEach { event in
                if let inverse = event.inverse { try append(state.naming(inverse)) }
            }
        } else {
            try events.forEach { event in
                if !event.isAncillary { try append(state.naming(event)) }
            }
        }
    }

    /// Merges what commits that continue each other have changed into the present rows, or, with the last one first, the opposite.
    ///
    /// - Parameters:
    ///   - scope: the scope whose commits are not those of others: what it has made since is undone by now. Nil if all commits count as
    ///     those of others.
    ///   - known: the commits that the merges of other parts of the same step have read.
    private mutating func merge(
        _ commits: [Version], isInverse: Bool, in scope: HistoryScope?, _ onConflict: ConflictPolicy,
        _ known: Changeset.ReadCommits = Changeset.ReadCommits()
    ) throws -> [MergeConflict] {
        let (first, last) = (commits.first!, commits.last!)
        let (base, target) = isInverse ? (first, last.previous) : (first.previous, last)
        let (source, newest, limit) = (source, state.version, othersLimit)
        return try merge(
            from: source.snapshot(at: base), to: source.snapshot(at: target), now: state.snapshot(),
            overrides: onConflict == .mine
        ) {
            try Changeset.Elements(placedBy: commits.map(source.commit))
        } placedByOthers: {
            try Changeset.Elements(placedBy: base.next..<newest.next, of: source, except: scope, atMost: limit, known)
        }
    }

    /// The undo that a redo takes back, if nothing but undos and redos of the scope has happened since: then the rows are those after it.
    ///
    /// - Parameter version: the last commit of the step.
    private mutating func undoWithNothingSince(of version: Version, in scope: HistoryScope) throws -> Commit? {
        var redone: [Version] = []
        let start = standing.searchStart(at: state.version, in: scope)
        var next = start
        while next > oldestVersion, start.rawValue - next.rawValue < UntypedEditor.longestSearch {
            let commit = try source.commit(next)
            guard commit.scope == scope else { return nil }
            switch commit.cause {
            case .undo(let undone) where undone == redone.last: redone.removeLast()
            case .undo(version) where redone.isEmpty: return isAt(commit) ? commit : nil
            case .redo(let again): redone.append(again)
            default: return nil
            }
            next = next.previous
        }
        return nil
    }

    /// How many commits are looked at for an undo that is not remembered: the store was opened since, or it is one of very many. If it is
    /// farther away, the redo repeats the step as after an edit of somebody else.
    private static let longestSearch = 4_096

    private func moveDraft(
        _ cause: Commit.Cause, _ name: String, in scope: HistoryScope, _ origin: String, _ time: Timestamp
    ) -> CommitDraft {
        var draft = CommitDraft(name: name, origin: origin, time: time)
        draft.cause = cause
        if case .origin(let own) = scope {
            draft.origin = own
            draft.tracking = .own
        }
        return draft
    }

    /// The name of a checkout: that of the target commit.
    private func name(of target: Version) throws -> String {
        target > oldestVersion ? try source.commit(target).name : ""
    }

    /// Whether the present rows are exactly those after a commit.
    private mutating func isAt(_ commit: Commit) -> Bool {
        commit.version == state.version || commit.stateHash == state.stateHash()
    }

    /// Whether the present rows are exactly those of a version.
    private mutating func isAt(_ version: Version) throws -> Bool {
        if version == state.version { return true }
        return try tree.stateHash(at: version) == state.stateHash()
    }
}
