// A connection to PostgreSQL. Every wait has a deadline, and ends soon after its task is cancelled. The connection is then given up,
// because it is unknown what the server will still do.
//
// The server is never asked to cancel a statement: one that waits for a synchronous standby answers a cancelled commit with success.

import CLibpq
import SharedLog

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A value for a statement, in PostgreSQL's binary format.
enum PostgresValue {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    /// An array of `bytea`, already encoded.
    case array([UInt8])

    /// The number of the type in PostgreSQL's catalog, which never changes.
    var type: Oid {
        switch self {
        case .integer: 20
        case .text: 25
        case .bytes: 17
        case .array: 1001
        }
    }

    var encoded: [UInt8] {
        switch self {
        case .integer(let value): withUnsafeBytes(of: value.bigEndian) { Array($0) }
        case .text(let value): Array(value.utf8)
        case .bytes(let value), .array(let value): value
        }
    }
}

/// The rows that a statement returned.
final class PostgresRows {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    var count: Int { Int(PQntuples(handle)) }

    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(handle, Int32(row), Int32(column)) != 0 }

    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(handle, Int32(row), Int32(column)),
            count: Int(PQgetlength(handle, Int32(row), Int32(column))))
    }

    /// An integer of eight bytes; nil if the value is something else.
    func integer(_ row: Int, _ column: Int) -> Int64? {
        let bytes = bytes(row, column)
        guard bytes.count == 8, !isNull(row, column) else { return nil }
        return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    }
}

/// What PostgreSQL answered instead of rows.
struct PostgresFailure: Error {
    /// Five characters: the class of the error, and the error. None if the server did not answer.
    let state: String
    let message: String

    /// Whether another client did the same at the same moment, so that it may go well the next time: a unique row or a table is there
    /// already, a transaction was in the way, or a row of the catalog was changed meanwhile.
    var isRace: Bool { ["23505", "42P07", "42710", "40001", "40P01", "XX000"].contains(state) }

    /// What it means for a list.
    func error(list: String) -> SharedLogError {
        switch state.prefix(2) {
        case "28": return .refused(.credentials, cause: message)
        case "42" where state == "42501": return .refused(.permissions, cause: message)
        case "XX" where state != "XX000":
            return .damaged(.list(list), expected: "tables that the server can read", found: message)
        case "42", "22", "23":
            return .damaged(.list(list), expected: "the tables of Listory", found: message)
        default: return .unavailable(cause: message)
        }
    }
}

