// Any moment of the past: commits, snapshots and changesets by version.

import ListModel

extension Store {
    /// The newest version.
    public var version: Version {
        get throws { try withHead { $0.editor.state.version } }
    }

    /// The rows at a version. Looking at the past does not touch what undo and redo would revert.
    ///
    /// - Throws: ``StoreError/unknownVersion(_:head:)``, or an error of the log.
    /// - Complexity: O(log n), and a replay from the nearest checkpoint, which ``CheckpointPolicy/maximumSpacing`` bounds.
    public func snapshot(at version: Version) throws -> Snapshot {
        let (newest, lastPast) = try withHead { ($0.editor.snapshot(), $0.lastPast) }
        if version == newest.version { return newest }
        let snapshot = try pastSnapshot(at: version, newest, lastPast)
        try withHead { $0.lastPast = snapshot }
        return snapshot
    }

    /// The rows at a version before the newest.
    ///
    /// - Parameter other: another version that is there already.
    private func pastSnapshot(at version: Version, _ newest: Snapshot, _ other: Snapshot?) throws -> Snapshot {
        guard version < newest.version else { throw StoreError.unknownVersion(version, head: newest.version) }
        if version == .empty { return .empty }
        let start = try nearest(to: version, [newest] + (other.map { [$0] } ?? []))
        if start.version == version { return start }
        // Commits are read where they are durable.
        try group.flush(through: max(version, start.version))
        do {
            return try replay(from: start, to: version)
        } catch {
            // A checkpoint that cannot be read only makes the way longer: the log begins with the empty list.
            guard case StoreError.damagedNode = error, start.version != .empty else { throw error }
            return try replay(from: .empty, to: version)
        }
    }

    /// Of all versions that are at hand, the one with the fewest commits in between.
    private func nearest(to version: Version, _ others: [Snapshot]) throws -> Snapshot {
        var candidates = [Snapshot.empty] + others
        if let database = checkpointer?.database {
            let nodes = try withHead { $0.editor.state.store }
            for checkpoint in try database.nearest(to: version) {
                let store = database.store(for: checkpoint.version) { NodeStore(after: nodes) }
                candidates.append(checkpoint.snapshot(store))
            }
        }
        func distance(_ snapshot: Snapshot) -> UInt64 {
            max(snapshot.version, version).rawValue - min(snapshot.version, version).rawValue
        }
        return candidates.min { distance($0) < distance($1) }!
    }

    private func replay(from start: Snapshot, to version: Version) throws -> Snapshot {
        let isEmpty = start.version == .empty
        var state =
            isEmpty ? ListState(NodeStore(limits: options.limits), isTracking: false) : ListState(from: start)
        do {
            if start.version < version {
                _ = try group.log.replay(into: &state, through: version)
            } else {
                try group.log.unreplay(&state, to: version)
            }
        } catch {
            // Events do not fit rows that could not be read; that is the reason, then.
            if let damage = state.store.damage { throw StoreError.damagedNode(damage) }
            throw error
        }
        if let damage = state.store.damage { throw StoreError.damagedNode(damage) }
        return state.snapshot()
    }

    /// What leads from one version to another, whichever is older.
    ///
    /// - Throws: as ``snapshot(at:)``.
    public func changeset(from old: Version, to new: Version) throws -> Changeset {
        let newest = try snapshot
        let first = try snapshot(at: old)
        // From the first version on, so that both share what did not change in between.
        let second = new == newest.version ? newest : try pastSnapshot(at: new, newest, first)
        return Changeset(from: first, to: second)
    }

    /// The commit that made a version.
    ///
    /// - Throws: ``StoreError/unknownVersion(_:head:)`` for a version that is not there, and for ``Version/empty``,
    ///   which no commit made; an error of the log.
    public func commit(_ version: Version) throws -> Commit {
        try checkVersion(version)
        return try group.commit(version)
    }

    /// Calls `body` with the commits of a range of versions, in order.
    ///
    /// - Throws: as ``commit(_:)``, and what `body` throws.
    public func forEachCommit(
        in range: ClosedRange<Version>, _ body: (Commit) throws -> Void
    ) throws {
        try checkVersion(range.lowerBound)
        try checkVersion(range.upperBound)
        try group.flush(through: range.upperBound)
        try group.log.forEachRecord(in: range.lowerBound.rawValue...range.upperBound.rawValue) { version, record in
            try body(Commit(record: Array(record), version: version))
        }
    }

    private func checkVersion(_ version: Version) throws {
        let newest = try self.version
        if version == .empty || version > newest { throw StoreError.unknownVersion(version, head: newest) }
    }
}
