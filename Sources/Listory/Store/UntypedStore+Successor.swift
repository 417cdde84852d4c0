// A file beside the store that is to take its place: the same log, with a later beginning. See `Docs/Design/Retention.md`.
//
// Always holds: a successor takes the place only if it has every commit of the log, and is the file that was compared. One that does not
// continue the log is removed. A successor gets checkpoints with the commits that are appended to it, so what the next opening replays is
// bounded.

import LMDB
import ListModel

/// A successor that has every durable commit of its store.
struct Successor: Sendable {
    /// The end of its log.
    let end: LogPosition
    /// Its names of versions.
    let names: [NamedVersion]
    /// How many commits it has dropped.
    let droppedCount: UInt64
    fileprivate var fingerprint: FileFingerprint?
}

extension UntypedStore {
    /// The name of a successor.
    static func successor(of path: String) -> String { path + "-successor" }

    /// Whether there is a successor that this process may put in place.
    var hasSuccessor: Bool {
        // A file with a part of the log that cannot be read any more is kept, so that it can be salvaged.
        !options.isReadOnly && recovery.lostVersion == nil && Platform.exists(UntypedStore.successor(of: filePath))
            && ((try? otherProcesses().isEmpty) ?? false)
    }

    /// Appends the durable commits that the successor does not have, and gives it the names of versions.
    ///
    /// - Returns: nil if there is none that continues this log and has all versions with names, or it cannot be written.
    func catchUpSuccessor() -> Successor? {
        guard hasSuccessor else { return nil }
        return try? orRemovingSuccessor { () -> Successor? in
            var successor = try catchUp()
            successor?.fingerprint = FileFingerprint(UntypedStore.successor(of: filePath))
            return successor
        }
    }

    /// Appends commits to the successor if there is one, so that closing the store has few left to append.
    ///
    /// - Parameters:
    ///   - last: the last of them. In a replica, it is confirmed: pending commits may be replaced, and then the successor is of no use.
    ///   - checkGoesOn: throws if no more should be appended.
    /// - Throws: what `checkGoesOn` throws; an error of this log, or of the system.
    func extendSuccessor(through last: Version, _ checkGoesOn: () throws -> Void) throws {
        guard Platform.exists(UntypedStore.successor(of: filePath)) else { return }
        _ = try orRemovingSuccessor { try extend(through: last, checkGoesOn) }
    }

    /// Calls `body` while nobody else makes a file beside the store, and removes the successor if it returns nil.
    private func orRemovingSuccessor<Result>(_ body: () throws -> Result?) throws -> Result? {
        try UntypedStore.claiming(filePath) {
            let result = try body()
            if result == nil { DataFile.remove(UntypedStore.successor(of: filePath)) }
            return result
        }
    }

    /// - Returns: nil if the successor does not continue this log, is none, or lacks a version that was named later.
    /// - Throws: an error of this log, or of the system.
    private func catchUp() throws -> Successor? {
        let last = durableVersion
        guard let end = try extend(through: last) else { return nil }
        return try withSuccessor { copy -> Successor? in
            let names = try group.log.names().filter { $0.version <= last }
            let database = try CheckpointDatabase(copy.environment, nil, meta: copy.meta)
            // Nothing of a replica is derived from pending commits.
            if let confirmed = group.log.confirmed.end?.version {
                let checkpoint = try database?.newestVersion() ?? .empty
                guard copy.base.version <= confirmed, checkpoint <= confirmed else { return nil }
            }
            for named in names where named.version < copy.base.version {
                if try database?.checkpoint(named.version) == nil { return nil }
            }
            if let database { try copyProjections(to: database, from: copy.base.version, through: last) }
            try copy.replaceNames(with: names)
            try group.log.copySharing(to: copy.environment)
            let droppedCount = UInt64(clamping: oldestVersion.distance(to: copy.base.version))
            return Successor(end: end, names: names, droppedCount: droppedCount, fingerprint: nil)
        }
    }

    /// Appends commits, and takes a checkpoint wherever one is due. Otherwise the next opening would replay all that was appended, and so
    /// would reading old versions for ever.
    ///
    /// - Returns: the end of its log; nil if the successor does not continue this log, or is none.
    private func extend(through last: Version, _ checkGoesOn: () throws -> Void = {}) throws -> LogPosition? {
        let found: (base: Version, end: LogPosition, covered: UInt64)
        do { found = try readSuccessor() } catch  where saysNoSuccessor(error) { return nil }
        guard oldestVersion < found.base, found.end.version <= last,
            try past.checksum(of: found.end.version) == found.end.checksum
        else { return nil }
        let spacing = UInt64(options.checkpoints.spacingAtOnce)
        var (end, covered) = (found.end, found.covered)
        while true {
            if end.eventCount - covered >= spacing {
                // No checkpoint of a replica covers pending commits.
                if group.log.confirmed.covers(end.version) {
                    // Without room for a checkpoint, the next opening replays more. A successor that is complete takes the place all the same.
                    do { try takeCheckpointOfSuccessor() } catch  where saysNoSuccessor(error) { return nil } catch {}
                }
                covered = end.eventCount
            }
            if end.version >= last { return end }
            try checkGoesOn()
            let eventCount = Int(clamping: spacing - (end.eventCount - covered))
            end = try append(after: end, through: last, eventCount: eventCount, base: found.base)
        }
    }

