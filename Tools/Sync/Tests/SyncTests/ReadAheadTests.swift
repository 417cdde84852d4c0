// Tests what the listener of PostgreSQL reads before the log asks for it: only what comes behind the end, once, and it is checked.

import LogServers
@testable import PostgresLog
import SharedLog
import Testing

@Suite struct ReadAheadTests {
    private let entries = LogPosition.beginning.entries("a", "b", "c")

    /// Entries that were read behind an end.
    private func ahead(of end: UInt64?, _ entries: [LogEntry], areAll: Bool = true) -> PostgresReadAhead {
        let ahead = PostgresReadAhead()
        ahead.noteEnd(end)
        ahead.fill { _ in (entries, areAll) }
        return ahead
    }

    @Test func entriesBehindTheEndAreTakenOnce() {
        let ahead = ahead(of: 1, Array(entries[1...]))
        #expect(ahead.take(after: 1, maximumBytes: 1000) == Array(entries[1...]))
        #expect(ahead.take(after: 1, maximumBytes: 1000) == nil)
    }

    @Test func nothingIsReadUnlessTheLogHasReadEverything() {
        let ahead = PostgresReadAhead()
        ahead.fill { _ in
            Issue.record("there is more to read for the log")
            return ([], true)
        }
        ahead.noteEnd(2)
        var numbers: [UInt64] = []
        for _ in 0..<2 {
            ahead.fill {
                numbers.append($0)
                return ([entries[2]], true)
            }
        }
        #expect(numbers == [2])
    }

    @Test func behindWhatWasTakenIsNothingUnlessTheServerHadMoreOrHasToldOfMore() {
        let whole = ahead(of: 1, [entries[1]])
        #expect(whole.mayHaveMore(after: 1))
        #expect(whole.take(after: 1, maximumBytes: 1000) == [entries[1]])
        #expect(!whole.mayHaveMore(after: 2) && whole.mayHaveMore(after: 1))
        // It is read behind that.
        whole.fill { _ in ([entries[2]], true) }
        #expect(whole.mayHaveMore(after: 2))
        #expect(whole.take(after: 2, maximumBytes: 1000) == [entries[2]])
        let part = ahead(of: 1, [entries[1]], areAll: false)
        #expect(part.take(after: 1, maximumBytes: 1000) == [entries[1]])
        #expect(part.mayHaveMore(after: 2))
        let told = ahead(of: 1, [entries[1]])
        told.fill { _ in
            Issue.record("what was read before is not taken yet")
            return ([], true)
        }
        #expect(told.take(after: 1, maximumBytes: 1000) == [entries[1]])
        #expect(told.mayHaveMore(after: 2))
    }

    @Test func whoAsksForAnEntryAgainAsksTheServer() {
        #expect(ahead(of: 1, Array(entries[1...])).take(after: 0, maximumBytes: 1000) == nil)
    }

    @Test func anotherConnectionForgetsWhatWasRead() {
        let ahead = ahead(of: 0, entries)
        ahead.noteEnd(nil)
        #expect(ahead.take(after: 0, maximumBytes: 1000) == nil)
    }

    @Test func whatTheLogHasReadMeanwhileIsNotKept() {
        let ahead = PostgresReadAhead()
        ahead.noteEnd(1)
        ahead.fill { _ in
            ahead.noteEnd(3)
            return (Array(entries[1...]), true)
        }
        #expect(ahead.take(after: 1, maximumBytes: 1000) == nil)
        #expect(ahead.take(after: 3, maximumBytes: 1000) == nil)
    }

    @Test func moreBytesThanAskedForAndWhatIsWrongAreNotTaken() {
        #expect(ahead(of: 0, entries).take(after: 0, maximumBytes: 1) == nil)
        #expect(ahead(of: 0, [entries[0], entries[2]]).take(after: 0, maximumBytes: 1000) == nil)
        #expect(ahead(of: 1, [entries[2]]).take(after: 1, maximumBytes: 1000) == nil)
    }

    @Test func aReaderThatIsWokenNeedNotAskTheServer() async throws {
        let server = try PostgresServer()
        defer { server.end() }
        let writer = try Engine.postgres.open(server.url, list: "list")
        var options = PostgresLog.Options()
        options.pause = .seconds(60)
        let reader = try PostgresLog(url: server.url, list: "list", options: options)
        let changes = WakeUps(reader.changes())
        #expect(try await writer.append([entries[0]], after: .beginning) == .appended)
        try await changes.settle()
        #expect(try await reader.all() == [entries[0]])
        let total = changes.total
        #expect(try await writer.append([entries[1]], after: entries[0].position) == .appended)
        try await changes.next(after: total, within: 30)
        server.suspend(true)
        #expect(try await reader.entries(after: 1, maximumBytes: 1000) == [entries[1]])
        #expect(!reader.mayHaveMore(after: 2))
        server.suspend(false)
        // They answer each other, and what was read is read again.
        #expect(try await reader.entries(after: 1, maximumBytes: 1000) == [entries[1]])
        #expect(try await reader.append([entries[2]], after: entries[1].position) == .appended)
        #expect(try await writer.entries(after: 2, maximumBytes: 1000) == [entries[2]])
        for log in [writer, reader] { #expect(try await log.all() == entries) }
        await writer.close()
        await reader.close()
    }

    @Test func aLargeEntryIsReadByTheLogAlone() async throws {
        let server = try PostgresServer()
        defer { server.end() }
        let writer = try Engine.postgres.open(server.url, list: "list")
        var options = PostgresLog.Options()
        options.pause = .seconds(60)
        let reader = try PostgresLog(url: server.url, list: "list", options: options)
        let changes = WakeUps(reader.changes())
        try await changes.settle()
        #expect(try await reader.all().isEmpty)
        let large = LogPosition.beginning.entries([[UInt8](repeating: 1, count: PostgresReadAhead.mostBytes)])
        let total = changes.total
        #expect(try await writer.append(large, after: .beginning) == .appended)
        try await changes.next(after: total, within: 30)
        // Who has read it already does not notice.
        try server.run(sql: "DELETE FROM listory_entry")
        await #expect(throws: SharedLogError.self) { try await reader.entries(after: 0, maximumBytes: 1 << 20) }
        await writer.close()
        await reader.close()
    }
}
