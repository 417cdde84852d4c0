// What every engine must do. A new engine is right when it passes these.

import Foundation
import SharedLog
import Testing

@Suite struct ConformanceTests {
    @Test(arguments: Engine.allCases)
    func aNewLogIsEmpty(engine: Engine) async throws {
        let log = try engine.list().open()
        #expect(try await log.end() == .beginning)
        #expect(try await log.entries(after: 0, maximumBytes: 1000).isEmpty)
        #expect(try await log.entries(after: 7, maximumBytes: 1000).isEmpty)
        #expect(try await log.snapshot() == nil)
        #expect(try await log.snapshotPosition() == nil)
        await log.close()
    }

    @Test(arguments: Engine.allCases)
    func whatIsAppendedIsReadAgainWithTheSameBytes(engine: Engine) async throws {
        let list = try engine.list()
        let (log, other) = try (list.open(), list.open())
        let entries = LogPosition.beginning.entries([[], [0], Array(0...255), Array("ü🎉\0\u{1B}".utf8)])
        #expect(try await log.append(Array(entries[..<1]), after: .beginning) == .appended)
        #expect(try await log.append(Array(entries[1...]), after: entries[0].position) == .appended)
        #expect(try await log.end() == entries[3].position)
        #expect(try await log.entries(after: 0, maximumBytes: 100_000) == entries)
        #expect(try await other.end() == entries[3].position)
        #expect(try await other.entries(after: 2, maximumBytes: 100_000) == Array(entries[2...]))
        #expect(try await other.entries(after: 4, maximumBytes: 100_000).isEmpty)
        await log.close()
        await other.close()
    }

    @Test(arguments: Engine.allCases)
    func whoHasReadToTheEndReadsBehindItsOwnEntries(engine: Engine) async throws {
        let list = try engine.list()
        let (log, other) = try (list.open(), list.open())
        var position = LogPosition.beginning
        for round in 0..<6 {
            #expect(try await log.entries(after: position.number, maximumBytes: 100_000).isEmpty)
            let writer = round % 3 == 1 ? other : log
            let entries = position.entries("\(round)", "b")
            #expect(try await writer.append(entries, after: position) == .appended)
            #expect(try await log.entries(after: position.number + 2, maximumBytes: 100_000).isEmpty)
            #expect(try await log.entries(after: position.number + 1, maximumBytes: 100_000) == [entries[1]])
            position = entries[1].position
        }
        await log.close()
        await other.close()
    }

    @Test(arguments: Engine.allCases)
    func anAppendBehindTheEndIsAnsweredWithTheEndAndAppendsNothing(engine: Engine) async throws {
        let list = try engine.list()
        let (log, other) = try (list.open(), list.open())
        let entries = LogPosition.beginning.entries("a", "b", "c")
        #expect(try await other.end() == .beginning)
        #expect(try await log.append(entries, after: .beginning) == .appended)
        let end = entries[2].position
        let wrong = [
            LogPosition.beginning, entries[0].position, LogPosition(number: 3, checksum: end.checksum ^ 1),
            LogPosition(number: 4, checksum: end.checksum),
        ]
        for position in wrong {
            for log in [log, other] {
                #expect(try await log.append(position.entries("x"), after: position) == .behind(end: end))
                #expect(try await log.append(position.entries("x", "y"), after: position) == .behind(end: end))
            }
        }
        #expect(try await log.all() == entries)
        #expect(try await other.append(end.entries("d"), after: end) == .appended)
        #expect(try await log.append(end.entries("e"), after: end) == .behind(end: end.entries("d")[0].position))
        await log.close()
        await other.close()
    }

    @Test(arguments: Engine.allCases)
    func anAppendOfNothingSaysWhetherTheLogEndsThere(engine: Engine) async throws {
        let log = try engine.list().open()
        #expect(try await log.append([], after: .beginning) == .appended)
        let entry = LogPosition.beginning.entries("a")[0]
        #expect(try await log.append([], after: entry.position) == .behind(end: .beginning))
        #expect(try await log.append([entry], after: .beginning) == .appended)
        #expect(try await log.append([], after: entry.position) == .appended)
        await log.close()
    }

