// The pieces into which damage breaks a log, and the rows with which each of them can begin.
//
// A piece is a run of commits, each linked to the one before. The rows before its first commit are known if it begins
// with version 1, or if there is a checkpoint within it or right before it: from there the commits are taken back to the
// beginning of the piece.
//
// Always holds: the pieces are in the order of their versions and do not overlap.

import ListModel

/// Consecutive commits that can be read.
struct SalvagePiece {
    var units: ArraySlice<SalvageIndex.Unit>

    var first: Version { units[units.startIndex].first }
    var last: Version { units[units.endIndex - 1].last }
    var commitCount: UInt64 { last.rawValue - first.rawValue + 1 }
}

/// The rows before the first commit of a piece.
struct SalvageBeginning: ~Copyable {
    /// The version, and the totals up to it.
    var base: LogBase
    /// The rows; nil for the empty list.
    var rows: UntypedSnapshot?
    var histories: HistoryTable
}

extension SalvageIndex {
    /// The pieces of the log.
    ///
    /// If several commits of one version can be read, as after a write that was not completed, the one that leads
    /// furthest is taken.
    func pieces() -> [SalvagePiece] {
        let units = possibleUnits()
        /// The last version to which each unit leads.
        var reach: [Unit: UInt64] = [:]
        func following(_ unit: Unit) -> Unit? {
            best(units[unit.last.rawValue + 1]?.filter { $0.link == unit.nextLink } ?? [])
        }
        func best(_ units: [Unit]) -> Unit? {
            units.max { (reach[$0] ?? 0, $0.isReached ? 1 : 0) < (reach[$1] ?? 0, $1.isReached ? 1 : 0) }
        }
        let versions = units.keys.sorted()
        for version in versions.reversed() {
            for unit in units[version] ?? [] {
                reach[unit] = following(unit).flatMap { reach[$0] } ?? unit.last.rawValue
            }
        }
        var pieces: [SalvagePiece] = []
        var end: UInt64 = 0
        for version in versions where version > end {
            guard let start = best(units[version] ?? []) else { continue }
            var run = [start]
            while let next = following(run[run.count - 1]) { run.append(next) }
            pieces.append(SalvagePiece(units: run[...]))
            end = run[run.count - 1].last.rawValue
        }
        return pieces
    }

    /// The commits that can be those of the log, by their first version.
    ///
    /// Old pages of a replica may also have pending commits that were replaced since, and that can be read when those in their place are
    /// damaged. Nothing in such a commit says that it was replaced. But the head row tells the checksum of one version, and each commit
    /// that of its own version and, with its link, that of the one before. So going back from the newest commit, most checksums are known,
    /// also of versions whose commits are lost. A commit on an old page that does not fit them was replaced.
    private func possibleUnits() -> [UInt64: [Unit]] {
        /// The lower halves of the checksums, by version.
        var known: [UInt64: UInt32] = [:]
        if let head { known[head.version.rawValue] = UInt32(truncatingIfNeeded: head.checksum) }
        let newestFirst = units.values.joined().sorted {
            ($0.last, $0.isReached ? 1 : 0) > ($1.last, $1.isReached ? 1 : 0)
        }
        for unit in newestFirst where unit.isReached || known[unit.last.rawValue] == unit.nextLink {
            known[unit.last.rawValue] = unit.nextLink
            known[unit.first.rawValue - 1] = unit.link
        }
        func fits(_ link: UInt32, after version: UInt64) -> Bool { known[version].map { $0 == link } ?? true }
        return units.mapValues { units in
            units.filter { unit in
                unit.isReached
                    || fits(unit.nextLink, after: unit.last.rawValue)
                        && fits(unit.link, after: unit.first.rawValue - 1)
            }
        }
    }

    /// The rows with which a piece begins; nil if they are not known.
    func beginning(of piece: SalvagePiece) throws -> SalvageBeginning? {
        let first = piece.units[piece.units.startIndex]
        if first.first.rawValue == 1 && first.link == 0 {
            return SalvageBeginning(base: LogBase(), rows: nil, histories: HistoryTable())
        }
        for checkpoint in checkpoints where checkpoint.version.next >= piece.first && checkpoint.version <= piece.last {
            guard fits(checkpoint, piece), let rows = try rows(of: checkpoint) else { continue }
            return try beginning(of: piece, takingBackFrom: checkpoint, rows)
        }
        return nil
    }

