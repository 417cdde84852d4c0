// Checks that the histories in the records of a log follow from its commits.
//
// Always holds: after a fault the check continues with the history in the record, so it reports one fault once.

/// Computes the histories of a log, commit by commit, and compares them with the records.
package struct HistoryCheck: ~Copyable {
    private var commits: CheckedCommits
    private var histories: HistoryTable
    private var writer = HistoryWriter()

    /// The commits that were checked, which the check looks up as an editor does in its log.
    private struct CheckedCommits: CommitSource {
        let log: any CommitSource
        let oldest: Version
        /// The last of them.
        var newest: Version

        func readRecord(of version: Version, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
            try check(version)
            try log.readRecord(of: version, body)
        }

        func historyMark(of version: Version) throws -> HistoryMark {
            try check(version)
            return try log.historyMark(of: version)
        }

        private func check(_ version: Version) throws {
            guard version > oldest && version <= newest else { throw ListError.notInHistory(version) }
        }
    }

    /// A check of the commits after a version.
    ///
    /// - Parameters:
    ///   - log: has the commits that were checked, at the latest when the next one is.
    ///   - histories: those at that version.
    package init(of log: any CommitSource, after oldest: Version, _ histories: HistoryTable) {
        commits = CheckedCommits(log: log, oldest: oldest, newest: oldest)
        self.histories = histories
    }

    /// Checks the next commit.
    ///
    /// - Returns: nil if its record is right, otherwise the history that the record should have.
    /// - Throws: ``ListError/notInHistory(_:)``, ``RecordError``: it refers to a commit that is not there.
    package mutating func check(_ commit: Commit) throws -> HistoryEntry? {
        let mark = commit.mark
        defer {
            commits.newest = commit.version
            histories.note(mark, at: commit.version)
        }
        guard let scope = mark.scope else { return nil }
        guard let expected = try expected(commit, in: scope), expected != mark.entry else { return nil }
        return expected
    }

    /// Whether the log was compacted, so that earlier commits are gone.
    private var isCut: Bool { commits.oldest > .empty }

    /// The history that the record of a commit should have; nil if it depends on commits that were compacted away.
    private mutating func expected(_ commit: Commit, in scope: HistoryScope) throws -> HistoryEntry? {
        let history = histories[scope]
        let oldest = commits.oldest
        let tree = HistoryTree(commits, oldest: oldest)
        if case .node(let found) = commit.entry {
            if !writer.isReady(scope) { try writer.load(scope, history, tree) }
            var node = writer.node(commit.version, history)
            if found.continues && node.branchSwitch == nil && history.undoCount > 0 { node = node.continuing }
            // A writer whose log was compacted may not know the jumps above the parent.
            if found.jump == found.parent { node = node.jumping(to: found.jump) }
            // A jump to a commit that was compacted away was checked before compaction.
            if isCut && found.jump <= oldest && found.jump < node.jump { node = node.jumping(to: found.jump) }
            writer.append(found)
            return .node(node)
        }
        writer.forget(scope)
        switch commit.cause {
        case .undo(let target):
            guard target == history.position, target > .empty else { return .untracked }
            guard let move = try tree.undoing(history) else { return isCut ? nil : .untracked }
            return move.entry
        case .redo(let target):
            guard history.tip != history.position else { return .untracked }
            guard let move = try tree.redoing(history) else { return isCut ? nil : .untracked }
            return move.after.position == target ? move.entry : .untracked
        case .go(let target):
            if isCut && target <= oldest {
                // The target was compacted away later, or is where the log begins now.
                guard target == oldest, commit.history?.position != target else { return nil }
            }
            return try tree.going(to: target, history, in: scope, at: commit.version).entry
        case .edit, .revert, .restore: return .untracked
        }
    }
}
