// Compaction: drops old history and packs the rest.

import LMDB
import ListModel

/// What a compaction keeps, and how.
public struct Compaction: Sendable {
    /// Which versions to keep.
    public enum Kept: Hashable, Sendable {
        /// All of them.
        case everything
        /// This version and those after it.
        case from(Version)
        /// The version at this time and those after it, by the times of the commits.
        case since(Timestamp)
        /// As many of the newest commits as fit into this many bytes of records.
        case recordBytes(Int)
    }

    /// Which versions to keep. Earlier commits can no longer be undone either; the rows of earlier versions that have names
    /// (``StoreProtocol/namedVersions``) stay. Stored states of projections that are folded up to an earlier version only are dropped.
    public var kept: Kept
    /// Whether the kept commits are packed. A packed commit is read more slowly; a snapshot of its version takes as
    /// long as before.
    public var isPacked = true
    /// How many of the newest commits stay unpacked, so that undoing them is fast.
    public var unpackedCount = 256
    /// The distance of checkpoints, in events. Reaching a version replays at most as many; every checkpoint takes space.
    public var checkpointSpacing = 65_536
    /// Whether the new file is only measured, not put in place of the old one. Another process may have
    /// the store open.
    public var isDryRun = false
    /// The contents to leave out.
    var erased: Erasure?
    /// Whether the names of versions and the states of projections are left out: the file is for another device.
    var isForOthers = false

    /// A compaction that keeps these versions.
    public init(keeping kept: Kept = .everything) {
        self.kept = kept
    }
}

/// The result of a compaction.
public struct CompactionReport: Hashable, Sendable {
    /// The oldest version that can be reached.
    public let oldestVersion: Version
    /// The newest version.
    public let version: Version
    /// How many commits were dropped.
    public let droppedCount: UInt64
    /// How many commits were packed into blocks.
    public let packedCount: UInt64
    /// How many commits were kept as records.
    public let unpackedCount: UInt64
    /// How many events the kept commits have.
    public let eventCount: UInt64
    /// How many bytes the packed blocks have.
    public let blockBytes: Int
    /// The size of the file before, in bytes.
    public let bytesBefore: Int
    /// The size of the file after, in bytes.
    public let bytesAfter: Int

    /// Bytes in the new file for every event that is kept; 0 without events.
    public var bytesPerEvent: Double {
        eventCount == 0 ? 0 : Double(bytesAfter) / Double(eventCount)
    }
}

extension StoreProtocol {
    /// Compacts a store: writes a new file, verifies it, and replaces the old file by it, atomically.
    ///
    /// The newest rows, their content, the state hash of every kept version, and undo within those versions do not
    /// change. Dropped data is not in the new file, not even in free pages.
    ///
    /// ```swift
    /// try ListStore<String, Todo>.compact(at: path, Compaction(keeping: .since(lastMonth)))
    /// ```
    ///
    /// - Parameters:
    ///   - path: a store that no process has open, and of which this process keeps no snapshot.
    ///   - compaction: the versions to keep, and how.
    ///   - options: the capacity of nodes, and the greatest size of the file.
    ///   - progress: called from time to time with the part that is done, 0 to 1.
    /// - Throws: ``ListError/inUse(path:)`` if the store is open, or is just being compacted or repaired;
    ///   ``ListError/notFound(path:)``; ``ListError/notPermitted(path:isReadOnly:)``, also if the file has a second name (a hard link),
    ///   which would keep what is dropped; ``ListError/writtenElsewhere(expected:found:)`` if
    ///   another process wrote to it meanwhile; ``ListError/droppedVersion(_:oldest:)`` and
    ///   ``ListError/unknownVersion(_:head:)`` for a version to keep that is not there; what opening and verifying a
    ///   store throws. The old file is then unchanged.
    /// - Complexity: O(events · log n + rows), twice, because the new file is verified.
    @discardableResult
    public static func compact(
        at path: String, _ compaction: Compaction = Compaction(), options: StoreOptions = StoreOptions(),
        progress: (Double) -> Void = { _ in }
    ) throws -> CompactionReport {
        try door { try UntypedStore.compact(at: path, compaction, options, progress).0 }
    }
}

extension UntypedStore {
    /// Compacts a store, and says what was erased.
    static func compact(
        at path: String, _ compaction: Compaction, _ options: StoreOptions, _ progress: (Double) -> Void
    ) throws -> (CompactionReport, Compactor.Erased?) {
        // The file is replaced, not a symbolic link to it.
        let path = Platform.resolved(path) ?? path
        guard Platform.exists(path) else { throw ListError.notFound(path: path) }
        let diagnostics = Diagnostics(options.label, slowEdit: options.slowEditThreshold)
        let span = diagnostics.begin(.compaction)
        let result = try claiming(path) { try compactClaimed(at: path, compaction, options, progress) }
        diagnostics.end(span, .compacted(result.0))
        diagnostics.wait()
        return result
    }

