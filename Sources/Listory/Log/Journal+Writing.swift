// Writes the journal: appends entries, drains them into the database, invalidates what could not be appended.
//
// Always holds: a writer holds the lock of LMDB's write transaction, and has checked under it that the log ends where this
// process left it.

import LMDB
import ListModel

extension Journal {
    /// Appends commits to the log, all of them or none, and returns when they are durable.
    ///
    /// - Returns: the new head.
    /// - Throws: ``StoreError/writtenElsewhere(expected:found:)`` if the log does not end with what this process knows;
    ///   `LMDBError`.
    func append(_ run: RecordRun, _ range: Range<Int>) throws -> LogHead {
        try adoptingMoves { try appendOnce(run, range) }
    }

    /// The known state without the records: a second reference to them would make adding one copy them all.
    private func known() -> State {
        state.withLock { state in
            var known = State(state.head)
            known.stored = state.stored
            (known.end, known.isDirect) = (state.end, state.isDirect)
            (known.last, known.failed) = (state.last, state.failed)
            return known
        }
    }

    private func appendOnce(_ run: RecordRun, _ range: Range<Int>) throws -> LogHead {
        let known = known()
        if let database, !known.isDirect,
            let bytes = JournalEntry.bytes(run, range, after: known.head, atMost: capacity - known.end)
        {
            return try write(bytes, run, range, known, in: database)
        }
        return try store(known, run, range)
    }

    /// Drains the journal. Afterwards this process is the one that appended last.
    ///
    /// - Throws: as ``append(_:_:)``. The commits are as durable as before.
    func store() throws {
        try adoptingMoves {
            let known = known()
            if known.head.version > known.stored.version {
                _ = try store(known, RecordRun(first: known.head.version.next), 0..<0)
            } else if !environment.options.isReadOnly {
                try check(known, environment.beginWrite())
            }
        }
    }

    /// Runs `body`, and once more if it failed because another process has opened the store and drained the journal:
    /// nothing else was written then.
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

    /// Drains the journal, and appends more commits in the same transaction.
    private func store(_ known: State, _ run: RecordRun, _ range: Range<Int>) throws -> LogHead {
        let stored = known.stored
        let records = state.withLock { $0.records }
        let newHead = try environment.write { txn in
            try check(known, txn)
            let head = try rows.append(records, 0..<records.count, after: stored, &txn)
            try clear(known.failed, txn)
            return try rows.append(run, range, after: head, &txn)
        }
        state.withLock { state in
            state = State(newHead)
            state.isDirect = false
        }
        return newHead
    }

    /// Writes commits into the journal.
    private func write(
        _ bytes: [UInt8], _ run: RecordRun, _ range: Range<Int>, _ known: State,
        in database: Database<UInt64, [UInt8]>
    ) throws -> LogHead {
        let end = known.end
        let txn = try environment.beginWrite()
        try check(known, txn)
        do {
            try bytes.withUnsafeBytes { bytes in
                try txn.overwriteInPlace(bytes, at: end, ofValueForKey: Journal.key, in: database)
            }
            try txn.sync()
        } catch {
            state.withLock { state in
                state.isDirect = true
                state.failed = Place(offset: end, checksum: bytes.withUnsafeBytes { JournalEntry.checksum(in: $0) })
            }
            throw error
        }
        return state.withLock { state in
            state.records.append(run, range)
            for index in range {
                run.withRecord(index) {
                    state.head.append($0, version: run.version(index), eventCount: run.eventCount(index))
                }
            }
            state.last = Place(offset: end, checksum: bytes.withUnsafeBytes { JournalEntry.checksum(in: $0) })
            state.end = Journal.next(end + bytes.count)
            return state.head
        }
    }

    /// Checks that the log ends where this process left it. The lock of the transaction keeps it so.
    private func check(_ known: State, _ txn: borrowing WriteTransaction) throws {
        let stored = try rows.readHead(txn)
        guard stored == known.stored else {
            throw StoreError.writtenElsewhere(expected: known.head.version, found: stored.version)
        }
        guard let database else { return }
        try txn.withValue(forKey: Journal.key, in: database) { bytes in
            guard let bytes else { return }
            func entry(_ offset: Int) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: bytes[min(offset, bytes.count)...])
            }
            // Its own last entry is unchanged: no process has drained the journal and started again.
            if let last = known.last {
                let found = entry(last.offset)
                guard found.count >= 8, JournalEntry.checksum(in: found) == last.checksum else {
                    throw StoreError.writtenElsewhere(expected: known.head.version, found: stored.version)
                }
            }
            // No process has appended an entry.
            let following = entry(known.end)
            guard JournalEntry.before(in: following) == known.head, var next = JournalEntry(following) else { return }
            if known.failed == Place(offset: known.end, checksum: next.checksum) {
                // The entry is this process's own and not in the log, unless another process took it for complete and
                // continued after it.
                let behind = entry(Journal.next(known.end + next.size))
                guard let other = JournalEntry(behind), other.before == next.after else { return }
                next = other
            }
            throw StoreError.writtenElsewhere(expected: known.head.version, found: next.after.version)
        }
    }
}

// MARK: - Giving up

extension Journal {
    /// Invalidates what could not be appended: the next opening must not find it.
    func discardFailed() throws {
        guard let failed = state.withLock({ $0.failed }) else { return }
        let txn = try environment.beginWrite()
        try check(known(), txn)
        try clear(failed, txn)
        try txn.sync()
        state.withLock { $0.failed = nil }
    }

    /// Invalidates an entry that is not in the log.
    private func clear(_ failed: Place?, _ txn: borrowing WriteTransaction) throws {
        guard let failed, let database else { return }
        let zeros: (UInt64, UInt64) = (0, 0)
        let isThere = try txn.withValue(forKey: Journal.key, in: database) { bytes in
            guard let bytes, failed.offset + 16 <= bytes.count else { return false }
            let entry = UnsafeRawBufferPointer(rebasing: bytes[failed.offset...])
            // Zeros are written again: after a failed sync, the system can show bytes that the device does not have.
            return JournalEntry.checksum(in: entry) == failed.checksum
                || entry.loadUnaligned(as: (UInt64, UInt64).self) == zeros
        }
        if !isThere { return }
        try withUnsafeBytes(of: zeros) {
            try txn.overwriteInPlace($0, at: failed.offset, ofValueForKey: Journal.key, in: database)
        }
    }

    /// Removes the journal from a copy. Opening the copy for editing makes a new one.
    static func remove(from path: String) throws {
        let environment = try Environment.open(path: path)
        defer { try? environment.close() }
        do {
            let database = try environment.openDatabase(named: LogFormat.journalDatabase, of: UInt64.self, [UInt8].self)
            try environment.write { _ = try $0.delete(Journal.key, in: database) }
        } catch let error as LMDBError {
            // There was none.
            guard error.kind == .engine(.notFound) else { throw error }
        }
    }
}
