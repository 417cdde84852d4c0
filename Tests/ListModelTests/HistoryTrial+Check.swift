// The comparisons of a trial after every commit.

@testable import ListModel
import TestSupport
import Testing

extension HistoryTrial {
    /// Compares everything.
    mutating func check() throws {
        try checkRows()
        for name in scopes { try checkHistory(KeptList.scope(name)) }
        try checkPast()
    }

    private mutating func checkRows() throws {
        let found = list.editor.snapshot()
        let contents = try ReferenceList(found, list.log)
        try #require(contents == now, comment)
        try #require(found.stateHash == hashes[hashes.count - 1], comment)
        // Equal rows have equal hashes, and different rows different ones; compared with some earlier version.
        let other = number(0..<hashes.count)
        try #require((hashes[other] == found.stateHash) == (rows[other] == now), comment)
        if edits.generator.oneIn(20) { try list.editor.checkInvariants() }
    }

    private mutating func checkHistory(_ scope: HistoryScope) throws {
        let place = model[scope]
        let history = list.editor.state.history(of: scope)
        try #require(history.position == place.position, comment)
        try #require(history.tip == place.tip, comment)
        try #require(history.newest == place.nodes.last ?? .empty, comment)
        try #require(history.undoCount == model.undoCount(scope), comment)
        try #require(history.redoCount == model.redoCount(scope), comment)
        try #require(history.depth == model.path(place.position).count, comment)
        let tree = tree
        let (undo, redo) = (model.undoStep(scope), model.redoStep(scope))
        try #require(try tree.undoing(history).map { Array($0.stepVersions) } ?? [] == undo, comment)
        try #require(try tree.redoing(history).map { Array($0.stepVersions) } ?? [] == redo, comment)
        try #require(try tree.nextStep(history)?.map(\.version) ?? [] == redo, comment)
        try checkBranches(scope, history)
        if place.nodes.isEmpty { return }
        if edits.generator.oneIn(3) { try checkCut(scope, history, after: Version(UInt64(number(0..<rows.count)))) }
        let (first, second) = (place.nodes[number(0..<place.nodes.count)], place.nodes[number(0..<place.nodes.count)])
        let isAncestor = try tree.isAncestor(first, depth: tree.node(first).depth, of: tree.node(second))
        try #require(isAncestor == model.isAncestor(first, of: second), "\(comment.rawValue), \(first) of \(second)")
    }

    /// Compares all branches sometimes, and the first few always.
    private mutating func checkBranches(_ scope: HistoryScope, _ history: ListHistory) throws {
        try checkBranches(scope, history, limit: number(0..<4))
        if list.log.head.rawValue % UInt64(branchInterval) == 0 { try checkBranches(scope, history, limit: .max) }
    }

    private mutating func checkBranches(_ scope: HistoryScope, _ history: ListHistory, limit: Int) throws {
        let found = try branches(history, tree, limit: limit)
        try #require(found == model.branches(scope, limit: limit), "\(comment.rawValue), limit \(limit)")
        counts["most branches"] = max(counts["most branches"] ?? 0, found.count)
    }

    func branches(_ history: ListHistory, _ tree: HistoryTree, limit: Int) throws -> [ReferenceHistory.Branch] {
        try tree.branches(history, limit: limit).map { branch in
            let commit = try list.log.commit(branch.tip)
            try #require(commit.time == branch.time, comment)
            return ReferenceHistory.Branch(
                tip: branch.tip, name: branch.name, origin: branch.origin, stepCount: branch.stepCount,
                fork: branch.fork, isCurrent: branch.isCurrent)
        }
    }

    /// Compares the history of a scope at some earlier version.
    private mutating func checkPast() throws {
        let version = number(0..<tables.count)
        let scope = anyScope()
        let history = try tree.history(at: Version(UInt64(version)), in: scope)
        try #require(history == tables[version][scope], "\(comment.rawValue), version \(version)")
    }

    /// Checks the whole log: a replay gives the same rows and histories, and the fold of the history equals that in the
    /// records.
    mutating func checkLog() throws {
        action = "the whole log"
        var other = try list.replayed()
        try #require(other.snapshot().stateHash == list.editor.snapshot().stateHash, comment)
        try #require(other.state.histories == list.editor.state.histories, comment)
        try other.checkInvariants()
        try checkFold(after: .empty)
        for _ in 0..<4 { try checkFold(after: Version(UInt64(number(0..<rows.count)))) }
    }

    /// Checks the fold of the history, from its beginning or from the base of a compacted log.
    private func checkFold(after oldest: Version) throws {
        var check = HistoryCheck(of: list.log, after: oldest, tables[Int(oldest.rawValue)])
        var version = oldest
        while version < list.log.head {
            version = version.next
            let expected = try check.check(list.log.commit(version))
            try #require(expected == nil, "seed \(seed), record \(version), after \(oldest)")
        }
    }
}
