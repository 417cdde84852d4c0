// Tests what clients of NATS announce to each other: it is read without asking the server, once, and only if the server has stored it.

import LogServers
@testable import NATSLog
import SharedLog
import Testing

@Suite struct AnnouncementTests {
    private let list = "announced"
    private let entries = LogPosition.beginning.entries("a", "b", "c", "d")

    private func message(_ range: Range<Int>) -> [UInt8] { NATSFrame.entries(entries[range]) }

    /// Takes entries for a reader that has read up to a number.
    private func take(_ events: NATSEvents, after number: UInt64, maximumBytes: Int = 1000) -> [LogEntry]? {
        events.noteRead(through: number)
        return events.takeEntries(after: number, maximumBytes: maximumBytes, of: list)
    }

    @Test func aMessageIsTakenOnceIfItIsAnnouncedAndStoredInAnyOrder() {
        let events = NATSEvents(ChangeBroadcast())
        events.announce("x", message(0..<1))
        #expect(take(events, after: 0) == nil)
        events.noteStored(2, "x")
        #expect(take(events, after: 1) == nil)
        #expect(take(events, after: 0) == [entries[0]])
        #expect(events.takeTail() == NATSLog.Tail(sequence: 2, position: entries[0].position))
        #expect(events.takeTail() == nil)
        #expect(take(events, after: 0) == nil)
        events.noteStored(3, "y")
        #expect(take(events, after: 1) == nil)
        events.announce("y", message(1..<2))
        #expect(take(events, after: 1) == [entries[1]])
    }

    @Test func consecutiveMessagesAreTakenTogetherUpToOneThatIsNotThere() {
        let events = NATSEvents(ChangeBroadcast())
        for (sequence, range) in [(2, 0..<1), (3, 1..<3), (4, 3..<4)] {
            events.announce("\(sequence)", message(range))
            events.noteStored(UInt64(sequence), "\(sequence)")
        }
        #expect(take(events, after: 0) == entries)
        #expect(!events.mayHaveMore(after: 4))
        #expect(events.takeTail()?.sequence == 4)
        events.announce("a", message(0..<1))
        events.noteStored(5, "a")
        events.noteStored(6, "b")
        events.announce("c", message(3..<4))
        events.noteStored(7, "c")
        #expect(take(events, after: 0) == [entries[0]])
        #expect(events.mayHaveMore(after: 1))
        #expect(take(events, after: 3) == [entries[3]])
        #expect(!events.mayHaveMore(after: 4))
        events.noteStored(8, "d")
        #expect(events.mayHaveMore(after: 4))
    }

    @Test func whoAsksForAnEntryAgainAsksTheServer() {
        let events = NATSEvents(ChangeBroadcast())
        events.noteStored(2, "x")
        // It was read before its announcement came.
        events.noteRead(through: 1)
        events.announce("x", message(0..<1))
        #expect(events.takeEntries(after: 0, maximumBytes: 1000, of: list) == nil)
        events.announce("y", message(1..<2))
        events.noteStored(3, "y")
        #expect(events.takeEntries(after: 1, maximumBytes: 1000, of: list) == [entries[1]])
        #expect(events.takeEntries(after: 1, maximumBytes: 1000, of: list) == nil)
    }

    @Test func aLogThatWentBackForgetsWhatWasToldBefore() {
        let events = NATSEvents(ChangeBroadcast())
        events.announce("x", message(0..<1))
        events.noteStored(2, "x")
        let other = LogPosition.beginning.entries("other")
        events.noteStored(2, "y")
        events.announce("y", NATSFrame.entries(other[...]))
        #expect(take(events, after: 0) == other)
        for sequence in [0, UInt64.max] {
            events.announce("\(sequence)", NATSFrame.entries(other[...]))
            events.noteStored(sequence, "\(sequence)")
            #expect(take(events, after: 0) == nil)
        }
    }

    @Test func moreBytesThanAskedForAreNotTaken() {
        let events = NATSEvents(ChangeBroadcast())
        events.announce("x", message(0..<2))
        events.noteStored(2, "x")
        #expect(take(events, after: 0, maximumBytes: 1) == nil)
        #expect(take(events, after: 0) == Array(entries[..<2]))
    }

    @Test func whatIsWrongIsNotTaken() {
        var flipped = message(0..<1)
        flipped[flipped.count - 1] ^= 1
        let other = LogEntry(number: 1, link: 7, payload: [1])
        for bytes in [[], [1], [2, 2], flipped, NATSFrame.beginning(of: "x"), NATSFrame.entries([other])] {
            let events = NATSEvents(ChangeBroadcast())
            events.announce("x", bytes)
            events.noteStored(2, "x")
            #expect(take(events, after: 0) == nil, "\(bytes)")
        }
    }

