// What happens when a server is killed, stands still, or is not let in. Each test has servers of its own.

import Foundation
import LogServers
import NATSLog
import PostgresLog
import SharedLog
import Synchronization
import Testing

@Suite struct ServerFaultTests {
    @Test(arguments: Engine.servers)
    func aKilledServerThatComesBackHasWhatItAcknowledged(engine: Engine) async throws {
        let server = try engine.server()
        defer { server.end() }
        let (log, other) = try (engine.open(server.url, list: "list"), engine.open(server.url, list: "list"))
        let changes = WakeUps(other.changes())
        let entries = LogPosition.beginning.entries("a", "b", "c")
        #expect(try await log.append(Array(entries[..<2]), after: .beginning) == .appended)
        #expect(try await other.all() == Array(entries[..<2]))
        try server.kill()
        for log in [log, other] {
            do {
                _ = try await log.append([entries[2]], after: entries[1].position)
                Issue.record("it was appended without a server")
            } catch SharedLogError.unavailable {}
            await #expect(throws: SharedLogError.self) { try await log.entries(after: 0, maximumBytes: 100) }
        }
        let total = changes.total
        try server.start()
        // Both connections are made again without being asked, and the reader is woken.
        try await changes.next(after: total, within: 20)
        // A client that had not yet noticed may have sent the third one when the server was there again: then it is there already.
        let isThere = entries[2].position
        let end = try await eventually { try await log.end() }
        #expect(end == entries[1].position || end == isThere)
        let result = try await eventually { try await log.append([entries[2]], after: entries[1].position) }
        #expect(result == .appended || result == .behind(end: isThere))
        #expect(try await eventually { try await other.all() } == entries)
        let later = changes.total
        _ = try await log.add([[1]])
        try await changes.next(after: later, within: 10)
        await log.close()
        await other.close()
    }

