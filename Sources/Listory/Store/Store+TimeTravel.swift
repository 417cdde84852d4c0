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
        if version == newest.version { return newest }
        guard version < newest.version else { throw StoreError.unknownVersion(version, head: newest.version) }
        try group.flush(through: version)
        var state = ListState(limits: options.limits)
        _ = try group.log.replay(into: &state, through: version)
        return state.snapshot()
    }

    /// What leads from one version to another, whichever is older.
    ///
    /// - Throws: as ``snapshot(at:)``.
    public func changeset(from old: Version, to new: Version) throws -> Changeset {
        Changeset(from: try snapshot(at: old), to: try snapshot(at: new))
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
