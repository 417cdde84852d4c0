// The log of a replica: pending commits that are replaced, commits that were set aside, and what makes a file a replica.
//
// Always holds: the commits that replace others, the confirmed end and what was set aside are written in one transaction.

import LMDB
import ListModel

extension CommitLog {
    /// Replaces all commits behind an end, in a replica: see ``Journal/replace(after:with:expecting:_:)``.
    ///
    /// - Parameters:
    ///   - known: the end of the log as the caller knows it.
    ///   - end: the new confirmed end.
    ///   - rebased: what the commits that were behind the earlier end have become.
    ///   - setAside: those of which nothing is left, or not all.
    func replace(
        after earlier: LogPosition, with run: RecordRun, expecting known: LogPosition, confirmed end: LogPosition,
        _ rebased: [RebasedCommit], setAside: [SetAsideCommit]
    ) throws -> LogPosition {
        let head = try journal.replace(after: earlier, with: run, expecting: known) { txn in
            try confirmed.put(end, &txn)
            try moveNames(with: rebased, &txn)
            try confirmed.moveConfirmedOnce(with: rebased, &txn)
            for commit in setAside { try txn.put(commit.bytes, forKey: commit.key, in: meta) }
        }
        readAhead.clear()
        confirmed.adopt(end)
        return head
    }

    /// Whether the database has a commit as a transaction sees it, and other replicas cannot replace it. What this process has read before
    /// may be what another one has replaced.
    func holdsForGood(
        _ version: Version, checksum: UInt64, _ txn: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        guard let end = try ConfirmedEnd.read(txn, meta) else { return true }
        guard end.version >= version else { return false }
        // What is packed was confirmed, and stays.
        return try txn.withValue(forKey: version.rawValue, in: commits) { record in
            record.map { CommitLog.storedChecksum($0) == checksum } ?? true
        }
    }

    /// The commits that were set aside and can be read, in the order in which they were made.
    func setAsideCommits() throws -> [SetAsideCommit] {
        try environment.read { try CommitLog.asideRows($0, meta) }
            .compactMap { aside in try? aside.row.withUnsafeBytes { try SetAsideCommit($0) } }
            .sorted { ($0.commit.time, $0.commit.version) < ($1.commit.time, $1.commit.version) }
    }

    /// How many commits were set aside, damaged or not.
    func setAsideCount() throws -> Int {
        var count = 0
        try environment.read { txn in try CommitLog.forEachAside(txn, meta) { _, _ in count += 1 } }
        return count
    }

    /// The rows of the commits that were set aside, damaged or not.
    private static func asideRows(
        _ txn: borrowing some Transaction & ~Copyable, _ meta: Database<String, [UInt8]>
    ) throws -> [(key: String, row: [UInt8])] {
        var rows: [(key: String, row: [UInt8])] = []
        try forEachAside(txn, meta) { key, row in rows.append((String(decoding: key, as: UTF8.self), Array(row))) }
        return rows
    }

    private static func forEachAside(
        _ txn: borrowing some Transaction & ~Copyable, _ meta: Database<String, [UInt8]>,
        _ body: (_ key: UnsafeRawBufferPointer, _ row: UnsafeRawBufferPointer) -> Void
    ) throws {
        let prefix = LogFormat.setAsidePrefix.utf8
        try txn.forEach(in: meta) { key, row in
            // They stand together, at the beginning: other rows, such as names, may be many.
            guard key.starts(with: prefix) else { return key.lexicographicallyPrecedes(prefix) }
            body(key, row)
            return true
        }
    }

    /// Copies what makes the file a replica, and the commits that were set aside, into another file with the same commits.
    ///
    /// - Parameter isErased: whether contents are erased in it. What was set aside may have them, and a replica is not erased; but what
    ///   was salvaged from one keeps the note that its commits are encrypted.
    func copySharing(to path: String, isErased: Bool = false) throws {
        let rows = try sharingRows().filter { !isErased || $0.key == LogFormat.encryptedKey }
        if rows.isEmpty { return }
        let copy = try CommitLog.openCopy(path)
        defer { try? copy.close() }
        try put(rows, into: copy)
    }

    /// Copies that into a file that is open, in the place of what it has of that.
    func copySharing(to copy: Environment) throws { try put(sharingRows(), into: copy) }

    /// The rows that make the file a replica, and of the commits that were set aside. A damaged one is copied as it is.
    private func sharingRows() throws -> [(key: String, row: [UInt8])] {
        var rows = try environment.read { txn in
            var rows = try CommitLog.asideRows(txn, meta)
            for key in [LogFormat.confirmedOnceKey, LogFormat.encryptedKey] {
                if let row = try txn.get(key, in: meta) { rows.append((key, row)) }
            }
            return rows
        }
        if let end = confirmed.current { rows.append((LogFormat.confirmedKey, end.bytes)) }
        return rows
    }

