// The lineage of a version: the versions whose rows led to its rows. Branches that were left are not in it.
//
// Before a commit comes the version before it in the log, unless it is a checkout. Before a checkout comes the version at which
// its revision was continued towards the tip: the revision, or a commit after it that is in no history. At the tip, it is the tip.
//
// Always holds: every version has one that comes before it, an earlier one, so two lineages are the same from the last version
// that they share down to `oldest`. Where the log was compacted, `oldest` stands for what was before it.

extension HistoryTree {
    /// The lineage of a version, as runs of consecutive versions, the earliest first.
    ///
    /// - Parameter version: one at or after `oldest`.
    /// - Complexity: O(log n) records for each run, and one for each commit that is not in this history.
    package func lineage(of version: Version) throws -> [ClosedRange<Version>] {
        var runs: [ClosedRange<Version>] = []
        var (top, end) = (version, version)
        while top > oldest {
            let mark = try source.historyMark(of: top)
            switch mark.entry {
            case .node(let node): top = try topOfRun(node, below: oldest).version.previous
            // A checkout of an origin's own history changes only the rows that this origin had changed.
            case .move(let after, _) where mark.scope == .shared:
                runs.append(top...end)
                top = try beforeCheckout(after)
                end = top
            case .move, .untracked: top = top.previous
            }
        }
        runs.append(top...end)
        return runs.reversed()
    }

    /// The version that comes before a checkout, from the history after it.
    private func beforeCheckout(_ after: ListHistory) throws -> Version {
        let position = max(oldest, after.position)
        guard after.tip > position, let next = try ancestor(of: node(after.tip), where: { $0.parent <= position }),
            next.parent == after.position
        else { return position }
        return next.version.previous
    }
}
