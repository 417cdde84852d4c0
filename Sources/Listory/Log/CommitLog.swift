// The event log in LMDB: one record a commit, in the order of versions.
//
// Always holds: the database has the commits from version 1 to that of the head row without a gap, as records or in packed
// blocks; the head row was written in the same transaction as the last of them. Later commits are in the journal. A commit
// that is packed can be rebuilt byte for byte. A record is never rewritten, unless it is a pending one of a replica.

import LMDB
import ListModel

/// The log's file: opening, appending, reading.
struct CommitLog: Sendable {
    let path: String
    let environment: Environment
    /// The checkpoints of a store that was closed while snapshots still read from its file, if this one takes them over.
    let lingering: CheckpointDatabase?
    /// If such a file is only shared for reading. Then it must not be closed.
    let share: FileShare?
    let meta: Database<String, [UInt8]>
    let commits: Database<UInt64, [UInt8]>
    /// The packed and dropped part of the log.
    let packed: PackedLog
    /// The newest commits, which may not be in the databases yet.
    let journal: Journal
    /// How much of the log is in a shared log.
    let confirmed: ConfirmedEnd
    private let journalOptions: JournalOptions
    /// A reader that is this many transactions behind stands still.
    private let maximumReaderLag: Int
    let readAhead = ReadAhead()

    /// Whether the store has to exist.
    enum Mode {
        case create
        case open
        case openOrCreate
    }

    /// Opens the log.
    ///
    /// - Throws: ``ListError`` if the file is missing, there already, foreign or newer; `LMDBError` if it is damaged.
    init(path: String, mode: Mode, options: StoreOptions) throws {
        self.path = path
        let exists = Platform.exists(path)
        if mode == .open && !exists { throw ListError.notFound(path: path) }
        // A process that was killed while it created the store has left no data.
        let isNew = try mode != .open && (!exists || DataFile.isUnfinished(path))
        if mode == .create && !isNew { throw ListError.alreadyExists(path: path) }
        if isNew && options.isReadOnly { throw ListError.readOnly }
        var environmentOptions = Environment.Options()
        environmentOptions.isReadOnly = options.isReadOnly
        environmentOptions.maximumMapSize = options.maximumFileSize
        environmentOptions.mapSize = min(environmentOptions.mapSize, options.maximumFileSize)
        environmentOptions.writerTimeout = options.lockTimeout
        environmentOptions.unloadsPages = options.unloadsPages
        environmentOptions.gate = options.trustsPages ? .off : options.gate == .full ? .full : .quick
        if isNew {
            if exists { try DataFile.resetUnfinished(path) }
            try CommitLog.create(path, mode, environmentOptions, options.identifierKinds)
        }
        if mode == .open && Platform.size(path) == 0 {
            throw ListError.notAStore(path: path, found: "an empty file")
        }
        let (environment, open, share) = try CommitLog.openEnvironment(path, environmentOptions)
        let lingering = share == nil ? open : nil
        (self.environment, self.lingering, self.share) = (environment, lingering, share)
        var isOpen = false
        defer { if !isOpen { lingering?.linger() } }
        // If that fails, opening one of them says why.
        try? environment.openExisting([nil] + LogFormat.databases)
        (meta, commits) = try CommitLog.open(environment, path: path)
        packed = PackedLog(environment: environment, base: try CommitLog.readBase(environment, meta))
        // While a transaction of a reader is open, it could not open a database.
        if options.isReadOnly { _ = try packed.blocks() }
        let rows = LogRows(meta: meta, commits: commits, lastPacked: packed.base.lastPacked)
        let table = try options.isKnownToOthers ? ProcessTable.join(environment, isFollower: options.isFollower) : nil
        // From here on, no other process makes the store a replica.
        confirmed = try ConfirmedEnd(environment, meta: meta, commits: commits)
        journal = try Journal.open(rows, environment, table, options.journal, isSynced: isNew)
        journalOptions = options.journal
        maximumReaderLag = options.maximumReaderLag
        isOpen = true
    }

    /// Closes the file, unless snapshots of a closed store keep it open.
    func giveUp() {
        if let lingering { lingering.linger() } else if share == nil { try? environment.close() }
    }

