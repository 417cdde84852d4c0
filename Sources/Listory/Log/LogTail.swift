// The tail of a log: the newest commits, written ahead of LMDB with one write and one sync.
//
// A transaction of LMDB costs two syncs, one after its pages and one after the meta page that makes them the newest, and
// the pages are half a dozen all over the file. So a batch of commits goes into the tail first: a large value that is put
// once and then written over where it lies, entry by entry. When it is full, when the writers pause, and when the store is
// closed, what is in it is moved into the database, in one transaction. Opening a store reads both.
//
// Always holds:
// - the log is what the database has, and then the entries of the tail that follow it: the first from the head of the
//   database on, each from the head that the one before it leaves;
// - an entry is never written over before the transaction that moved it is durable: then the next one is written at the
//   beginning of the tail. Nor is a sector that has a part of it, because entries begin with sectors;
// - whoever writes to the tail has the lock of LMDB's write transaction, and found the head of the database and its own
//   last entry where it left them, and no entry behind that: nothing of another process is written over;
// - only one thread at a time appends, moves or discards.

import LMDB
import ListModel

/// The tail of a file, and the commits that only it has.
package final class LogTail: Sendable {
    /// What a power cut leaves whole or untouched.
    static let sectorSize = 512
    /// Where the first entry begins: with the first sector that has nothing of LMDB.
    static let beginning = sectorSize - TailOptions.pageHeaderSize
    /// The key of the value.
    static let key: UInt64 = 0

    /// Where an entry is, and which.
    struct Place: Equatable {
        var offset: Int
        var checksum: UInt64
    }

    /// What this process knows of the file.
    struct State {
        /// What the database ends with.
        var stored: LogHead
        /// What the log ends with.
        var head: LogHead
        /// The commits after `stored`.
        var records: RecordBatch
        /// Where the entry begins that follows these commits, whoever writes it.
        var end = LogTail.beginning
        /// Whether the next batch goes into the database.
        var isDirect = true
        /// The last entry, if it follows `stored`.
        var last: Place?
        /// An entry that may be in the tail and is not in the log, because writing or syncing it failed.
        var failed: Place?

        /// Everything is in the database.
        init(_ head: LogHead) {
            (stored, self.head) = (head, head)
            records = RecordBatch(first: head.version.next)
        }
    }

    private let rows: LogRows
    private let environment: Environment
    private let database: Database<UInt64, [UInt8]>?
    private let capacity: Int
    private let state = Locked(State(LogHead()))

    private init(_ rows: LogRows, _ environment: Environment, _ database: Database<UInt64, [UInt8]>?, _ capacity: Int) {
        self.rows = rows
        self.environment = environment
        self.database = database
        self.capacity = capacity
    }
}

// MARK: - Opening

extension LogTail {
    /// What opening found in the tail.
    struct Findings: Sendable {
        /// What the log ends with.
        let head: LogHead
        /// How many commits only the tail has.
        let commitCount: UInt64
        /// The newest version of an entry that follows neither the database nor another entry.
        let lost: Version?

        fileprivate init(_ state: State, _ lost: Version?) {
            head = state.head
            commitCount = UInt64(state.records.count)
            self.lost = lost
        }
    }

    /// Opens the tail of a file, and makes it if there is none and there may be.
    static func open(_ rows: LogRows, _ environment: Environment, _ options: TailOptions) throws -> LogTail {
        guard !environment.options.isReadOnly && options.isUsed else {
            // One that is there is read, and looked at before something is appended.
            var database: Database<UInt64, [UInt8]>?
            do {
                database = try environment.openDatabase(
                    named: LogFormat.tailDatabase, of: UInt64.self, [UInt8].self)
            } catch let error as LMDBError {
                // Such a file was never opened for editing.
                guard error.kind == .engine(.notFound) else { throw error }
            }
            return LogTail(rows, environment, database, 0)
        }
        let database = try environment.openDatabase(
            named: LogFormat.tailDatabase, of: UInt64.self, [UInt8].self, create: true)
        func size(_ txn: borrowing some Transaction & ~Copyable) throws -> Int {
            try txn.withValue(forKey: LogTail.key, in: database) { $0?.count ?? 0 }
        }
        // One that is too small for pages of its own could not be written over.
        var capacity = try environment.read { try size($0) }
        if capacity < 8_192 - TailOptions.pageHeaderSize {
            capacity = try environment.write { txn in
                let found = try size(txn)
                if found >= 8_192 - TailOptions.pageHeaderSize { return found }
                try txn.put(reserving: options.size, forKey: LogTail.key, in: database) { room in
                    _ = room.initializeMemory(as: UInt8.self, repeating: 0)
                }
                return options.size
            }
        }
        return LogTail(rows, environment, database, capacity)
    }

