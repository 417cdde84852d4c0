// Earlier and later: through the nodes of the history in the order in which they were made, whatever branch they are on, as
// Vim's `g-` and `g+` do; and by time.

import ListModel

extension Store {
    /// Goes to the rows as they were a number of steps earlier, on whatever branch those were made.
    ///
    /// - Parameter count: how many steps; if there are fewer, to the oldest.
    /// - Returns: the commit; none if there is nothing earlier.
    /// - Throws: as ``go(to:origin:onConflict:durability:)``.
    /// - Complexity: O(commits of the steps), and that of going there.
    @discardableResult
    public func earlier(
        _ count: Int = 1, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try go(origin, onConflict, durability) { try $0.earlier(than: $1.position, by: count) }
    }

    /// Goes to the rows as they became a number of steps later, on whatever branch those were made.
    ///
    /// - Parameter count: how many steps; if there are fewer, to the newest.
    /// - Returns: the commit; none if there is nothing later.
    /// - Throws: as ``go(to:origin:onConflict:durability:)``.
    /// - Complexity: O(commits in between), and that of going there.
    @discardableResult
    public func later(
        _ count: Int = 1, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        let scope = options.undoScope.history(of: origin)
        return try go(origin, onConflict, durability) { try $0.later(than: $1, in: scope, by: count) }
    }

    /// Goes to what the list showed some time earlier: before now if nothing was undone, otherwise before the commit whose
    /// rows are there.
    ///
    /// ```swift
    /// try store.earlier(.minutes(5))
    /// ```
    ///
    /// - Throws: as ``go(to:origin:onConflict:durability:)``.
    /// - Complexity: O(log n) records, and that of going there.
    @discardableResult
    public func earlier(
        _ duration: Duration, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try go(by: -duration.microseconds, origin, onConflict, durability)
    }

    /// Goes to what the list showed some time later than the commit whose rows are there, or to the newest.
    ///
    /// - Throws, Complexity: as ``earlier(_:origin:onConflict:durability:)-(Duration,_,_,_)``.
    @discardableResult
    public func later(
        _ duration: Duration, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try go(by: duration.microseconds, origin, onConflict, durability)
    }

    private func go(
        by microseconds: Int64, _ origin: String, _ onConflict: ConflictPolicy, _ durability: Durability?
    ) throws -> Reversal {
        let scope = options.undoScope.history(of: origin)
        let now = options.now()
        return try go(origin, onConflict, durability) { tree, history in
            let isNewest = history.position == history.newest
            if isNewest && microseconds > 0 { return history.position }
            let start =
                isNewest || history.position <= oldestVersion
                ? now : try group.commit(history.position).time
            let time = Timestamp(microseconds: start.microseconds.addingReportingOverflow(microseconds).partialValue)
            let version = try self.version(at: time)
            let then = try tree.history(at: version, in: scope)
            // Between two commits, going by time must get somewhere.
            if microseconds > 0 && then.position <= history.position {
                if try version == self.version { return history.newest }
                return try tree.later(than: history, in: scope, by: 1)
            }
            return then.position
        }
    }

    private func go(
        _ origin: String, _ onConflict: ConflictPolicy, _ durability: Durability?,
        _ target: (HistoryTree, History) throws -> Version
    ) throws -> Reversal {
        let scope = options.undoScope.history(of: origin)
        let version = try target(tree, withHead { $0.editor.state.histories[scope] })
        return try go(to: version, origin: origin, onConflict: onConflict, durability: durability)
    }

    /// The newest version that was committed at a time or before.
    ///
    /// Times are taken to ascend with the versions. Where the clock was set back, it is some version of about that time.
    ///
    /// - Returns: the version; ``oldestVersion`` if all that the store has is newer.
    /// - Complexity: O(log n) records.
    public func version(at time: Timestamp) throws -> Version {
        var (low, high) = (oldestVersion.rawValue, try version.rawValue)
        while low < high {
            let middle = low + (high - low + 1) / 2
            if try group.commitTime(Version(middle)) <= time { low = middle } else { high = middle - 1 }
        }
        return Version(low)
    }

    /// The rows as they were at a time. Looking at the past does not touch what undo and redo would revert.
    ///
    /// - Throws: as ``snapshot(at:)-(Version)``.
    public func snapshot(at time: Timestamp) throws -> Snapshot { try snapshot(at: version(at: time)) }
}

extension Duration {
    /// Minutes, for ``Store/earlier(_:origin:onConflict:durability:)-(Duration,_,_,_)``.
    public static func minutes(_ minutes: Int) -> Duration { .seconds(60 * minutes) }

    /// As timestamps count; very long ones are cut off.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if isOver { return seconds > 0 ? .max / 2 : .min / 2 }
        return product &+ attoseconds / 1_000_000_000_000
    }
}
