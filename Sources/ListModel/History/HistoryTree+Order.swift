// `earlier` and `later`: revisions in the order in which they were made, whatever their branch.

extension HistoryTree {
    /// The end of the step that is a number of steps older than a position, on any branch; the root if there are fewer.
    ///
    /// - Complexity: O(commits of the steps) records.
    package func earlier(than position: Version, by count: Int) throws -> Version {
        var position = position
        for _ in 0..<max(0, count) {
            guard position > oldest else { break }
            guard let first = try step(endingWith: node(position)).last else { return oldest }
            position = max(first.previous, oldest)
        }
        return position
    }

    /// The end of the step that is a number of steps newer than the position of a history, on any branch; the newest
    /// one if there are fewer.
    ///
    /// - Complexity: O(commits in between) records.
    package func later(than history: ListHistory, in scope: HistoryScope, by count: Int) throws -> Version {
        var left = count
        var last = history.position
        var version = max(history.position, oldest)
        while version < history.newest {
            version = version.next
            let mark = try source.historyMark(of: version)
            guard mark.scope == scope, case .node(let node) = mark.entry else { continue }
            // Commits that continue the step belong to it, also if the position is in its middle.
            if !(node.continues && node.parent == last) {
                if left <= 0 { break }
                left -= 1
            }
            last = version
        }
        return last
    }

    /// The history of a scope at a version.
    ///
    /// - Parameter known: an earlier version, and the histories there.
    /// - Complexity: O(commits since the last of the scope, or since the known version) records.
    package func history(
        at version: Version, in scope: HistoryScope, after known: (version: Version, histories: HistoryTable)? = nil
    ) throws -> ListHistory {
        var version = version
        while version > oldest, version != known?.version {
            let mark = try source.historyMark(of: version)
            if mark.scope == scope, let history = mark.entry.history(after: version) { return history }
            version = Version(version.rawValue - 1)
        }
        if let known, version == known.version { return known.histories[scope] }
        return oldest == .empty
            ? .empty
            : ListHistory.empty.moved(to: oldest, depth: 0, undoCount: 0, redoCount: 0)
    }
}
