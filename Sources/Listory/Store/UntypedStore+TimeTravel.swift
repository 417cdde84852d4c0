// Time travel: commits, snapshots and changesets by version.

import ListModel

extension StoreProtocol {
    /// The newest version.
    public var version: Version {
        get throws { try core.withHead { $0.editor.state.version } }
    }

    /// The oldest version of the log: ``Version/empty``, unless the store was compacted. Of earlier versions, those can be read that
    /// have a name (``namedVersions``).
    public var oldestVersion: Version { core.group.log.base.version }

    /// The changeset from one version to another, in either direction.
    ///
    /// - Throws: as ``UntypedStore/snapshot(at:)-(Version)``.
    public func changeset(from old: Version, to new: Version) throws -> Changeset {
        try door {
            let (first, second) = try core.readingPast(of: max(old, new)) {
                let newest = try core.newest(for: min(old, new))
                let first = try core.point(at: old, newest)
                // Derived from the first version, so that both share unchanged nodes.
                return (first, try core.point(at: new, newest, first))
            }
            return try Changeset(checked: first, to: second)
        }
    }

    /// The commit that made a version.
    ///
    /// - Throws: ``ListError/unknownVersion(_:head:)`` for a version that is not there, and for ``Version/empty``,
    ///   which no commit made; an error of the log.
    public func commit(_ version: Version) throws -> Commit {
        try door {
            try checkVersion(version)
            return try core.group.commit(version)
        }
    }

    /// The header of the commit that made a version: why, by whom and when it was made, and its name.
    ///
    /// - Throws: as ``commit(_:)``.
    /// - Complexity: O(1) for a packed commit, of which ``commit(_:)`` has to rebuild the events; otherwise O(bytes of its record).
    public func commitInfo(_ version: Version) throws -> CommitInfo {
        try door {
            try checkVersion(version)
            return try core.group.commitInfo(version)
        }
    }

    /// Calls `body` with the commits of a range of versions, in order. It may use the store and may be slow.
    ///
    /// - Throws: as ``commit(_:)``, and what `body` throws.
    public func forEachCommit(
        in range: ClosedRange<Version>, _ body: (Commit) throws -> Void
    ) throws {
        try passing {
            try checkVersion(range.lowerBound)
            try checkVersion(range.upperBound)
            try core.group.flush(through: range.upperBound)
            var next = range.lowerBound
            while next <= range.upperBound {
                let run = try core.group.records(of: next.rawValue...range.upperBound.rawValue)
                for index in 0..<run.count {
                    try body(Commit(record: run.record(index), version: run.version(index)))
                }
                next = run.version(run.count)
            }
        }
    }

    /// Folds the log from its beginning, whatever checkpoints there are, and calls `body` with each commit and the hash that
    /// the rows have after it. The two hashes are equal if the fold gives the same rows as when the commit was made.
    ///
    /// - Throws: as ``forEachCommit(in:_:)``; ``ListError/eventMismatch(what:expected:found:)`` for an event that does not
    ///   fit.
    /// - Complexity: O(events · log n).
    public func forEachReplayedCommit(_ body: (Commit, _ found: StateHash) throws -> Void) throws {
        let newest = try version
        guard newest > oldestVersion else { return }
        try passing {
            var checksum = core.group.log.base.checksum
            var state = ListState(from: try core.snapshot(at: oldestVersion))
            try forEachCommit(in: oldestVersion.next...newest) { commit in
                checksum = try commit.record.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
                try body(commit, state.stateHash())
            }
        }
    }

    /// What there is to write down of the histories at ``oldestVersion``, if earlier commits were dropped.
    public func oldestHistories() throws -> [HistoryTranscript] {
        try door {
            guard oldestVersion > .empty else { return [] }
            guard let checkpoint = try core.checkpointer?.database.checkpoint(oldestVersion) else {
                throw ListError.damagedCheckpoint(oldestVersion)
            }
            return HistoryTranscript.all(checkpoint.histories)
        }
    }

    private func checkVersion(_ version: Version) throws {
        let newest = try self.version
        if version > .empty && version <= oldestVersion {
            throw ListError.droppedVersion(version, oldest: oldestVersion)
        }
        if version == .empty || version > newest { throw ListError.unknownVersion(version, head: newest) }
    }
}

extension Changeset {
    /// The changeset of two snapshots whose nodes can be read.
    fileprivate init(checked old: UntypedSnapshot, to new: UntypedSnapshot) throws {
        do {
            self = try old.checked { try new.checked { Changeset(from: old, to: new) } }
        } catch {
            throw error.ofRows
        }
    }
}

extension UntypedStore {
    /// The rows at a version: one of the log, or an older one that has a name (``StoreProtocol/namedVersions``). Reading the past does
    /// not change undo and redo.
    ///
    /// - Throws: ``ListError/unknownVersion(_:head:)``, ``ListError/droppedVersion(_:oldest:)``, or an error of the log.
    /// - Complexity: O(log n), and a replay from the nearest checkpoint, which ``CheckpointPolicy/maximumSpacing`` bounds.
    public func snapshot(at version: Version) throws -> UntypedSnapshot {
        try door { try readingPast(of: version) { try point(at: version, newest(for: version)) } }
    }

    /// Reads versions up to one. Meanwhile another process may replace commits, or another device those of a replica; if they come from
    /// there, rows that are taken back from the newest ones do not fit the log any more.
    fileprivate func readingPast<Result>(of version: Version, _ body: () throws -> Result) throws -> Result {
        let fixed = group.log.confirmed.limit(group.durableVersion)
        return try reading(isFixed: version <= fixed) { _ in try body() }
    }

    /// The newest rows; if an earlier version is wanted, once their commits are in the log, where the others are read.
    fileprivate func newest(for version: Version) throws -> UntypedSnapshot {
        let newest = try snapshot
        if version < newest.version { try group.flush(through: newest.version) }
        return newest
    }

    /// The snapshot of a version, old or the newest.
    ///
    /// - Parameters:
    ///   - newest: as ``newest(for:)`` returned it.
    ///   - other: another snapshot that has been taken already.
    fileprivate func point(at version: Version, _ newest: UntypedSnapshot, _ other: UntypedSnapshot? = nil) throws
        -> UntypedSnapshot
    {
        if version == newest.version { return newest }
        guard version < newest.version else { throw ListError.unknownVersion(version, head: newest.version) }
        return try past.point(at: version, [newest] + (other.map { [$0] } ?? []))
    }
}
