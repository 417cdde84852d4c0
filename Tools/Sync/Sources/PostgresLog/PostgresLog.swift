// The shared log of a list in PostgreSQL.
//
// libpq blocks, so the actor runs on a dispatch queue of its own. No function of it waits for another task, except for the offer of a
// snapshot, which has a connection of its own. So one call is finished before the next one begins.
//
// Always holds: after a failure of which it is unknown what the server did, the connection is not used again.

import SharedLog

/// The shared log of one list, kept by PostgreSQL.
///
/// The address is one of libpq: `postgresql://user:password@host1:5432,host2:5432/database?sslrootcert=/path/to/ca.pem`. Of several
/// hosts the one that can be written to is used. The tables are created when they are missing.
///
/// Unless all hosts are this machine, `sslmode` is `verify-full` if the address has none. Then libpq needs the certificates to trust, in
/// the file that `sslrootcert` names, or in `~/.postgresql/root.crt`; from version 16 on, `sslrootcert=system` means those of the system.
public actor PostgresLog: SharedLog {
    public struct Options: Sendable {
        /// How long to wait for each address of each host to accept a connection: at least two seconds, in whole ones.
        public var connectTimeout: Duration = .seconds(3)
        /// How long to wait for the answer to a statement, or for more of it.
        public var timeout: Duration = .seconds(30)
        /// How often to look whether the log has grown, in case a notification was lost, or the server has none.
        public var pause: Duration = .seconds(5)
        /// The largest entry that is written or read, with its header. PostgreSQL itself takes nearly 1 GiB.
        public var maximumEntryBytes = 256 << 20
        /// Whether the tables and the list are created when they are missing.
        public var createsList = true
        /// The largest snapshot that is written or read.
        package var maximumSnapshotBytes = LogSnapshot.maximumBytes
        /// About how many bytes of entries go into one statement.
        var statementBytes = 16 << 20

        public init() {}
    }

    private let executor = ConnectionExecutor(label: "listory.postgres")
    private let address: PostgresAddress
    private let list: String
    private let options: Options
    private let broadcast = ChangeBroadcast()
    private let ahead: PostgresReadAhead
    private let listener: PostgresListener
    private var connection: (handle: PostgresConnection, list: Int64)?
    private var pause = GrowingPause()
    private var lastError: SharedLogError?
    private var isClosed = false
    /// Whether the server knows notifications.
    private var notifies = true
    /// How many rows to read at once, which follows the size of the entries.
    private var rows = 256

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Connects when it is first used.
    public init(url: String, list: String, options: Options = Options()) throws {
        guard !list.isEmpty, !list.utf8.contains(0) else {
            throw SharedLogError.invalidAddress(
                reason: "the name of a list has at least one character, and no zero byte")
        }
        self.init(try PostgresAddress(url, connectTimeout: options.connectTimeout), list: list, options: options)
    }

    private init(_ address: PostgresAddress, list: String, options: Options) {
        self.address = address
        self.list = list
        self.options = options
        ahead = PostgresReadAhead()
        listener = PostgresListener(address, list: list, options: options, broadcast: broadcast, ahead: ahead)
    }

    // MARK: SharedLog

    public func end() throws -> LogPosition {
        try read { connection, list in try self.end(of: list, on: connection) }
    }

    public func append(_ entries: [LogEntry], after position: LogPosition) throws -> AppendResult {
        let end = try LogChain.verify(entries, after: position)
        if let large = entries.first(where: { $0.encodedCount > options.maximumEntryBytes }) {
            throw SharedLogError.tooLarge(
                number: large.number, bytes: large.encodedCount, limit: options.maximumEntryBytes)
        }
        if entries.isEmpty {
            let found = try self.end()
            return found == position ? .appended : .behind(end: found)
        }
        return try perform { connection, list in
            _ = connection.takeWarning()
            let isAppended = try append(entries, from: position, to: end, list: list, on: connection)
            if isAppended {
                // An administrator may have ended the wait for the standby: then the answer is success with a warning.
                if let warning = connection.takeWarning() { throw SharedLogError.unavailable(cause: warning) }
                ahead.noteEnd(end.number)
                return .appended
            }
            let found = try self.end(of: list, on: connection)
            guard found != position else {
                throw SharedLogError.unavailable(cause: "the log changes while it is read")
            }
            return .behind(end: found)
        }
    }

    /// What the listener has read is returned on the caller's executor.
    public nonisolated(nonsending) func entries(after number: UInt64, maximumBytes: Int) async throws -> [LogEntry] {
        if let entries = ahead.take(after: number, maximumBytes: maximumBytes) { return entries }
        return try await read(after: number, maximumBytes: maximumBytes)
    }

    public nonisolated func mayHaveMore(after number: UInt64) -> Bool { ahead.mayHaveMore(after: number) }

    private func read(after number: UInt64, maximumBytes: Int) throws -> [LogEntry] {
        guard number < LogPosition.maximumNumber else { return [] }
        return try read { connection, list in
            var result: [LogEntry] = []
            var bytes = 0
            // Rows are read until the bytes are used up or there are no more.
            while true {
                let next = number + UInt64(result.count)
                let limit = rows
                let found = try connection.entries(
                    after: next, limit: limit, bytes: maximumBytes - bytes, largest: options.maximumEntryBytes,
                    list: list
                ).entries
                // The first row comes also if it is too large, which is right for the first of all only.
                if !result.isEmpty, let first = found.first, bytes + first.encodedCount > maximumBytes { break }
                result.append(contentsOf: found)
                let added = found.reduce(0) { $0 + $1.encodedCount }
                bytes += added
                if !found.isEmpty {
                    let average = max(1, added / found.count)
                    rows = min(65_536, max(16, maximumBytes / average + 1))
                }
                if found.count < limit || bytes >= maximumBytes { break }
            }
            try LogChain.verify(result, afterNumber: number)
            if result.isEmpty {
                try self.checkGap(after: number, list: list, on: connection)
                ahead.noteEnd(number)
            }
            return result
        }
    }

    public nonisolated func changes() -> AsyncStream<Void> {
        let stream = broadcast.stream()
        listener.start()
        return stream
    }

    public func snapshot() throws -> LogSnapshot? {
        try read { connection, list in
            try PostgresSnapshots.read(list, largest: options.maximumSnapshotBytes, on: connection)
        }
    }

    public func snapshotPosition() throws -> LogPosition? {
        try read { connection, list in try PostgresSnapshots.position(list, on: connection) }
    }

    /// On a slow line, this takes minutes. So it has a connection of its own, and commits are exchanged meanwhile.
    public func offer(_ snapshot: LogSnapshot) async throws {
        guard !isClosed else { throw SharedLogError.closed }
        try snapshot.checkSize(limit: options.maximumSnapshotBytes)
        try await PostgresLog(address, list: list, options: options).write(snapshot)
    }

    private func write(_ snapshot: LogSnapshot) throws {
        try perform { connection, list in
            try PostgresSnapshots.write(snapshot, list: list, on: connection)
        }
    }

    public func close() {
        isClosed = true
        connection = nil
        ahead.noteEnd(nil)
        listener.stop()
        broadcast.finish()
    }

    // MARK: Statements

    private func end(of list: Int64, on connection: PostgresConnection) throws -> LogPosition {
        guard let rows = try connection.run(PostgresSchema.end, [.integer(list)]), rows.count > 0 else {
            // Somebody has removed the list; it is looked for again the next time.
            self.connection = nil
            throw options.createsList
                ? SharedLogError.unavailable(cause: "the list was removed, and is made again")
                : SharedLogError.notFound(list: self.list)
        }
        guard let number = rows.integer(0, 0), let checksum = rows.integer(0, 1), number >= 0 else {
            throw SharedLogError.damaged(.end, expected: "a number and a checksum", found: "something else")
        }
        let end = try LogChain.checked(
            LogPosition(number: UInt64(number), checksum: UInt64(bitPattern: checksum)))
        if end == .beginning { return end }
        guard !rows.isNull(0, 2) else {
            throw SharedLogError.damaged(.end, expected: "entry \(number)", found: "no such entry")
        }
        let header = try LogEntry.Header(rows.bytes(0, 2), number: end.number)
        guard header.checksum == end.checksum else {
            throw SharedLogError.damaged(
                .end, expected: "the checksum of the last entry, \(hexadecimal(header.checksum))",
                found: hexadecimal(end.checksum))
        }
        return end
    }

    /// Whether the entries were appended: all of them, or none.
    private func append(
        _ entries: [LogEntry], from position: LogPosition, to end: LogPosition, list: Int64,
        on connection: PostgresConnection
    ) throws -> Bool {
        let parts = PostgresArray.cut(entries, bytes: options.statementBytes)
        do {
            if parts.count == 1 {
                return try move(from: position, to: end, adding: entries[...], list: list, on: connection)
            }
            try connection.run("BEGIN")
            guard try move(from: position, to: end, adding: parts[0], list: list, on: connection) else {
                try connection.run("ROLLBACK")
                return false
            }
            for part in parts.dropFirst() {
                let before = Int64(part.first!.number) - 1
                try connection.run(
                    PostgresSchema.add, [.integer(list), .integer(before), .array(PostgresArray.encode(part))])
            }
            try connection.run("COMMIT")
            return true
        } catch let failure as PostgresFailure {
            if parts.count > 1 { self.connection = nil }
            guard failure.state == "23505" else { throw failure }
            throw SharedLogError.damaged(.end, expected: "no entries behind it", found: "some of them")
        }
    }

    private func move(
        from position: LogPosition, to end: LogPosition, adding entries: ArraySlice<LogEntry>, list: Int64,
        on connection: PostgresConnection
    ) throws -> Bool {
        let values: [PostgresValue] = [
            .integer(list), .integer(Int64(position.number)), .integer(Int64(bitPattern: position.checksum)),
            .integer(Int64(end.number)), .integer(Int64(bitPattern: end.checksum)),
            .array(PostgresArray.encode(entries)), .text(PostgresSchema.channel(of: list)), .text(ahead.id),
        ]
        do {
            let rows = try connection.run(PostgresSchema.append(notifies: notifies), values)
            return (rows?.count ?? 0) > 0
        } catch let failure as PostgresFailure where notifies && ["42883", "0A000"].contains(failure.state) {
            // A server of another make, which has no notifications: the statement did nothing.
            notifies = false
            let rows = try connection.run(PostgresSchema.append(notifies: false), values)
            return (rows?.count ?? 0) > 0
        }
    }

    /// No entries after a number are an error if the log ends behind it.
    private func checkGap(after number: UInt64, list: Int64, on connection: PostgresConnection) throws {
        let end = try self.end(of: list, on: connection)
        guard end.number > number else { return }
        // It may have grown just now.
        guard
            try connection.entries(
                after: number, limit: 1, bytes: 0, largest: options.maximumEntryBytes, list: list
            ).entries.isEmpty
        else { return }
        throw SharedLogError.damaged(
            .entry(number + 1), expected: "an entry", found: "none, and the log ends at \(end)")
    }

    // MARK: The connection

    /// Runs something that may be done again if the connection is lost.
    private func read<Result>(_ body: (PostgresConnection, Int64) throws -> Result) throws -> Result {
        let wasConnected = connection != nil
        do {
            return try perform(body)
        } catch SharedLogError.unavailable where wasConnected && connection == nil && !isClosed && !Task.isCancelled {
            return try perform(body)
        }
    }

    private func perform<Result>(_ body: (PostgresConnection, Int64) throws -> Result) throws -> Result {
        guard !isClosed else { throw SharedLogError.closed }
        let (handle, list) = try connected()
        do {
            return try body(handle, list)
        } catch let failure as PostgresFailure {
            // Without a code, nobody knows what the server did. One that does not accept changes has become a standby: another one has
            // taken over.
            if !handle.isAlive || ["", "25006"].contains(failure.state) { connection = nil }
            throw failure.error(list: self.list)
        }
    }

    private func connected() throws -> (PostgresConnection, Int64) {
        if let connection {
            // What the server said before it ended the connection is read here.
            if (try? connection.handle.readNotifications()) != nil, connection.handle.isAlive { return connection }
            self.connection = nil
        }
        if pause.remaining > .zero, let lastError { throw lastError }
        do {
            let handle = try PostgresConnection(address, timeout: options.timeout)
            let id = try PostgresSchema.findList(list, creates: options.createsList, on: handle)
            connection = (handle, id)
            pause.succeeded()
            return (handle, id)
        } catch {
            let error = (error as? PostgresFailure)?.error(list: list) ?? error as! SharedLogError
            // An attempt that was given up says nothing about the server.
            if !Task.isCancelled {
                pause.failed()
                lastError = error
            }
            throw error
        }
    }
}

