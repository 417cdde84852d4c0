// Checkpoints in the file: nodes by number, a row for each checkpoint, and the superfluous numbers.
//
// Always holds:
// - everything that a row of `checkpoints` and the row of the locators refer to is written before these rows or in the
//   same transaction, so every checkpoint in the file is complete, whenever the process ended;
// - nodes with numbers above the newest checkpoint's last one belong to one that was not finished;
// - the row of superfluous numbers lists nodes that no checkpoint and no locator needs;
// - a process writes only if the checkpoints are as it left them, so no number is given twice, and no node of another
//   process is deleted.

import LMDB
import ListModel

/// The stored nodes and checkpoints of a file.
final class CheckpointDatabase: NodeSource {
    let environment: Environment
    let nodes: Database<UInt64, [UInt8]>
    let checkpoints: Database<UInt64, [UInt8]>
    /// The dead list of each checkpoint: the nodes that the one before has and this one does not have.
    let gone: Database<UInt64, [UInt8]>
    let meta: Database<String, [UInt8]>
    /// The states of projections, by name; nil if there never was one and the file may only be read.
    let projections: Database<String, [UInt8]>?
    /// The other processes; nil if they cannot be told what this one needs.
    let table: ProcessTable?
    /// The version that a process without leases sees.
    private nonisolated(unsafe) var view: PinnedSnapshot?
    private let viewLock = Locked<Void>(())
    private let share: FileShare?
    /// The leases: a checkpoint with a live lease is not dropped.
    let leases = Locked(LeaseTable())
    /// Whether the stored nodes are unusable, until a checkpoint without them is complete.
    let isUnusable = Locked(false)
    /// The state of the checkpoints in the file when this process last read or wrote them.
    let known = Locked(Known())

    /// The state of the checkpoints in the file.
    struct Known: Equatable, Sendable {
        /// How many transactions had written to them.
        var revision: UInt64 = 0
        /// The newest one.
        var newest = Version.empty
    }

    /// The databases of checkpoints. They are created if they are missing and the file may be written; otherwise nil.
    ///
    /// If only some of them are missing, there is damage, and the checkpoints are not used.
    ///
    /// - Parameter share: kept, if the file is also open for snapshots of a closed store.
    init?(
        _ environment: Environment, _ table: ProcessTable?, meta: Database<String, [UInt8]>, share: FileShare? = nil
    ) throws {
        do {
            (nodes, checkpoints, gone) = try CheckpointDatabase.open(environment)
        } catch let error as LMDBError {
            guard error.kind == .engine(.notFound) else { throw error }
            // A store that never had a checkpoint, opened for reading.
            if environment.options.isReadOnly { return nil }
            // Under the lock, so that a database which another process has just made, with a checkpoint in it, does not
            // count as missing.
            (nodes, checkpoints, gone) = try environment.whileNobodyWrites {
                try CheckpointDatabase.create(environment, meta: meta)
            }
        }
        projections = try CheckpointDatabase.openProjections(environment)
        self.environment = environment
        (self.table, self.meta, self.share) = (table, meta, share)
        // Without a process table, the process that edits does not know the leases, and would free their nodes.
        view = table == nil && environment.options.isReadOnly ? try PinnedSnapshot(environment) : nil
    }

    private typealias Rows = Database<UInt64, [UInt8]>

    /// The databases of nodes, checkpoints and dead lists.
    private static func open(_ environment: Environment) throws -> (Rows, Rows, Rows) {
        try eachDatabase { try environment.openDatabase(named: $0, of: UInt64.self, [UInt8].self) }
    }

    private static func eachDatabase<Result>(_ body: (String) throws -> Result) rethrows -> (Result, Result, Result) {
        (try body(LogFormat.nodeDatabase), try body(LogFormat.checkpointDatabase), try body(LogFormat.goneDatabase))
    }

