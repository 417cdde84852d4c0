// Tests how a replica reads a log, and what it begins with; the other subjects are in files of their own.

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
            await wait(second) { $0.confirmed.rawValue == UInt64(id) && $0.isUpToDate }
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

    @Test("A verification that is cancelled reads no more of the log")
    func cancelledVerification() async throws {
        let (server, a) = try await shared(1...3)
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

    @Test("The states of a replica end with it", .timeLimit(.minutes(10)))
    func states() async throws {
        func states() throws -> AsyncStream<SyncState> { try replica(store("a"), MemoryLog(MemoryServer())).states }
        for await _ in try states() {}
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
