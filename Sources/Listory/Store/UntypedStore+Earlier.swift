// Earlier and later: checks out revisions in the order in which they were made, whatever their branch, like Vim's `g-`
// and `g+`; also by time.

import ListModel

extension StoreProtocol {
    /// Checks out the revision a number of steps earlier, on any branch.
    ///
    /// - Parameters:
    ///   - count: how many steps; if there are fewer, to the oldest.
    ///   - origin: the origin that checks out; ``StoreOptions/undoScope`` decides which steps it sees.
    ///   - onConflict: the policy if another scope changed the rows meanwhile.
    ///   - durability: what to wait for; nil for the store's default.
    /// - Returns: the commit; none if there is nothing earlier.
    /// - Throws: as ``go(to:origin:onConflict:durability:)``.
    /// - Complexity: O(commits of the steps), and that of the checkout.
    @discardableResult
    public func earlier(
        _ count: Int = 1, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.go(origin, onConflict, durability) { _, tree, history in
            try tree.earlier(than: history.position, by: count)
        }
    }

    /// Checks out the revision a number of steps later, on any branch.
    ///
    /// - Parameters:
    ///   - count: how many steps; if there are fewer, to the newest.
    ///   - origin: the origin that checks out; ``StoreOptions/undoScope`` decides which steps it sees.
    ///   - onConflict: the policy if another scope changed the rows meanwhile.
    ///   - durability: what to wait for; nil for the store's default.
    /// - Returns: the commit; none if there is nothing later.
    /// - Throws: as ``go(to:origin:onConflict:durability:)``.
    /// - Complexity: O(commits in between), and that of the checkout.
    @discardableResult
    public func later(
        _ count: Int = 1, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        let scope = core.options.undoScope.history(of: origin)
        return try core.go(origin, onConflict, durability) { _, tree, history in
            try tree.later(than: history, in: scope, by: count)
        }
    }

    /// Checks out what the list showed some time earlier: before now or, after an undo, before the commit whose rows
    /// the list has.
    ///
    /// ```swift
    /// try store.earlier(.seconds(300))
    /// ```
    ///
    /// - Throws: as ``go(to:origin:onConflict:durability:)``.
    /// - Complexity: O(log n) records and up to those since the checkpoint before (a replica has none behind its confirmed end), and that of
    ///   the checkout.
    @discardableResult
    public func earlier(
        _ duration: Duration, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.go(by: -duration.microseconds, origin, onConflict, durability)
    }

    /// Checks out what the list showed some time after the commit whose rows it has, or the newest revision.
    ///
    /// - Throws, Complexity: as ``earlier(_:origin:onConflict:durability:)-(Duration,_,_,_)``.
    @discardableResult
    public func later(
        _ duration: Duration, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> Reversal {
        try core.go(by: duration.microseconds, origin, onConflict, durability)
    }

    /// The newest version that was committed at or before a time.
    ///
    /// Assumes that times ascend with versions. If the clock was set back, the result is only approximate.
    ///
    /// - Returns: the version; ``oldestVersion`` if all commits are newer.
    /// - Complexity: O(log n) records.
    public func version(at time: Timestamp) throws -> Version {
        try door { try core.version(at: time, newest: version) }
    }
}

extension UntypedStore {
    /// The rows at a time. Reading the past does not change undo and redo.
    ///
    /// - Throws: as ``snapshot(at:)-(Version)``.
    public func snapshot(at time: Timestamp) throws -> UntypedSnapshot {
        try snapshot(at: version(at: time))
    }

    /// As ``StoreProtocol/version(at:)``, of the versions up to `newest`.
    fileprivate func version(at time: Timestamp, newest: Version) throws -> Version {
        var (low, high) = (oldestVersion.rawValue, newest.rawValue)
        while low < high {
            let middle = low + (high - low + 1) / 2
            if try group.commitTime(Version(middle)) <= time { low = middle } else { high = middle - 1 }
        }
        return Version(low)
    }

    fileprivate func go(
        by microseconds: Int64, _ origin: String, _ onConflict: ConflictPolicy, _ durability: Durability?
    ) throws -> Reversal {
        let scope = options.undoScope.history(of: origin)
        let now = options.now()
        return try go(origin, onConflict, durability, at: now) { newest, tree, history in
            let isNewest = history.position == history.newest
            if isNewest && microseconds > 0 { return history.position }
            let start =
                isNewest || history.position <= oldestVersion
                ? now : try group.commitTime(history.position)
            let time = Timestamp(microseconds: start.microseconds.addingReportingOverflow(microseconds).partialValue)
            let version = try self.version(at: time, newest: newest)
            let then = try self.history(scope, at: version)
            // Between two commits, going by time must still make progress.
            if microseconds > 0 && then.position <= history.position {
                if version == newest { return history.newest }
                return try tree.later(than: history, in: scope, by: 1)
            }
            return then.position
        }
    }

    /// - Parameter target: the revision to check out, for the newest version, the tree and the history. It is found when no edit is in
    ///   progress: an edit that ended in between would be taken back as well.
    fileprivate func go(
        _ origin: String, _ onConflict: ConflictPolicy, _ durability: Durability?, at time: Timestamp? = nil,
        _ target: (Version, HistoryTree, ListHistory) throws -> Version
    ) throws -> Reversal {
        let (time, scope) = (time ?? options.now(), options.undoScope.history(of: origin))
        return try compute(durability) { editor in
            let version = try target(editor.state.version, tree, editor.state.histories[scope])
            return try editor.go(to: version, in: scope, origin: origin, time: time, onConflict: onConflict)
        }
    }
}

extension Duration {
    /// In microseconds; clamped.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000)
        if isOver { return seconds > 0 ? .max / 2 : .min / 2 }
        return product &+ attoseconds / 1_000_000_000_000
    }
}
