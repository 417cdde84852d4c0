// Writes the journal: appends entries, drains them into the database, invalidates what could not be appended.
//
// Always holds: a writer holds the lock of LMDB's write transaction, and has checked under it that the log ends where this
// process left it.

import LMDB
import ListModel

extension Journal {
    /// Appends commits to the log, all of them or none, and returns when they are durable.
    ///
    /// - Parameters:
    ///   - head: the end of the log as the commits suppose it.
    ///   - written: called before the sync, if the commits go into the journal: no other process can come first any more. If it throws,
    ///     nothing is appended.
    /// - Returns: the new head.
    /// - Throws: ``LostRace`` if another process has appended; `LMDBError`; what `written` throws.
    func append(
        _ run: RecordRun, _ range: Range<Int>, after head: LogPosition, written: () throws -> Void
    ) throws -> LogPosition {
        try agreeing(on: head) { try appendOnce(run, range, written) }
    }

    /// The known state without the records: a second reference to them would make adding one copy them all.
    private func known() -> State {
        state.withLock { state in
            var known = State(state.head)
            known.stored = state.stored
            (known.end, known.isDirect) = (state.end, state.isDirect)
            known.failed = state.failed
            return known
        }
    }

    private func appendOnce(_ run: RecordRun, _ range: Range<Int>, _ written: () throws -> Void) throws -> LogPosition {
        let known = known()
        if let database, !known.isDirect,
            let entry = JournalEntry.bytes(run, range, after: known.head, atMost: capacity - known.end),
            let bytes = JournalEntry.sectors(entry, atMost: capacity - known.end)
        {
            return try write(bytes, run, range, known, in: database, written)
        }
        return try store(known, run, range)
    }

    /// Drains the journal. Afterwards this process is the one that appended last.
    ///
    /// - Throws: as ``append(_:_:after:written:)``. The commits are as durable as before.
    func store() throws {
        // What other processes have appended meanwhile is drained as well.
        try agreeing(on: nil) {
            let known = known()
            if known.head.version > known.stored.version {
                _ = try store(known, RecordRun(first: known.head.version.next), 0..<0)
            } else if !environment.options.isReadOnly {
                try check(known, environment.beginWrite())
            }
        }
    }

    /// Runs `body`, and again if another process has drained the journal meanwhile.
    ///
    /// - Parameter head: the end of the log that `body` needs; nil if it needs none.
    private func agreeing<Result>(on head: LogPosition?, _ body: () throws -> Result) throws -> Result {
        for _ in 0..<Self.attemptCount {
            if let head, self.head != head { throw LostRace() }
            do { return try body() } catch is Disagreement { try findEnd() }
        }
        let head = head ?? self.head
        throw ListError.writtenElsewhere(expected: head.version, found: head.version)
    }

    /// How often in a row other processes may drain the journal. Each that opens the store does so once.
    private static let attemptCount = 1_000

    /// The log does not end where this process left it.
    struct Disagreement: Error {}

    /// Finds the end of the log, sees to it that it is durable, and publishes it.
    ///
    /// What a process has left that was killed, or whose sync failed, may be in the system's cache and not on the device. A
    /// sync now could succeed without it, so everything that was not published as durable is written again.
    ///
    /// - Returns: the end of the log.
    /// - Throws: as when a store is opened; `LMDBError`.
    @discardableResult
    func findEnd() throws -> LogPosition {
        let known = known()
        return try publishing {
            var found = try environment.write { txn in
                if try !isContinued(known, txn) { try clear(known.failed, txn) }
                let found = try readEnd(txn).found
                let end = try table?.published()
                if let end, end.head.version >= found.head.version, end.stored >= found.stored.version { return found }
                return State(try rows.append(found.records, 0..<found.records.count, after: found.stored, &txn))
            }
            found.isDirect = false
            return found
        }
    }

    /// Runs `body`, which writes a transaction, and publishes the end of the log that it returns.
    ///
    /// The writer's lock is held throughout: another process could take it in between and be stopped, and the others would
    /// not hear of the commits.
    ///
    /// - Parameter body: returns what is known of the file afterwards. If the next write group must go into the database, there was
    ///   no transaction, and nothing is published: nobody knows whether the database is durable.
    /// - Returns: the end of the log.
    @discardableResult
    func publishing(_ body: () throws -> State) throws -> LogPosition {
        try environment.whileNobodyWrites {
            let new = try body()
            state.withLock { $0 = new }
            if new.isDirect { return new.head }
            publish(ProcessTable.Published(head: new.head, stored: new.stored.version))
            return new.head
        }
    }

    /// Tells the other processes where the log ends; once more if that fails. The commits are in the file, whatever becomes of
    /// the message: the next one says the same. The writer's lock is held.
    private func publish(_ end: ProcessTable.Published) {
        do { try table?.publish(end) } catch { try? table?.publish(end) }
    }

