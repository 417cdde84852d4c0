// The path from one revision to another, as changes of rows.
//
// Every revision changed rows: from those of the version before it, which another scope may have made, to its own.
// Consecutive revisions with only checkouts in between are one change.
//
// Always holds: commits of others between two revisions are in none of the changes, as long as the log has the whole
// path.

/// What leads from the rows of one version to those of another.
struct HistoryChange: Hashable, Sendable {
    var from: Version
    var to: Version
}

extension HistoryTree {
    /// The changes that lead from one revision to another: up to where their branches part, and down again.
    ///
    /// - Parameters:
    ///   - position, target: revisions of one history, or at or before `oldest`.
    /// - Throws: ``ListError/notInHistory(_:)`` if the way between them is no longer there, or an error of the log.
    /// - Complexity: O(log² n) records, and O(log n) for each time that other commits lie between two nodes of the way.
    func changes(from position: Version, to target: Version) throws -> [HistoryChange] {
        let first = try position > oldest ? node(position) : nil
        let last = try target > oldest ? node(target) : nil
        var fork: HistoryRevision?
        if let first, let last {
            fork = try ancestor(of: first) { try isAncestor($0.version, depth: $0.depth, of: last) }
        }
        let up = try first.map { try climb(from: $0, to: fork) } ?? Climb(changes: [], end: position)
        let down = try last.map { try climb(from: $0, to: fork) } ?? Climb(changes: [], end: target)
        var changes = up.changes
        if up.end != down.end {
            // Both branches begin before the compacted log. The change between them is the difference of the rows on
            // both sides.
            guard let above = up.changes.last, let below = down.changes.last else {
                throw ListError.notInHistory(target)
            }
            changes.append(HistoryChange(from: above.to, to: below.to))
        }
        for change in down.changes.reversed() { changes.append(HistoryChange(from: change.to, to: change.from)) }
        return try joined(changes)
    }

    /// The path up from a revision.
    private struct Climb {
        /// From the rows after revisions to the rows before them.
        var changes: [HistoryChange]
        /// Its end: a revision, the root, or a commit that was compacted away.
        var end: Version
    }

    private func climb(from start: HistoryRevision, to fork: HistoryRevision?) throws -> Climb {
        let end = fork?.version ?? oldest
        var climb = Climb(changes: [], end: start.version)
        while climb.end > end {
            let top = try topOfRun(node(climb.end), below: end)
            climb.changes.append(HistoryChange(from: climb.end, to: top.version.previous))
            climb.end = top.parent
        }
        return climb
    }

    /// The first of the consecutive revisions that end with one.
    func topOfRun(_ node: HistoryRevision, below end: Version) throws -> HistoryRevision {
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

    /// The same changes; changes that meet in equal rows are joined.
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
        if version == .empty { return UntypedSnapshot.empty.stateHash }
        if version <= oldest { return try source.snapshot(at: version).stateHash }
        return try source.withRecord(of: version) { try RecordHeader.stateHash($0, version: version) }
    }
}
