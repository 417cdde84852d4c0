// Making commits again: those of this process, or the pending ones of a replica, behind commits of others.
//
// Always holds: each commit that is taken back has one successor, in the same order; the queue has those that were made again.

import ListModel

extension StoreRacer {
    /// Makes commits again that were taken back.
    ///
    /// - Parameters:
    ///   - others: the commits of others, behind which they are made again; nil if others have replaced commits from before.
    ///   - rows: the rows before the first of them, and after each.
    ///   - before: the histories before the first of them.
    ///   - replaced: if another process has replaced commits before them: which contents are elsewhere. Then the histories before are not
    ///     known, and every undo is merged.
    ///   - unjudged: the rules of the app do not judge commits up to this version.
    ///   - fate: what becomes of a commit that is not made again.
    /// - Returns: what has become of them, and where contents of the records are that were given up.
    func repeating(
        _ own: [Commit], behind others: [Version]?, _ rows: [UntypedSnapshot], _ before: HistoryTable,
        _ head: inout UntypedStore.Head,
        replaced: ReplacedContents? = nil, unjudged: Version = .empty,
        _ fate: (Commit) throws -> Fate? = { _ in nil }
    ) throws -> ([RebasedCommit], [ContentReference: ContentReference]) {
        group.showRows(head.editor.snapshot())
        guard let first = own.first else { return ([], [:]) }
        let moved = contents(of: own, from: first.version, behind: others, replaced)
        var histories = before
        var rebased: [RebasedCommit] = []
        func now(_ version: Version) -> Version {
            version < first.version ? version : rebased[Int(version.rawValue - first.version.rawValue)].commit.version
        }
        // Where a history is now that was at one of the commits.
        var positions: [Version] = []
        func position(_ version: Version) -> Version {
            version < first.version ? version : positions[Int(version.rawValue - first.version.rawValue)]
        }
        func note(_ commit: Commit, _ new: RebasedCommit, _ head: inout UntypedStore.Head) {
            rebased.append(new)
            // If nothing is left of it in the history, its step is where it was before.
            if new.commit.scope != commit.scope, commit.continuesStep, case .node(let node) = commit.entry {
                positions.append(position(node.parent))
            } else {
                positions.append(new.commit.version)
            }
            head.editor.noteRepeated(commit, as: positions[positions.count - 1])
        }
        let rules = head.editor.rules
        defer { head.editor.rules = rules }
        for (index, commit) in own.enumerated() {
            head.editor.rules = commit.version <= unjudged ? [] : rules
            // Before the commit is noted.
            let isUndisturbed =
                replaced != nil
                ? false
                : commit.scope.map {
                    head.editor.state.histories[$0].position == position(histories[$0].position)
                } ?? false
            histories.note(commit.mark, at: commit.version)
            let fate = try fate(commit)
            if case .isThere(let again) = fate {
                // The other replica may have given it up, and have set it aside for itself.
                note(commit, RebasedCommit(commit, became: again, reason: try again.givenUpReason), &head)
                continue
            }
            let new =
                if case .givenUp(let reason) = fate { try head.editor.givingUp(commit, reason) } else {
                    try head.editor.repeating(
                        commit, (rows[index], rows[index + 1]), now: now, position: position,
                        isUndisturbed: isUndisturbed,
                        isExact: isUndisturbed && isExact(index, own, rows), moved)
                }
            group.requeue(new.commit)
            group.showRows(head.editor.snapshot())
            note(commit, new, &head)
        }
        return (rebased, moved.places)
    }

    /// The contents of commits that were taken back, the first of which had a version.
    private func contents(
        of own: [Commit], from first: Version, behind others: [Version]?, _ replaced: ReplacedContents?
    ) -> MovedContents {
        let moved = MovedContents(from: replaced?.derived.next ?? first, behind: others) { [group] content in
            guard content.version >= first else {
                // Its record may be gone.
                do { return try group.content(of: content) } catch {
                    throw ListError.unreadable(
                        what: "row", expected: "a content of version \(content.version)", found: "another")
                }
            }
            let commit = own[Int(content.version.rawValue - first.rawValue)]
            return try commit.record.withUnsafeBytes { Array(try content.content(in: $0)) }
        }
        if let replaced { moved.restore(replaced.places) }
        return moved
    }

    /// Whether a commit that is made again undid or redid a step on the very rows that the step had left, or came to them.
    private func isExact(_ index: Int, _ own: [Commit], _ rows: [UntypedSnapshot]) throws -> Bool {
        let (target, reached): (Version, UntypedSnapshot)
        switch own[index].cause {
        case .undo(let version): (target, reached) = (version, rows[index])
        case .redo(let version): (target, reached) = (version, rows[index + 1])
        default: return false
        }
        let first = own[0].version
        let hash =
            target < first
            ? try group.commit(target).stateHash : rows[Int(target.rawValue - first.rawValue) + 1].stateHash
        return reached.stateHash == hash
    }

    /// What another process has replaced.
    struct ReplacedContents {
        /// Up to where nothing was replaced.
        var derived: Version
        /// Where contents are now.
        var places: [ContentReference: ContentReference]
    }

    /// What becomes of a commit that is not made again.
    enum Fate {
        /// It is among those of the others: another replica has made it again.
        case isThere(Commit)
        /// It is replaced by a commit without changes, for this reason.
        case givenUp(String)
    }
}