    /// Whether a reader stands still, so that freed pages cannot be used again. Then only what must be written is written: no
    /// checkpoints in the background, and the journal is drained only when it is full. So the file grows by little more than
    /// what is appended.
    var isHeldBack: Bool {
        do {
            if try environment.readerLag() <= maximumReaderLag { return false }
            // It may be dead.
            try environment.checkReaders()
            return try environment.readerLag() > maximumReaderLag
        } catch { return false }
    }

    /// The beginning of the log.
    var base: LogBase { packed.base }

    private static func readBase(_ environment: Environment, _ meta: Database<String, [UInt8]>) throws -> LogBase {
        guard let row = try environment.read({ try $0.get(LogFormat.baseKey, in: meta) }) else { return LogBase() }
        guard let base = LogBase(bytes: row) else {
            throw ListError.headMismatch(
                what: "base row", expected: "\(LogBase.byteCount) bytes with their checksum", found: "another")
        }
        return base
    }

    private static func openEnvironment(
        _ path: String, _ options: Environment.Options
    ) throws -> (Environment, CheckpointDatabase?, FileShare?) {
        do {
            return (try Environment.open(path: path, options: options), nil, nil)
        } catch {
            if case .alreadyOpen = error.kind, let (open, share) = CheckpointDatabase.lingering(path: path, options) {
                return (open.environment, open, share)
            }
            guard error.kind == .changing else { throw CommitLog.refusal(error, path, isReadOnly: options.isReadOnly) }
        }
        // Another process has the file open and writes: the file is sound enough for that, and the check of a changing
        // file cannot finish.
        var quick = options
        quick.gate = .quick
        return (try Environment.open(path: path, options: quick), nil, nil)
    }

    /// The error of the store for a file that could not be opened, or the error of LMDB if the store has none for it.
    static func refusal(_ error: any Error, _ path: String, isReadOnly: Bool) -> any Error {
        switch (error as? LMDBError)?.kind {
        case .alreadyOpen, .inUse: ListError.inUse(path: path)
        case .writerBusy: ListError.busy(path: path, processes: [])
        case .engine(.accessDenied), .engine(.notPermitted), .engine(.readOnlyFileSystem):
            ListError.notPermitted(path: path, isReadOnly: isReadOnly)
        default: error
        }
    }

    private typealias Databases = (Database<String, [UInt8]>, Database<UInt64, [UInt8]>)

    /// Makes the file a store, atomically.
    private static func create(
        _ path: String, _ mode: Mode, _ options: Environment.Options, _ kinds: IdentifierKinds?
    ) throws {
        // A new file has nothing to check, and another process may be creating it right now.
        var options = options
        options.gate = .off
        let (environment, _, _) = try openEnvironment(path, options)
        // Without this, a power cut could remove the file from its folder, with all commits.
        try environment.syncNewFile()
        try environment.write { txn in
            let meta = try txn.openDatabase(
                named: LogFormat.metaDatabase, of: String.self, [UInt8].self, create: true)
            _ = try txn.openDatabase(named: LogFormat.commitDatabase, of: UInt64.self, [UInt8].self, create: true)
            // Another process may have created the store meanwhile.
            if try txn.contains(LogFormat.formatKey, in: meta) {
                if mode == .openOrCreate { return }
                throw ListError.alreadyExists(path: path)
            }
            try txn.put(LogFormat.formatRow, forKey: LogFormat.formatKey, in: meta)
            try txn.put(LogPosition().bytes, forKey: LogFormat.headKey, in: meta)
            if let kinds { try txn.put(kinds.bytes, forKey: LogFormat.identifierKey, in: meta) }
        }
        try environment.close()
    }

    /// Reads the kinds of ids; nil if an untyped store was made, or the row is damaged.
    func identifierKinds() throws -> IdentifierKinds? {
        try environment.read { try $0.get(LogFormat.identifierKey, in: meta) }.flatMap { IdentifierKinds(bytes: $0) }
    }