    /// Appends commits until they have so many events, or a megabyte of records.
    private func append(
        after end: LogPosition, through last: Version, eventCount: Int, base: Version
    ) throws -> LogPosition {
        var run = RecordRun(first: end.version.next)
        var (left, checksum) = (eventCount, end.checksum)
        // Contents that the successor has dropped, and that an undo or a restore has brought back since.
        var older: Set<ContentReference> = []
        while left > 0, run.size < 1 << 20, run.version(run.count) <= last {
            let records = try group.records(of: run.version(run.count).rawValue...last.rawValue)
            for index in 0..<records.count where left > 0 {
                // The pending commits of a replica may be replaced between two reads.
                let commit = try Commit(
                    record: records.record(index), version: records.version(index), previousChecksum: checksum)
                checksum = commit.checksum
                records.withRecord(index) { run.append($0, eventCount: commit.eventCount) }
                older.formUnion(try commit.contents(through: base))
                left -= commit.eventCount
            }
        }
        return try withSuccessor { copy in
            // A log takes commits only after its end was read.
            let found = try copy.readHead().head
            guard found == end else { throw LostRace() }
            _ = try copy.putContents(older) { try group.log.packed.isKnownAsLost($0) ? nil : group.content(of: $0) }
            return try copy.append(run, 0..<run.count, after: end)
        }
    }

    /// Takes a checkpoint of the newest version of the successor, which is confirmed if this store is a replica.
    private func takeCheckpointOfSuccessor() throws {
        let path = UntypedStore.successor(of: filePath)
        if group.log.confirmed.end != nil { _ = try CommitLog.confirmAll(of: path) }
        var options = unknownOptions(false)
        (options.checkpoints, options.limits, options.memoryBudget) =
            (self.options.checkpoints, self.options.limits, self.options.memoryBudget)
        // Closing packs nothing, and makes no copy of a file that is one.
        options.unpackedCount = .max
        let store = try UntypedStore.open(at: path, options: options)
        defer { try? store.close() }
        try store.checkpoint()
    }

    /// Where the log of the successor begins and ends, and how many events its newest checkpoint covers.
    private func readSuccessor() throws -> (base: Version, end: LogPosition, covered: UInt64) {
        try withSuccessor { copy in
            let end = try copy.readHead().head
            let database = try CheckpointDatabase(copy.environment, nil, meta: copy.meta)
            let newest = try database.flatMap { try $0.checkpoint($0.newestVersion()) }
            return (copy.base.version, end, min(newest?.eventCount ?? copy.base.eventCount, end.eventCount))
        }
    }

    /// Whether an error says that the successor is damaged, or no store.
    private func saysNoSuccessor(_ error: any Error) -> Bool {
        error.saysDamage || (error as? ListError)?.code == "notAStore"
    }

    /// The oldest version of the successor; nil if there is none.
    var oldestVersionOfSuccessor: Version? {
        guard Platform.exists(UntypedStore.successor(of: filePath)) else { return nil }
        return try? withSuccessor(isReadOnly: true) { $0.base.version }
    }

    /// Opens the log of the successor for `body`.
    private func withSuccessor<Result>(
        isReadOnly: Bool = false, _ body: (CommitLog) throws -> Result
    ) throws -> Result {
        let path = UntypedStore.successor(of: filePath)
        let copy = try CommitLog(path: path, mode: .open, options: unknownOptions(isReadOnly))
        defer { try? copy.environment.close() }
        return try body(copy)
    }

    /// Puts the successor in the place of the file. The store is closed.
    func put(_ successor: Successor) {
        replaceFile(dropping: successor.droppedCount) { path in
            // Whoever writes a successor holds the same claim.
            let name = UntypedStore.successor(of: path)
            guard FileFingerprint(name) == successor.fingerprint else { return nil }
            // A snapshot that is kept may have it open.
            try DataFile.check(path: path)
            let log = try CommitLog(path: path, mode: .open, options: unknownOptions(true))
            defer { try? log.environment.close() }
            return try log.readHead().head == successor.end && log.names() == successor.names ? name : nil
        }
    }

    /// How a file is opened that no other process looks for.
    func unknownOptions(_ isReadOnly: Bool) -> StoreOptions {
        var unknown = StoreOptions()
        (unknown.journal.isUsed, unknown.isKnownToOthers, unknown.isReadOnly) = (false, false, isReadOnly)
        unknown.maximumFileSize = options.maximumFileSize
        return unknown
    }
}