    /// Reads what the log ends with, and moves what only the tail has into the database, if that may be written.
    ///
    /// - Throws: ``StoreError/headMismatch(what:expected:found:)`` if the database does not end with what its head says.
    func read(_ options: TailOptions) throws -> Findings {
        var (state, lost): (State, Version?)
        if options.isIgnored {
            (state, lost) = (State(try environment.read { try rows.readCheckedHead($0) }), nil)
        } else if let stored = try readStored() {
            (state, lost) = (State(stored), nil)
        } else if environment.options.isReadOnly {
            (state, lost) = try readCopy()
            // While another process writes, the copy may have an old sector before a new one.
            for _ in 0..<2 where lost != nil { (state, lost) = try readCopy() }
        } else {
            let early = options.isFoundEarly ? try readCopy() : nil
            options.whenFound?()
            // A process that was killed, or whose sync failed, may have left what no device has. A sync now would not tell.
            return try move(early)
        }
        self.state.withLock { [state] in $0 = state }
        return Findings(state, lost)
    }

    /// Reads what the log ends with while other processes may write.
    private func readCopy() throws -> (State, lost: Version?) {
        // The tail first: what is moved meanwhile is found in the database, and not counted twice.
        let bytes = try database.flatMap { database in
            try environment.read { try $0.get(LogTail.key, in: database) }
        }
        var state = State(try environment.read { try rows.readCheckedHead($0) })
        var lost: Version?
        bytes?.withUnsafeBytes { Self.follow($0, &state, &lost) }
        return (state, lost)
    }

    /// Moves the entries of another process, or of one that has ended, into the database.
    ///
    /// They are read under the lock under which they are moved: one that was added between would be overwritten later.
    ///
    /// - Parameter early: what was read without it, for tests.
    private func move(_ early: (State, lost: Version?)?) throws -> Findings {
        let (found, lost) = try environment.write { txn in
            var (found, lost) = try early ?? (State(rows.readCheckedHead(txn)), nil)
            if let database, early == nil {
                try txn.withValue(forKey: LogTail.key, in: database) { bytes in
                    if let bytes { Self.follow(bytes, &found, &lost) }
                }
            }
            if found.records.count > 0 {
                _ = try rows.append(found.records, 0..<found.records.count, after: found.stored, &txn)
            }
            return (found, lost)
        }
        state.withLock { state in
            state = State(found.head)
            // Without anything to move, there was no transaction after which the tail may be written over.
            state.isDirect = found.records.count == 0
        }
        return Findings(found, lost)
    }

    /// What the log ends with, if it is plain that only the database says so, as it is in a file that was closed: then the
    /// tail is not copied, and most of it not even looked at.
    private func readStored() throws -> LogHead? {
        let stored: LogHead? = try environment.read { txn in
            let stored = try rows.readCheckedHead(txn)
            guard let database else { return stored }
            let mayReach = try txn.withValue(forKey: LogTail.key, in: database) { bytes in
                guard let bytes else { return false }
                return stride(from: Self.beginning, to: bytes.count, by: Self.sectorSize).contains { offset in
                    TailEntry.mayReach(beyond: stored.version, UnsafeRawBufferPointer(rebasing: bytes[offset...]))
                }
            }
            return mayReach ? nil : stored
        }
        // Entries are written over only after a move: if there was none, each of them was seen whole.
        guard let stored, try environment.read({ try rows.readHead($0) }) == stored else { return nil }
        return stored
    }

