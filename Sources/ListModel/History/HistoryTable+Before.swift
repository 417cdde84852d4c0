// The histories before a commit, as the commit itself states them.
//
// Always holds: a log that begins with the commit, after these histories, passes `HistoryCheck`. What a commit does not
// state lies before the beginning of such a log, and is not looked at.

extension HistoryTable {
    /// Takes back a commit: its scope gets the history before it, as far as the commit states it.
    package mutating func takeBack(_ commit: Commit) {
        guard let scope = commit.scope else { return }
        switch commit.entry {
        case .untracked: break
        case .node(let node):
            self[scope] = ListHistory(
                position: node.parent, tip: node.branchSwitch?.left ?? node.parent, newest: node.previous,
                switched: node.branchSwitch?.previous ?? node.switched,
                undoCount: node.continues ? node.steps : node.steps - 1, redoCount: 0, depth: node.depth - 1)
        case .move(let after, let branchSwitch):
            let position: Version =
                switch commit.cause {
                case .undo(let target): target
                // The position before a redo is not stated, but it is not the tip.
                case .redo: .empty
                default: after.position
                }
            self[scope] = ListHistory(
                position: position, tip: branchSwitch?.left ?? after.tip, newest: after.newest,
                switched: branchSwitch?.previous ?? after.switched, undoCount: after.undoCount,
                redoCount: after.redoCount, depth: after.depth)
        }
    }
}
