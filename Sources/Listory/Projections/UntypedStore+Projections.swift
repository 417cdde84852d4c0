// Projections of a store: making them, and the reads and writes of their followers.

import LMDB
import ListModel

extension UntypedStore {
    /// A projection of the events of this store. All calls with the same type share one value.
    ///
    /// - Parameter type: the projection. From now on its state is stored with the store's checkpoints.
    /// - Throws: ``ListError/failed(cause:)`` with ``ProjectionError/invalidName(_:)`` or
    ///   ``ProjectionError/nameInUse(_:)``.
    /// - Complexity: O(1); the first access to the value folds.
    public func projection<Value: Projection & SendableMetatype>(_ type: Value.Type) throws
        -> LiveProjection<Value>
    {
        try door {
            try projection(ProjectionRules<Value>.untyped)
        }
    }

    /// The projection of these rules.
    func projection<Value>(_ rules: ProjectionRules<Value>) throws -> LiveProjection<Value> {
        guard (1...ProjectionRow.nameLimit).contains(rules.name.utf8.count) else {
            throw ProjectionError.invalidName(rules.name)
        }
        guard let follower = followers.follower(named: rules.name, { ProjectionFollower(rules) }) else {
            throw ProjectionError.nameInUse(rules.name)
        }
        return LiveProjection(self, follower)
    }
}

// MARK: - Reading

extension UntypedStore {
    /// The version up to which a projection is folded.
    struct ProjectionHead {
        var moment: StoreMoment
        var rows: UntypedSnapshot?
    }

    func projectionHead(withRows: Bool) throws -> ProjectionHead {
        try withHead { head in
            // A kept snapshot makes edits copy nodes, so it is taken only if the projection reads rows.
            let moment = StoreMoment(revision: group.revision, version: head.editor.state.version)
            return ProjectionHead(moment: moment, rows: withRows ? try head.snapshot() : nil)
        }
    }

    /// The rows before the first commit, with nodes as wide as the store's.
    var emptyRows: UntypedSnapshot {
        UntypedSnapshot(empty: ListState(NodePool(limits: past.nodes.limits), isTracking: false))
    }

    /// Copies of records from the beginning of a range of versions, at least one: of what is in the file as many as there
    /// are in a run. Nothing is made durable for it, and no transaction stays open.
    func records(_ range: ClosedRange<UInt64>) throws -> RecordRun {
        let durable = group.durableVersion.rawValue
        if range.lowerBound <= durable {
            return try group.records(of: range.lowerBound...min(range.upperBound, durable))
        }
        // From the queue.
        var run = RecordRun(first: Version(range.lowerBound))
        for version in range.lowerBound...min(range.upperBound, range.lowerBound + 1_023) {
            try group.readRecord(of: Version(version)) { run.append($0, eventCount: 0) }
            if run.size > 1 << 20 { break }
        }
        return run
    }
}

// MARK: - The stored states

extension StoreProtocol {
    /// The states of projections that are stored and belong to the log, in the order of their names. Reads every state.
    public func storedProjections() throws -> [StoredProjection] {
        try door {
            try core.projectionNames().compactMap { name in
                try core.storedProjection(name).map { StoredProjection($0, name: name) }
            }
        }
    }
}

extension UntypedStore {
    /// The stored state of a projection; nil if there is none that belongs to the present log.
    func storedProjection(_ name: String) throws -> ProjectionRow? {
        guard let database = checkpointer?.database, let projections = database.projections else { return nil }
        let stored = try database.reading { txn in
            try txn.withValue(forKey: name, in: projections) { $0.flatMap { ProjectionRow($0, name: name) } }
        }
        guard let stored, try hasCommit(stored.version, checksum: stored.checksum) else { return nil }
        return stored
    }

    /// The names of projections with a row, damaged or not, in order.
    func projectionNames() throws -> [String] {
        guard let database = checkpointer?.database, let projections = database.projections else { return [] }
        var names: [String] = []
        try database.reading { txn in
            try txn.forEach(in: projections) { key, _ in
                names.append(String(decoding: key, as: UTF8.self))
                return true
            }
        }
        return names
    }

    /// Whether the commits up to a version are still those of a fold.
    ///
    /// - Parameter checksum: that of the last of them; nil if none was folded since a stored state or the beginning of the log.
    func hasFolded(_ version: Version, _ checksum: UInt64?) throws -> Bool {
        guard let checksum else { return true }
        if version <= group.durableVersion { return try hasCommit(version, checksum: checksum) }
        // In the queue, if it is still there.
        return (try? group.commit(version))?.checksum == checksum
    }

    /// Whether the log has a commit of a version, or begins with it, and its record has a checksum.
    func hasCommit(_ version: Version, checksum: UInt64) throws -> Bool {
        let base = group.log.base
        guard version >= base.version, version <= group.durableVersion else { return false }
        // Compaction has checked the state against the commits that it packed.
        if version > base.version && version <= base.lastPacked { return true }
        return try past.checksum(of: version) == checksum
    }

    /// Stores the state of a projection, after the commits that it is the fold of.
    ///
    /// - Parameter checksum: the checksum of the last of them, if known.
    /// - Returns: whether it is stored. It is not if the log has another commit, or one that others may replace.
    func putProjection(
        _ name: String, rules: Int, version: Version, checksum: UInt64?, beginning: Version, state: [UInt8]
    ) throws -> Bool {
        if options.isReadOnly { throw ListError.readOnly }
        guard let database = checkpointer?.database, let projections = database.projections else { return false }
        guard group.log.confirmed.covers(version) else { return false }
        try group.flush(through: version)
        // A copy of the databases, without the journal, that has the state has its version too.
        try group.store()
        let found = try past.checksum(of: version)
        if let checksum, checksum != found { return false }
        let stored = ProjectionRow(
            rules: rules, version: version, checksum: found, beginning: beginning, state: state)
        let row = stored.bytes(name: name)
        try database.environment.write { txn in
            try row.withUnsafeBytes { try txn.put(bytes: $0, forKey: name, in: projections) }
        }
        return true
    }
}