    /// Checks what makes the file a replica, for verification.
    ///
    /// - Parameter version: the newest version, in the database or in the journal.
    /// - Throws: an error that says what is damaged.
    func checkSharing(through version: Version) throws {
        for aside in try environment.read({ try CommitLog.asideRows($0, meta) }) {
            _ = try aside.row.withUnsafeBytes { try SetAsideCommit($0) }
        }
        try checkConfirmedEnd(isWithin: version)
        guard let end = confirmed.end, end.version > base.version else { return }
        if let checksum = try checksum(of: end.version), checksum != end.checksum {
            throw ListError.headMismatch(
                what: "confirmed end", expected: "the checksum \(checksum) of its commit", found: "\(end.checksum)")
        }
    }

    /// Checks that the confirmed end is not after the newest version: only what is durable is confirmed, and a replica never gets fewer
    /// commits.
    ///
    /// - Throws: ``ListError/headMismatch(what:expected:found:)``.
    func checkConfirmedEnd(isWithin version: Version) throws {
        guard let end = confirmed.end, end.version > version else { return }
        throw ListError.headMismatch(
            what: "confirmed end", expected: "at most version \(version)", found: "version \(end.version)")
    }

    private func put(_ rows: [(key: String, row: [UInt8])], into copy: Environment) throws {
        try CommitLog.writeMeta(of: copy) { txn, meta in
            for (key, _) in try CommitLog.asideRows(txn, meta) { try txn.delete(key, in: meta) }
            for (key, row) in rows { try txn.put(row, forKey: key, in: meta) }
        }
    }

    /// Calls `body` with a transaction of a file, and its database `meta`.
    private static func writeMeta<Result>(
        of environment: Environment,
        _ body: (inout WriteTransaction, Database<String, [UInt8]>) throws -> Result
    ) throws -> Result {
        try environment.write { txn in
            let meta = try txn.openDatabase(
                named: LogFormat.metaDatabase, of: String.self, [UInt8].self, create: false)
            return try body(&txn, meta)
        }
    }

    /// Opens a file that nobody else has open, such as a copy, to change a little in it, however large it is.
    static func openCopy(_ path: String) throws -> Environment {
        var options = Environment.Options()
        options.maximumMapSize = max(options.maximumMapSize, 2 * Platform.size(path))
        return try Environment.open(path: path, options: options)
    }

    /// Makes a file that nobody has open a replica whose commits are all confirmed.
    ///
    /// - Returns: the end of its log.
    static func confirmAll(of path: String) throws -> LogPosition {
        let environment = try CommitLog.openCopy(path)
        defer { try? environment.close() }
        return try writeMeta(of: environment) { txn, meta in
            let head = try LogRows.head(txn, meta)
            try txn.put(head.bytes, forKey: LogFormat.confirmedKey, in: meta)
            return head
        }
    }

    /// Moves the confirmed end of a file without its journal back to its last commit, if the confirmed commits behind that were only in the
    /// journal. They come back from the shared log.
    static func limitConfirmedEnd(of path: String) throws {
        let environment = try CommitLog.openCopy(path)
        defer { try? environment.close() }
        try writeMeta(of: environment) { txn, meta in
            guard let end = try ConfirmedEnd.read(txn, meta) else { return }
            let head = try LogRows.head(txn, meta)
            if end.version > head.version { try txn.put(head.bytes, forKey: LogFormat.confirmedKey, in: meta) }
        }
    }

    /// Notes the kinds of ids in a file that nobody has open.
    static func put(_ kinds: IdentifierKinds, into path: String) throws {
        let environment = try CommitLog.openCopy(path)
        defer { try? environment.close() }
        try writeMeta(of: environment) { txn, meta in
            try txn.put(kinds.bytes, forKey: LogFormat.identifierKey, in: meta)
        }
    }

    /// Whether another process may replace commits while they are read.
    var mayBeReplaced: Bool { confirmed.end != nil && (try? journal.table?.neighbours().isEmpty == false) ?? false }

    /// Forgets records that were read, because another process has replaced some.
    func forgetRecords() { readAhead.clear() }

    /// Whether the commits are encrypted in the shared log.
    var isEncrypted: Bool {
        get throws { try environment.read { try $0.contains(LogFormat.encryptedKey, in: meta) } }
    }

    /// Notes that they are.
    func noteEncrypted() throws {
        try environment.write { try $0.put([1], forKey: LogFormat.encryptedKey, in: meta) }
    }

    /// Forgets a commit that was set aside.
    func forget(_ setAside: SetAsideCommit) throws {
        try environment.write { txn in _ = try txn.delete(setAside.key, in: meta) }
    }
}