    @Test func aNewConnectionAndManyMessagesForgetOldOnes() {
        let events = NATSEvents(ChangeBroadcast())
        events.announce("x", message(0..<1))
        events.noteStored(2, "x")
        events.doubt()
        #expect(take(events, after: 0) == nil)
        events.announce("x", message(0..<1))
        events.noteStored(2, "x")
        for number in 0..<NATSEvents.mostAnnounced { events.announce("\(number)", []) }
        #expect(take(events, after: 0) == nil)
        events.announce("large", [UInt8](repeating: 0, count: NATSEvents.mostAnnouncedBytes + 1))
        events.noteStored(2, "large")
        #expect(take(events, after: 0) == nil)
    }

    @Test func whoMayNotAnnounceAppendsAndReadsAsBefore() async throws {
        let denied = #"{ deny: "listory.announced.>" }"#
        let server = try NATSServer(
            settings:
                "authorization { users = [{ user: a, password: b, permissions: { publish: \(denied), subscribe: \(denied) } }] }"
        )
        defer { server.end() }
        let url = server.url.replacing("nats://", with: "nats://a:b@")
        let logs = try (0..<2).map { _ in try Engine.nats.open(url, list: list, timeout: .seconds(1)) }
        let changes = logs.map { WakeUps($0.changes()) }
        #expect(try await logs[0].append([entries[0]], after: .beginning) == .appended)
        try await Task.sleep(for: .seconds(1))
        let total = changes[1].total
        #expect(try await logs[0].append([entries[1]], after: entries[0].position) == .appended)
        try await changes[1].next(after: total, within: 30)
        #expect(try await logs[1].all() == Array(entries[..<2]))
        // A request that the server does not answer is not one that it refuses.
        server.suspend(true)
        do {
            _ = try await logs[0].append([entries[2]], after: entries[1].position)
            Issue.record("a server that stands still has answered")
        } catch SharedLogError.unavailable {}
        server.suspend(false)
        for log in logs { await log.close() }
    }

    @Test func aConnectionThatIsFreedUnusedTakesNoAnnouncementsFromTheOneInUse() async throws {
        let server = try Engine.nats.server()
        defer { server.end() }
        let writer = try Engine.nats.open(server.url, list: list)
        let reader = try NATSLog(url: server.url, list: list)
        let changes = WakeUps(reader.changes())
        #expect(try await writer.append([entries[0]], after: .beginning) == .appended)
        #expect(try await reader.all() == [entries[0]])
        // As if an attempt that was left alone had succeeded after the next one. It counts as a loss, after which the log is read again.
        _ = try NATSConnection(
            NATSAddress(server.url), timeout: .seconds(5), connectTimeout: .seconds(5), events: await reader.events)
        try await changes.settle()
        #expect(try await reader.all() == [entries[0]])
        let total = changes.total
        #expect(try await writer.append([entries[1]], after: entries[0].position) == .appended)
        try await changes.next(after: total, within: 30)
        try await Task.sleep(for: .milliseconds(300))
        server.suspend(true)
        #expect(try await reader.entries(after: 1, maximumBytes: 1000) == [entries[1]])
        server.suspend(false)
        await writer.close()
        await reader.close()
    }

    @Test func aReaderNeedNotAskTheServerForASmallEntry() async throws {
        let server = try Engine.nats.server()
        defer { server.end() }
        let (writer, reader) = try (Engine.nats.open(server.url, list: list), Engine.nats.open(server.url, list: list))
        let changes = WakeUps(reader.changes())
        #expect(try await writer.append([entries[0]], after: .beginning) == .appended)
        #expect(try await reader.all() == [entries[0]])
        try await Task.sleep(for: .seconds(1))
        let total = changes.total
        #expect(try await writer.append([entries[1]], after: entries[0].position) == .appended)
        try await changes.next(after: total, within: 30)
        try await Task.sleep(for: .milliseconds(300))
        server.suspend(true)
        #expect(try await reader.entries(after: 1, maximumBytes: 1000) == [entries[1]])
        #expect(!reader.mayHaveMore(after: 2))
        server.suspend(false)
        // They answer each other, and read again from the server what was announced.
        #expect(try await reader.entries(after: 1, maximumBytes: 1000) == [entries[1]])
        #expect(try await reader.append([entries[2]], after: entries[1].position) == .appended)
        #expect(try await writer.entries(after: 2, maximumBytes: 1000) == [entries[2]])
        #expect(try await writer.append([entries[3]], after: entries[2].position) == .appended)
        for log in [writer, reader] { #expect(try await log.all() == entries) }
        await writer.close()
        await reader.close()
    }
}