    @Test(arguments: Engine.allCases)
    func entriesThatDoNotFollowThePositionAreNotSent(engine: Engine) async throws {
        let log = try engine.list().open()
        let entries = LogPosition.beginning.entries("a", "b", "c")
        for wrong in [[entries[1]], [entries[0], entries[2]], [entries[0], entries[0]]] {
            await #expect(throws: SharedLogError.self) { try await log.append(wrong, after: .beginning) }
        }
        let unlinked = LogEntry(number: 2, link: 5, payload: [])
        await #expect(throws: SharedLogError.self) { try await log.append([entries[0], unlinked], after: .beginning) }
        #expect(try await log.end() == .beginning)
        await log.close()
    }

    @Test(arguments: Engine.allCases)
    func piecesOfAnySizeHaveEachEntryOnceAndAreNotLargerThanAskedFor(engine: Engine) async throws {
        let seed = SeededGenerator.seed()
        var generator = SeededGenerator(seed: seed)
        let list = try engine.list()
        let log = try list.open()
        var position = LogPosition.beginning
        var entries: [LogEntry] = []
        while entries.count < 400 {
            let payloads = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                [UInt8](
                    repeating: 7,
                    count: Int.random(in: 0...(Bool.random(using: &generator) ? 20 : 3000), using: &generator))
            }
            let next = position.entries(payloads)
            #expect(try await log.append(next, after: position) == .appended)
            position = next.last!.position
            entries += next
        }
        for maximumBytes in [0, 1, 100, 3000, 50_000, 1 << 30] {
            let reader = try list.open()
            var found: [LogEntry] = []
            while true {
                let piece = try await reader.entries(after: UInt64(found.count), maximumBytes: maximumBytes)
                if piece.isEmpty { break }
                let bytes = piece.reduce(0) { $0 + $1.encodedCount }
                #expect(bytes <= maximumBytes || piece.count == 1, "\(maximumBytes), seed \(seed)")
                found += piece
            }
            #expect(found == entries, "\(maximumBytes), seed \(seed)")
            await reader.close()
        }
        // From anywhere, in any order.
        for turn in 0..<60 {
            let number = turn % 10 == 0 ? entries.count : Int.random(in: 0...entries.count, using: &generator)
            let maximumBytes = Int.random(in: 1...9000, using: &generator)
            let piece = try await log.entries(after: UInt64(number), maximumBytes: maximumBytes)
            #expect(piece == Array(entries[number...].prefix(piece.count)), "after \(number), seed \(seed)")
            #expect(number == entries.count || !piece.isEmpty, "after \(number), seed \(seed)")
        }
        await log.close()
    }

    @Test(arguments: Engine.allCases, [2, 8])
    func ofWritersThatRaceExactlyOneGetsEachNumber(engine: Engine, writers: Int) async throws {
        let list = try engine.list()
        let report = try await Race.run(writers: writers, rounds: writers == 2 ? 60 : 25, open: list.open)
        #expect(report.problems.isEmpty, "\(report.problems.prefix(5))")
    }

    @Test(arguments: Engine.allCases)
    func aReaderIsWokenWithinASecond(engine: Engine) async throws {
        let list = try engine.list()
        let (log, other) = try (list.open(), list.open())
        let changes = WakeUps(other.changes())
        // The first ones say that it waits, and that the connection was made.
        try await Task.sleep(for: .seconds(1))
        var fastest = Duration.seconds(100)
        for round in 1...8 {
            let total = changes.total
            let start = ContinuousClock.now
            _ = try await log.add([Array("round \(round)".utf8)])
            // The engines look by themselves only after a minute here, so each of these is a wake-up by the server.
            try await changes.next(after: total, within: 30)
            fastest = min(fastest, ContinuousClock.now - start)
            #expect(try await other.end().number == UInt64(round))
            try await Task.sleep(for: .milliseconds(500))
        }
        // Other tests run at the same time, so not each of them is as fast as this.
        #expect(fastest < .seconds(1))
        await log.close()
        await other.close()
    }

    @Test(arguments: Engine.servers)
    func aReaderIsNotWokenByWhatItHasAppendedItself(engine: Engine) async throws {
        let list = try engine.list()
        let (log, other) = try (list.open(), list.open())
        let changes = WakeUps(log.changes())
        // Three wake-ups may say that it waits, that it is connected, and that there is something: after one more, it hears the server.
        for number: UInt8 in 1...4 {
            let total = changes.total
            _ = try await other.add([[number]])
            try await changes.next(after: total, within: 30)
        }
        try await changes.settle()
        let total = changes.total
        _ = try await log.add([[5]])
        try await Task.sleep(for: .seconds(1))
        #expect(changes.total == total)
        await log.close()
        await other.close()
    }

    @Test(arguments: Engine.allCases)
    func aReaderThatFollowsSeesEverythingInOrder(engine: Engine) async throws {
        let list = try engine.list()
        let (log, other) = try (list.open(), list.open())
        async let reading = {
            var found: [LogEntry] = []
            for await _ in other.changes() {
                while true {
                    let next = try await other.entries(after: UInt64(found.count), maximumBytes: 2000)
                    if next.isEmpty { break }
                    found += next
                }
                if found.count >= 300 { break }
            }
            return found
        }()
        for number in 1...100 { _ = try await log.add((0..<3).map { Array("\(number).\($0)".utf8) }) }
        let found = try await reading
        #expect(found.count == 300)
        try LogChain.verify(found, after: .beginning)
        await log.close()
        await other.close()
    }

    @Test(arguments: Engine.allCases)
    func aClosedLogSaysSoAndItsChangesEnd(engine: Engine) async throws {
        let log = try engine.list().open()
        _ = try await log.end()
        let changes = log.changes()
        await log.close()
        for await _ in changes {}
        await #expect(throws: SharedLogError.closed) { try await log.end() }
        await #expect(throws: SharedLogError.closed) {
            try await log.append(LogPosition.beginning.entries("a"), after: .beginning)
        }
        await log.close()
        for await _ in log.changes() {}
    }

    @Test(arguments: Engine.allCases)
    func theSnapshotThatWasOfferedLastIsRead(engine: Engine) async throws {
        let list = try engine.list()
        let (log, other) = try (list.open(), list.open())
        for (number, size) in [(5, 0), (9, 1), (12, 9_000_000), (7, 100)] {
            let position = LogPosition(number: UInt64(number), checksum: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
            let snapshot = LogSnapshot(
                position: position, bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) })
            try await log.offer(snapshot)
            #expect(try await log.snapshot() == snapshot)
            #expect(try await other.snapshot() == snapshot)
            #expect(try await other.snapshotPosition() == snapshot.position)
        }
        // Two at once: one of them is read.
        let snapshots = [1, 2].map {
            LogSnapshot(position: .init(number: $0, checksum: 1), bytes: .init(repeating: 1, count: 5_000_000))
        }
        async let first: Void = log.offer(snapshots[0])
        async let second: Void = other.offer(snapshots[1])
        _ = try await (first, second)
        let found = try #require(try await log.snapshot())
        #expect(snapshots.contains(found))
        await log.close()
        await other.close()
    }

    @Test(arguments: Engine.allCases)
    func largeEntriesAreKept(engine: Engine) async throws {
        let list = try engine.list()
        let (log, other) = try (list.open(), list.open())
        let payloads = (0..<30).map { number in
            [UInt8](repeating: UInt8(number), count: number % 3 == 0 ? 900_000 : 200_000)
        }
        let entries = LogPosition.beginning.entries(payloads)
        #expect(try await log.append(entries, after: .beginning) == .appended)
        #expect(try await other.all(maximumBytes: 4 << 20) == entries)
        #expect(try await other.entries(after: 0, maximumBytes: 10).count == 1)
        await log.close()
        await other.close()
    }

    @Test(arguments: Engine.allCases)
    func anEntryThatIsTooLargeIsRefusedAndNothingIsAppended(engine: Engine) async throws {
        let log = try engine.list().open()
        let entries = LogPosition.beginning.entries([[1], [UInt8](repeating: 0, count: 1 << 20), [2]])
        do {
            _ = try await log.append(entries, after: .beginning)
            Issue.record("it was appended")
        } catch SharedLogError.tooLarge(let number, let bytes, let limit) {
            #expect(number == 2)
            #expect(bytes == entries[1].encodedCount)
            // The largest one that is said to fit does.
            let largest = LogPosition.beginning.entries([[UInt8](repeating: 0, count: limit - LogEntry.headerBytes)])
            #expect(try await log.end() == .beginning)
            #expect(try await log.append(largest, after: .beginning) == .appended)
            #expect(try await log.all() == largest)
        }
        await log.close()
    }

    @Test(arguments: Engine.allCases)
    func manyEntriesAreAppendedAtOnce(engine: Engine) async throws {
        let list = try engine.list()
        let (log, other) = try (list.open(), list.open())
        let entries = LogPosition.beginning.entries((0..<30_000).map { Array("entry \($0)".utf8) })
        #expect(try await log.append(entries, after: .beginning) == .appended)
        #expect(try await other.all(maximumBytes: 200_000) == entries)
        await log.close()
        await other.close()
    }

    @Test(arguments: Engine.servers)
    func listsWithNamesOfAnyKindAreApart(engine: Engine) async throws {
        let run = UUID().uuidString
        let long = String(repeating: "long ", count: 100)
        let names = [
            "a", "A", "a.b", "a_b", "a b", "a_2Eb", "*", ">", "", "'; drop table x; --", "🎉", "ä", long, long + "x",
        ]
        for (index, name) in names.enumerated() {
            let log = try engine.list("\(run)\(name)").open()
            #expect(try await log.end() == .beginning)
            _ = try await log.add([Array("\(index)".utf8)])
            await log.close()
        }
        for (index, name) in names.enumerated() {
            let log = try engine.list("\(run)\(name)").open()
            #expect(try await log.all().map(\.payload) == [ArraySlice("\(index)".utf8)])
            await log.close()
        }
    }
}

