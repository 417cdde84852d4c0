// A file beside the store that is to take its place: the same log, with a later beginning. See `Docs/Design/Retention.md`.
//
// Always holds: a successor takes the place only if it has every commit of the log, and is the file that was compared. One that does not
// continue the log is removed.

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
        let path = UntypedStore.successor(of: filePath)
        return try? UntypedStore.claiming(filePath) {
            guard var successor = try catchUp() else {
                DataFile.remove(path)
                return nil
            }
            successor.fingerprint = FileFingerprint(path)
            return successor
        }
    }

    /// - Returns: nil if the successor does not continue this log, is none, or lacks a version that was named later.
    /// - Throws: an error of this log, or of the system.
    private func catchUp() throws -> Successor? {
        guard let copy = try unlessDamaged({ try openSuccessor() }) else { return nil }
        defer { try? copy.environment.close() }
        let last = durableVersion
        guard var end = try unlessDamaged({ try copy.readHead().head }),
            oldestVersion < copy.base.version, end.version <= last,
            try past.checksum(of: end.version) == end.checksum
        else { return nil }
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
        while end.version < last {
            var run = RecordRun(first: end.version.next)
            // Contents that the successor has dropped, and that an undo or a restore has brought back since.
            var older: Set<ContentReference> = []
            while run.size < 1 << 20, run.version(run.count) <= last {
                let records = try group.records(of: run.version(run.count).rawValue...last.rawValue)
                for index in 0..<records.count {
                    let commit = try Commit(record: records.record(index), version: records.version(index))
                    records.withRecord(index) { run.append($0, eventCount: commit.eventCount) }
                    for event in try commit.events() {
                        event.forEachContent {
                            if $1.version <= copy.base.version && !$1.isErased { older.insert($1) }
                        }
                    }
                }
            }
            _ = try copy.putContents(older) { try group.log.packed.isKnownAsLost($0) ? nil : group.content(of: $0) }
            end = try copy.append(run, 0..<run.count, after: end)
        }
        if let database { try copyProjections(to: database, from: copy.base.version, through: last) }
        try copy.replaceNames(with: names)
        try group.log.copySharing(to: copy.environment)
        let droppedCount = UInt64(clamping: oldestVersion.distance(to: copy.base.version))
        return Successor(end: end, names: names, droppedCount: droppedCount, fingerprint: nil)
    }

    /// What `read` returns; nil if the successor is damaged, or no store.
    private func unlessDamaged<Value>(_ read: () throws -> Value) throws -> Value? {
        do { return try read() } catch {
            guard error.saysDamage || (error as? ListError)?.code == "notAStore" else { throw error }
            return nil
        }
    }

    /// The oldest version of the successor; nil if there is none.
    var oldestVersionOfSuccessor: Version? {
        guard Platform.exists(UntypedStore.successor(of: filePath)), let copy = try? openSuccessor(isReadOnly: true)
        else { return nil }
        defer { try? copy.environment.close() }
        return copy.base.version
    }

    private func openSuccessor(isReadOnly: Bool = false) throws -> CommitLog {
        try CommitLog(path: UntypedStore.successor(of: filePath), mode: .open, options: unknownOptions(isReadOnly))
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
