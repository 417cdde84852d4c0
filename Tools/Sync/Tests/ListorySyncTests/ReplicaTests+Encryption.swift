// Tests what a replica encrypts, and which logs it refuses.

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

extension ReplicaTests {
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

    /// Whether a replica stops because the key is not that of the list.
    private func isRefused(_ store: UntypedStore, _ log: any SharedLog, _ key: SyncKey?) async throws -> Bool {
        let replica = try replica(store, log, key: key)
        await #expect(throws: SyncProblem.self) { try await replica.synchronize() }
        if case .stopped(.wrongKey) = replica.state.phase { return true }
        return false
    }
}