    /// Writes the kinds of ids into a store that has none.
    ///
    /// - Parameter isRight: whether the kinds are right; called while no other process writes.
    /// - Returns: whether they are, and were written.
    func put(_ kinds: IdentifierKinds, isRight: () throws -> Bool) throws -> Bool {
        try environment.write { txn in
            guard try isRight() else { return false }
            try txn.put(kinds.bytes, forKey: LogFormat.identifierKey, in: meta)
            return true
        }
    }

    private static func open(_ environment: Environment, path: String) throws -> Databases {
        do {
            let meta = try environment.openDatabase(named: LogFormat.metaDatabase, of: String.self, [UInt8].self)
            let row = try environment.read { try $0.get(LogFormat.formatKey, in: meta) }
            guard let row, let format = LogFormat.format(row) else {
                throw ListError.notAStore(path: path, found: "no format row")
            }
            guard format == LogFormat.version else {
                throw ListError.unknownFormat(path: path, found: format, supported: LogFormat.version)
            }
            let commits = try environment.openDatabase(
                named: LogFormat.commitDatabase, of: UInt64.self, [UInt8].self)
            return (meta, commits)
        } catch let error as LMDBError where error.kind == .engine(.notFound) {
            throw ListError.notAStore(path: path, found: "an LMDB file of something else")
        }
    }
}

// MARK: - Copying

extension CommitLog {
    /// Copies the file without the journal.
    ///
    /// - Throws: `LMDBError`, with `targetExists` if there is such a file, which is not changed. After other errors no
    ///   target is left.
    func copyDatabases(to target: String, progress: @escaping (Double) -> Void) throws {
        // The journal is written over in its place, so what a copy has of it may be of any moment. Opening the copy for editing makes
        // a new one.
        try environment.copy(to: target, emptying: LogFormat.journalDatabase, progress: progress)
        do {
            if confirmed.end != nil { try CommitLog.limitConfirmedEnd(of: target) }
        } catch {
            DataFile.remove(target)
            throw error
        }
    }
}

// MARK: - Writing

extension CommitLog {
    /// Appends commits, all of them or none, and returns when they are durable.
    ///
    /// - Parameters:
    ///   - run: records, some of which follow the head.
    ///   - range: which of them are appended; the first one is that of the version after the head.
    ///   - head: the end of the log as the commits suppose it.
    ///   - written: called before the sync, if the commits go into the journal: no other process can come first any more. If it throws,
    ///     nothing is appended.
    /// - Returns: the new head.
    /// - Throws: ``LostRace`` if another process has appended; `LMDBError`; what `written` throws.
    func append(
        _ run: RecordRun, _ range: Range<Int>, after head: LogPosition, written: () throws -> Void = {}
    ) throws -> LogPosition {
        try journal.append(run, range, after: head, written: written)
    }
}

extension CommitLog {
    /// Adds contents that were written in dropped commits. The value of a lost one is empty, unless the file has it already.
    ///
    /// - Parameter content: returns a content, or nil if it is lost.
    /// - Returns: the references to lost contents.
    func putContents(
        _ references: Set<ContentReference>, _ content: (ContentReference) throws -> [UInt8]?
    ) throws -> Set<ContentReference> {
        let contents = try environment.openDatabase(
            named: LogFormat.contentDatabase, of: [UInt8].self, [UInt8].self, create: true)
        let sorted = references.map { (key: PackedLog.contentKey($0), reference: $0) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var lost: Set<ContentReference> = []
        var part: [(key: [UInt8], content: [UInt8])] = []
        var size = 0
        for (index, entry) in sorted.enumerated() {
            let bytes = try content(entry.reference)
            if bytes == nil { lost.insert(entry.reference) }
            part.append((entry.key, bytes ?? []))
            size += bytes?.count ?? 0
            // A part is in memory, and its pages are as well while it is written.
            guard part.count == 8_192 || size >= 1 << 20 || index == sorted.count - 1 else { continue }
            try environment.write { txn in
                for (key, content) in part where try !content.isEmpty || !txn.contains(key, in: contents) {
                    try txn.put(content, forKey: key, in: contents)
                }
            }
            (part, size) = ([], 0)
        }
        return lost
    }
}

// MARK: - Reading

extension CommitLog {
    /// Reads the head of the log, from the databases and the journal.
    ///
    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if the log does not end with what the head row says, or
    ///   cannot begin with what the base row says.
    func readHead() throws -> Journal.Findings {
        let findings = try journal.read(journalOptions)
        try base.check(findings.head)
        return findings
    }

