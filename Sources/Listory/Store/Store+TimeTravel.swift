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
    /// - Complexity: O(1) for the newest version; for an older one, a replay of the log up to it.
    public func snapshot(at version: Version) throws -> Snapshot {
        let newest = try snapshot
        return version == newest.version ? newest : try pastSnapshots(at: version, version, newest.version).first
    }

    /// The rows at two versions, from one replay, so that they share what did not change between them.
    private func pastSnapshots(
        at first: Version, _ second: Version, _ newest: Version
    ) throws -> (first: Snapshot, second: Snapshot) {
        let last = max(first, second)
        guard last <= newest else { throw StoreError.unknownVersion(last, head: newest) }
        try group.flush(through: last)
        var state = ListState(limits: options.limits)
        if min(first, second) > .empty { _ = try group.log.replay(into: &state, through: min(first, second)) }
        let earlier = state.snapshot()
        _ = try group.log.replay(into: &state, through: last)
        let later = state.snapshot()
        return first < second ? (earlier, later) : (later, earlier)
    }

    /// What leads from one version to another, whichever is older.
    ///
    /// - Throws: as ``snapshot(at:)``.
    public func changeset(from old: Version, to new: Version) throws -> Changeset {
        let snapshots = try pastSnapshots(at: old, new, version)
        return Changeset(from: snapshots.first, to: snapshots.second)
    }

    /// The commit that made a version.
    ///
    /// - Throws: ``StoreError/unknownVersion(_:head:)`` for a version that is not there, and for ``Version/empty``,
    ///   which no commit made; an error of the log.
    public func commit(_ version: Version) throws -> Commit {
        try checkVersion(version)
        return try group.commit(version)
    }

    /// Calls `body` with the commits of a range of versions, in order. It may use the store, and take its time.
    ///
    /// - Throws: as ``commit(_:)``, and what `body` throws.
    public func forEachCommit(
        in range: ClosedRange<Version>, _ body: (Commit) throws -> Void
    ) throws {
        try checkVersion(range.lowerBound)
        try checkVersion(range.upperBound)
        try group.flush(through: range.upperBound)
        var next = range.lowerBound
        while next <= range.upperBound {
            let batch = try group.log.copies(of: next.rawValue...range.upperBound.rawValue)
            for index in 0..<batch.count {
                let record = batch.withRecord(index) { Array($0) }
                try body(Commit(record: record, version: batch.version(index)))
            }
            next = batch.version(batch.count)
        }
    }

    private func checkVersion(_ version: Version) throws {
        let newest = try self.version
        if version == .empty || version > newest { throw StoreError.unknownVersion(version, head: newest) }
    }
}
