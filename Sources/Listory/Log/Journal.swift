// The journal of a log: the newest commits, written ahead of the database with one write and one sync.
//
// A transaction of LMDB costs two syncs, one after its pages and one after the meta page, and the pages are scattered
// over the file. So a write group goes into the journal first: a large value whose pages are overwritten in place, entry
// by entry. (Only a replica puts it again, in other pages, when its pending commits are replaced.) It is drained into the
// database, in one transaction, when it is full, when the writers pause, and when the store closes. Opening a store reads
// both. In the file the journal is called `tail`.
//
// Always holds:
// - the log is the database followed by the entries of the journal: the first continues the head of the database, each
//   other the entry before it;
// - an entry is never overwritten before the transaction that drained it is durable; then the next entry is written at
//   the beginning of the journal. No sector with a part of an entry is overwritten either, because entries begin at
//   sectors;
// - a writer holds the lock of LMDB's write transaction, and has checked that the head of the database is unchanged and that
//   no entry follows its own last one: nothing of another process is overwritten;
// - only one thread at a time appends, drains or discards;
// - what other processes are told about the end of the log is durable.

import LMDB
import ListModel

/// The journal of a file, and the commits that are only in it.
package final class Journal: Sendable {
    /// The unit that a power cut leaves whole or untouched, in bytes.
    static let sectorSize = 512
    /// The offset of the first entry: the first sector without data of LMDB.
    static let beginning = sectorSize - JournalOptions.pageHeaderSize
    /// The greatest size of a value that is read, in bytes: eight times what any build has written.
    static let greatestSize = 1 << 20
    /// The key of the value in its database.
    static let key: UInt64 = 0

    /// The position and the checksum of an entry.
    struct Place: Equatable {
        var offset: Int
        var checksum: UInt64
    }

    /// The state of the file as this process knows it.
    struct State {
        /// The head of the database.
        var stored: LogPosition
        /// The head of the log.
        var head: LogPosition
        /// The commits after `stored`.
        var records: RecordRun
        /// The offset of the next entry.
        var end = Journal.beginning
        /// Whether the next write group goes into the database.
        var isDirect = true
        /// An entry that may be in the journal but not in the log, because writing or syncing it failed.
        var failed: Place?

        /// Everything is in the database.
        init(_ head: LogPosition) {
            (stored, self.head) = (head, head)
            records = RecordRun(first: head.version.next)
        }
    }

    let rows: LogRows
    let environment: Environment
    let database: Database<UInt64, [UInt8]>?
    let capacity: Int
    /// The other processes; nil if there can be none.
    let table: ProcessTable?
    /// For a control in tests: whether a writer does not look whether another process has appended.
    let isUnchecked: Bool
    /// For tests: called between reading the journal and reading the database.
    let whenReading: (@Sendable () -> Void)?
    let state = Locked(State(LogPosition()))

    private init(
        _ rows: LogRows, _ environment: Environment, _ table: ProcessTable?, _ database: Database<UInt64, [UInt8]>?,
        _ capacity: Int, _ options: JournalOptions
    ) {
        isUnchecked = options.isUnchecked
        whenReading = options.whenReading
        self.rows = rows
        self.environment = environment
        self.table = table
        self.database = database
        self.capacity = capacity
    }
}

// MARK: - Opening

extension Journal {
    /// What opening found in the journal.
    struct Findings: Sendable {
        /// The head of the log.
        let head: LogPosition
        /// How many commits are only in the journal.
        let commitCount: UInt64
        /// The newest version of an entry that continues neither the database nor another entry.
        let lost: Version?

        fileprivate init(_ state: State, _ lost: Version?) {
            head = state.head
            commitCount = UInt64(state.records.count)
            self.lost = lost
        }
    }

    /// The journal of a file that has one.
    private static func existing(_ environment: Environment) throws -> Database<UInt64, [UInt8]>? {
        do {
            return try environment.openDatabase(named: LogFormat.journalDatabase, of: UInt64.self, [UInt8].self)
        } catch let error as LMDBError {
            guard error.kind == .engine(.notFound) else { throw error }
            // Such a file was never opened for editing.
            try checkNames(environment)
            return nil
        }
    }

    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if a database has a name that the format has not. Damage may
    ///   have renamed the journal, and the newest commits would be missing without a word.
    private static func checkNames(_ environment: Environment) throws {
        let databases = try environment.openDatabase(named: nil, of: String.self, [UInt8].self)
        try environment.read { txn in
            try txn.forEach(in: databases) { key, _ in
                let name = String(decoding: key, as: UTF8.self)
                if LogFormat.databases.contains(name) { return true }
                throw ListError.headMismatch(
                    what: "journal", expected: "the database \(LogFormat.journalDatabase)", found: name)
            }
        }
    }

