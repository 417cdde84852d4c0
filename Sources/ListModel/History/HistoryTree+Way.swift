// The way from one node to another, as changes of rows.
//
// Every node changed rows: from those of the version before it, which others may have made, to its own. Nodes that were made
// one on the other, with nothing but moves in between, are one change.
//
// Always holds: what others committed between two nodes is in none of the changes, as long as the log has the way.

/// What leads from the rows of one version to those of another.
struct HistoryChange: Hashable, Sendable {
    var from: Version
    var to: Version
}

extension HistoryTree {
    /// The changes that lead from one node to another: up to where their branches part, and down again.
    ///
    /// - Parameters:
    ///   - position, target: nodes of one history, or at or before `oldest`.
    /// - Throws: ``ListError/notInHistory(_:)`` if the way between them is no longer there, or an error of the log.
    /// - Complexity: O(log² n) records, and O(log n) for each time that other commits lie between two nodes of the way.
    func changes(from position: Version, to target: Version) throws -> [HistoryChange] {
        let first = try position > oldest ? node(position) : nil
        let last = try target > oldest ? node(target) : nil
        var fork: HistoryNode?
        if let first, let last {
            fork = try ancestor(of: first) { try isAncestor($0.version, depth: $0.depth, of: last) }
        }
        let up = try first.map { try climb(from: $0, to: fork) } ?? Climb(changes: [], end: position)
        let down = try last.map { try climb(from: $0, to: fork) } ?? Climb(changes: [], end: target)
        var changes = up.changes
        if up.end != down.end {
            // Both branches come from nodes that are no longer there; what lies between those can be told only where rows of
            // both sides are.
            guard let above = up.changes.last, let below = down.changes.last else {
                throw ListError.notInHistory(target)
            }
            changes.append(HistoryChange(from: above.to, to: below.to))
        }
        for change in down.changes.reversed() { changes.append(HistoryChange(from: change.to, to: change.from)) }
        return try joined(changes)
    }

    /// The way up from a node.
    private struct Climb {
        /// From the rows after nodes to those before them.
        var changes: [HistoryChange]
        /// Where it ends: a node, or the root, or what is no longer there.
        var end: Version
    }

    private func climb(from start: HistoryNode, to fork: HistoryNode?) throws -> Climb {
        let end = fork?.version ?? oldest
        var climb = Climb(changes: [], end: start.version)
        while climb.end > end {
            let top = try topOfRun(node(climb.end), below: end)
            climb.changes.append(HistoryChange(from: climb.end, to: top.version.previous))
            climb.end = top.parent
        }
        return climb
    }

    /// The first of the nodes up to one that were made one directly after the other.
    private func topOfRun(_ node: HistoryNode, below end: Version) throws -> HistoryNode {
        var top = node
        while true {
            if top.jump > end {
                let jump = try self.node(top.jump)
                if top.version.rawValue - jump.version.rawValue == UInt64(max(0, top.depth - jump.depth)) {
                    top = jump
                    continue
                }
            }
            guard top.parent > end, top.parent == top.version.previous else { return top }
            top = try self.node(top.parent)
        }
    }

    /// The same changes, those one that meet in the same rows.
    private func joined(_ changes: [HistoryChange]) throws -> [HistoryChange] {
        var joined: [HistoryChange] = []
        for change in changes {
            if let last = joined.last, try areSame(last.to, change.from) {
                joined[joined.count - 1].to = change.to
            } else {
                joined.append(change)
            }
        }
        return joined
    }

    /// Whether two versions have the same rows.
    func areSame(_ first: Version, _ second: Version) throws -> Bool {
        try first == second || stateHash(at: first) == stateHash(at: second)
    }

    /// The hash of the rows of a version, from its record; where the log begins, from the rows.
    func stateHash(at version: Version) throws -> StateHash {
        if version == .empty { return Snapshot.empty.stateHash }
        if version <= oldest { return try source.snapshot(at: version).stateHash }
        return try source.withRecord(of: version) { try RecordHeader.stateHash($0, version: version) }
    }
}
