// Branches: an edit after an undo begins one and leaves another.
//
// Commits that leave a branch form a linked list through the log, the newest first. A branch that was checked out and
// left again is in the list twice; only the newer entry counts, because the branch may have grown.

/// A path from the root of the history to a tip.
public struct HistoryBranch: Hashable, Sendable {
    /// Its last commit. Checking it out is the same as redoing to it.
    public let tip: Version
    /// The name of its last commit.
    public let name: String
    /// The origin of its last commit.
    public let origin: String
    /// The time of its last commit.
    public let time: Timestamp
    /// How many steps undo can go back from its tip.
    public let stepCount: Int
    /// The last commit that it has in common with the present branch; ``Version/empty`` if that is only the root.
    public let fork: Version
    /// Whether the list is on it now.
    public let isCurrent: Bool
}

extension HistoryTree {
    /// The branches of a history: the present one first, then the others, the one that was left last first. Branches
    /// whose tip was compacted away are left out.
    ///
    /// - Parameter limit: how many at most.
    /// - Throws: an error of the log.
    /// - Complexity: O(changes of the branch + branches · log² n) records.
    package func branches(_ history: ListHistory, limit: Int) throws -> [HistoryBranch] {
        var branches: [HistoryBranch] = []
        if limit <= 0 { return [] }
        // The present branch may have been compacted away while branches that were left later are still there.
        let tip = try history.tip > oldest ? node(history.tip) : nil
        if let tip { branches.append(try branch(tip, from: tip, isCurrent: true)) }
        if branches.count == limit { return branches }
        try forEachLeftTip(history) { left in
            if left == history.tip { return true }
            branches.append(try branch(node(left), from: tip, isCurrent: false))
            return branches.count < limit
        }
        return branches
    }

    /// Calls `body` with the tips of the branches that were left, the last one first, until it returns false.
    private func forEachLeftTip(_ history: ListHistory, _ body: (Version) throws -> Bool) throws {
        var seen: Set<Version> = []
        var switched = history.switched
        while switched > oldest {
            let entry = try source.historyMark(of: switched).entry
            guard let branchSwitch = entry.branchSwitch, branchSwitch.previous < switched else { return }
            // A checkout continues a branch that was left before; its present tip is found later in the log.
            if case .move(let after, _) = entry { seen.insert(after.tip) }
            if branchSwitch.left > oldest, !seen.contains(branchSwitch.left), branchSwitch.left != history.tip {
                if try !body(branchSwitch.left) { return }
            }
            switched = branchSwitch.previous
        }
    }

    private func branch(_ tip: HistoryRevision, from current: HistoryRevision?, isCurrent: Bool) throws -> HistoryBranch
    {
        let commit = try source.commit(tip.version)
        let fork = try current.flatMap { current in
            try isCurrent ? tip : ancestor(of: tip) { try isAncestor($0.version, depth: $0.depth, of: current) }
        }
        return HistoryBranch(
            tip: tip.version, name: commit.name, origin: commit.origin, time: commit.time, stepCount: tip.steps,
            fork: fork?.version ?? oldest, isCurrent: isCurrent)
    }

    /// The tip of the branch that a revision is on: the present branch, or else the one that was left last.
    ///
    /// - Complexity: O(changes of the branch · log n) records.
    func tip(of node: HistoryRevision, _ history: ListHistory) throws -> HistoryRevision {
        if history.tip > oldest {
            let tip = try self.node(history.tip)
            if try isAncestor(node.version, depth: node.depth, of: tip) { return tip }
        }
        var found = node
        try forEachLeftTip(history) { left in
            let tip = try self.node(left)
            guard try isAncestor(node.version, depth: node.depth, of: tip) else { return true }
            found = tip
            return false
        }
        return found
    }
}

extension HistoryBranch: CustomStringConvertible {
    /// The tip, the number of steps and where it forks.
    public var description: String {
        "\(isCurrent ? "* " : "")\(tip) \"\(name)\", \(stepCount) steps, forks at \(fork)"
    }
}
