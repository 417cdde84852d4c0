// Tests what a replica sends at once, and what happens to commits that the log does not take.

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
        await follow(first) { $0.isUpToDate && $0.waitingCount == 0 }
        #expect(server.count == 59)
        // What the log has lost is given back in the same way.
        server.truncate(to: 1)
        let again = try replica(a, log)
        await follow(again) { $0.isUpToDate && !$0.repairs.isEmpty }
        #expect(server.count == 59)
    }

    /// Two stores that have the first row, and the replica of the second.
    private func together() async throws -> (MemoryServer, a: UntypedStore, b: UntypedStore, second: Replica) {
        let (server, a) = try await shared(0...0)
        let b = try store("b")
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
}
