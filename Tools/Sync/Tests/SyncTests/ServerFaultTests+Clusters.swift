// What happens when one of several servers fails.

import LogServers
import SharedLog
import Testing

extension ServerFaultTests {
    @Test func aStandbyThatTakesOverHasWhatThePrimaryAcknowledged() async throws {
        let pair = try PostgresPair(password: "secret")
        defer { pair.end() }
        let url = pair.url
        let stranger = try Engine.postgres.open(url.replacing(":secret", with: ""), list: "list")
        do {
            _ = try await stranger.end()
            Issue.record("everybody is let in")
        } catch SharedLogError.refused(.credentials, _) {}
        await stranger.close()
        let mayEnd = Flag()
        let written = try await withThrowingTaskGroup(of: [Writing].self) { group in
            for writer in 0..<2 {
                group.addTask {
                    let log = try Engine.postgres.open(url, list: "list", timeout: .seconds(3))
                    var writings: [Writing] = []
                    while true {
                        let isLast = mayEnd.isSet
                        writings.append(try await Writing.run([Array("\(writer): \(writings.count)".utf8)], on: log))
                        if isLast { break }
                    }
                    await log.close()
                    return writings
                }
            }
            group.addTask {
                let log = try Engine.postgres.open(url, list: "list")
                try await eventually(within: 60) {
                    guard try await log.end().number > 20 else { throw TestFailure("nothing was written") }
                }
                await log.close()
                try pair.primary.kill()
                try pair.standby.promote()
                try await Task.sleep(for: .seconds(1))
                mayEnd.set()
                return []
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let log = try Engine.postgres.open(pair.standby.url, list: "list")
        try Writing.check(written, try await log.all())
        #expect(written.count > 20)
        await log.close()
    }

    /// A log that has the first of two entries.
    private func logWithAnEntry(
        on pair: PostgresPair, timeout: Duration = .seconds(5)
    ) async throws -> (log: any SharedLog, entries: [LogEntry]) {
        let log = try Engine.postgres.open(pair.url, list: "list", timeout: timeout)
        let entries = LogPosition.beginning.entries("a", "b")
        #expect(try await log.append([entries[0]], after: .beginning) == .appended)
        return (log, entries)
    }

    @Test func aPrimaryWithoutItsStandbyAcknowledgesNothing() async throws {
        let pair = try PostgresPair()
        defer { pair.end() }
        let (log, entries) = try await logWithAnEntry(on: pair, timeout: .seconds(1))
        try pair.standby.kill()
        do {
            _ = try await log.append([entries[1]], after: entries[0].position)
            Issue.record("it was acknowledged by one server alone")
        } catch SharedLogError.unavailable {}
        await log.close()
    }

    @Test func anAppendWhoseWaitForTheStandbyWasEndedIsNotAcknowledged() async throws {
        let pair = try PostgresPair()
        defer { pair.end() }
        let (log, entries) = try await logWithAnEntry(on: pair, timeout: .seconds(60))
        try pair.standby.kill()
        async let answer = log.append([entries[1]], after: entries[0].position)
        // Division by zero fails as long as nobody waits. PostgreSQL then answers with success and a warning.
        try await eventually(within: 60) {
            try pair.primary.run(
                sql: "SELECT 1 / count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        }
        do {
            _ = try await answer
            Issue.record("it was acknowledged by one server alone")
        } catch SharedLogError.unavailable(let cause) {
            #expect(cause.contains("synchronous replication"), "\(cause)")
        }
        await log.close()
    }

    @Test func aClientLeavesAServerThatTakesNoChangesAnyMore() async throws {
        let pair = try PostgresPair()
        defer { pair.end() }
        let (log, entries) = try await logWithAnEntry(on: pair)
        try pair.standby.promote()
        // The connection to the primary stays.
        try pair.primary.run(sql: "ALTER SYSTEM SET default_transaction_read_only = on")
        try pair.primary.run(sql: "SELECT pg_reload_conf()")
        try await eventually {
            try pair.primary.run(
                sql: "SELECT 1 / (current_setting('default_transaction_read_only') = 'on')::int")
        }
        #expect(
            try await eventually { try await log.append([entries[1]], after: entries[0].position) } == .appended)
        let other = try Engine.postgres.open(pair.standby.url, list: "list")
        #expect(try await other.all() == entries)
        await log.close()
        await other.close()
    }

    @Test func aClusterGoesOnWithoutOneOfItsServers() async throws {
        let cluster = try NATSCluster()
        defer { for server in cluster.servers { server.end() } }
        let url = cluster.url + "?replicas=3"
        let mayEnd = Flag()
        let written = try await withThrowingTaskGroup(of: [Writing].self) { group in
            for writer in 0..<2 {
                group.addTask {
                    let log = try Engine.nats.open(url, list: "list", timeout: .seconds(2))
                    // A cluster needs a moment to choose its leader.
                    _ = try await eventually(within: 60) { try await log.end() }
                    var writings: [Writing] = []
                    while true {
                        let isLast = mayEnd.isSet
                        writings.append(try await Writing.run([Array("\(writer): \(writings.count)".utf8)], on: log))
                        if isLast { break }
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    await log.close()
                    return writings
                }
            }
            group.addTask {
                let log = try Engine.nats.open(url, list: "list")
                try await eventually(within: 60) {
                    guard try await log.end().number > 20 else { throw TestFailure("nothing was written") }
                }
                await log.close()
                for server in cluster.servers {
                    try server.kill()
                    try await Task.sleep(for: .seconds(2))
                    try server.start()
                    try await Task.sleep(for: .seconds(2))
                }
                mayEnd.set()
                return []
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let log = try Engine.nats.open(url, list: "list")
        try Writing.check(written, try await eventually { try await log.all() })
        #expect(written.count > 20)
        await log.close()
    }
}