/// Writers that append to one list at once.
enum Race {
    struct Report {
        /// What contradicts the promise of the seam; empty if nothing does.
        var problems: [String] = []
    }

    /// - Parameter open: makes a connection for each writer and one that reads.
    static func run(
        writers: Int, rounds: Int, open: @escaping @Sendable () throws -> any SharedLog
    ) async throws -> Report {
        let acknowledged = try await withThrowingTaskGroup(of: [UInt64: [UInt8]].self) { group in
            for writer in 0..<writers {
                group.addTask {
                    let log = try open()
                    var numbers: [UInt64: [UInt8]] = [:]
                    for round in 0..<rounds {
                        let payloads = (0...round % 3).map {
                            Array("writer \(writer), round \(round), part \($0)".utf8)
                        }
                        for (number, payload) in zip(try await log.add(payloads), payloads) {
                            numbers[number] = payload
                        }
                    }
                    await log.close()
                    return numbers
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        var report = Report()
        let log = try open()
        do {
            let found = try await log.all()
            let total = acknowledged.reduce(0) { $0 + $1.count }
            if found.count != total { report.problems.append("\(found.count) entries instead of \(total)") }
            let byNumber = Dictionary(uniqueKeysWithValues: found.map { ($0.number, Array($0.payload)) })
            for numbers in acknowledged {
                for (number, payload) in numbers where byNumber[number] != payload {
                    report.problems.append("number \(number) is another entry")
                }
            }
        } catch {
            report.problems.append("\(error)")
        }
        await log.close()
        return report
    }
}
