// Tests that a client of NATS does not append behind an end that the stream has no more: it asks the server again when another server
// leads the stream, when the stream begins anew, and now and then.
//
// In each test, a stream is replaced by one with as many messages, so its sequences alone say nothing.

import CNATS
import LogServers
@testable import NATSLog
import SharedLog
import Testing

@Suite struct StaleEndTests {
    private let list = "list"
    private let entries = LogPosition.beginning.entries("a", "b")
    private let others = LogPosition.beginning.entries("other")

    @Test func aStreamThatBeginsAnewIsReadAgain() async throws {
        let server = try NATSServer()
        defer { server.end() }
        var options = NATSLog.Options()
        // It is told, and does not look.
        options.pause = .seconds(60)
        let log = try NATSLog(url: server.url, list: list, options: options)
        let other = try Engine.nats.open(server.url, list: list)
        #expect(try await log.append([entries[0]], after: .beginning) == .appended)
        let changes = WakeUps(log.changes())
        try await changes.settle()
        let total = changes.total
        try RawNATS(server.url).removeStream(NATSNames(list: list).log)
        #expect(try await other.append(others, after: .beginning) == .appended)
        try await changes.next(after: total, within: 30)
        #expect(try await log.append([entries[1]], after: entries[0].position) == .behind(end: others[0].position))
        await log.close()
        await other.close()
    }

    @Test func aStreamWithAnotherLeaderIsReadAgain() async throws {
        let replaced = try await ReplacedStream(list, entries[0], by: others)
        defer { replaced.server.end() }
        let total = replaced.changes.total
        try replaced.raw.send(to: NATSNames(list: list).elected)
        try await replaced.changes.next(after: total, within: 30)
        #expect(try await replaced.append([entries[1]], after: entries[0].position) == .behind(end: others[0].position))
        await replaced.log.close()
    }

    /// nats.c tells of the loss on a thread of its own, which may come late.
    @Test func aConnectionThatWasMadeAgainIsNoticedBeforeTheLogIsTold() async throws {
        let replaced = try await ReplacedStream(list, entries[0], by: others)
        defer { replaced.server.end() }
        // What nats.c says never arrives.
        await replaced.log.events.forget()
        try replaced.server.kill()
        try replaced.server.start()
        let result = try await eventually {
            try await replaced.append([entries[1]], after: entries[0].position)
        }
        #expect(result == .behind(end: others[0].position))
        await replaced.log.close()
    }

    @Test func theEndIsReadAgainNowAndThen() async throws {
        let replaced = try await ReplacedStream(list, entries[0], by: others, pause: .milliseconds(100))
        defer { replaced.server.end() }
        try await replaced.changes.next(after: replaced.total, within: 30)
        // That may have been a late one, of what was there before.
        try await replaced.changes.settle()
        #expect(try await replaced.append([entries[1]], after: entries[0].position) == .behind(end: others[0].position))
        await replaced.log.close()
    }

    /// What the tests above prevent.
    @Test func whoIsToldNothingAppendsBehindWhatHeDoesNotKnow() async throws {
        let replaced = try await ReplacedStream(list, entries[0], by: others)
        defer { replaced.server.end() }
        #expect(try await replaced.append([entries[1]], after: entries[0].position) == .appended)
        await replaced.log.close()
    }

    @Test func aClusterTellsThatAnotherServerLeads() async throws {
        let cluster = try NATSCluster()
        defer { for server in cluster.servers { server.end() } }
        let log = try Engine.nats.open(cluster.url + "?replicas=3", list: list)
        _ = try await eventually(within: 60) { try await log.end() }
        let changes = WakeUps(log.changes())
        try await changes.settle()
        let total = changes.total
        let raw = try RawNATS(cluster.servers[0].url)
        try raw.send(to: "$JS.API.STREAM.LEADER.STEPDOWN.\(NATSNames(list: list).log)")
        try await changes.next(after: total, within: 30)
        await log.close()
    }
}

/// A stream that was replaced, of whose messages the server tells nobody, and a log that has appended an entry before.
private struct ReplacedStream {
    let server: NATSServer
    let raw: RawNATS
    let log: NATSLog
    let changes: WakeUps
    /// How often it was woken before the stream was replaced.
    let total: Int

    init(
        _ list: String, _ entry: LogEntry, by others: [LogEntry], pause: Duration = .seconds(60)
    ) async throws {
        server = try NATSServer()
        raw = try RawNATS(server.url)
        let names = NATSNames(list: list)
        var options = NATSLog.Options()
        options.pause = pause
        // It may look when the stream is just gone.
        options.createsList = false
        try raw.addStream(names.log, subject: names.subject)
        log = try NATSLog(url: server.url, list: list, options: options)
        changes = WakeUps(log.changes())
        // Then it has looked for the first time.
        try await changes.settle()
        let total = changes.total
        guard try await log.append([entry], after: .beginning) == .appended else { throw TestFailure("not appended") }
        // It looks at what it has appended, if it looks often.
        if pause < .seconds(1) { try await changes.next(after: total, within: 30) }
        self.total = changes.total
        try raw.removeStream(names.log)
        try raw.addStream(names.log, subject: names.subject)
        _ = try raw.publish(NATSFrame.beginning(of: list), to: names.subject)
        _ = try raw.publish(NATSFrame.entries(others[...]), to: names.subject)
    }

    func append(_ entries: [LogEntry], after position: LogPosition) async throws -> AppendResult {
        try await log.append(entries, after: position)
    }
}