    /// Creates those of the databases that are missing. No other process writes.
    private static func create(
        _ environment: Environment, meta: Database<String, [UInt8]>
    ) throws -> (Rows, Rows, Rows) {
        // Another process may have created them meanwhile.
        do { return try open(environment) } catch let error as LMDBError where error.kind == .engine(.notFound) {}
        return try environment.write { txn in
            let rows = try eachDatabase {
                try txn.openDatabase(named: $0, of: UInt64.self, [UInt8].self, create: true)
            }
            // In the same transaction, so that no process that ends midway leaves checkpoints without their nodes.
            if try txn.count(in: rows.1) > 0 { _ = try txn.delete(LogFormat.locatorKey, in: meta) }
            return rows
        }
    }

    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if only some of the databases are missing, and the others have
    ///   rows.
    static func checkComplete(_ environment: Environment) throws {
        var (missing, hasRows): (String?, Bool) = (nil, false)
        _ = try eachDatabase { name in
            do {
                let database = try environment.openDatabase(named: name, of: UInt64.self, [UInt8].self)
                if try environment.read({ try $0.count(in: database) }) > 0 { hasRows = true }
            } catch let error as LMDBError where error.kind == .engine(.notFound) {
                missing = name
            }
        }
        if let missing, hasRows {
            throw ListError.headMismatch(
                what: "checkpoints", expected: "the database \(missing)", found: "none of that name")
        }
    }

    private static func openProjections(_ environment: Environment) throws -> Database<String, [UInt8]>? {
        do {
            return try environment.openDatabase(
                named: LogFormat.projectionDatabase, of: String.self, [UInt8].self,
                create: !environment.options.isReadOnly)
        } catch let error as LMDBError {
            guard error.kind == .engine(.notFound) else { throw error }
            return nil
        }
    }

    func readNode(_ number: UInt64, _ body: (UnsafeRawBufferPointer?) -> Void) throws {
        try reading { txn in try txn.withNode(number, in: nodes, body) }
    }

    func saysDamage(_ error: any Error) -> Bool { error.saysDamage }

    func scan() -> any NodeSource {
        // A process without leases has one transaction for all reads.
        hasView ? self : NodeScan(environment, nodes)
    }

    /// Whether it reads one version of the file.
    private var hasView: Bool { table == nil && environment.options.isReadOnly }

    /// Reads checkpoints and nodes; a process without leases sees one version of all of them.
    func reading<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        guard hasView else { return try environment.read(body) }
        return try viewLock.withLock { _ in
            // SAFETY: `view` is used only with its lock held.
            guard let view else { throw ListError.closed }
            return try view.read(body)
        }
    }
}

// MARK: - Leases

/// The leases. There are never many.
struct LeaseTable: Sendable {
    private struct Entry: Sendable {
        let version: Version
        weak var lease: CheckpointLease?
    }

    private var entries: [Entry] = []
    /// The oldest checkpoint of which the store may read the locators; nil if there is none.
    var located: Version?

    /// The lease of a checkpoint that has one.
    func existing(_ version: Version) -> CheckpointLease? { entries.first { $0.version == version }?.lease }

    /// The shared lease of a checkpoint.
    mutating func lease(_ version: Version) -> CheckpointLease {
        entries.removeAll { $0.lease == nil }
        if let lease = entries.first(where: { $0.version == version })?.lease { return lease }
        let lease = CheckpointLease()
        entries.append(Entry(version: version, lease: lease))
        return lease
    }

    /// The shared lease of a checkpoint whose rows a head is to continue from. Until it does, the head before it is still there.
    mutating func leaseWithLocators(_ version: Version) -> CheckpointLease {
        located = min(located ?? version, version)
        return lease(version)
    }

    /// The versions of the checkpoints with leases.
    var versions: [Version] {
        // A loop, because the runtime would build the type of a set or a dictionary at every opening; also below.
        var versions: [Version] = []
        for entry in entries where entry.lease != nil { versions.append(entry.version) }
        return versions
    }
}

extension CheckpointDatabase {
    /// The lease of a checkpoint that no other process can drop: it has a lease, or this process has just stored it.
    func lease(_ version: Version) -> CheckpointLease {
        let lease = leases.withLock { $0.lease(version) }
        // If this fails, only later processes with the checkpoint role do not know it.
        try? publishLeases()
        return lease
    }

    /// Runs `body`, which reads checkpoints and begins leases, so that no other process drops these meanwhile.
    func leasing<Result>(_ body: (inout LeaseTable) throws -> Result) throws -> Result {
        guard table != nil else { return try leases.withLock(body) }
        return try environment.whileNobodyWrites {
            let result = try leases.withLock(body)
            try publishLeases()
            return result
        }
    }

