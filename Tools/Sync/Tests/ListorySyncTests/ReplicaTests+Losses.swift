// Tests a replica whose log has lost commits, or says so.

import ListModel
@_spi(Sync) import Listory
import ListorySync
import SharedLog
import Synchronization
import TestSupport
import Testing

import class MemoryLog.MemoryLog
import class MemoryLog.MemoryServer

extension ReplicaTests {
    @Test("A replica that is cancelled while it gives back what the log has lost ends soon, and says how far it came")
    func cancelledHealing() async throws {
        let (server, a) = try await shared(1...20)
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
        let (server, a) = try await shared(1...3)
        let (other, b) = (MemoryServer(), try store("b"))
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
        let (server, a) = try await shared(1...3)
        // The standby lacks the last commit, and another device has gone on there.
        let standby = server.fork(at: 2)
        let b = try store("b")
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
        let (server, a) = try await shared(1...2)
        let entries = try await MemoryLog(server).entries(after: 0, maximumBytes: .max)
        if isWaiting { try insert(3, a) }
        // As if the table with the ends were restored from a backup, and the one with the entries not.
        let log = MemoryLog(server) { if case .end = $0 { .stale(1) } else { nil } }
        let first = try replica(a, AlteredLog(log: log, refusal: entries[0].position))
        try await expectUnavailable(first)
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
        let (server, a) = try await shared(1...2)
        let isDivided = Atomic(true)
        let log = MemoryLog(server) { call in
            if case .end = call, isDivided.load(ordering: .relaxed) { .stale(1) } else { nil }
        }
        var options = Replica.Options()
        options.retryPause = .seconds(600)
        let first = try Replica(a, log, list: "list", options: options)
        try await expectUnavailable(first)
        // Something may wake it at once.
        try await expectUnavailable(first)
        isDivided.store(false, ordering: .relaxed)
        server.truncate(to: 1)
        try await first.synchronize()
        #expect(server.count == 2 && first.state.repairs == [.appendedAgain(2...2)])
    }

    /// Exchanges with a log that contradicts itself, which counts as unavailable at first.
    private func expectUnavailable(_ replica: Replica) async throws {
        do {
            try await replica.synchronize()
            Issue.record("it is not noticed")
        } catch SharedLogError.unavailable {}
    }

    @Test("A commit that a log refused which had lost its end is sent at once if another replica has given that back")
    func givenBackByAnother() async throws {
        let (server, a) = try await shared(1...2)
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

    @Test("Where no commit is confirmed, none becomes pending again, and the store stays as it is")
    func retreatBehindTheEnd() async throws {
        let (_, a) = try await shared(1...2)
        try insert(3, a)
        let hash = try a.snapshot.stateHash
        try a.close()
        for number in [2, 3, 4, .max] as [UInt64] { try Replica.retreat(storeAt: folder.file("a"), after: number) }
        let again = try UntypedStore.open(at: folder.file("a"))
        #expect(try again.confirmed?.version == 2 && again.pendingCount == 1 && again.snapshot.stateHash == hash)
    }
}
