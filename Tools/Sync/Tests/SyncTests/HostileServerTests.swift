// Servers whose data somebody else has changed. The engines give an error of the right kind, and never trap. Here PostgreSQL.

import CLibpq
import Foundation
import LogServers
import PostgresLog
import SharedLog
import Testing

@Suite struct HostileServerTests {
    let entries = LogPosition.beginning.entries("a", "b", "c", "d")

    @Test(arguments: [
        // A flipped bit of a payload, of a link, a cut entry, another entry's bytes, no bytes.
        "UPDATE listory_entry SET entry = set_byte(entry, 17, 1) WHERE number = 2",
        "UPDATE listory_entry SET entry = set_byte(entry, 3, 1) WHERE number = 2",
        "UPDATE listory_entry SET entry = substring(entry FROM 1 FOR 10) WHERE number = 2",
        "UPDATE listory_entry SET entry = (SELECT entry FROM listory_entry WHERE number = 1) WHERE number = 2",
        "UPDATE listory_entry SET entry = '' WHERE number = 2",
        "DELETE FROM listory_entry WHERE number = 2", "DELETE FROM listory_entry WHERE number = 1",
        "DELETE FROM listory_entry", "DELETE FROM listory_entry WHERE number > 2",
        "UPDATE listory_entry SET number = number + 100", "UPDATE listory_entry SET number = -number",
    ])
    func changedRowsAreDamage(statement: String) async throws {
        try await withChangedTables(statement) { log in try await log.all() }
    }

    @Test(arguments: [
        "UPDATE listory_list SET number = 3", "UPDATE listory_list SET number = -1",
        "UPDATE listory_list SET number = 9223372036854775807", "UPDATE listory_list SET checksum = checksum + 1",
        "UPDATE listory_list SET number = 0", "UPDATE listory_list SET number = 5",
    ])
    func aWrongEndIsDamage(statement: String) async throws {
        try await withChangedTables(statement) { log in try await log.end() }
    }

    @Test(arguments: [
        "UPDATE listory_snapshot SET bytes = set_byte(bytes, 0, 9) WHERE part = 2",
        "DELETE FROM listory_snapshot WHERE part = 2", "UPDATE listory_snapshot SET parts = 9000000000000000000",
        "UPDATE listory_snapshot SET parts = -1", "UPDATE listory_snapshot SET size = 5",
        "UPDATE listory_snapshot SET number = -5", "UPDATE listory_snapshot SET bytes = '' WHERE part = 1",
    ])
    func aChangedSnapshotIsDamage(statement: String) async throws {
        try await withChangedTables(statement) { log in try await log.snapshot() }
    }

    @Test func aListOfANewerFormatSaysSo() async throws {
        let database = try Database()
        defer { database.end() }
        try await database.fill(entries)
        try database.run("UPDATE listory_list SET format = 2")
        let log = try database.open()
        await #expect(throws: SharedLogError.futureFormat(.list("list"), expected: 1, found: 2)) { try await log.end() }
        try database.run(
            "UPDATE listory_list SET format = 1; UPDATE listory_entry SET entry = set_byte(entry, 0, 2) WHERE number = 1"
        )
        await #expect(throws: SharedLogError.futureFormat(.entry(1), expected: 1, found: 2)) {
            try await eventually { try await log.all() }
        }
        await log.close()
    }

    /// A server has what is compressed in few bytes, so a client of somebody's own may write it without much effort.
    @Test func anEntryThatIsLargerThanAnyMayBeIsNotRead() async throws {
        let database = try Database()
        defer { database.end() }
        let large = LogPosition.beginning.entries([[1], [UInt8](repeating: 0, count: 2_000_000), [2]])
        try await database.fill(large)
        var options = PostgresLog.Options()
        options.maximumEntryBytes = 1 << 20
        let log = try PostgresLog(url: database.url, list: "list", options: options)
        #expect(try await log.entries(after: 0, maximumBytes: 100) == [large[0]])
        do {
            _ = try await log.entries(after: 1, maximumBytes: 100)
            Issue.record("it was read")
        } catch SharedLogError.damaged(let place, let expected, _) {
            #expect(place == .entry(2) && expected == "at most 1048576 bytes")
        }
        #expect(try await log.entries(after: 2, maximumBytes: 100) == [large[2]])
        await log.close()
    }

    @Test func anEntryBehindTheEndMakesAnAppendAnError() async throws {
        let database = try Database()
        defer { database.end() }
        try await database.fill(entries)
        try database.run("INSERT INTO listory_entry SELECT list, 5, entry FROM listory_entry WHERE number = 1")
        let log = try database.open()
        do {
            _ = try await log.append(entries[3].position.entries("x"), after: entries[3].position)
            Issue.record("it was appended")
        } catch SharedLogError.damaged(let place, _, _) { #expect(place == .end) }
        #expect(try await log.end() == entries[3].position)
        await log.close()
    }

    @Test func tablesOfSomebodyElseAreDamage() async throws {
        let database = try Database()
        defer { database.end() }
        try database.run("CREATE TABLE listory_list (name text PRIMARY KEY, id text, format text)")
        let log = try database.open()
        do {
            _ = try await log.end()
            Issue.record("there is an end")
        } catch SharedLogError.damaged {}
        await log.close()
    }

    @Test func aUserWithoutRightsIsRefused() async throws {
        let database = try Database()
        defer { database.end() }
        try await database.fill(entries)
        try database.run("CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        let log = try Engine.postgres.open(database.url.replacing("postgres@", with: "reader@"), list: "list")
        #expect(try await log.all() == entries)
        do {
            _ = try await log.append(entries[3].position.entries("x"), after: entries[3].position)
            Issue.record("it was appended")
        } catch SharedLogError.refused(.permissions, _) {}
        await log.close()
    }

    private func withChangedTables<Result>(
        _ statement: String, _ body: (any SharedLog) async throws -> Result
    ) async throws {
        let database = try Database()
        defer { database.end() }
        try await database.fill(entries)
        try database.run(statement)
        let log = try database.open()
        do {
            _ = try await body(log)
            Issue.record("\(statement) is not noticed")
        } catch SharedLogError.damaged {}
        await log.close()
    }

    /// A database of its own on the shared server, with one list in it.
    private struct Database {
        let name = "test_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        let url: String

        init() throws {
            let server = try SharedServers.postgres.get()
            url = server.url.replacing(#/\/postgres$/#, with: "/\(name)")
            try Database.run("CREATE DATABASE \(name)", server.url)
        }

        func end() { try? Database.run("DROP DATABASE \(name) WITH (FORCE)", try SharedServers.postgres.get().url) }

        func open() throws -> any SharedLog { try Engine.postgres.open(url, list: "list") }

        func fill(_ entries: [LogEntry]) async throws {
            let log = try open()
            #expect(try await log.append(entries, after: .beginning) == .appended)
            try await log.offer(
                LogSnapshot(position: entries[2].position, bytes: [UInt8](repeating: 5, count: 9_000_000)))
            await log.close()
        }

        func run(_ statement: String) throws { try Database.run(statement, url) }

        private static func run(_ statement: String, _ url: String) throws {
            let connection = PQconnectdb(url)
            defer { PQfinish(connection) }
            let result = PQexec(connection, statement)
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK else {
                throw TestFailure(String(cString: PQerrorMessage(connection)))
            }
        }
    }
}
