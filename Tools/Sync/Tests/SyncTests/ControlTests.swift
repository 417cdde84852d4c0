// The tests above find faults: engines with a fault planted fail them.

import MemoryLog
import SharedLog
import Synchronization
import Testing

@Suite struct ControlTests {
    /// An engine that does not look whether the log ends where the entries begin.
    private struct CarelessLog: SharedLog {
        let server: MemoryServer
        let log: MemoryLog

        init(_ server: MemoryServer) {
            self.server = server
            log = MemoryLog(server)
        }

        func end() async throws -> LogPosition {
            let end = try await log.end()
            await Task.yield()
            return end
        }

        func append(_ entries: [LogEntry], after position: LogPosition) async throws -> AppendResult {
            _ = try await log.add(entries.map { Array($0.payload) })
            return .appended
        }

        func entries(after number: UInt64, maximumBytes: Int) async throws -> [LogEntry] {
            try await log.entries(after: number, maximumBytes: maximumBytes)
        }

        func changes() -> AsyncStream<Void> { log.changes() }
        func snapshot() async throws -> LogSnapshot? { nil }
        func snapshotPosition() async throws -> LogPosition? { nil }
        func offer(_ snapshot: LogSnapshot) async throws {}
        func close() async { await log.close() }
    }

    @Test func anEngineThatDoesNotCompareTheEndLosesTheRace() async throws {
        let server = MemoryServer()
        let report = try await Race.run(writers: 8, rounds: 200) { CarelessLog(server) }
        #expect(!report.problems.isEmpty)
    }

    @Test func aServerThatLosesAcknowledgedEntriesFailsTheCheck() async throws {
        let server = MemoryServer()
        let log = MemoryLog(server)
        var written: [Writing] = []
        for number in 0..<5 { written.append(try await Writing.run([[UInt8(number)]], on: log)) }
        let all = try await log.all()
        try Writing.check(written, all)
        withKnownIssue { try Writing.check(written, Array(all.dropLast())) }
        withKnownIssue { try Writing.check(written, all + [all[0]]) }
    }

    @Test func anAnswerThatIsLostIsLookedForInTheLog() async throws {
        // Each append is done and its answer lost, or lost before it is done; a writer that would simply append again would leave
        // entries twice.
        let count = Mutex(0)
        let server = MemoryServer()
        let log = MemoryLog(server) { call in
            guard case .append = call else { return nil }
            return count.withLock { count in
                count += 1
                return count % 3 == 0 ? .requestLost : count % 3 == 1 ? .answerLost : nil
            }
        }
        var written: [Writing] = []
        for number in 0..<20 {
            written.append(try await Writing.run([[UInt8(number)], [100]].dropLast(1).map { $0 }, on: log))
        }
        try Writing.check(written, try await MemoryLog(server).all())
    }
}
