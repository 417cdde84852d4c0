import CLibpq
import Foundation
import SharedLog

/// libpq without the engine: a table with numbers and bytes, into which rows are inserted. Nothing is compared, nobody is notified.
final class RawPostgres: RawClient {
    let name: String
    private let connection: OpaquePointer
    private let table: String
    private let copies: Bool

    init(_ url: String, table: String, copies: Bool) throws {
        name = copies ? "libpq, COPY" : "libpq, INSERT of an array"
        self.table = "\(table)_\(copies)"
        self.copies = copies
        connection = PQconnectdb(url)
        run("CREATE TABLE IF NOT EXISTS \(self.table) (number bigint PRIMARY KEY, entry bytea NOT NULL)")
        let insert =
            "INSERT INTO \(self.table) SELECT $1 + place, entry FROM unnest($2) WITH ORDINALITY AS g (entry, place)"
        PQclear(PQprepare(connection, "insert", insert, 2, [20, 1001]))
        // What a statement signals is sent when it is committed.
        let signal = "WITH added AS (\(insert) RETURNING number) SELECT pg_notify('\(self.table)', '') FROM added"
        PQclear(PQprepare(connection, "signal", signal, 2, [20, 1001]))
        let read = "SELECT number, entry FROM \(self.table) WHERE number > $1 ORDER BY number LIMIT $2"
        PQclear(PQprepare(connection, "read", read, 2, [20, 20]))
    }

    deinit { PQfinish(connection) }

    func append(_ entries: [LogEntry]) throws {
        if copies { copy(entries) } else { insert(entries) }
    }

    private func insert(_ entries: [LogEntry]) {
        check(execute("insert", [bytes(Int64(entries[0].number) - 1), array(entries)]), PGRES_COMMAND_OK)
    }

    private func array(_ entries: [LogEntry]) -> [UInt8] {
        var array: [UInt8] = []
        array.reserveCapacity(entries.reduce(20) { $0 + 4 + $1.encodedCount })
        for value in [1, 0, 17, entries.count, 1] { append(&array, Int32(value)) }
        for entry in entries {
            append(&array, Int32(entry.encodedCount))
            array += entry.encoded()
        }
        return array
    }

    private func copy(_ entries: [LogEntry]) {
        check(PQexec(connection, "COPY \(table) FROM STDIN WITH (FORMAT binary)"), PGRES_COPY_IN)
        var data: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        for entry in entries {
            append(&data, Int16(2))
            append(&data, Int32(8))
            append(&data, Int64(entry.number))
            append(&data, Int32(entry.encodedCount))
            data += entry.encoded()
        }
        append(&data, Int16(-1))
        data.withUnsafeBytes {
            guard PQputCopyData(connection, $0.baseAddress!.assumingMemoryBound(to: CChar.self), Int32($0.count)) == 1,
                PQputCopyEnd(connection, nil) == 1
            else { fatalError(String(cString: PQerrorMessage(connection))) }
        }
        check(PQgetResult(connection), PGRES_COMMAND_OK)
        while let more = PQgetResult(connection) { PQclear(more) }
    }

    func readAll(maximumBytes: Int) throws -> Int {
        var bytes = 0
        var number: Int64 = 0
        var limit: Int64 = 256
        while true {
            let result = execute("read", [self.bytes(number), self.bytes(limit)])!
            guard PQresultStatus(result) == PGRES_TUPLES_OK else {
                fatalError(String(cString: PQerrorMessage(connection)))
            }
            let rows = PQntuples(result)
            var added = 0
            for row in 0..<rows {
                let start = UnsafeRawBufferPointer(
                    start: PQgetvalue(result, row, 1), count: Int(PQgetlength(result, row, 1)))
                // Who reads them keeps them.
                let entry = Array(start)
                added += entry.count
                number = Int64(bigEndian: UnsafeRawPointer(PQgetvalue(result, row, 0)!).loadUnaligned(as: Int64.self))
            }
            PQclear(result)
            if rows == 0 { return bytes }
            bytes += added
            limit = Int64(min(65_536, max(16, maximumBytes / max(1, added / Int(rows)))))
        }
    }

    /// The number of the last entry that was signalled.
    private var last: Int64 = 0

    func listen() throws { run("LISTEN \(table)") }

    func signal(_ entry: LogEntry) throws {
        check(execute("signal", [bytes(Int64(entry.number) - 1), array([entry])]), PGRES_TUPLES_OK)
    }

    func next() throws -> [UInt8] {
        while true {
            if let notification = PQnotifies(connection) {
                PQfreemem(notification)
                break
            }
            var descriptor = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, 5000)
            PQconsumeInput(connection)
        }
        let result = execute("read", [bytes(last), bytes(1)])
        defer { PQclear(result) }
        guard PQntuples(result) == 1 else { fatalError("no entry after \(last)") }
        last += 1
        return Array(
            UnsafeRawBufferPointer(start: PQgetvalue(result, 0, 1), count: Int(PQgetlength(result, 0, 1))))
    }

    private func run(_ statement: String) { check(PQexec(connection, statement), PGRES_COMMAND_OK) }

    private func check(_ result: OpaquePointer?, _ expected: ExecStatusType) {
        guard PQresultStatus(result) == expected else { fatalError(String(cString: PQerrorMessage(connection))) }
        PQclear(result)
    }

    private func execute(_ statement: String, _ values: [[UInt8]]) -> OpaquePointer? {
        values[0].withUnsafeBytes { first in
            values[1].withUnsafeBytes { second in
                let pointers = [first, second].map { $0.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) } }
                let lengths = [Int32(first.count), Int32(second.count)]
                return PQexecPrepared(connection, statement, 2, pointers, lengths, [1, 1], 1)
            }
        }
    }

    private func bytes(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    private func append(_ data: inout [UInt8], _ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { data.append(contentsOf: $0) }
    }
}