    /// The lease of the newest checkpoint, which this process has just stored, for the head. The others hear of it by ``locate(in:)``, when
    /// the head has gone over to it.
    func leaseForHead(_ version: Version) -> CheckpointLease { leases.withLock { $0.leaseWithLocators(version) } }

    /// Tells the other processes which checkpoints this one needs.
    private func publishLeases() throws {
        try table?.setLeases(of: self) {
            leases.withLock { ProcessTable.Needs(versions: $0.versions, located: $0.located) }
        }
    }

    /// From now on, the store reads locators of no other checkpoint than this one. The head that read others is gone.
    func locate(in version: Version?) throws {
        leases.withLock { $0.located = version }
        try publishLeases()
    }

    /// The versions of the checkpoints with leases of this process.
    var versionsInUse: [Version] {
        leases.withLock { $0.versions }
    }
}

// MARK: - Closing

extension CheckpointDatabase {
    /// The files that snapshots of closed stores keep open, by path.
    private static let lingering = Locked<[String: LingeringFile]>([:])

    private struct LingeringFile: Sendable {
        /// Those of the closed stores. Only read-only stores have several for a file.
        let databases: [WeakDatabase]
        /// That of a store which was opened for reading since, until it is closed and its snapshots are gone.
        weak var share: FileShare?
    }

    private struct WeakDatabase: Sendable {
        weak var database: CheckpointDatabase?
    }

    /// Closes the file if there are no leases. Otherwise the file is closed with the last reference to it.
    func close() throws {
        try CheckpointDatabase.lingering.withLock { lingering in
            // Other stores that were opened for reading and closed may share the file.
            let others = (lingering[environment.path]?.databases ?? []).compactMap(\.database)
                .filter { $0 !== self && $0.environment === environment }
            let all = others + [self]
            var unpinned: [CheckpointDatabase] = []
            for database in all where database.versionsInUse.isEmpty {
                if database.viewLock.withLock({ _ in database.view.take() != nil }) { unpinned.append(database) }
                try? table?.setLeases(of: database) { ProcessTable.Needs() }
            }
            if all.allSatisfy(\.versionsInUse.isEmpty) {
                do { try environment.close() } catch {
                    // They stay open.
                    for database in unpinned {
                        database.viewLock.withLock { _ in database.view = try? PinnedSnapshot(environment) }
                    }
                    throw error
                }
                lingering[environment.path] = nil
            } else {
                linger(all, &lingering)
            }
        }
    }

    /// Keeps the file open for the snapshots that keep it open already: the store that was to take it over could not be opened.
    func linger() { CheckpointDatabase.lingering.withLock { linger([self], &$0) } }

    private func linger(_ all: [CheckpointDatabase], _ lingering: inout [String: LingeringFile]) {
        // Others may take checkpoints now. Snapshots read no locators.
        if !environment.options.isReadOnly { table?.giveUpRole() }
        for database in all { try? database.locate(in: nil) }
        lingering = lingering.filter { $0.value.databases.contains { $0.database != nil } }
        lingering[environment.path] = LingeringFile(databases: all.map(WeakDatabase.init))
    }

    /// The databases of a file that snapshots of a closed store keep open, for opening the store again.
    ///
    /// A store for editing takes them over. A read-only store shares only the file: it needs its own view, which shows
    /// newer commits.
    ///
    /// - Returns: for a read-only store, with a share, because no other may share the file as long as it exists; nil if there are none,
    ///   they were opened in another way, or another store shares the file already.
    static func lingering(path: String, _ options: Environment.Options) -> (CheckpointDatabase, FileShare?)? {
        guard let identity = Platform.identity(path) else { return nil }
        return lingering.withLock { lingering in
            let resolved = lingering.first { Platform.identity($0.key) == identity }
            guard let (path, file) = resolved, file.share == nil,
                let database = file.databases.lazy.compactMap(\.database).first
            else { return nil }
            let found = database.environment.options
            guard found.isReadOnly == options.isReadOnly, found.maximumMapSize == options.maximumMapSize else {
                return nil
            }
            guard found.isReadOnly else {
                lingering[path] = nil
                return (database, nil)
            }
            let share = FileShare()
            lingering[path]?.share = share
            return (database, share)
        }
    }
}

/// Exists as long as a read-only store, or a snapshot of it, uses a file that was open for snapshots of a closed store.
final class FileShare: Sendable {}
