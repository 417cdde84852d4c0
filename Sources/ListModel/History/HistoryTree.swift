// Reading the tree of commits, which lies in the log: ancestors, the next step of a redo, branches.
//
// Ancestors are found by the jump pointers of the revisions: a hop follows the jump unless it leads too far, and the
// parent otherwise. With the jumps that `HistoryWriter` chooses, this takes O(log n) hops.
//
// Always holds: no function here reads a record at or before `oldest`; the path up ends there as at the root.

/// The tree of commits of one scope.
package struct HistoryTree {
    let source: any CommitSource
    /// The version before which commits were compacted away.
    let oldest: Version

    package init(_ source: any CommitSource, oldest: Version) {
        self.source = source
        self.oldest = oldest
    }

    /// The revision of a version.
    ///
    /// - Parameter version: one after `oldest`.
    /// - Throws: ``RecordError`` if the commit is not a revision: the log is damaged.
    package func node(_ version: Version) throws -> HistoryRevision {
        try HistoryTree.node(source.historyMark(of: version).entry, version)
    }

    /// The revision in an entry.
    static func node(_ entry: HistoryEntry, _ version: Version) throws -> HistoryRevision {
        if case .node(let node) = entry { return node }
        throw RecordError(
            version: version, offset: RecordLayout.cause,
            problem: .invalid(what: "commit in a history", expected: "a node", found: "another"))
    }

    /// The first revision on the path up from `node`, itself included, for which a condition holds; nil if that is at
    /// or before `oldest`, or the root.
    ///
    /// - Parameter isFound: does not hold for the beginning of the way, and holds for the rest of it.
    /// - Complexity: O(log n) records.
    func ancestor(of node: HistoryRevision, where isFound: (HistoryRevision) throws -> Bool) throws -> HistoryRevision?
    {
        var node = node
        while try !isFound(node) {
            guard node.parent > oldest else { return nil }
            if node.jump > oldest && node.jump != node.parent {
                let jump = try self.node(node.jump)
                // Damaged records must not make the path endless.
                try check(jump.depth < node.depth, node)
                if try !isFound(jump) {
                    node = jump
                    continue
                }
            }
            let parent = try self.node(node.parent)
            try check(parent.depth < node.depth && parent.steps <= node.steps, node)
            node = parent
        }
        return node
    }

    private func check(_ isRight: Bool, _ node: HistoryRevision) throws {
        if isRight { return }
        throw RecordError(
            version: node.version, offset: RecordLayout.steps,
            problem: .invalid(what: "depth", expected: "more than that of its ancestors", found: String(node.depth)))
    }

    /// Whether a revision is on the path from the root to another.
    ///
    /// - Complexity: O(log n) records.
    package func isAncestor(_ version: Version, depth: Int, of tip: HistoryRevision) throws -> Bool {
        if version <= oldest { return true }
        return try ancestor(of: tip) { $0.depth <= depth }?.version == version
    }

    /// The revisions of the step that ends with a revision, the last one first.
    ///
    /// - Returns: none if some of them were compacted away.
    /// - Complexity: O(commits of the step).
    func step(endingWith last: HistoryRevision) throws -> HistoryStep {
        guard last.continues else { return HistoryStep(last) }
        var nodes = [last]
        while nodes[nodes.count - 1].continues {
            let parent = nodes[nodes.count - 1].parent
            guard parent > oldest else { return .none }
            nodes.append(try node(parent))
        }
        return HistoryStep(nodes)
    }

    /// The revisions of the next step of a redo, the first one first; nil if there is none, or it was compacted away.
    ///
    /// - Complexity: O(log n + commits of the step) records.
    func nextStep(_ history: ListHistory) throws -> HistoryStep? {
        guard history.tip != history.position, history.tip > oldest else { return nil }
        let tip = try node(history.tip)
        guard let first = try ancestor(of: tip, where: { $0.depth <= history.depth + 1 }),
            first.parent == history.position
        else { return nil }
        guard let last = try ancestor(of: tip, where: { $0.steps <= first.steps }) else { return nil }
        if last.version == first.version { return HistoryStep(last) }
        var nodes = [last]
        while nodes[nodes.count - 1].version != first.version {
            let parent = nodes[nodes.count - 1].parent
            guard parent > first.version || parent == first.version else { return nil }
            nodes.append(try node(parent))
        }
        return HistoryStep(nodes.reversed())
    }

    /// How many steps of a history can be reached, in a log that begins after the root.
    ///
    /// - Complexity: O(log n) records.
    package func reachable(_ history: ListHistory) throws -> ListHistory {
        if oldest == .empty { return history }
        var undo = 0
        if history.position > oldest {
            let position = try node(history.position)
            let first = try ancestor(of: position) { $0.parent <= oldest }
            if let first { undo = position.steps - first.steps + (first.continues ? 0 : 1) }
        }
        let redo = try nextStep(history) == nil ? 0 : history.redoCount
        return history.counting(undo: undo, redo: redo)
    }
}
