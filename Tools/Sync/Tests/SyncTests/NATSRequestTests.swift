// Tests what a client of NATS asks the server for, and what it makes of a server that sets limits.

import LogServers
@testable import NATSLog
import SharedLog
import Testing

@Suite struct NATSRequestTests {
    private let list = "list"

    /// Asking for any of them, wherever it is, would take twice the logarithm of the number of messages.
    @Test func singleEntriesInOrderAreFoundWithFewRequests() async throws {
        let server = try NATSServer()
        defer { server.end() }
        let writer = try Engine.nats.open(server.url, list: list)
        var entries: [LogEntry] = []
        for count in [Int](repeating: 1, count: 60) + [50, 50, 50] + [Int](repeating: 1, count: 30) {
            let end = entries.last?.position ?? .beginning
            let message = end.entries((0..<count).map { [UInt8($0)] })
            #expect(try await writer.append(message, after: end) == .appended)
            entries += message
        }
        let reader = try Engine.nats.open(server.url, list: list)
        let raw = try RawNATS(server.url)
        try raw.listen(to: "$JS.API.DIRECT.GET.\(NATSNames(list: list).log)")
        let numbers = Array(stride(from: 4, through: entries.count, by: 9))
        for number in numbers {
            #expect(try await reader.entries(after: UInt64(number) - 1, maximumBytes: 1) == [entries[number - 1]])
        }
        let count = try raw.heardCount()
        #expect(count >= numbers.count && count <= 3 * numbers.count, "\(count) requests for \(numbers.count) entries")
        for number in [230, 100, 3, 61, 60, 160, 240, 239] {
            #expect(try await reader.entries(after: UInt64(number) - 1, maximumBytes: 1) == [entries[number - 1]])
        }
        #expect(try await reader.entries(after: UInt64(entries.count), maximumBytes: 1).isEmpty)
        await reader.close()
        await writer.close()
    }

    @Test func aLimitOfTheStreamCutsMessagesAndIsToldForAnEntryThatIsLarger() async throws {
        let server = try NATSServer()
        defer { server.end() }
        let raw = try RawNATS(server.url)
        let names = NATSNames(list: list)
        try raw.addStream(names.log, subject: names.subject, maximumMessageBytes: 4_096)
        let log = try Engine.nats.open(server.url, list: list)
        let small = LogPosition.beginning.entries((0..<20).map { [UInt8](repeating: $0, count: 500) })
        #expect(try await log.append(small, after: .beginning) == .appended)
        #expect(try await log.all() == small)
        let end = small[19].position
        let large = end.entries([[UInt8](repeating: 1, count: 5_000)])
        do {
            _ = try await log.append(large, after: end)
            Issue.record("it was appended")
        } catch SharedLogError.tooLarge(let number, _, let limit) {
            #expect(number == 21 && limit < 4_096)
        }
        // The limit may be another one meanwhile.
        try raw.removeStream(names.log)
        try raw.addStream(names.log, subject: names.subject)
        let first = LogPosition.beginning.entries([[UInt8](repeating: 1, count: 5_000)])
        #expect(try await eventually { try await log.append(first, after: .beginning) } == .appended)
        await log.close()
    }

    @Test func aStreamForSmallMessagesTakesSmallCommitsAndSnapshotsOfAnySize() async throws {
        let server = try NATSServer()
        defer { server.end() }
        let raw = try RawNATS(server.url)
        let names = NATSNames(list: list)
        try raw.addStream(names.log, subject: names.subject, maximumMessageBytes: 800)
        let log = try Engine.nats.open(server.url, list: list)
        let small = LogPosition.beginning.entries((0..<20).map { [UInt8](repeating: $0, count: 100) })
        #expect(try await log.append(small, after: .beginning) == .appended)
        #expect(try await log.all() == small)
        do {
            let end = small[19].position
            _ = try await log.append(end.entries([[UInt8](repeating: 1, count: 700)]), after: end)
            Issue.record("it was appended")
        } catch SharedLogError.tooLarge(let number, _, let limit) {
            #expect(number == 21 && limit < 800)
        }
        let snapshot = LogSnapshot(position: small[19].position, bytes: [UInt8](repeating: 5, count: 200_000))
        try await log.offer(snapshot)
        #expect(try await log.snapshot() == snapshot)
        await log.close()
    }

    @Test func whatWasRefusedOnceIsNoReasonWhyALaterRequestGetsNoAnswer() async throws {
        let denied = #"{ deny: "$JS.API.CONSUMER.DELETE.>" }"#
        let server = try NATSServer(
            settings: "authorization { users = [{ user: a, password: b, permissions: { publish: \(denied) } }] }")
        defer { server.end() }
        let url = server.url.replacing("nats://", with: "nats://a:b@")
        let writer = try Engine.nats.open(url, list: list)
        var end = LogPosition.beginning
        for number in 0..<8 as Range<UInt8> {
            let entry = LogEntry(after: end, payload: [number])
            #expect(try await writer.append([entry], after: end) == .appended)
            end = entry.position
        }
        // More messages than are asked for one by one are read with a consumer, which may not be removed afterwards.
        let reader = try Engine.nats.open(url, list: list, timeout: .seconds(1))
        #expect(try await reader.all().last?.position == end)
        server.suspend(true)
        do {
            _ = try await reader.end()
            Issue.record("a server that stands still has answered")
        } catch SharedLogError.unavailable {}
        server.suspend(false)
        await reader.close()
        await writer.close()
    }
}
