import MemoryLog
import SharedLog
import Synchronization
import Testing

/// The faults that a simulation injects.
@Suite struct MemoryLogTests {
    private let server = MemoryServer()
    private let entries = LogPosition.beginning.entries("a", "b", "c", "d")

    /// A connection with faults for its next calls, one after another.
    private func log(_ faults: MemoryLog.Fault?...) -> MemoryLog {
        let remaining = Mutex(faults)
        return MemoryLog(server) { _ in remaining.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    @Test func aLostRequestDoesNothing() async throws {
        let log = log(.requestLost)
        await #expect(throws: SharedLogError.unavailable(cause: "the request was lost")) {
            try await log.append(entries, after: .beginning)
        }
        #expect(server.count == 0)
        #expect(try await log.append(entries, after: .beginning) == .appended)
    }

    @Test func aLostAnswerLeavesWhatWasAppended() async throws {
        let log = log(.answerLost)
        await #expect(throws: SharedLogError.unavailable(cause: "the answer was lost")) {
            try await log.append(entries, after: .beginning)
        }
        #expect(try await log.end() == entries[3].position)
    }

    @Test func aPartialAppendLeavesABeginning() async throws {
        let log = log(.partial(2))
        await #expect(throws: SharedLogError.unavailable(cause: "the answer was lost")) {
            try await log.append(entries, after: .beginning)
        }
        #expect(try await log.all() == Array(entries[..<2]))
    }

    @Test func aStaleReadShowsAnEarlierEnd() async throws {
        let log = log(nil, .stale(1), .stale(1), .stale(0))
        _ = try await log.append(entries, after: .beginning)
        #expect(try await log.end() == entries[0].position)
        #expect(try await log.entries(after: 0, maximumBytes: 1000) == [entries[0]])
        #expect(try await log.entries(after: 0, maximumBytes: 1000).isEmpty)
        #expect(try await log.end() == entries[3].position)
    }

    @Test func aServerMayLoseItsEndAndGoOnElsewhere() async throws {
        let log = log()
        _ = try await log.append(entries, after: .beginning)
        let fork = server.fork(at: 2)
        server.truncate(to: 3)
        #expect(try await log.end() == entries[2].position)
        let other = MemoryLog(fork)
        let different = entries[1].position.entries("x")
        #expect(try await other.append(different, after: entries[1].position) == .appended)
        #expect(try await other.all() == Array(entries[..<2]) + different)
        #expect(try await log.all() == Array(entries[..<3]))
    }

    @Test func flippedBitsAndReplacedEntriesAreNoticed() async throws {
        let log = log()
        _ = try await log.append(entries, after: .beginning)
        server.flipBit(17 * 8, of: 2)
        await #expect(throws: SharedLogError.self) { try await log.all() }
        server.flipBit(17 * 8, of: 2)
        #expect(try await log.all() == entries)
        server.replace(2, payload: [9], link: entries[0].checksum)
        await #expect(throws: SharedLogError.self) { try await log.all() }
        server.replace(2, bytes: [7, 7])
        await #expect(throws: SharedLogError.futureFormat(.entry(2), expected: 1, found: 7)) { try await log.all() }
    }

    @Test func theSameCallsLeadToTheSameResults() async throws {
        func run() async -> [String] {
            var generator = SeededGenerator(seed: 5)
            let server = MemoryServer()
            let faults: [MemoryLog.Fault?] = [nil, nil, .requestLost, .answerLost, .partial(1), .stale(3)]
            let chosen = Mutex(SeededGenerator(seed: 6))
            let log = MemoryLog(server) { _ in
                chosen.withLock { generator in faults.randomElement(using: &generator)! }
            }
            var results: [String] = []
            for _ in 0..<200 {
                do {
                    let end = try await log.end()
                    let entries = end.entries("\(generator.next())", "\(generator.next())")
                    results.append("\(try await log.append(entries, after: end))")
                } catch {
                    results.append("\(error)")
                }
            }
            return results
        }
        #expect(await run() == run())
    }
}