    /// The versions with which the file of a piece begins: that of its beginning, and older ones that have names and can be read.
    ///
    /// - Returns: none if it begins with the empty list.
    func firstVersions(_ beginning: borrowing SalvageBeginning) throws -> [FirstVersion] {
        guard let rows = beginning.rows else { return [] }
        var versions: [FirstVersion] = []
        for checkpoint in checkpoints where checkpoint.version < beginning.base.version {
            guard !names(of: checkpoint.version, checkpoint.stateHash).isEmpty, let rows = try self.rows(of: checkpoint)
            else { continue }
            versions.append(
                FirstVersion(totals: LogBase(checkpoint), rows: rows, histories: checkpoint.histories))
        }
        return versions + [FirstVersion(totals: beginning.base, rows: rows, histories: beginning.histories)]
    }

    /// The names of a version, if it has the rows to which they were given.
    func names(of version: Version, _ hash: StateHash) -> [NamedVersion] {
        (namesByVersion[version] ?? []).filter { $0.stateHash == hash }
    }

    /// The rows of a checkpoint of which nothing is damaged.
    func beginning(at checkpoint: Checkpoint) throws -> SalvageBeginning? {
        guard let rows = try rows(of: checkpoint) else { return nil }
        return SalvageBeginning(base: base(at: checkpoint), rows: rows, histories: checkpoint.histories)
    }

    /// Whether a checkpoint is of a version of a piece.
    private func fits(_ checkpoint: Checkpoint, _ piece: SalvagePiece) -> Bool {
        if checkpoint.version < piece.first {
            return UInt32(truncatingIfNeeded: checkpoint.checksum) == piece.units[piece.units.startIndex].link
        }
        return piece.units.contains { $0.last == checkpoint.version && $0.checksum == checkpoint.checksum }
    }

    /// The rows of a checkpoint; nil if one of its nodes cannot be read.
    private func rows(of checkpoint: Checkpoint) throws -> UntypedSnapshot? {
        let snapshot = checkpoint.snapshot(NodePool(limits: TreeLimits(), source: self))
        var known = NumberSet()
        do { try snapshot.checkNodes(&known) } catch {
            guard error is NodeError || error.saysDamage else { throw error }
            return nil
        }
        return snapshot
    }

    private func base(at checkpoint: Checkpoint) -> LogBase {
        if let base, base.version == checkpoint.version, base.checksum == checkpoint.checksum {
            var base = base
            base.lastPacked = base.version
            return base
        }
        var base = LogBase(checkpoint)
        base.lastPacked = base.version
        return base
    }

    /// Takes commits back from a checkpoint, as far as they are records of the piece.
    private func beginning(
        of piece: SalvagePiece, takingBackFrom checkpoint: Checkpoint, _ rows: UntypedSnapshot
    ) throws -> SalvageBeginning {
        let start = SalvageBeginning(base: base(at: checkpoint), rows: rows, histories: checkpoint.histories)
        let earlier = piece.units.prefix { $0.last <= checkpoint.version }
        if earlier.isEmpty { return start }
        var state = ListState(from: rows)
        var (base, histories) = (start.base, start.histories)
        for unit in earlier.reversed() {
            if unit.isBlock { break }
            let record = try bytes(of: unit)
            do {
                let commit = try Commit(record: record, version: unit.first)
                try record.withUnsafeBytes { record in
                    try state.checkHash(in: record)
                    try state.unreplay(record)
                }
                histories.takeBack(commit)
                base.eventCount -= min(base.eventCount, UInt64(commit.eventCount))
            } catch {
                // The piece then begins with the checkpoint.
                guard error.saysDamage && !error.isOfNewerRelease else { throw error }
                return start
            }
            base.version = Version(unit.first.rawValue - 1)
            // Only this half of the checksum of the commit before is known, and only this half is compared.
            base.checksum = UInt64(unit.link)
            base.recordBytes = 0
            base.lastPacked = base.version
        }
        return SalvageBeginning(base: base, rows: state.snapshot(), histories: histories)
    }
}
