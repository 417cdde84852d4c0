// The history of rows: which commits changed a row, and which ones made it as it is.
//
// Always holds: the index only says in which commits to look; what is returned was read from their events. Only of packed commits
// it says more (`PackedTouches`).

import ListModel

/// What a commit did to a row or a section.
public struct RowChange: Hashable, Sendable {
    /// The commit: its version, name, origin, time and cause.
    public let commit: CommitInfo
    /// What it did.
    public let kinds: ChangeKinds
}

/// The commits that made a row as it is.
public struct RowBlame: Hashable, Sendable {
    /// The commit with which it last came into the list; nil if that was before ``StoreProtocol/oldestVersion``.
    public internal(set) var inserted: CommitInfo?
    /// The last commit since then that changed its content.
    public internal(set) var updated: CommitInfo?
    /// The last commit since then that set or cleared its checkmark.
    public internal(set) var toggled: CommitInfo?
    /// The last commit since then that gave it another depth in an outline, or collapsed or expanded it.
    public internal(set) var outlined: CommitInfo?
    /// The last commit since then that moved it.
    public internal(set) var moved: CommitInfo?
    /// The commit that deleted it; nil if it is in the list or never was.
    public internal(set) var deleted: CommitInfo?
}

extension UntypedStore {
    /// The commits that changed a row, the newest first, also if the row is not in the list any more.
    ///
    /// - Parameters:
    ///   - id: the row.
    ///   - version: only commits before this one; nil for all. The version of the last result continues the list.
    ///   - limit: how many at most.
    /// - Returns: nothing if no row had the id since ``StoreProtocol/oldestVersion``.
    /// - Throws: an error of the log; that of a damaged commit that is not packed only if it has changed the row, or may have. Before
    ///   that version, the list continues.
    /// - Complexity: O(log n + k) for n commits, of which k changed the row, and reading the commits that are returned. The first call also
    ///   reads what is not indexed: the newest commits, at most some hundred KiB; in a compacted store, the commits that were packed, and
    ///   the ids of all rows of ``StoreProtocol/oldestVersion``.
    public func history(
        ofRow id: UntypedID, before version: Version? = nil, limit: Int = .max
    ) throws -> [RowChange] {
        try door { try reading { _ in try changes(of: .row(id), before: version, limit) } }
    }

    /// The commits that changed a section, the newest first: those that inserted, deleted, moved or renamed it.
    ///
    /// - Parameters, Returns, Throws, Complexity: as ``history(ofRow:before:limit:)``.
    public func history(
        ofSection id: UntypedID, before version: Version? = nil, limit: Int = .max
    ) throws -> [RowChange] {
        try door { try reading { _ in try changes(of: .section(id), before: version, limit) } }
    }

    /// The commits that made each of some rows as it is, or as it was at a version.
    ///
    /// - Parameters:
    ///   - ids: the rows. For one that is not in the list any more, the commits before its deletion.
    ///   - version: a version of the past, whose later commits are not looked at; nil for the newest.
    /// - Returns: in the order of the ids.
    /// - Throws: ``ListError/unknownVersion(_:head:)``, ``ListError/droppedVersion(_:oldest:)``, or an error of the log.
    /// - Complexity: as ``history(ofRow:before:limit:)`` for each row, of which at most six commits are read, if no two ids have
    ///   the same hash.
    public func blame(ofRows ids: [UntypedID], at version: Version? = nil) throws -> [RowBlame] {
        try door {
            let newest = try self.version
            if let version, version < oldestVersion { throw ListError.droppedVersion(version, oldest: oldestVersion) }
            if let version, version > newest { throw ListError.unknownVersion(version, head: newest) }
            return try reading { _ in try blame(ids, at: version ?? newest) }
        }
    }
}

// MARK: - Looking