    /// Follows the entries from the head of the database on.
    private static func follow(_ bytes: UnsafeRawBufferPointer, _ state: inout State, _ lost: inout Version?) {
        var offset = beginning
        while offset < bytes.count {
            guard let entry = TailEntry(UnsafeRawBufferPointer(rebasing: bytes[offset...])) else { break }
            if entry.before == state.head {
                state.records.append(entry.records, 0..<entry.records.count)
                state.head = entry.after
                state.last = Place(offset: offset, checksum: entry.checksum)
                state.end = next(offset + entry.size)
            } else if state.last != nil || entry.before.version > state.head.version {
                break
            }
            offset = next(offset + entry.size)
        }
        // What is left over is older. If it is newer, something is missing between, which no power cut takes away.
        while offset < bytes.count {
            if let entry = TailEntry(UnsafeRawBufferPointer(rebasing: bytes[offset...])),
                entry.after.version > state.head.version
            {
                lost = max(lost ?? .empty, entry.after.version)
            }
            offset += sectorSize
        }
    }

    /// Where an entry can begin, at or after an offset.
    private static func next(_ offset: Int) -> Int {
        beginning + (offset - beginning + sectorSize - 1) / sectorSize * sectorSize
    }
}

// MARK: - Reading

extension LogTail {
    /// What the log ends with.
    var head: LogHead { state.withLock { $0.head } }

    /// The newest version in the database, whoever wrote it.
    func storedVersion() throws -> Version { try environment.read { try rows.readHead($0) }.version }

    /// Whether there are commits that only the tail has.
    var isEmpty: Bool { state.withLock { $0.records.count == 0 } }

    /// The record of a version that only the tail has; nil if the database has it, or there is none.
    func record(of version: Version) -> [UInt8]? {
        state.withLock { state in
            state.records.index(of: version).map { index in state.records.withRecord(index) { Array($0) } }
        }
    }

    /// The records of a range of versions that begins with one that only the tail has; nil if the database has it.
    func records(of range: ClosedRange<UInt64>) -> RecordBatch? {
        state.withLock { state in
            guard let first = state.records.index(of: Version(range.lowerBound)) else { return nil }
            let count = min(UInt64(state.records.count - first), range.upperBound - range.lowerBound + 1)
            var batch = RecordBatch(first: Version(range.lowerBound))
            for index in first..<first + Int(count) {
                state.records.withRecord(index) { batch.append($0, eventCount: state.records.eventCount(index)) }
            }
            return batch
        }
    }
}

// MARK: - Writing

extension LogTail {
    /// Appends commits to the log, all of them or none, and returns when they are durable.
    ///
    /// - Returns: what the log ends with now.
    /// - Throws: ``StoreError/writtenElsewhere(expected:found:)`` if the log does not end with what this process knows;
    ///   `LMDBError`.
    func append(_ batch: RecordBatch, _ range: Range<Int>) throws -> LogHead {
        try adoptingMoves { try appendOnce(batch, range) }
    }

    /// What this process knows, but for the records: with a second reference to those, adding one would copy them all.
    private func known() -> State {
        state.withLock { state in
            var known = State(state.head)
            known.stored = state.stored
            (known.end, known.isDirect) = (state.end, state.isDirect)
            (known.last, known.failed) = (state.last, state.failed)
            return known
        }
    }

    private func appendOnce(_ batch: RecordBatch, _ range: Range<Int>) throws -> LogHead {
        let known = known()
        if let database, !known.isDirect,
            let bytes = TailEntry.bytes(batch, range, after: known.head, atMost: capacity - known.end)
        {
            return try write(bytes, batch, range, known, in: database)
        }
        return try store(known, batch, range)
    }

    /// Moves everything into the database, after which this process is the one that appended last.
    ///
    /// - Throws: as ``append(_:_:)``. The commits are as durable as before.
    func store() throws {
        try adoptingMoves {
            let known = known()
            if known.head.version > known.stored.version {
                _ = try store(known, RecordBatch(first: known.head.version.next), 0..<0)
            } else if !environment.options.isReadOnly {
                try check(known, environment.beginWrite())
            }
        }
    }