/// Arrays of entries in PostgreSQL's binary format.
enum PostgresArray {
    /// The bytes of an array of `bytea`: dimensions, whether there are nulls, the type, the count, the first index; then the length and
    /// the bytes of each element.
    static func encode(_ entries: ArraySlice<LogEntry>) -> [UInt8] {
        let size = entries.reduce(20) { $0 + 4 + $1.encodedCount }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            var offset = 0
            func write(_ value: Int) {
                bytes.storeBytes(of: Int32(value).bigEndian, toByteOffset: offset, as: Int32.self)
                offset += 4
            }
            for value in [1, 0, 17, entries.count, 1] { write(value) }
            for entry in entries {
                write(entry.encodedCount)
                entry.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]))
                offset += entry.encodedCount
            }
            count = size
        }
    }

    /// Cuts entries into parts of about so many bytes, at least one entry each.
    static func cut(_ entries: [LogEntry], bytes limit: Int) -> [ArraySlice<LogEntry>] {
        var parts: [ArraySlice<LogEntry>] = []
        var start = 0
        var bytes = 0
        for (index, entry) in entries.enumerated() {
            if bytes + entry.encodedCount > limit, index > start {
                parts.append(entries[start..<index])
                (start, bytes) = (index, 0)
            }
            bytes += entry.encodedCount
        }
        parts.append(entries[start...])
        return parts
    }
}