    /// Calls `body` with the value; nil if there is none yet. The database has no other one.
    ///
    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if the database has a value and it is not found: without that
    ///   check, the commits in the journal would be lost without a word. Or if the value is too large: looking for the end of the
    ///   log takes time in proportion to the square of its size if each sector begins like an entry, and writers wait meanwhile.
    private static func withValue<Result>(
        _ txn: borrowing some Transaction & ~Copyable, _ database: Database<UInt64, [UInt8]>,
        _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) throws -> Result {
        let isThere = try txn.count(in: database) > 0
        return try txn.withValue(forKey: Journal.key, in: database) { bytes in
            guard bytes != nil || !isThere else {
                throw ListError.headMismatch(what: "journal", expected: "its value", found: "none")
            }
            if let bytes, bytes.count > Journal.greatestSize {
                throw ListError.headMismatch(
                    what: "journal", expected: "at most \(Journal.greatestSize) bytes", found: "\(bytes.count)")
            }
            return try body(bytes)
        }
    }

    /// Opens the journal of a file, and creates it if it is missing and the file may be written.
    ///
    /// - Parameter isSynced: whether this process has just created the file, and made its name durable.
    static func open(
        _ rows: LogRows, _ environment: Environment, _ table: ProcessTable?, _ options: JournalOptions,
        isSynced: Bool = false
    ) throws -> Journal {
        let existing = try existing(environment)
        guard !environment.options.isReadOnly && options.isUsed else {
            // An existing journal is read and checked before anything is appended.
            return Journal(rows, environment, table, existing, 0, options)
        }
        // The file may have taken the place of another one in a process that was killed before that was durable. A copy that gives space
        // back has this database, most often without its value, and was synced itself.
        if !isSynced {
            if existing == nil { try environment.syncNewFile() } else { environment.distrustName() }
        }
        let database =
            try existing
            ?? environment.openDatabase(
                named: LogFormat.journalDatabase, of: UInt64.self, [UInt8].self, create: true)
        func size(_ txn: borrowing some Transaction & ~Copyable) throws -> Int {
            try Self.withValue(txn, database) { $0?.count ?? 0 }
        }
        // A value without pages of its own could not be overwritten in place.
        var capacity = try environment.read { try size($0) }
        if capacity < 8_192 - JournalOptions.pageHeaderSize {
            do {
                capacity = try environment.write { txn in
                    let found = try size(txn)
                    if found >= 8_192 - JournalOptions.pageHeaderSize { return found }
                    try txn.put(reserving: options.size, forKey: Journal.key, in: database) { room in
                        _ = room.initializeMemory(as: UInt8.self, repeating: 0)
                    }
                    return options.size
                }
            } catch let failure as LMDBError {
                switch failure.kind {
                case .mapFull, .engine(.quotaExceeded), .engine(.fileTooLarge), .engine(.noSpace): break
                // LMDB takes a write that found room only for a part of the bytes for an error of the device.
                case .engine(.inputOutput): break
                default: throw failure
                }
                // If LMDB could not write its meta page, it refuses to read as well.
                do { _ = try environment.read { try size($0) } } catch { throw failure }
                // Without a journal, each group of commits goes into the database.
                capacity = 0
            }
        }
        return Journal(rows, environment, table, database, capacity, options)
    }

    /// Reads the head of the log, and drains the journal if the file may be written.
    ///
    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if the database does not end with what its head says.
    func read(_ options: JournalOptions) throws -> Findings {
        var (state, lost): (State, Version?)
        if options.isIgnored {
            (state, lost) = (State(try environment.read { try rows.readCheckedHead($0) }), nil)
        } else if !mustWriteAgain, let stored = try readStored(), isSettled() {
            (state, lost) = (State(stored), nil)
        } else if environment.options.isReadOnly {
            (state, lost) = try readCopy()
            // While another process writes, the copy may have an old sector before a newer one.
            for _ in 0..<2 where lost != nil { (state, lost) = try readCopy() }
        } else {
            let early = options.isFoundEarly ? try readCopy() : nil
            options.whenFound?()
            // A killed process, or one whose sync failed, may have left data that is not on the device. A sync now
            // could not tell.
            return try move(early)
        }
        self.state.withLock { [state] in $0 = state }
        return Findings(state, lost)
    }

    /// Whether the end of the log, which a process may have left in the system's cache only, must be written again.
    private var mustWriteAgain: Bool { !environment.options.isReadOnly && table?.followsCrash == true }

    /// Whether no other process can have been about to publish the end of the log that was just read. If it is killed before that, nobody
    /// would tell the others of it.
    private func isSettled() -> Bool { environment.options.isReadOnly || table?.isShared != true }

    /// Reads the head of the log while other processes may write.
    ///
    /// - Parameter end: where to stop; nil for what can be found.
    func readCopy(through end: Version? = nil) throws -> (State, lost: Version?) {
        // The journal first: entries that are drained meanwhile are found in the database and not counted twice.
        // Another process may have made it since this one opened the file for reading.
        let bytes = try (database ?? Self.existing(environment)).flatMap { database in
            try environment.read { try Self.withValue($0, database) { $0.map { Array($0) } } }
        }
        whenReading?()
        var state = State(try environment.read { try rows.readCheckedHead($0) })
        var lost: Version?
        bytes?.withUnsafeBytes { Self.follow($0, through: end, &state, &lost) }
        return (state, lost)
    }