/// One connection. Used on one queue only.
final class PostgresConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    private let secrets: [String]
    private let timeout: Duration
    private var prepared: [String: String] = [:]
    /// What the server has warned of since the last look.
    private let warnings = Warnings()

    private final class Warnings {
        var last: String?
    }

    /// Connects, and waits for it.
    init(_ address: PostgresAddress, timeout: Duration) throws {
        let handle = withCStrings(address.parameters.map(\.name)) { names in
            withCStrings(address.parameters.map(\.value)) { values in PQconnectdbParams(names, values, 0) }
        }
        guard let handle else { throw SharedLogError.unavailable(cause: "there is no memory for a connection") }
        self.handle = handle
        secrets = address.secrets
        self.timeout = timeout
        guard PQstatus(handle) == CONNECTION_OK else {
            throw PostgresConnection.error(message(), needsPassword: PQconnectionNeedsPassword(handle) != 0)
        }
        PQsetnonblocking(handle, 1)
        PQsetNoticeReceiver(
            handle,
            { closure, result in
                guard let closure, let result,
                    let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))),
                    String(cString: severity) == "WARNING"
                else { return }
                let text = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
                Unmanaged<Warnings>.fromOpaque(closure).takeUnretainedValue().last = text ?? "a warning"
            }, Unmanaged.passUnretained(warnings).toOpaque())
        let milliseconds = timeout.milliseconds
        // No limit for a statement, whatever is set for the user: for the server, one runs until its rows are sent, which takes long on a
        // slow line; `wait` ends the connection if nothing arrives, and the server then looks now and then whether the client is there. An
        // older server, or one of another make, may not know a setting; it then works without it.
        for setting in [
            "statement_timeout = 0", "lock_timeout = \(milliseconds)",
            "idle_in_transaction_session_timeout = \(milliseconds)", "client_connection_check_interval = 10000",
            "bytea_output = hex",
        ] {
            do { try run("SET \(setting)") } catch  where isAlive {}
        }
    }

    deinit { PQfinish(handle) }

    /// Whether it can be used for another statement: it was not lost, and no answer was given up.
    var isAlive: Bool { !isGivenUp && PQstatus(handle) == CONNECTION_OK }

    /// The descriptor of the socket.
    var socket: Int32 { PQsocket(handle) }

    /// What the server has warned of, once.
    func takeWarning() -> String? {
        defer { warnings.last = nil }
        return warnings.last.map { harmless($0, without: secrets) }
    }

    private func message() -> String { harmless(String(cString: PQerrorMessage(handle)), without: secrets) }

    /// What a failed attempt to connect means. libpq gives no code for it, only text, of which some is the server's.
    private static func error(_ message: String, needsPassword: Bool) -> SharedLogError {
        let credentials = [
            "authentication failed", "no password supplied", "no pg_hba.conf entry", "SCRAM",
        ]
        if needsPassword || credentials.contains(where: { message.contains($0) }) {
            return .refused(.credentials, cause: message)
        }
        if message.contains("root certificate file") {
            return .invalidAddress(
                reason: "\(message); add sslrootcert=FILE to the address, with the certificates to trust: "
                    + "those of the system are in /etc/ssl/certs/ca-certificates.crt on Debian")
        }
        if message.contains("does not support SSL") {
            return .invalidAddress(
                reason: "\(message); add sslmode=disable to the address if the network is safe")
        }
        if message.contains("host name must be specified") {
            return .invalidAddress(reason: "\(message); add host=NAME to the address, with the name in the certificate")
        }
        if message.contains("permission denied for database") { return .refused(.permissions, cause: message) }
        return .unavailable(cause: message)
    }

    // MARK: Statements

    /// Runs a statement without parameters, which may return rows.
    @discardableResult
    func run(_ statement: String) throws -> PostgresRows? {
        try send { PQsendQueryParams(handle, statement, 0, nil, nil, nil, nil, 1) }
        return try receive()
    }

    /// Runs a statement with parameters. It is prepared when it runs for the first time.
    @discardableResult
    func run(_ statement: String, _ values: [PostgresValue]) throws -> PostgresRows? {
        let name = try prepare(statement, values.map(\.type))
        let encoded = values.map(\.encoded)
        let lengths = encoded.map { Int32($0.count) }
        let formats = [Int32](repeating: 1, count: values.count)
        try send {
            withPointers(encoded) { pointers in
                PQsendQueryPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 1)
            }
        }
        return try receive()
    }

    private func prepare(_ statement: String, _ types: [Oid]) throws -> String {
        if let name = prepared[statement] { return name }
        let name = "listory_\(prepared.count)"
        try send { PQsendPrepare(handle, name, statement, Int32(types.count), types) }
        _ = try receive()
        prepared[statement] = name
        return name
    }

    private func send(_ call: () -> Int32) throws {
        cancelledWaitEnd = nil
        guard call() == 1 else { throw lost() }
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                // The server may send before it has read everything, so both directions must go on. On a slow line, all of it may take
                // long.
                try wait(for: POLLIN | POLLOUT)
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    private func receive() throws -> PostgresRows? {
        var rows: PostgresRows?
        var failure: PostgresFailure?
        while true {
            while PQisBusy(handle) != 0 {
                try wait(for: POLLIN)
                guard PQconsumeInput(handle) == 1 else { throw lost() }
            }
            guard let result = PQgetResult(handle) else { break }
            let status = PQresultStatus(result)
            if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK {
                rows = PostgresRows(result)
            } else {
                let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
                let text = String(cString: PQresultErrorMessage(result))
                PQclear(result)
                failure = failure ?? PostgresFailure(state: state ?? "", message: harmless(text, without: secrets))
                // After it, libpq would wait for the data of a copy, which no statement here begins.
                if status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH { throw lost() }
            }
        }
        if let failure { throw failure }
        guard isAlive else { throw lost() }
        return rows
    }

    /// Waits until bytes arrive or can be sent. Gives the connection up if that takes too long, or if the task is cancelled: even on a slow
    /// line on which something arrives all the time.
    private func wait(for events: Int32) throws {
        let deadline = ContinuousClock.now + timeout
        var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
        while true {
            if Task.isCancelled {
                let end = cancelledWaitEnd ?? ContinuousClock.now + PostgresConnection.cancelledWait
                cancelledWaitEnd = end
                guard ContinuousClock.now < end else { throw givenUp("the task was cancelled") }
            }
            // The system does not wake this thread when the task is cancelled, so it looks now and then.
            let remaining = (deadline - ContinuousClock.now).milliseconds
            let ready = poll(&descriptor, 1, Int32(clamping: max(0, min(remaining, 50))))
            if ready > 0 { return }
            if ready < 0, errno == EINTR { continue }
            guard ready == 0, remaining > 0 else { throw givenUp("no answer within \(timeout)") }
        }
    }

    /// How long a statement may still take after its task was cancelled. Most answers come in that time, and the connection is kept.
    private static let cancelledWait = Duration.milliseconds(100)
    /// When that is over for the statement that runs; nil if its task was not cancelled.
    private var cancelledWaitEnd: ContinuousClock.Instant?
    /// Whether an answer is no longer waited for. If it came later, it would be taken for that of another statement.
    private var isGivenUp = false

    private func givenUp(_ reason: String) -> PostgresFailure {
        isGivenUp = true
        return PostgresFailure(state: "", message: reason)
    }

    private func lost() -> PostgresFailure {
        let text = message()
        return PostgresFailure(state: "", message: text.isEmpty ? "the connection was lost" : text)
    }

    /// Reads entries of a list: at most `limit`, and only as many as fit into `bytes`.
    ///
    /// - Parameters:
    ///   - largest: how many bytes an entry may have. One that has more is damage: the server may have it as few compressed bytes, which
    ///     must not fill the memory of all who read.
    ///   - hasFirst: whether the first one comes even if it does not fit.
    /// - Returns: the entries, and whether there were no more; false if that is unknown.
    func entries(
        after number: UInt64, limit: Int, bytes: Int, largest: Int, list: Int64, hasFirst: Bool = true
    ) throws -> (entries: [LogEntry], areAll: Bool) {
        let values: [PostgresValue] = [
            .integer(list), .integer(Int64(number)), .integer(Int64(limit)), .integer(Int64(max(0, bytes))),
            .integer(Int64(largest)),
        ]
        guard let rows = try run(hasFirst ? PostgresSchema.entries : PostgresSchema.fittingEntries, values),
            rows.count > 0
        else {
            return ([], hasFirst)
        }
        let entries = try (0..<rows.count).map { row in
            guard let found = rows.integer(row, 0), found >= 0 else {
                throw SharedLogError.damaged(.entry(number + 1), expected: "a number", found: "something else")
            }
            guard !rows.isNull(row, 1) else {
                throw SharedLogError.damaged(
                    .entry(UInt64(found)), expected: "at most \(largest) bytes", found: "more")
            }
            return try LogEntry(encoded: rows.bytes(row, 1), number: UInt64(found))
        }
        return (entries, rows.count < limit && rows.integer(0, 2) == Int64(rows.count))
    }

    // MARK: Notifications

    /// Reads what has arrived; returns whether there was a notification of another client. Throws if the connection was lost.
    ///
    /// - Parameter id: what the own notifications say; nil if it does not matter whose they are.
    @discardableResult
    func readNotifications(without id: String? = nil) throws -> Bool {
        guard PQconsumeInput(handle) == 1 else { throw lost() }
        var found = false
        while let notification = PQnotifies(handle) {
            if id == nil || String(cString: notification.pointee.extra) != id { found = true }
            PQfreemem(notification)
        }
        return found
    }
}

/// An array of C strings that ends with a null pointer.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { $0.map { UnsafePointer($0) } } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
}

/// Pointers to the bytes of each array. An empty one has a pointer too, because libpq takes a null pointer for NULL.
private func withPointers<Result>(
    _ arrays: [[UInt8]], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    func next(_ index: Int, _ pointers: [UnsafePointer<CChar>?]) -> Result {
        if index == arrays.count { return pointers.withUnsafeBufferPointer { body($0.baseAddress!) } }
        if arrays[index].isEmpty {
            return withUnsafeBytes(of: UInt8(0)) {
                next(index + 1, pointers + [$0.baseAddress!.assumingMemoryBound(to: CChar.self)])
            }
        }
        return arrays[index].withUnsafeBytes {
            next(index + 1, pointers + [$0.baseAddress!.assumingMemoryBound(to: CChar.self)])
        }
    }
    return next(0, [])
}
