// Tests tasks that are cancelled while they wait for PostgreSQL. Without that, they would wait for 200 seconds, and fail.

import LogServers
import SharedLog
import Testing

@testable import PostgresLog

@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
    private static let cancelled = SharedLogError.unavailable(cause: "the task was cancelled")
    private let entries = LogPosition.beginning.entries("a", "b")

    /// A server, and a log on it that has the first entry.
    private func start() async throws -> (PostgresServer, any SharedLog) {
        let server = try PostgresServer()
        let log = try Engine.postgres.open(server.url, list: "list", timeout: .seconds(200))
        #expect(try await log.append([entries[0]], after: .beginning) == .appended)
        return (server, log)
    }

    /// A connection that locks something for as long as its transaction runs.
    private func hold(_ statement: String, on server: PostgresServer) throws -> PostgresConnection {
        let address = try PostgresAddress(server.url, connectTimeout: .seconds(3))
        let holder = try PostgresConnection(address, timeout: .seconds(200))
        try holder.run("BEGIN")
        try holder.run(statement)
        return holder
    }

    /// Waits until a statement waits for a kind of event. Division by zero fails as long as none does.
    private func awaitWait(for event: String, on server: PostgresServer) async throws {
        try await eventually(within: 60) {
            try server.run(sql: "SELECT 1 / count(*) FROM pg_stat_activity WHERE \(event)")
        }
    }

    /// Nobody knows what became of it, as after a connection that was lost: the server may go on with it.
    @Test func anAppendThatWaitsForALockEndsWithItsTaskAndItsEntryIsThereOnce() async throws {
        let (server, log) = try await start()
        defer { server.end() }
        let holder = try hold("SELECT number FROM listory_list FOR UPDATE", on: server)
        let append = Task { [entries] in try await log.append([entries[1]], after: entries[0].position) }
        try await awaitWait(for: "wait_event_type = 'Lock'", on: server)
        append.cancel()
        await #expect(throws: CancellationTests.cancelled) { try await append.value }
        try holder.run("ROLLBACK")
        let result = try await log.append([entries[1]], after: entries[0].position)
        #expect(result == .appended || result == .behind(end: entries[1].position))
        #expect(try await log.all() == entries)
        await log.close()
    }

    @Test func aReadThatWaitsForALockEndsWithItsTaskAndTheNextTaskReads() async throws {
        let (server, log) = try await start()
        defer { server.end() }
        let holder = try hold("LOCK TABLE listory_entry IN ACCESS EXCLUSIVE MODE", on: server)
        let read = Task { try await log.entries(after: 0, maximumBytes: 1_000) }
        try await awaitWait(for: "wait_event_type = 'Lock'", on: server)
        read.cancel()
        await #expect(throws: CancellationTests.cancelled) { try await read.value }
        try holder.run("ROLLBACK")
        #expect(try await log.all() == [entries[0]])
        await log.close()
    }

    /// Something arrives all the time, so the answer is never late.
    @Test func aReadOverASlowLineEndsWithItsTask() async throws {
        let (server, writer) = try await start()
        defer { server.end() }
        // The system keeps 4 MB of it at most for the line, so the server has to wait.
        let large = entries[0].position.entries((0..<12).map { [UInt8](repeating: $0, count: 1_000_000) })
        #expect(try await writer.append(large, after: entries[0].position) == .appended)
        let line = try SlowLine(to: server.port, bytesPerSecond: 60_000, keptBytes: 64 << 10)
        defer { line.end() }
        let url = server.url.replacing("\(server.port)", with: "\(line.port)")
        let log = try Engine.postgres.open(url, list: "list", timeout: .seconds(200))
        let read = Task { try await log.entries(after: 0, maximumBytes: 20_000_000) }
        try await awaitWait(for: "wait_event = 'ClientWrite'", on: server)
        read.cancel()
        await #expect(throws: CancellationTests.cancelled) { try await read.value }
        await log.close()
        await writer.close()
    }
}