    /// Calls `body` with the record of a version, or nil if the log has none or it is packed.
    func withRecord<Result>(of version: Version, _ body: (UnsafeRawBufferPointer?) throws -> Result) throws -> Result {
        // A record is in the database before it leaves the journal.
        if let copy = journal.record(of: version) { return try copy.withUnsafeBytes { try body($0) } }
        switch readAhead.way(to: version) {
        case .kept(let records, let index): return try records.withRecord(index) { try body($0) }
        case .following(let isBackwards):
            let generation = readAhead.generation
            let records = try environment.read {
                try readAhead.read(version, isBackwards: isBackwards, $0, commits, generation: generation)
            }
            if let index = records.index(of: version) { return try records.withRecord(index) { try body($0) } }
        case .alone: break
        }
        return try environment.read { txn in
            try txn.withValue(forKey: version.rawValue, in: commits, body)
        }
    }

    /// The commit of a version that is far from those which are read before and after it; nil if its record is not in the database.
    func distantCommit(_ version: Version) throws -> Commit? {
        let record = try environment.read { txn in
            try txn.withDistantValue(forKey: version.rawValue, in: commits) { $0.map { Array($0) } }
        }
        return try record.map { try Commit(record: $0, version: version) }
    }

    /// Copies of records from the beginning of a range of versions.
    ///
    /// - Parameters:
    ///   - count: the most records to copy.
    ///   - size: the bytes after which the copy ends.
    /// - Returns: at least one record; nil if the log has not the first one, or it is packed.
    func copies(
        of range: ClosedRange<UInt64>, atMost count: UInt64 = 1_024, size: Int = 1 << 16
    ) throws -> RecordRun? {
        if let run = journal.records(of: range, atMost: count) { return run }
        // A buffer that grew would copy the records again.
        var run = RecordRun(first: Version(range.lowerBound), reserving: size + size / 8)
        let last = min(range.upperBound, range.lowerBound + count - 1)
        try environment.read { txn in
            try txn.forEach(in: commits, range: range.lowerBound...last) { key, record in
                guard try UInt64.decode(key) == run.version(run.count).rawValue else { return false }
                run.append(record, eventCount: 0)
                return run.size < size
            }
        }
        return run.count > 0 ? run : nil
    }

    /// Calls `body` with the records of a range of versions, in order, inside a read transaction. Not for an app's
    /// closures: they may be slow or read themselves, and so keep the map from growing.
    ///
    /// Reads the range in parts, each in a transaction of its own, because a long transaction makes the file grow.
    ///
    /// - Returns: the version after the last record. It is in the range if the log has not that record, or it is packed.
    /// - Throws: what `body` throws.
    func forEachRecord(
        in range: ClosedRange<UInt64>, partSize: UInt64 = 8_192,
        _ body: (Version, UnsafeRawBufferPointer) throws -> Void
    ) throws -> UInt64 {
        var next = range.lowerBound
        while next <= range.upperBound {
            if let run = journal.records(of: next...range.upperBound) {
                for index in 0..<run.count { try run.withRecord(index) { try body(run.version(index), $0) } }
                next += UInt64(run.count)
                continue
            }
            let last = min(range.upperBound, next + partSize - 1)
            try environment.read { txn in
                try txn.forEach(in: commits, range: next...last) { key, record in
                    guard try UInt64.decode(key) == next else { return false }
                    try body(Version(next), record)
                    next += 1
                    return true
                }
            }
            if next <= last && journal.record(of: Version(next)) == nil { break }
        }
        return next
    }
}

extension ListError {
    /// The log has neither a record nor a block of a commit.
    static func missingCommit(_ version: Version) -> ListError {
        .headMismatch(what: "commit \(version)", expected: "a record", found: "none")
    }
}