    /// Runs what writes a file beside a path and then puts it there, while nobody else does that.
    static func claiming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        var isClaimed = false
        do {
            return try DataFile.claiming(path) {
                isClaimed = true
                // Processes that open what is being written may leave one.
                let table = ProcessTable.path(of: DataFile.Scratch.making.path(of: path))
                Platform.remove(table)
                defer { Platform.remove(table) }
                return try body()
            }
        } catch {
            // What the body throws is passed on as it is.
            throw isClaimed ? error : CommitLog.refusal(error, path, isReadOnly: false)
        }
    }

    private static func compactClaimed(
        at path: String, _ compaction: Compaction, _ options: StoreOptions, _ progress: (Double) -> Void
    ) throws -> (CompactionReport, Compactor.Erased?) {
        if !compaction.isDryRun { try checkReplaceable(path) }
        let bytesBefore = Platform.size(path)
        let copy = DataFile.Scratch.made.path(of: path)
        var (compaction, readOptions) = (compaction, options)
        (readOptions.isReadOnly, readOptions.isKnownToOthers) = (true, false)
        let before = FileState(path)
        let written: Compactor.Written
        do {
            let source = try UntypedStore.open(at: path, options: readOptions)
            defer { try? source.close() }
            if let lost = source.recovery.lostVersion, !compaction.isDryRun {
                // The new file would have no journal, from which salvage could save later commits.
                throw ListError.headMismatch(
                    what: "journal", expected: "all commits through version \(lost)",
                    found: "those through version \(try source.version)")
            }
            try source.checkMayReplaceReplica(compaction)
            compaction.kept = .from(try source.beginning(ofKept: compaction.kept, through: source.durableVersion))
            // What is refused keeps its successor. From here on, files are written.
            if !compaction.isDryRun { try removeLeftovers(of: path, isErasing: compaction.erased != nil) }
            var compactor = try Compactor(source, compaction, to: DataFile.Scratch.making.path(of: path), options)
            written = try compactor.run { progress($0 * 0.6) }
            try compactor.finish(copy)
            try source.group.log.copySharing(to: copy, isErased: compaction.erased != nil)
            if compaction.isDryRun {
                return (written.report(bytesBefore: bytesBefore, bytesAfter: Platform.size(copy)), written.erased)
            }
            // A commit may have changed nothing but the journal, which the state of the file does not show where times are coarse.
            guard try source.isNewest() else {
                throw ListError.writtenElsewhere(expected: written.version, found: written.version.next)
            }
        } catch let error as LMDBError {
            if case .alreadyOpen = error.kind { throw ListError.inUse(path: path) }
            throw error
        }
        try written.verify(copy) { progress(0.6 + $0 * 0.4) }
        if compaction.erased != nil { try deleteErasedRows(of: copy, options) }
        try replace(path, with: copy, before, written.version)
        return (written.report(bytesBefore: bytesBefore, bytesAfter: Platform.size(path)), written.erased)
    }

    /// Removes files beside a store that have what is to be dropped or erased: a successor, and what killed processes have left.
    ///
    /// - Throws: ``ListError/notPermitted(path:isReadOnly:)`` if one stays, or if something is to be erased and the folder may not be listed.
    private static func removeLeftovers(of path: String, isErasing: Bool) throws {
        let made = DataFile.Scratch.made.path(of: path)
        for name in [successor(of: path), DataFile.Scratch.making.path(of: path), made] {
            try removeLeftover(name)
        }
        for place in [path, made] { try Salvage.removeParts(for: place, mayMissSome: !isErasing) }
    }

    /// Checks that a file can be replaced, before anything is made that is to take its place.
    ///
    /// - Throws: ``ListError/inUse(path:)``; ``ListError/notPermitted(path:isReadOnly:)`` if the file has a second name, which would
    ///   still lead to the old file, with all that is to go.
    static func checkReplaceable(_ path: String) throws {
        try checkNames(path)
        // Without a lock file, nobody has it open; and none is left beside a file that is no store.
        if Platform.exists(path + "-lock") { _ = try replaceUnused(path, with: path) { false } }
    }

    private static func checkNames(_ path: String) throws {
        if Platform.hasOtherNames(path) { throw ListError.notPermitted(path: path, isReadOnly: false) }
    }

    /// Replaces a file, if nobody has written to it since it was in this state.
    static func replace(_ path: String, with copy: String, _ before: FileState, _ version: Version) throws {
        // A backup may have made a second name while the new file was written.
        try checkNames(path)
        // Others who may use the file may use the new one. If that cannot be done, it is this user's.
        _ = Platform.adoptAttributes(of: path, by: copy)
        let isReplaced = try replaceUnused(path, with: copy) { FileState(path) == before }
        if !isReplaced { throw ListError.writtenElsewhere(expected: version, found: version.next) }
    }

    /// - Parameter isUnchanged: called when nobody has the file open; if it returns false, nothing happens.
    /// - Throws: ``ListError/inUse(path:)``; ``ListError/notPermitted(path:isReadOnly:)``; another error of the system.
    private static func replaceUnused(_ path: String, with copy: String, if isUnchanged: () -> Bool) throws -> Bool {
        do { return try DataFile.replace(path, with: copy, if: isUnchanged) } catch {
            throw CommitLog.refusal(error, path, isReadOnly: false)
        }
    }

    /// Checks that a compaction leaves a replica one.
    ///
    /// - Throws: ``ListError/replica(path:reason:)``; ``ListError/headMismatch(what:expected:found:)`` if the confirmed end is damaged.
    private func checkMayReplaceReplica(_ compaction: Compaction) throws {
        guard let confirmed = group.log.confirmed.end, !compaction.isDryRun else { return }
        if compaction.erased != nil {
            throw ListError.replica(path: path, reason: "the other replicas and the shared log have the contents, too")
        }
        try group.log.checkConfirmedEnd(isWithin: durableVersion)
        let pending = durableVersion.rawValue - confirmed.version.rawValue
        if pending > 0 {
            throw ListError.replica(path: path, reason: "\(pending) commits are not in the shared log yet")
        }
    }

    /// Whether the log still ends where this store left it.
    private func isNewest() throws -> Bool {
        try group.log.readHead().head == group.head
    }
}

extension Diagnostics.Report {
    /// A store was compacted.
    fileprivate static func compacted(_ report: CompactionReport) -> Diagnostics.Report {
        .compacted(
            bytesBefore: report.bytesBefore, bytesAfter: report.bytesAfter, dropped: report.droppedCount,
            packed: report.packedCount)
    }
}