    @Test(arguments: Engine.servers)
    func writersGoOnAcrossKillsAndEachAcknowledgedEntryIsThereOnce(engine: Engine) async throws {
        let server = try engine.server()
        defer { server.end() }
        let url = server.url
        let mayEnd = Flag()
        // At least one append of each writer happens after the last kill.
        let written = try await withThrowingTaskGroup(of: [Writing].self) { group in
            for writer in 0..<3 {
                group.addTask {
                    let log = try engine.open(url, list: "list", timeout: .seconds(2))
                    var writings: [Writing] = []
                    var round = 0
                    while true {
                        let isLast = mayEnd.isSet
                        let payloads = (0...round % 4).map {
                            Array("writer \(writer), round \(round), part \($0)".utf8)
                        }
                        writings.append(try await Writing.run(payloads, on: log))
                        if isLast { break }
                        round += 1
                        try await Task.sleep(for: .milliseconds(2))
                    }
                    await log.close()
                    return writings
                }
            }
            group.addTask {
                for _ in 0..<3 {
                    try await Task.sleep(for: .milliseconds(400))
                    try server.kill()
                    try await Task.sleep(for: .milliseconds(200))
                    try server.start()
                }
                try await Task.sleep(for: .milliseconds(400))
                mayEnd.set()
                return []
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let log = try engine.open(url, list: "list")
        try Writing.check(written, try await eventually { try await log.all() })
        await log.close()
    }

    @Test(arguments: Engine.servers)
    func anAppendToAServerThatStandsStillIsUnknownAfterTheTimeout(engine: Engine) async throws {
        let server = try engine.server()
        defer { server.end() }
        let log = try engine.open(server.url, list: "list", timeout: .seconds(1))
        let entries = LogPosition.beginning.entries("a", "b")
        #expect(try await log.append([entries[0]], after: .beginning) == .appended)
        server.suspend(true)
        let start = ContinuousClock.now
        do {
            _ = try await log.append([entries[1]], after: entries[0].position)
            // PostgreSQL has a process for each connection, which goes on.
            #expect(engine == .postgres)
        } catch SharedLogError.unavailable {}
        #expect(ContinuousClock.now - start < .seconds(15))
        server.suspend(false)
        let end = try await eventually { try await log.end() }
        #expect([entries[0].position, entries[1].position].contains(end))
        await log.close()
    }

    @Test(arguments: Engine.servers)
    func whereNoServerIsTheLogIsUnavailable(engine: Engine) async throws {
        let server = try engine.server()
        server.end()
        let log = try engine.open(server.url, list: "list")
        for _ in 0..<3 {
            do {
                _ = try await log.end()
                Issue.record("there is an end without a server")
            } catch SharedLogError.unavailable {}
        }
        let changes = log.changes()
        await log.close()
        for await _ in changes {}
    }

    /// A cluster that chooses a leader is as silent, so this is no refusal: asking again may help.
    @Test func aServerWithoutJetStreamIsUnavailableAndSaysWhy() async throws {
        let server = try NATSServer(settings: "jetstream: disabled")
        defer { server.end() }
        let line = try SlowLine(to: server.port)
        defer { line.end() }
        let log = try Engine.nats.open("nats://127.0.0.1:\(line.port)", list: "list")
        for _ in 0..<3 {
            do {
                _ = try await log.end()
                Issue.record("there is no JetStream")
            } catch SharedLogError.unavailable(let cause) {
                #expect(cause.contains("JetStream"))
            }
            // Longer than the server is left alone.
            try await Task.sleep(for: .milliseconds(500))
        }
        #expect(line.clientCount == 1, "it would not answer on another connection either")
        await log.close()
    }

    // MARK: Clients that are refused

    @Test func aWrongPasswordIsRefusedAndInNoMessage() async throws {
        let postgres = try PostgresServer(password: "right-secret")
        let nats = try NATSServer(login: ("lister", "right-secret"))
        defer {
            postgres.end()
            nats.end()
        }
        for (engine, url) in [(Engine.postgres, postgres.url), (.nats, nats.url)] {
            let right = try engine.open(url, list: "list")
            #expect(try await right.add([[1]]) == [1])
            await right.close()
            for password in ["wrong-secret", "wrong%2Dsecret%40"] {
                let wrong = try engine.open(url.replacing("right-secret", with: password), list: "list")
                do {
                    _ = try await wrong.end()
                    Issue.record("a wrong password is accepted")
                } catch {
                    guard case SharedLogError.refused(.credentials, _) = error else {
                        Issue.record("another error: \(error)")
                        continue
                    }
                    for text in ["\(error)", String(reflecting: error)] { #expect(!text.contains("secret"), "\(text)") }
                }
                await wrong.close()
            }
        }
    }

    @Test func aServerIsAskedWithTheLoginOfAnotherThatIsDown() async throws {
        let server = try NATSServer(login: ("lister", "right-secret"))
        defer { server.end() }
        let url = "nats://lister:right-secret@127.0.0.1:1,nats://127.0.0.1:\(server.port)"
        let log = try Engine.nats.open(url, list: "list")
        #expect(try await log.end() == .beginning)
        await log.close()
    }

    @Test func anAddressThatCannotBeUsedIsRefusedWithoutBeingRepeated() {
        for url in [
            "", "http://secret", "postgresql://user:secret@host:port/", "postgresql://user:secret@[::1/x",
            "postgresql://u:p@h/d?unknown=secret",
        ] {
            do {
                _ = try PostgresLog(url: url, list: "list")
                Issue.record("\(url) is accepted")
            } catch { #expect(!"\(error)".contains("secret"), "\(error)") }
        }
        for url in [
            "", "secret", "http://secret", "nats://", "nats://a,secret", "nats://a?secret=1", "nats://a?replicas=9",
        ] {
            do {
                _ = try NATSLog(url: url, list: "list")
                Issue.record("\(url) is accepted")
            } catch { #expect(!"\(error)".contains("secret"), "\(error)") }
        }
    }

    @Test(arguments: Engine.servers)
    func aListThatIsNotThereIsNotCreatedUnlessItMayBe(engine: Engine) async throws {
        let log: any SharedLog
        switch engine {
        case .memory: return
        case .postgres:
            var options = PostgresLog.Options()
            options.createsList = false
            log = try PostgresLog(url: SharedServers.postgres.get().url, list: "not there", options: options)
        case .nats:
            var options = NATSLog.Options()
            options.createsList = false
            log = try NATSLog(url: SharedServers.nats.get().url, list: "not there", options: options)
        }
        await #expect(throws: SharedLogError.notFound(list: "not there")) { try await log.end() }
        await log.close()
    }

    @Test func severalReplicasNeedACluster() async throws {
        let log = try NATSLog(url: SharedServers.nats.get().url + "?replicas=3", list: UUID().uuidString)
        do {
            _ = try await log.end()
            Issue.record("a single server keeps three replicas")
        } catch SharedLogError.invalidAddress {}
        await log.close()
    }

    @Test(arguments: Engine.servers)
    func clientsThatCreateAListAtOnceFindTheSameOne(engine: Engine) async throws {
        let server = try engine.server()
        defer { server.end() }
        let url = server.url
        let ends = try await withThrowingTaskGroup(of: LogPosition.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let log = try engine.open(url, list: "list")
                    let end = try await log.end()
                    await log.close()
                    return end
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ends == Array(repeating: .beginning, count: 8))
        let report = try await Race.run(writers: 2, rounds: 3) { try engine.open(url, list: "list") }
        #expect(report.problems.isEmpty, "\(report.problems)")
    }
}

/// Payloads that a writer has appended, and whether it knows.
struct Writing: Sendable {
    var payloads: [[UInt8]]
    /// Whether an append of them was acknowledged, or else found in the log.
    var isAcknowledged: Bool

    /// Appends payloads as a replica does: if it is unknown whether they were appended, it looks in the log.
    static func run(_ payloads: [[UInt8]], on log: any SharedLog) async throws -> Writing {
        let deadline = ContinuousClock.now + .seconds(60)
        var tried: [[LogEntry]] = []
        while ContinuousClock.now < deadline {
            do {
                let end = try await log.end()
                for entries in tried where end.number >= entries[0].number {
                    let first = entries[0]
                    let found = try await log.entries(after: first.number - 1, maximumBytes: 1)
                    if found.first == first { return Writing(payloads: payloads, isAcknowledged: true) }
                }
                let entries = end.entries(payloads)
                tried.append(entries)
                if try await log.append(entries, after: end) == .appended {
                    return Writing(payloads: payloads, isAcknowledged: true)
                }
                // Not appended: this attempt need not be looked for.
                tried.removeLast()
            } catch SharedLogError.unavailable {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        throw TestFailure("the log was unavailable for a minute")
    }

    /// Each payload is in the log once, and those of one append follow each other.
    static func check(_ writings: [Writing], _ log: [LogEntry]) throws {
        let numbers = Dictionary(log.map { (Array($0.payload), [$0.number]) }) { $0 + $1 }
        for writing in writings {
            let first = try #require(numbers[writing.payloads[0]]?.first, "an acknowledged entry is missing")
            for (index, payload) in writing.payloads.enumerated() {
                #expect(numbers[payload] == [first + UInt64(index)])
            }
        }
        #expect(log.count == writings.reduce(0) { $0 + $1.payloads.count })
    }
}

/// A flag for several tasks.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }

    func set() { value.store(true, ordering: .sequentiallyConsistent) }
}