    /// The end of the log, in the databases and the journal.
    func readEnd(_ txn: borrowing WriteTransaction) throws -> (found: State, lost: Version?) {
        var (found, lost) = (State(try rows.readCheckedHead(txn)), nil as Version?)
        if let database {
            try Self.withValue(txn, database) { bytes in
                if let bytes { Self.follow(bytes, &found, &lost) }
            }
        }
        return (found, lost)
    }

    /// Drains the entries of another process, or of one that has ended, and publishes the end of the log.
    ///
    /// Reads and drains them under one lock: an entry that was added in between would be overwritten later.
    ///
    /// - Parameter early: what was read without it, for tests.
    private func move(_ early: (State, lost: Version?)?) throws -> Findings {
        var findings: Findings?
        // A process that was killed may have written entries and not published them: the others do not know them.
        try publishing {
            let (found, lost, isWritten) = try environment.write { txn in
                let (found, lost) = try early ?? readEnd(txn)
                let isWritten = try found.records.count > 0 || mustWriteAgain || !isPublished(found.head)
                if isWritten { _ = try rows.append(found.records, 0..<found.records.count, after: found.stored, &txn) }
                return (found, lost, isWritten)
            }
            findings = Findings(found, lost)
            table?.noteRecovery()
            var new = State(found.head)
            // Without a transaction there is none after which the journal may be overwritten.
            new.isDirect = !isWritten
            return new
        }
        return findings!
    }

    /// Whether other processes have been told of the end of the log, or there are none. The writer's lock is held.
    private func isPublished(_ head: LogPosition) throws -> Bool {
        guard let table, table.isShared else { return true }
        return try table.published().map { $0.head.version >= head.version } ?? false
    }

    /// The head of the log if the journal is certainly empty, as in a file that was closed: then the journal is not
    /// copied, and most of it not read.
    private func readStored() throws -> LogPosition? {
        let stored: LogPosition? = try environment.read { txn in
            let stored = try rows.readCheckedHead(txn)
            guard let database else { return stored }
            let mayReach = try Self.withValue(txn, database) { bytes in
                guard let bytes else { return false }
                whenReading?()
                return stride(from: Self.beginning, to: bytes.count, by: Self.sectorSize).contains { offset in
                    JournalEntry.mayReach(beyond: stored.version, UnsafeRawBufferPointer(rebasing: bytes[offset...]))
                }
            }
            return mayReach ? nil : stored
        }
        // Entries are overwritten only after a drain: without one, each of them was read whole.
        guard let stored, try environment.read({ try rows.readHead($0) }) == stored else { return nil }
        return stored
    }

    /// Follows the entries from the head of the database, to a version or as far as they go.
    static func follow(
        _ bytes: UnsafeRawBufferPointer, through end: Version? = nil, _ state: inout State, _ lost: inout Version?
    ) {
        var offset = beginning
        while offset < bytes.count && end.map({ state.head.version < $0 }) ?? true {
            guard let entry = JournalEntry(UnsafeRawBufferPointer(rebasing: bytes[offset...])) else { break }
            if entry.before == state.head {
                state.records.append(entry.records, 0..<entry.records.count)
                state.head = entry.after
                state.end = next(offset + entry.size)
            } else if state.records.count > 0 || entry.before.version > state.head.version {
                break
            }
            offset = next(offset + entry.size)
        }
        if end != nil { return }
        // Remaining entries are older. A newer one means that an entry between is missing, which no power cut can
        // cause.
        while offset < bytes.count {
            if let entry = JournalEntry(UnsafeRawBufferPointer(rebasing: bytes[offset...])),
                entry.after.version > state.head.version
            {
                lost = max(lost ?? .empty, entry.after.version)
            }
            offset += sectorSize
        }
    }

    /// The first possible offset of an entry at or after an offset.
    static func next(_ offset: Int) -> Int {
        beginning + (offset - beginning + sectorSize - 1) / sectorSize * sectorSize
    }
}

// MARK: - Reading

extension Journal {
    /// The head of the log.
    var head: LogPosition { state.withLock { $0.head } }

    /// The newest version in the database.
    func storedVersion() throws -> Version { try environment.read { try rows.readHead($0) }.version }

    /// Whether there are commits that are only in the journal.
    var isEmpty: Bool { state.withLock { $0.records.count == 0 } }

    /// The record of a version that is only in the journal; nil otherwise.
    func record(of version: Version) -> [UInt8]? {
        state.withLock { state in
            state.records.index(of: version).map { state.records.record($0) }
        }
    }

    /// The records of a range of versions whose first is only in the journal; nil otherwise.
    ///
    /// - Parameter count: the most records to copy.
    func records(of range: ClosedRange<UInt64>, atMost count: UInt64 = .max) -> RecordRun? {
        state.withLock { state in
            guard let first = state.records.index(of: Version(range.lowerBound)) else { return nil }
            let count = min(UInt64(state.records.count - first), count, range.upperBound - range.lowerBound + 1)
            var run = RecordRun(first: Version(range.lowerBound))
            run.append(state.records, first..<first + Int(count))
            return run
        }
    }
}