extension UntypedStore {
    private func changes(of subject: RowOrSection, before limit: Version?, _ count: Int) throws -> [RowChange] {
        let newest = try version
        let end = limit.map { min($0, newest.next) } ?? newest.next
        guard end > .empty, let touches = try touches(of: [subject], through: end.previous).first else { return [] }
        let packed = try PackedTouches([subject], [touches], in: self)
        var found: [RowChange] = []
        var rest = touches[...]
        while found.count < count && !rest.isEmpty {
            let part = rest.prefix(min(count - found.count, 1_024))
            rest = rest.dropFirst(part.count)
            // Reading them mostly waits for memory or for the disk.
            found += try part.concurrentMap(partSize: options.unloadsPages ? part.count : 64) { touch in
                if let commit = try packed.commit(of: touch, on: subject, in: self) {
                    return RowChange(commit: commit, kinds: touch.kinds)
                }
                let commit = try self.group.distantCommit(touch.version)
                // There may be another id with this fingerprint.
                let kinds = try commit.changes(of: subject)
                return kinds.isEmpty ? nil : RowChange(commit: CommitInfo(commit), kinds: kinds)
            }.compactMap(\.self)
        }
        return found
    }

    func blame(_ ids: [UntypedID], at version: Version) throws -> [RowBlame] {
        let subjects = ids.map { RowOrSection.row($0) }
        let wanted = WantedSubjects(subjects)
        // Many rows may have come with one commit.
        var known: [Version: (info: CommitInfo, effects: [RowOrSection: RowEffect])] = [:]
        let touches = try touches(of: subjects, through: version)
        let packed = try PackedTouches(subjects, touches, in: self)
        func effect(of touch: Touch, on subject: RowOrSection) throws -> (commit: CommitInfo, RowEffect)? {
            // Whether the row was inserted or deleted last, only the events say.
            if !touch.kinds.isSuperset(of: [.inserted, .deleted]),
                let commit = try packed.commit(of: touch, on: subject, in: self)
            {
                return (commit, RowEffect(kinds: touch.kinds, isDeleted: touch.kinds.contains(.deleted)))
            }
            if known[touch.version] == nil {
                let commit = try group.distantCommit(touch.version)
                known[touch.version] = (CommitInfo(commit), try commit.effects(on: wanted))
            }
            guard let (info, effects) = known[touch.version], let effect = effects[subject] else { return nil }
            return (info, effect)
        }
        return try zip(subjects, touches).map { subject, touches in
            var blame = RowBlame()
            for touch in touches {
                if touch.kinds.isDisjoint(with: blame.open) { continue }
                guard let (info, effect) = try effect(of: touch, on: subject) else { continue }
                if effect.isDeleted { blame.deleted = info }
                if effect.kinds.contains(.inserted) {
                    blame.inserted = info
                    break
                }
                blame.note(info, effect.kinds)
            }
            return blame
        }
    }

    /// The last commit of some that moved a row or a section.
    func lastMove(of subject: RowOrSection, after first: Version, through last: Version) throws -> CommitInfo? {
        let touches = try touches(of: [subject], through: last)
        let packed = try PackedTouches([subject], touches, in: self)
        for touch in touches[0] {
            if touch.version <= first { return nil }
            guard touch.kinds.contains(.moved) else { continue }
            if let commit = try packed.commit(of: touch, on: subject, in: self) { return commit }
            let commit = try group.distantCommit(touch.version)
            if try commit.changes(of: subject).contains(.moved) { return CommitInfo(commit) }
        }
        return nil
    }

    /// The touches of some rows and sections, up to a version; for each the newest first, one for each commit.
    func touches(of subjects: [RowOrSection], through version: Version) throws -> [[Touch]] {
        let fingerprints = subjects.map(\.fingerprint)
        let stored = try checkpointer?.touches.touches(of: fingerprints)
        return try withTails { tails in
            try advanceNewest(&tails, after: stored?.last, through: version)
            try advancePacked(&tails, through: version)
            let newest = tails.newest.touches(of: fingerprints, through: version)
            let oldest = tails.packed.touches(of: fingerprints, through: version)
            return fingerprints.indices.map { index in
                let indexed = (stored?.touches[index] ?? []).filter { $0.version <= version }
                return newest[index] + indexed + oldest[index]
            }
        }
    }

