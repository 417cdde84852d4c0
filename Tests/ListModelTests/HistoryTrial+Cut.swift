// The comparisons of a trial if its log had been compacted: commits up to some version are missing.

@testable import ListModel
import TestSupport
import Testing

extension HistoryTrial {
    /// Compares the history of a scope if the log begins after a version.
    func checkCut(_ scope: HistoryScope, _ history: ListHistory, after oldest: Version) throws {
        let tree = HistoryTree(list.log, oldest: oldest)
        let comment: Comment = "\(comment.rawValue), after \(oldest)"
        let (undo, redo) = (model.undoStep(scope), model.redoStep(scope))
        let canUndo = !undo.isEmpty && undo.allSatisfy { $0 > oldest }
        let canRedo = redo.first.map { $0 > oldest } ?? false
        try #require(try tree.undoing(history).map { Array($0.stepVersions) } == (canUndo ? undo : nil), comment)
        try #require(try tree.redoing(history).map { Array($0.stepVersions) } == (canRedo ? redo : nil), comment)
        let reachable = try tree.reachable(history)
        let left = model.path(history.position).filter { $0 > oldest && !model.nodes[$0]!.continues }.count
        try #require(reachable.undoCount == left, comment)
        try #require(reachable.redoCount == (canRedo ? history.redoCount : 0), comment)
        try checkBranches(scope, history, tree, comment)
        try checkGoing(scope, history, tree, comment)
    }

    private func checkBranches(
        _ scope: HistoryScope, _ history: ListHistory, _ tree: HistoryTree, _ comment: Comment
    ) throws {
        var expected = model.branches(scope, limit: 8).filter { $0.tip > tree.oldest }
        for index in expected.indices { expected[index].fork = max(expected[index].fork, tree.oldest) }
        let found = try branches(history, tree, limit: expected.count)
        try #require(found == expected, comment)
        if model[scope].nodes.count < 100 {
            let all = model.leaves(scope).filter { $0 > tree.oldest }
            try #require(try Set(tree.branches(history, limit: .max).map(\.tip)) == Set(all), comment)
        }
    }

    /// The result of a checkout does not depend on missing commits.
    private func checkGoing(
        _ scope: HistoryScope, _ history: ListHistory, _ tree: HistoryTree, _ comment: Comment
    ) throws {
        let next = list.log.head.next
        let place = model[scope]
        for target in [place.nodes.first!, place.nodes[place.nodes.count / 2], place.tip] where target > tree.oldest {
            let found = try tree.going(to: target, history, in: scope, at: next)
            let expected = try self.tree.going(to: target, history, in: scope, at: next)
            try #require(found.entry == expected.entry, "\(comment.rawValue), to \(target)")
        }
    }
}