    /// Runs `body`, and once more if it failed because another process has opened the store and moved the entries of the
    /// tail into the database: nothing else was written then.
    private func adoptingMoves<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as StoreError {
            guard case .writtenElsewhere = error else { throw error }
            let stored = try environment.read { try rows.readHead($0) }
            let isMoved = state.withLock { state in
                guard state.records.count > 0, stored == state.head else { return false }
                let failed = state.failed
                state = State(stored)
                state.failed = failed
                return true
            }
            guard isMoved else { throw error }
            return try body()
        }
    }

    /// Moves everything into the database, and some more commits behind it.
    private func store(_ known: State, _ batch: RecordBatch, _ range: Range<Int>) throws -> LogHead {
        let stored = known.stored
        let records = state.withLock { $0.records }
        let newHead = try environment.write { txn in
            try check(known, txn)
            let head = try rows.append(records, 0..<records.count, after: stored, &txn)
            try clear(known.failed, txn)
            return try rows.append(batch, range, after: head, &txn)
        }
        state.withLock { state in
            state = State(newHead)
            state.isDirect = false
        }
        return newHead
    }

    /// Writes commits into the tail.
    private func write(
        _ bytes: [UInt8], _ batch: RecordBatch, _ range: Range<Int>, _ known: State,
        in database: Database<UInt64, [UInt8]>
    ) throws -> LogHead {
        let end = known.end
        let txn = try environment.beginWrite()
        try check(known, txn)
        do {
            try bytes.withUnsafeBytes { bytes in
                try txn.overwriteInPlace(bytes, at: end, ofValueForKey: LogTail.key, in: database)
            }
            try txn.sync()
        } catch {
            state.withLock { state in
                state.isDirect = true
                state.failed = Place(offset: end, checksum: bytes.withUnsafeBytes { TailEntry.checksum(in: $0) })
            }
            throw error
        }
        return state.withLock { state in
            state.records.append(batch, range)
            for index in range {
                batch.withRecord(index) {
                    state.head.append($0, version: batch.version(index), eventCount: batch.eventCount(index))
                }
            }
            state.last = Place(offset: end, checksum: bytes.withUnsafeBytes { TailEntry.checksum(in: $0) })
            state.end = LogTail.next(end + bytes.count)
            return state.head
        }
    }

    /// Checks that the log ends with what this process knows. The lock of the transaction keeps it so.
    private func check(_ known: State, _ txn: borrowing WriteTransaction) throws {
        let stored = try rows.readHead(txn)
        guard stored == known.stored else {
            throw StoreError.writtenElsewhere(expected: known.head.version, found: stored.version)
        }
        guard let database else { return }
        try txn.withValue(forKey: LogTail.key, in: database) { bytes in
            guard let bytes else { return }
            func entry(_ offset: Int) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: bytes[min(offset, bytes.count)...])
            }
            // Its own last entry is where it was: nobody has moved it and begun anew.
            if let last = known.last {
                let found = entry(last.offset)
                guard found.count >= 8, TailEntry.checksum(in: found) == last.checksum else {
                    throw StoreError.writtenElsewhere(expected: known.head.version, found: stored.version)
                }
            }
            // And nobody has added one behind it.
            let following = entry(known.end)
            guard TailEntry.before(in: following) == known.head, var next = TailEntry(following) else { return }
            if known.failed == Place(offset: known.end, checksum: next.checksum) {
                // Its own, which is not in the log; unless somebody took it for whole and went on behind it.
                let behind = entry(LogTail.next(known.end + next.size))
                guard let other = TailEntry(behind), other.before == next.after else { return }
                next = other
            }
            throw StoreError.writtenElsewhere(expected: known.head.version, found: next.after.version)
        }
    }
}

// MARK: - Giving up

extension LogTail {
    /// Takes back what could not be appended: it must not be found when the file is opened again.
    func discardFailed() throws {
        guard let failed = state.withLock({ $0.failed }) else { return }
        let txn = try environment.beginWrite()
        try check(known(), txn)
        try clear(failed, txn)
        try txn.sync()
        state.withLock { $0.failed = nil }
    }

    /// Makes an entry that is not in the log one that nobody takes for whole.
    private func clear(_ failed: Place?, _ txn: borrowing WriteTransaction) throws {
        guard let failed, let database else { return }
        let isThere = try txn.withValue(forKey: LogTail.key, in: database) { bytes in
            guard let bytes, failed.offset + 8 <= bytes.count else { return false }
            return TailEntry.checksum(in: UnsafeRawBufferPointer(rebasing: bytes[failed.offset...])) == failed.checksum
        }
        if !isThere { return }
        let zeros: (UInt64, UInt64) = (0, 0)
        try withUnsafeBytes(of: zeros) {
            try txn.overwriteInPlace($0, at: failed.offset, ofValueForKey: LogTail.key, in: database)
        }
    }
}
