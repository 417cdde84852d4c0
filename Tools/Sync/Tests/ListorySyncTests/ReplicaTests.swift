// Tests what a replica says, refuses and encrypts.

import Foundation
import ListModel
@_spi(Sync) import Listory
import ListorySync
import SharedLog
import Synchronization
import TestSupport
import Testing

import class MemoryLog.MemoryLog
import class MemoryLog.MemoryServer

@Suite("A replica")
struct ReplicaTests: ReplicaSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder.inMemory() }

    @Test(
        "With a key, the log has nothing of the contents; without it, or with another, the log is refused and nothing changes"
    )
    func encryption() async throws {
        let server = MemoryServer()
        let (a, b) = (try store("a"), try store("b"))
        let secret = Array("a secret that nobody else may read".utf8)
        let key = SyncKey()
        try insert(1, a, content: secret)
        let first = try replica(a, MemoryLog(server), key: key)
        try await first.synchronize()
        let entries = try await MemoryLog(server).entries(after: 0, maximumBytes: .max)
        let bytes = entries.flatMap { $0.encoded() }
        #expect(!Data(bytes).contains(Data("secret".utf8)) && !Data(bytes).contains(Data("Insert".utf8)))
        // A server that has nothing, or says so, does not get it either.
        let empty = MemoryServer()
        #expect(throws: SyncProblem.self) { try replica(a, MemoryLog(empty)) }
        #expect(empty.count == 0)
        for other in [nil, SyncKey()] {
            #expect(try await isRefused(b, MemoryLog(server), other))
            #expect(try b.version == .empty)
        }
        let right = try replica(b, MemoryLog(server), key: try SyncKey(bytes: key.bytes))
        try await right.synchronize()
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash)
        // An entry that somebody has put in another place.
        try insert(2, a)
        try await first.synchronize()
        let second = try await MemoryLog(server).entries(after: 1, maximumBytes: .max)
        server.truncate(to: 1)
        server.replace(1, payload: Array(second[0].payload), link: 0)
        #expect(try await isRefused(store("late"), MemoryLog(server), key))
        // One that is not encrypted.
        let (plain, open) = (MemoryServer(), try store("open"))
        try insert(1, open)
        try await replica(open, MemoryLog(plain)).synchronize()
        #expect(try await isRefused(store("strict"), MemoryLog(plain), key))
        #expect(throws: SyncProblem.self) { try SyncKey(bytes: [1, 2, 3]) }
    }

    /// Whether a replica stops because the key is not that of the list.
    private func isRefused(_ store: UntypedStore, _ log: any SharedLog, _ key: SyncKey?) async throws -> Bool {
        let replica = try replica(store, log, key: key)
        await #expect(throws: SyncProblem.self) { try await replica.synchronize() }
        if case .stopped(.wrongKey) = replica.state.phase { return true }
        return false
    }

    /// A log on the way to which something happens to entries.
    private struct AlteredLog: SharedLog {
        let log: MemoryLog
        /// Throws if they do not arrive.
        var send: @Sendable ([LogEntry]) async throws -> Void = { _ in }
        /// How many arrive at once.
        var readCount = Int.max
        /// Changes what arrives.
        var receive: @Sendable ([LogEntry]) async throws -> [LogEntry] = { $0 }
        /// Where it says that it ends, for which reason it takes nothing; nil if it takes what is sent.
        var refusal: LogPosition?

        func end() async throws -> LogPosition { try await log.end() }
        func append(_ entries: [LogEntry], after position: LogPosition) async throws -> AppendResult {
            try await send(entries)
            if let refusal { return .behind(end: refusal) }
            return try await log.append(entries, after: position)
        }
        func entries(after number: UInt64, maximumBytes: Int) async throws -> [LogEntry] {
            try await receive(Array(log.entries(after: number, maximumBytes: maximumBytes).prefix(readCount)))
        }
        func changes() -> AsyncStream<Void> { log.changes() }
        /// Always false: a replica that was not woken must not rely on it.
        func mayHaveMore(after number: UInt64) -> Bool { false }
        func snapshot() async throws -> LogSnapshot? { try await log.snapshot() }
        func snapshotPosition() async throws -> LogPosition? { try await log.snapshotPosition() }
        func offer(_ snapshot: LogSnapshot) async throws { try await log.offer(snapshot) }
        func close() async { await log.close() }
    }

    @Test(
        "That commits are encrypted is noted when the first is sent or read; a key for a plain log changes nothing"
    )
    func encryptionNoted() async throws {
        let server = MemoryServer()
        let (a, b, c) = (try store("a"), try store("b"), try store("c"))
        let key = SyncKey()
        for id: Int64 in 1...3 { try insert(id, a) }
        let sends = Atomic(0)
        let badLine = AlteredLog(
            log: MemoryLog(server),
            send: { _ in
                if sends.add(1, ordering: .relaxed).newValue > 1 {
                    throw SharedLogError.unavailable(cause: "the line is bad")
                }
            })
        var options = Replica.Options()
        (options.key, options.batchBytes) = (key, 1)
        let first = try Replica(a, badLine, list: "list", options: options)
        await #expect(throws: SharedLogError.self) { try await first.synchronize() }
        #expect(server.count == 1)
        #expect(throws: SyncProblem.self) { try replica(a, MemoryLog(MemoryServer())) }
        try await replica(a, MemoryLog(server), key: key).synchronize()
        // One that reads.
        let reads = Atomic(0)
        let slowLine = AlteredLog(
            log: MemoryLog(server), readCount: 1,
            receive: { entries in
                if reads.add(1, ordering: .relaxed).newValue > 1 {
                    throw SharedLogError.unavailable(cause: "the line is bad")
                }
                return entries
            })
        let second = try replica(b, slowLine, key: key)
        await #expect(throws: SharedLogError.self) { try await second.synchronize() }
        #expect(b.confirmed?.version == 1)
        #expect(throws: SyncProblem.self) { try replica(b, MemoryLog(MemoryServer())) }
        // A key for a list that is not encrypted.
        let plain = MemoryServer()
        try insert(1, c)
        try await replica(c, MemoryLog(plain)).synchronize()
        try insert(2, c)
        #expect(try await isRefused(c, MemoryLog(plain), key))
        try await replica(c, MemoryLog(plain)).synchronize()
        #expect(plain.count == 2)
    }

    @Test("A log may return fewer entries than fit: only if it returns none, there are no more")
    func oneEntryAtATime() async throws {
        let server = MemoryServer()
        let (a, b) = (try store("a"), try store("b"))
        let first = try replica(a, MemoryLog(server))
        let second = try replica(b, AlteredLog(log: MemoryLog(server), readCount: 1))
        for id: Int64 in 0..<5 {
            try insert(id, a)
            try await first.synchronize()
            if id == 1 {
                try await second.synchronize()
                #expect(b.confirmed?.version == 2)
            }
        }
        // A new connection knows nothing of where the log ends.
        let third = try replica(b, AlteredLog(log: MemoryLog(server), readCount: 1))
        try insert(5, b)
        try await third.synchronize()
        try await first.synchronize()
        #expect(server.count == 6)
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash)
    }

    @Test("A replica that has received commits does not ask whether others follow if it would be told")
    func noSecondExchange() async throws {
        let server = MemoryServer()
        let (a, b) = (try store("a"), try store("b"))
        let calls = Mutex<[MemoryLog.Call]>([])
        let log = MemoryLog(server) { call in
            calls.withLock { $0.append(call) }
            return nil
        }
        func take() -> [MemoryLog.Call] {
            calls.withLock { calls in
                defer { calls = [] }
                return calls
            }
        }
        let first = try replica(a, MemoryLog(server))
        let second = try replica(b, log)
        let task = Task { await second.follow() }
        defer { task.cancel() }
        var onceCount = 0
        for id: Int64 in 1...8 {
            try insert(id, a)
            try await first.synchronize()
            for await state in second.states where state.confirmed.rawValue == UInt64(id) {
                if case .upToDate = state.phase { break }
            }
            // Another exchange would begin now.
            try await Task.sleep(for: .milliseconds(50))
            if id == 1 {
                // It is told to look, and does not know where the log ends. Beside other tests, that takes a while.
                while !take().isEmpty { try await Task.sleep(for: .seconds(1)) }
            } else if take() == [.entries(after: UInt64(id) - 1)] {
                onceCount += 1
            }
        }
        // Beside other tests, an exchange that was begun for nothing may be so slow that it meets the next commit.
        #expect(onceCount > 3, "\(onceCount)")
    }

    @Test("A commit that the server does not take is set aside, and those behind it are sent")
    func tooLarge() async throws {
        let server = MemoryServer(maximumEntryBytes: 2_000)
        let (a, b) = (try store("a"), try store("b"))
        try insert(1, a)
        try insert(2, a, content: [UInt8](repeating: 7, count: 5_000))
        try insert(3, a)
        let first = try replica(a, MemoryLog(server))
        try await first.synchronize()
        #expect(first.state.setAsideCount == 1 && first.state.waitingCount == 0)
        #expect(try a.setAsideCommits.map(\.commit.name) == ["Insert"])
        #expect(try a.setAsideCommits[0].reason.contains("2000"))
        try await replica(b, MemoryLog(server)).synchronize()
        #expect(try b.snapshot.sections[0].items.map(\.id) == [1, 3])
    }

    @Test("A server that does not even take a commit without changes stops the replica, and nothing is set aside twice")
    func nothingFits() async throws {
        let a = try store("a")
        try insert(1, a)
        try insert(2, a)
        let first = try replica(a, MemoryLog(MemoryServer(maximumEntryBytes: 20)))
        await #expect(throws: SharedLogError.self) { try await first.synchronize() }
        guard case .stopped(.server(.tooLarge)) = first.state.phase else {
            Issue.record("\(first.state)")
            return
        }
        // Without the section of the first one, nothing is left of the second.
        #expect(try a.setAsideCommits.count == 2 && a.pendingCount == 2)
    }

    @Test("On a line on which only little arrives in time, little is sent at once, and everything arrives")
    func slowLine() async throws {
        let server = MemoryServer()
        let a = try store("a")
        for id: Int64 in 1..<60 { try insert(id, a, content: [UInt8](repeating: UInt8(id), count: 5_000)) }
        let log = AlteredLog(log: MemoryLog(server)) { entries in
            let bytes = entries.reduce(0) { $0 + $1.encodedCount }
            if bytes > 60_000 { throw SharedLogError.unavailable(cause: "late") }
        }
        let first = try replica(a, log)
        let task = Task { await first.follow() }
        for await state in first.states {
            if case .upToDate = state.phase, state.waitingCount == 0 { break }
        }
        task.cancel()
        await task.value
        #expect(server.count == 59)
        // What the log has lost is given back in the same way.
        server.truncate(to: 1)
        let again = try replica(a, log)
        let healing = Task { await again.follow() }
        for await state in again.states where !state.repairs.isEmpty { if case .upToDate = state.phase { break } }
        healing.cancel()
        await healing.value
        #expect(server.count == 59)
    }

    /// Two stores that have the first row, and the replica of the second.
    private func together() async throws -> (MemoryServer, a: UntypedStore, b: UntypedStore, second: Replica) {
        let server = MemoryServer()
        let (a, b) = (try store("a"), try store("b"))
        try insert(0, a)
        try await replica(a, MemoryLog(server)).synchronize()
        let second = try replica(b, MemoryLog(server))
        try await second.synchronize()
        return (server, a, b, second)
    }

    @Test(
        "A replica that is overtaken whenever it sends much sends less, until all of its commits are in the log",
        .timeLimit(.minutes(10)))
    func overtaken() async throws {
        let (server, a, b, second) = try await together()
        for id: Int64 in 1...60 { try insert(id, a, content: [UInt8](repeating: UInt8(id), count: 5_000)) }
        let lastId = Atomic<Int64>(1_000)
        let log = AlteredLog(
            log: MemoryLog(server),
            send: { entries in
                // It takes so long that another device commits meanwhile.
                guard entries.reduce(0, { $0 + $1.encodedCount }) > 20_000 else { return }
                let id = lastId.add(1, ordering: .relaxed).newValue
                try b.edit("Insert") { list in
                    try list.insert(NewRow(id: .integer(id), content: [1]), at: .end(ofSection: 0))
                }
                try await second.synchronize()
            })
        let first = try replica(a, log)
        try await first.synchronize()
        #expect(first.state.waitingCount == 0 && first.state.setAsideCount == 0)
        try await second.synchronize()
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash)
    }

    @Test("A replica with many pending commits makes them again a few times, and not for each batch that it reads")
    func manyPending() async throws {
        let (server, a, b, second) = try await together()
        for id: Int64 in 1_000..<1_400 { try insert(id, b) }
        try await second.synchronize()
        for id: Int64 in 1...200 { try insert(id, a) }
        // Where it was when it read: commits are made again when that moves.
        let ends = Mutex<Set<Version>>([])
        let log = AlteredLog(
            log: MemoryLog(server),
            receive: { entries in
                let end = a.confirmed?.version ?? .empty
                ends.withLock { _ = $0.insert(end) }
                return entries
            })
        var options = Replica.Options()
        options.batchBytes = 1_000
        let first = try Replica(a, log, list: "list", options: options)
        try await first.synchronize()
        let count = ends.withLock { $0.count }
        #expect(count < 10, "\(count) times")
        #expect(first.state.waitingCount == 0 && server.count == 601)
        try await second.synchronize()
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash)
    }

    @Test("A verification that is cancelled reads no more of the log")
    func cancelledVerification() async throws {
        let server = MemoryServer()
        let a = try store("a")
        for id: Int64 in 1...3 { try insert(id, a) }
        try await replica(a, MemoryLog(server)).synchronize()
        let task = Mutex<Task<UInt64, any Error>?>(nil)
        let reads = Atomic(0)
        let log = AlteredLog(
            log: MemoryLog(server), readCount: 1,
            receive: { entries in
                reads.add(1, ordering: .relaxed)
                task.withLock { $0?.cancel() }
                return entries
            })
        let first = try replica(a, log)
        let verification = task.withLock { task in
            let new = Task { try await first.verifyLog() }
            task = new
            return new
        }
        await #expect(throws: CancellationError.self) { _ = try await verification.value }
        #expect(reads.load(ordering: .relaxed) == 1)
    }

    @Test("A replica that is cancelled while it gives back what the log has lost ends soon, and says how far it came")
    func cancelledHealing() async throws {
        let server = MemoryServer()
        let a = try store("a")
        for id: Int64 in 1...20 { try insert(id, a) }
        try await replica(a, MemoryLog(server)).synchronize()
        server.truncate(to: 1)
        let task = Mutex<Task<Void, Never>?>(nil)
        let log = MemoryLog(server) { call in
            // The second time.
            if case .append = call, server.count == 2 { task.withLock { $0?.cancel() } }
            return nil
        }
        var options = Replica.Options()
        options.batchBytes = 1
        let second = try Replica(a, log, list: "list", options: options)
        let following = task.withLock { task in
            let new = Task { await second.follow() }
            task = new
            return new
        }
        await following.value
        #expect(server.count == 3)
        #expect(second.state.repairs == [.appendedAgain(2...3)])
    }

    @Test("A replica gives a log nothing back behind an entry that it has not compared")
    func changedWhileHealing() async throws {
        let (server, other) = (MemoryServer(), MemoryServer())
        let (a, b) = (try store("a"), try store("b"))
        for id: Int64 in 1...3 { try insert(id, a) }
        try await replica(a, MemoryLog(server)).synchronize()
        try insert(9, b)
        try await replica(b, MemoryLog(other)).synchronize()
        server.truncate(to: 1)
        // The first look finds the confirmed commit; at the second, another server answers.
        let looks = Atomic(0)
        let log = AlteredLog(
            log: MemoryLog(server),
            receive: { entries in
                guard entries.first?.number == 1 else { return entries }
                let isFirst = looks.add(1, ordering: .relaxed).oldValue == 0
                return isFirst ? entries : try await MemoryLog(other).entries(after: 0, maximumBytes: .max)
            })
        await #expect(throws: SharedLogError.self) { try await replica(a, log).synchronize() }
        #expect(looks.load(ordering: .relaxed) == 2 && server.count == 1)
        try await replica(a, MemoryLog(server)).synchronize()
        #expect(server.count == 3)
    }

    @Test(
        "A server that takes over between two requests is no forger: what it lacks is sent again, also if the engine notices",
        arguments: [false, true])
    func takenOverMeanwhile(isNoticed: Bool) async throws {
        let server = MemoryServer()
        let (a, b) = (try store("a"), try store("b"))
        for id: Int64 in 1...3 { try insert(id, a) }
        try await replica(a, MemoryLog(server)).synchronize()
        // The standby lacks the last commit, and another device has gone on there.
        let standby = server.fork(at: 2)
        let second = try replica(b, MemoryLog(standby))
        for id: Int64 in 11...12 {
            try await second.synchronize()
            try insert(id, b)
        }
        try await second.synchronize()
        let reads = Atomic(0)
        let log = AlteredLog(
            log: MemoryLog(standby), readCount: 1,
            receive: { entries in
                switch reads.add(1, ordering: .relaxed).newValue {
                case 1: return try await MemoryLog(server).entries(after: 2, maximumBytes: .max)
                case 2 where isNoticed: throw SharedLogError.damaged(.entry(4), expected: "an entry", found: "none")
                default: return entries
                }
            })
        let first = try replica(a, log)
        try await first.synchronize()
        #expect(first.state.repairs == [.forked(after: 2, waiting: 1)])
        try await second.synchronize()
        #expect(standby.count == 5)
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash)
    }

    @Test(
        "A log that says again that it ends before what it has stops the replica, whether commits wait or not",
        arguments: [false, true])
    func endElsewhere(isWaiting: Bool) async throws {
        let server = MemoryServer()
        let a = try store("a")
        for id: Int64 in 1...2 { try insert(id, a) }
        try await replica(a, MemoryLog(server)).synchronize()
        let entries = try await MemoryLog(server).entries(after: 0, maximumBytes: .max)
        if isWaiting { try insert(3, a) }
        // As if the table with the ends were restored from a backup, and the one with the entries not.
        let log = MemoryLog(server) { if case .end = $0 { .stale(1) } else { nil } }
        let first = try replica(a, AlteredLog(log: log, refusal: entries[0].position))
        do {
            try await first.synchronize()
            Issue.record("it is not noticed")
        } catch SharedLogError.unavailable {}
        try await Task.sleep(for: .milliseconds(30))
        let error = SharedLogError.damaged(
            .end, expected: "\(entries[1].position)", found: "\(entries[0].position)")
        await #expect(throws: error) { try await first.synchronize() }
        guard case .stopped(.server(error)) = first.state.phase else {
            Issue.record("\(first.state)")
            return
        }
    }

    @Test("A log of which one server still has a lost entry, and another one says where it ends, is healed soon")
    func endElsewhereOnce() async throws {
        let server = MemoryServer()
        let a = try store("a")
        for id: Int64 in 1...2 { try insert(id, a) }
        try await replica(a, MemoryLog(server)).synchronize()
        let isDivided = Atomic(true)
        let log = MemoryLog(server) { call in
            if case .end = call, isDivided.load(ordering: .relaxed) { .stale(1) } else { nil }
        }
        var options = Replica.Options()
        options.retryPause = .seconds(600)
        let first = try Replica(a, log, list: "list", options: options)
        do {
            try await first.synchronize()
            Issue.record("it is not noticed")
        } catch SharedLogError.unavailable {}
        // Something may wake it at once.
        do {
            try await first.synchronize()
            Issue.record("it is not noticed")
        } catch SharedLogError.unavailable {}
        isDivided.store(false, ordering: .relaxed)
        server.truncate(to: 1)
        try await first.synchronize()
        #expect(server.count == 2 && first.state.repairs == [.appendedAgain(2...2)])
    }

    @Test("A commit that a log refused which had lost its end is sent at once if another replica has given that back")
    func givenBackByAnother() async throws {
        let server = MemoryServer()
        let a = try store("a")
        for id: Int64 in 1...2 { try insert(id, a) }
        try await replica(a, MemoryLog(server)).synchronize()
        let entries = try await MemoryLog(server).entries(after: 0, maximumBytes: .max)
        let isLost = Atomic(false)
        let log = MemoryLog(server) { call in
            // After the append, it looks what is there instead.
            if case .entries = call, isLost.exchange(false, ordering: .relaxed) {
                _ = try? await MemoryLog(server).append([entries[1]], after: entries[0].position)
            }
            return nil
        }
        let first = try replica(a, log)
        // Then it knows the end.
        try await first.synchronize()
        try insert(3, a)
        server.truncate(to: 1)
        isLost.store(true, ordering: .relaxed)
        try await first.synchronize()
        #expect(server.count == 3 && first.state.waitingCount == 0)
    }

    @Test("What the log refuses, although it ends where it should, is not sent again at once", .timeLimit(.minutes(10)))
    func refusedWithoutReason() async throws {
        let a = try store("a")
        try insert(1, a)
        let log = AlteredLog(log: MemoryLog(MemoryServer()), refusal: LogPosition(number: 7, checksum: 7))
        let first = try replica(a, log)
        await #expect(throws: SharedLogError.self) { try await first.synchronize() }
        guard case .offline = first.state.phase, first.state.waitingCount == 1 else {
            Issue.record("\(first.state)")
            return
        }
    }

    @Test("Copies of one file that join a list make its commits once, and do not bring back what was deleted since")
    func copies() async throws {
        // A checkpoint would cover commits that become pending.
        var options = StoreOptions()
        options.checkpoints.atClose = false
        let plain = try UntypedStore.create(at: folder.file("a"), options: options)
        for id: Int64 in 1...3 { try insert(id, plain) }
        try plain.close()
        let copy = folder.file("b")
        try FileManager.default.copyItem(atPath: folder.file("a"), toPath: copy)
        let server = MemoryServer()
        let c = try store("c")
        try insert(9, c)
        let third = try replica(c, MemoryLog(server))
        try await third.synchronize()
        let a = try UntypedStore.open(at: folder.file("a"))
        try await replica(a, MemoryLog(server)).synchronize()
        #expect(server.count == 4)
        try await third.synchronize()
        try c.edit("Delete") { try $0.delete(.item(2)) }
        try await third.synchronize()
        let b = try UntypedStore.open(at: copy)
        let second = try replica(b, MemoryLog(server))
        try await second.synchronize()
        #expect(server.count == 5 && second.state.setAsideCount == 0)
        #expect(try b.snapshot.stateHash == c.snapshot.stateHash && b.snapshot.itemCount == 3)
    }

    @Test("A log that hides its last commits fails a verification")
    func hiddenCommits() async throws {
        let server = MemoryServer()
        let (a, b) = (try store("a"), try store("b"))
        let first = try replica(a, MemoryLog(server))
        try insert(1, a)
        try await first.synchronize()
        let second = try replica(b, MemoryLog(server))
        try await second.synchronize()
        try insert(2, b)
        try await second.synchronize()
        let hiding = MemoryLog(server) { if case .entries = $0 { .stale(1) } else { nil } }
        let third = try replica(a, hiding)
        await #expect(throws: SharedLogError.self) { _ = try await third.verifyLog() }
        #expect(try await first.verifyLog() == 2)
    }

    @Test("Where no commit is confirmed, none becomes pending again, and the store stays as it is")
    func retreatBehindTheEnd() async throws {
        let a = try store("a")
        for id: Int64 in 1...2 { try insert(id, a) }
        try await replica(a, MemoryLog(MemoryServer())).synchronize()
        try insert(3, a)
        let hash = try a.snapshot.stateHash
        try a.close()
        for number in [2, 3, 4, .max] as [UInt64] { try Replica.retreat(storeAt: folder.file("a"), after: number) }
        let again = try UntypedStore.open(at: folder.file("a"))
        #expect(try again.confirmed?.version == 2 && again.pendingCount == 1 && again.snapshot.stateHash == hash)
    }

    @Test("The states of a replica end with it", .timeLimit(.minutes(10)))
    func states() async throws {
        func states() throws -> AsyncStream<SyncState> { try replica(store("a"), MemoryLog(MemoryServer())).states }
        for await _ in try states() {}
    }

    @Test("A commit in the format of a newer release, or in none, stops a replica, which says so and stays as it is")
    func unknownFormats() async throws {
        let errors: [(payload: [UInt8], error: SharedLogError)] = [
            ([3, 1, 2], .futureFormat(.entry(2), expected: 2, found: 3)),
            ([0, 1, 2], .damaged(.entry(2), expected: "a commit in format 1 or 2", found: "format 0")),
            ([], .damaged(.entry(2), expected: "a commit in format 1 or 2", found: "no bytes")),
        ]
        for (number, (payload, error)) in errors.enumerated() {
            let server = MemoryServer()
            let (a, b) = (try store("a\(number)"), try store("b\(number)"))
            try insert(1, a)
            try await replica(a, MemoryLog(server)).synchronize()
            let second = try replica(b, MemoryLog(server))
            try await second.synchronize()
            let end = try await MemoryLog(server).end()
            _ = try await MemoryLog(server).append([LogEntry(after: end, payload: payload)], after: end)
            await #expect(throws: error) { try await second.synchronize() }
            guard case .stopped(.server(error)) = second.state.phase else {
                Issue.record("\(second.state)")
                continue
            }
            #expect(try b.snapshot.stateHash == a.snapshot.stateHash)
        }
    }

    @Test("Who makes the first file of a replica while another program does so waits for it")
    func firstFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/list"
        let (began, waits) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let other = Thread {
            _ = try? UntypedStore.makeReplica(at: path) { scratch in
                try UntypedStore.create(at: scratch).close()
                began.signal()
                waits.wait()
                return true
            }
        }
        other.start()
        began.wait()
        let mine = Task { try await Replica.makeFile(at: path) { _ in throw ListError.closed } }
        // It has met the other one by now, or meets it in the next moments; in neither case does it make a file.
        try await Task.sleep(for: .milliseconds(50))
        #expect(!FileManager.default.fileExists(atPath: path))
        waits.signal()
        #expect(try await !mine.value)
        #expect(FileManager.default.fileExists(atPath: path))
    }
}