    /// Some of the commits right before a version that deleted rows or changed sections.
    ///
    /// - Parameters:
    ///   - end: a version after ``StoreProtocol/oldestVersion`` and its next one.
    ///   - version: the newest version.
    func landmarks(before end: Version, through version: Version) throws -> Landmarks {
        let stored = try checkpointer?.touches.landmarks(before: end)
        if let found = stored?.found { return found }
        return try withTails { tails in
            if end.previous > lastPacked {
                try advanceNewest(&tails, after: stored?.last, through: version)
                return tails.newest.landmarks(before: end)
            }
            try advancePacked(&tails, through: version)
            return tails.packed.landmarks(before: end)
        }
    }

    /// The last version whose commit may be packed.
    private var lastPacked: Version { max(oldestVersion, group.log.base.lastPacked) }

    /// The rows and sections of the oldest version that have some fingerprints.
    ///
    /// - Complexity: O(log n) for each of them, and taking the snapshot of that version if there is one; O(n log n) the first time, for n
    ///   rows of that version.
    func oldestSubjects(of fingerprints: some Collection<UInt32>) throws -> [RowOrSection] {
        let known = tails.withLock { $0.oldest }
        if let known, !fingerprints.contains(where: known.contains) { return [] }
        let rows = try snapshot(at: oldestVersion)
        let oldest = try known ?? rows.reading { OldestSubjects(rows) }
        let found = try rows.reading { fingerprints.flatMap { oldest.subjects(of: $0, in: rows) } }
        tails.withLock { tails in
            tails.oldest = oldest
            tails.oldestReadCount += found.count + (known == nil ? oldest.count : 0)
        }
        return found
    }

    private func withTails<Result>(_ body: (inout TouchTails) throws -> Result) throws -> Result {
        try tails.withLock { tails in
            let revision = group.revision
            if tails.revision != revision { (tails.newest, tails.revision) = (TouchTail(), revision) }
            return try body(&tails)
        }
    }

    private func advanceNewest(_ tails: inout TouchTails, after indexed: Version?, through version: Version) throws {
        try advance(&tails.newest, after: indexed ?? min(lastPacked, version), through: version)
    }

    private func advancePacked(_ tails: inout TouchTails, through version: Version) throws {
        try advance(&tails.packed, after: oldestVersion, through: min(lastPacked, version))
    }

    private func advance(_ tail: inout TouchTail, after indexed: Version, through version: Version) throws {
        tail.begin(after: indexed)
        while tail.last < version {
            do { try tail.add(records(tail.last.next.rawValue...version.rawValue)) } catch {
                let next = tail.last.next
                // Not of a packed commit: `PackedTouches` believes its touches if its header is sound.
                guard try error.saysDamage && next > group.log.packed.lastPacked() else { throw error }
                // Several records are read at once: it may be another one that is damaged.
                do { try tail.add(records(next.rawValue...next.rawValue)) } catch  where error.saysDamage {
                    tail.addGap()
                }
            }
        }
    }
}

extension RowBlame {
    /// The kinds of changes whose commit is still to be found.
    fileprivate var open: ChangeKinds {
        var open: ChangeKinds = .inserted
        if updated == nil { open.insert(.updated) }
        if toggled == nil { open.insert(.toggled) }
        if outlined == nil { open.insert(.outlined) }
        if moved == nil { open.insert(.moved) }
        if deleted == nil { open.insert(.deleted) }
        return open
    }

    /// Notes an earlier commit than those so far.
    fileprivate mutating func note(_ commit: CommitInfo, _ kinds: ChangeKinds) {
        if updated == nil && kinds.contains(.updated) { updated = commit }
        if toggled == nil && kinds.contains(.toggled) { toggled = commit }
        if outlined == nil && kinds.contains(.outlined) { outlined = commit }
        if moved == nil && kinds.contains(.moved) { moved = commit }
    }
}