    /// Adopts what other processes have published.
    ///
    /// - Returns: the end of the log.
    /// - Throws: ``ListError/headMismatch(what:expected:found:)`` if that cannot be found; `LMDBError`.
    func refresh() throws -> LogPosition {
        guard let end = try table?.published(), end.head != head else { return head }
        // What was published is older than this log, or commits of a replica were replaced. A process that may write finds out which while
        // nobody else writes (`findEnd`).
        let isReplaced = end.head.version <= head.version
        if isReplaced && !environment.options.isReadOnly { return head }
        // An entry that is drained between the two reads is missing in both.
        for _ in 0..<100 {
            var (found, _) = try readCopy(through: isReplaced ? nil : end.head.version)
            if found.head.version < end.head.version { continue }
            if isReplaced && found.head != end.head { return head }
            if found.head.version > end.head.version && !environment.options.isReadOnly {
                // A transaction whose process has not published it, and may have been killed.
                return try findEnd()
            }
            let before = known()
            // Whether a drain is durable that this process has not seen end.
            found.isDirect = found.stored == before.stored ? before.isDirect : found.stored.version > end.stored
            state.withLock { [found] in $0 = found }
            return found.head
        }
        throw ListError.headMismatch(
            what: "log", expected: "version \(end.head.version)", found: "\(try readCopy().0.head.version)")
    }

    /// Drains the journal, and appends more commits in the same transaction.
    private func store(_ known: State, _ run: RecordRun, _ range: Range<Int>) throws -> LogPosition {
        let records = state.withLock { $0.records }
        return try publishing {
            var new = State(
                try environment.write { txn in
                    try check(known, txn)
                    let head = try rows.append(records, 0..<records.count, after: known.stored, &txn)
                    try clear(known.failed, txn)
                    return try rows.append(run, range, after: head, &txn)
                })
            new.isDirect = false
            return new
        }
    }

    /// Writes commits into the journal.
    private func write(
        _ bytes: [UInt8], _ run: RecordRun, _ range: Range<Int>, _ known: State,
        in database: Database<UInt64, [UInt8]>, _ written: () throws -> Void
    ) throws -> LogPosition {
        let end = known.end
        let txn = try environment.beginWrite()
        try check(known, txn)
        do {
            try bytes.withUnsafeBytes { bytes in
                try txn.overwriteInPlace(bytes, at: end, ofValueForKey: Journal.key, in: database)
            }
            try written()
            try txn.sync()
        } catch {
            state.withLock { state in
                state.isDirect = true
                state.failed = Place(offset: end, checksum: bytes.withUnsafeBytes { JournalEntry.checksum(in: $0) })
            }
            throw error
        }
        let new = state.withLock { state in
            state.records.append(run, range)
            for index in range {
                run.withRecord(index) {
                    state.head.append($0, version: run.version(index), eventCount: run.eventCount(index))
                }
            }
            state.end = Journal.next(end + bytes.count)
            return ProcessTable.Published(head: state.head, stored: state.stored.version)
        }
        publish(new)
        txn.abort()
        return new.head
    }

    /// Checks that the log ends where this process left it. The lock of the transaction keeps it so.
    func check(_ known: State, _ txn: borrowing WriteTransaction) throws {
        if isUnchecked { return }
        let stored = try rows.readHead(txn)
        guard stored == known.stored else { throw Disagreement() }
        guard let database else { return }
        try txn.withValue(forKey: Journal.key, in: database) { bytes in
            guard let bytes else { return }
            // No process has appended an entry. One that had drained the journal would have changed the head row.
            let following = UnsafeRawBufferPointer(rebasing: bytes[min(known.end, bytes.count)...])
            guard JournalEntry.before(in: following) == known.head, let next = JournalEntry(following) else { return }
            // The entry may be this process's own, and not in the log.
            let place = Place(offset: known.end, checksum: next.checksum)
            if try place == known.failed && !isContinued(known, txn) { return }
            throw Disagreement()
        }
    }

    /// Whether another process took an entry for complete that could not be appended.
    private func isContinued(_ known: State, _ txn: borrowing WriteTransaction) throws -> Bool {
        guard let failed = known.failed, let database else { return false }
        if try rows.readHead(txn) != known.stored { return true }
        if let end = try table?.published(), end.head.version > head.version { return true }
        return try txn.withValue(forKey: Journal.key, in: database) { bytes in
            guard let bytes, failed.offset < bytes.count else { return false }
            let entry = JournalEntry(UnsafeRawBufferPointer(rebasing: bytes[failed.offset...]))
            guard let entry, entry.checksum == failed.checksum else { return false }
            let behind = Self.next(failed.offset + entry.size)
            guard behind < bytes.count else { return false }
            return JournalEntry(UnsafeRawBufferPointer(rebasing: bytes[behind...]))?.before == entry.after
        }
    }
}

/// Another process has appended to the log first. The commits have to be made again.
struct LostRace: Error {}

// MARK: - Giving up

extension Journal {
    /// Invalidates what could not be appended: the next opening must not find it.
    func discardFailed() throws {
        let known = known()
        if known.failed == nil { return }
        let txn = try environment.beginWrite()
        if try isContinued(known, txn) {
            throw ListError.writtenElsewhere(expected: known.head.version, found: try rows.readHead(txn).version)
        }
        try clear(known.failed, txn)
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
}
