// Tests what a new replica begins with, and who offers it.

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

@Suite("The snapshot of a shared log")
struct ReplicaSnapshotTests: ReplicaSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder.inMemory() }

    @Test(
        "A snapshot that is damaged, or of a newer release, keeps no new replica from beginning",
        arguments: [nil, SyncKey()])
    func damagedSnapshots(_ key: SyncKey?) async throws {
        let server = MemoryServer()
        let a = try store("a")
        try insert(1, a)
        try await replica(a, MemoryLog(server), key: key).synchronize()
        let end = try await MemoryLog(server).end()
        var options = Replica.Options()
        options.key = key
        let path = folder.file("new")
        for format in [nil, 1, 2, 3] as [UInt8?] {
            let bytes = format.map { [$0] + [UInt8](repeating: 7, count: 9_000) } ?? []
            try await MemoryLog(server).offer(LogSnapshot(position: end, bytes: bytes))
            #expect(try await !Replica.beginWithSnapshot(at: path, MemoryLog(server), list: "list", options: options))
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        let store = try UntypedStore.create(at: path)
        try await replica(store, MemoryLog(server), key: key).synchronize()
        #expect(try store.snapshot.stateHash == a.snapshot.stateHash)
    }

    @Test("A replica asks for the position of a snapshot before it offers one, not for the snapshot")
    func snapshotOfOthers() async throws {
        let server = MemoryServer()
        let a = try store("a")
        try insert(1, a)
        let reads = Atomic(0)
        let offers = Atomic(0)
        let log = MemoryLog(server) { call in
            if case .snapshot = call { reads.add(1, ordering: .relaxed) }
            if case .offer = call { offers.add(1, ordering: .relaxed) }
            return nil
        }
        var options = Replica.Options()
        options.snapshotBytes = 1
        for _ in 0..<3 { try await Replica(a, log, list: "list", options: options).synchronize() }
        #expect(reads.load(ordering: .relaxed) == 0 && offers.load(ordering: .relaxed) == 1)
    }

    @Test(
        "A snapshot of a branch that is no more keeps no replica from offering another: neither one that knew it nor a new one",
        arguments: [true, false])
    func snapshotOfALostBranch(isKnown: Bool) async throws {
        let server = MemoryServer()
        let (a, b) = (try store("a"), try store("b"))
        let content = [UInt8](repeating: 7, count: 1_000)
        var options = Replica.Options()
        // Less than three commits, and more than one.
        options.snapshotBytes = 2_000
        for id: Int64 in 1...3 { try insert(id, a, content: content) }
        let first = try Replica(a, MemoryLog(server), list: "list", options: options)
        try await first.synchronize()
        let lost = try await MemoryLog(server).end()
        #expect(try await MemoryLog(server).snapshotPosition() == lost)
        server.truncate(to: 2)
        let second = try replica(b, MemoryLog(server))
        try await second.synchronize()
        try insert(4, b, content: content)
        try await second.synchronize()
        let offering = try isKnown ? first : Replica(store("c"), MemoryLog(server), list: "list", options: options)
        try await offering.synchronize()
        let end = try await MemoryLog(server).end()
        #expect(try await MemoryLog(server).snapshotPosition() == end)
    }

    @Test("A snapshot that the log refuses stops no replica: everything else is exchanged, and the state tells why")
    func refusedSnapshot() async throws {
        let server = MemoryServer()
        let a = try store("a")
        let isRefusing = Atomic(true)
        let log = MemoryLog(server) { call in
            if case .offer = call, isRefusing.load(ordering: .relaxed) { .refused(.permissions) } else { nil }
        }
        var options = Replica.Options()
        options.snapshotBytes = 1
        let first = try Replica(a, log, list: "list", options: options)
        for id in 1..<4 {
            try insert(Int64(id), a)
            try await first.synchronize()
            if case .upToDate = first.state.phase {} else { Issue.record("\(first.state.phase)") }
            #expect(server.count == UInt64(id))
            guard case SharedLogError.refused(.permissions, _)? = first.state.snapshotFailure else {
                Issue.record("\(String(describing: first.state.snapshotFailure))")
                return
            }
        }
        isRefusing.store(false, ordering: .relaxed)
        try insert(4, a)
        try await first.synchronize()
        #expect(first.state.snapshotFailure == nil)
        #expect(try await MemoryLog(server).snapshot()?.position.number == 4)
    }

    @Test("A snapshot that is too large is made again only when the log has grown by its size")
    func largeSnapshot() async throws {
        let server = MemoryServer(maximumSnapshotBytes: 1_000)
        let a = try store("a")
        // It asks for the newest snapshot before it makes one.
        let questions = Atomic(0)
        let log = MemoryLog(server) { call in
            if case .snapshotPosition = call { questions.add(1, ordering: .relaxed) }
            return nil
        }
        var options = Replica.Options()
        options.snapshotBytes = 1
        let first = try Replica(a, log, list: "list", options: options)
        var asked = 0
        for id in 1..<6 {
            try insert(Int64(id), a)
            try await first.synchronize()
            if id == 1 { asked = questions.load(ordering: .relaxed) }
            if case .upToDate = first.state.phase {} else { Issue.record("\(first.state.phase)") }
            guard case SharedLogError.tooLarge? = first.state.snapshotFailure else {
                Issue.record("\(String(describing: first.state.snapshotFailure))")
                return
            }
        }
        #expect(server.count == 5 && asked > 0 && questions.load(ordering: .relaxed) == asked)
    }

    @Test(
        "A snapshot for which the log could not be asked, or for which there was no place, is offered at the next exchange",
        arguments: [false, true])
    func snapshotTriedAgain(isClaimed: Bool) async throws {
        let server = MemoryServer()
        let a = try store("a")
        try insert(1, a)
        try await replica(a, MemoryLog(server)).synchronize()
        let isDown = Atomic(!isClaimed)
        let log = MemoryLog(server) { call in
            if case .snapshotPosition = call, isDown.exchange(false, ordering: .relaxed) { .requestLost } else { nil }
        }
        var options = Replica.Options()
        options.snapshotBytes = 1
        let first = try Replica(a, log, list: "list", options: options)
        let (began, waits, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        if isClaimed {
            Thread.detachNewThread {
                // Another one is just made there.
                _ = try? a.withSnapshot { _, _ in
                    began.signal()
                    waits.wait()
                }
                ended.signal()
            }
            began.wait()
        }
        try await first.synchronize()
        #expect(first.state.snapshotFailure == nil)
        #expect(try await MemoryLog(server).snapshotPosition() == nil)
        if isClaimed {
            waits.signal()
            ended.wait()
        }
        try await first.synchronize()
        #expect(try await MemoryLog(server).snapshotPosition()?.number == 1)
    }

    @Test(
        "A replica that follows the log does not wait with a snapshot if the log has grown by twice as much",
        .timeLimit(.minutes(10)))
    func overdueSnapshot() async throws {
        let server = MemoryServer()
        let (a, b) = (try store("a"), try store("b"))
        try insert(1, a)
        try await replica(a, MemoryLog(server)).synchronize()
        var options = Replica.Options()
        options.snapshotBytes = a.confirmedRecordBytes / 2
        options.snapshotPause = {
            Issue.record("it waits")
            return .zero
        }
        let second = try Replica(b, MemoryLog(server), list: "list", options: options)
        let following = Task { await second.follow() }
        while try await MemoryLog(server).snapshotPosition() == nil { try await Task.sleep(for: .milliseconds(5)) }
        following.cancel()
        await following.value
    }

    @Test(
        "A new replica begins with a snapshot, and need not read what is before it, even if that is damaged",
        arguments: [false, true])
    func snapshots(isEncrypted: Bool) async throws {
        let server = MemoryServer()
        let key = isEncrypted ? SyncKey() : nil
        let a = try store("a")
        for id in 1..<50 { try insert(Int64(id), a) }
        let first = try replica(a, MemoryLog(server), key: key)
        try await first.synchronize()
        #expect(try await first.offerSnapshot())
        try insert(50, a)
        #expect(try await !first.offerSnapshot(), "not while commits wait")
        try await first.synchronize()
        server.flipBit(1_000, of: 3)
        await #expect(throws: (any Error).self) { _ = try await first.verifyLog() }
        let path = folder.file("new")
        var options = Replica.Options()
        options.key = key
        #expect(try await Replica.beginWithSnapshot(at: path, MemoryLog(server), list: "list", options: options))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600, "nobody else may read it")
        let b = try UntypedStore.open(at: path)
        #expect(b.oldestVersion == 49)
        let second = try replica(b, MemoryLog(server), key: key)
        try insert(60, b)
        try await second.synchronize()
        try await first.synchronize()
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash && b.snapshot.itemCount == 51)
        try b.close()
        _ = try StoreVerification(path: path)
        // A snapshot of a branch that is no more is not taken.
        server.truncate(to: 40)
        #expect(
            try await !Replica.beginWithSnapshot(
                at: folder.file("other"), MemoryLog(server), list: "list", options: options))
    }

    @Test(
        "A new replica gets contents from the log that are brought back from before its snapshot, as far as the log has them",
        arguments: [nil, SyncKey()])
    func contentsBroughtBack(_ key: SyncKey?) async throws {
        let server = MemoryServer()
        let a = try store("a")
        for id: Int64 in 1...40 { try insert(id, a, content: [UInt8](repeating: UInt8(id), count: 20)) }
        // One after another, so that each is an undo step.
        for id: Int64 in [3, 4, 30] { try a.edit("Delete \(id)") { try $0.delete(.item(.integer(id))) } }
        try a.edit("Change") { try $0.update(.integer(7), content: [7]) }
        let first = try replica(a, MemoryLog(server), key: key)
        try await first.synchronize()
        #expect(try await first.offerSnapshot())
        var options = Replica.Options()
        options.key = key
        let path = folder.file("new")
        #expect(try await Replica.beginWithSnapshot(at: path, MemoryLog(server), list: "list", options: options))
        let b = try UntypedStore.open(at: path)
        // The insertion of row 4.
        server.flipBit(500, of: 4)
        for _ in 0..<4 { try a.undo() }
        try await first.synchronize()
        let second = try replica(b, MemoryLog(server), key: key)
        try await second.synchronize()
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash && b.snapshot.itemCount == 40)
        for row in try b.snapshot.sections[0].items {
            let content = Result { try b.source.content(of: row.content) }
            if row.id == 4 { #expect(throws: ListError.self) { try content.get() } }
            if row.id != 4 { #expect(try content.get() == a.source.content(of: row.content), "row \(row.id)") }
        }
        // What is lost is no damage.
        #expect(try await second.offerSnapshot())
        try b.close()
        #expect(try StoreVerification(path: path).lostContentCount == 1)
    }

    @Test("Contents that were read before the log could not be reached are not read again")
    func contentsInParts() async throws {
        let server = MemoryServer()
        let a = try store("a")
        let ids = (1...40 as ClosedRange<Int64>).map { UntypedID.integer($0) }
        for id: Int64 in 1...40 { try insert(id, a, content: [UInt8](repeating: UInt8(id), count: 20)) }
        try a.edit("Clear") { try $0.delete(.items(ids)) }
        let first = try replica(a, MemoryLog(server))
        try await first.synchronize()
        #expect(try await first.offerSnapshot())
        let path = folder.file("new")
        #expect(try await Replica.beginWithSnapshot(at: path, MemoryLog(server), list: "list"))
        let b = try UntypedStore.open(at: path)
        try a.undo()
        try await first.synchronize()
        // Every other request for contents is lost.
        let reads = Mutex<[UInt64]>([])
        let log = MemoryLog(server) { call in
            guard case .entries(let number) = call, number < 40 else { return nil }
            return reads.withLock { reads in
                reads.append(number)
                return reads.count % 2 == 0 ? .requestLost : nil
            }
        }
        var options = Replica.Options()
        // Some contents, not all.
        options.batchBytes = 1_000
        let second = try Replica(b, log, list: "list", options: options)
        for _ in 0..<40 { do { try await second.synchronize() } catch SharedLogError.unavailable {} }
        #expect(reads.withLock { $0.count { $0 == 0 } } == 1)
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash && b.snapshot.itemCount == 40)
        for row in try b.snapshot.sections[0].items {
            #expect(try b.source.content(of: row.content) == a.source.content(of: row.content))
        }
    }

    @Test("A snapshot is written beside the store, where what a process has left that was killed is removed")
    func besideTheStore() async throws {
        let a = try store("a")
        try insert(1, a)
        let names = ["making", "made"].map { folder.file("a~\($0)") }
        let areThere = Atomic(false)
        let log = MemoryLog(MemoryServer()) { call in
            if case .offer = call, names.contains(where: { FileManager.default.fileExists(atPath: $0) }) {
                areThere.store(true, ordering: .relaxed)
            }
            return nil
        }
        let first = try replica(a, log)
        try await first.synchronize()
        for name in names { try Data("left".utf8).write(to: URL(filePath: name)) }
        #expect(try await first.offerSnapshot())
        let wereThere = areThere.load(ordering: .relaxed)
        #expect(!wereThere)
    }

    @Test(
        "A replica that follows the log leaves it to others to offer a snapshot, unless its own commits have made it due",
        .timeLimit(.minutes(10)), arguments: [2, 3])
    func patience(askedBefore count: Int) async throws {
        let server = MemoryServer()
        let (a, b) = (try store("a"), try store("b"))
        try insert(1, a)
        try await replica(a, MemoryLog(server)).synchronize()
        let asked = Atomic(0)
        let offers = Atomic(0)
        let pauses = Atomic(0)
        let log = MemoryLog(server) { call in
            // Another replica offers one while this one waits, or while it makes one.
            if case .snapshotPosition = call, asked.add(1, ordering: .relaxed).newValue == count {
                let end = try? await MemoryLog(server).end()
                try? await MemoryLog(server).offer(LogSnapshot(position: end ?? .beginning, bytes: [1]))
            }
            if case .offer = call { offers.add(1, ordering: .relaxed) }
            return nil
        }
        var options = Replica.Options()
        // Nearly twice as much would be overdue.
        options.snapshotBytes = a.confirmedRecordBytes
        options.snapshotPause = {
            pauses.add(1, ordering: .relaxed)
            return .zero
        }
        let second = try Replica(b, log, list: "list", options: options)
        let following = Task { await second.follow() }
        while asked.load(ordering: .relaxed) < count, offers.load(ordering: .relaxed) == 0 {
            try await Task.sleep(for: .milliseconds(5))
        }
        // It would offer one now.
        try await Task.sleep(for: .milliseconds(100))
        following.cancel()
        await following.value
        #expect(offers.load(ordering: .relaxed) == 0 && pauses.load(ordering: .relaxed) == 1)
    }

    @Test("What a replica commits that began with a snapshot is sound for those that have the whole log")
    func historiesOfALaterBeginning() async throws {
        let server = MemoryServer()
        let a = try store("a")
        for id: Int64 in 1...20 { try insert(id, a) }
        let first = try replica(a, MemoryLog(server))
        try await first.synchronize()
        #expect(try await first.offerSnapshot())
        let path = folder.file("new")
        #expect(try await Replica.beginWithSnapshot(at: path, MemoryLog(server), list: "list"))
        let b = try UntypedStore.open(at: path)
        let second = try replica(b, MemoryLog(server))
        for id: Int64 in 21...60 {
            try insert(id, id % 5 == 0 ? a : b)
            if id % 7 == 0 { try b.undo() }
            try await second.synchronize()
            try await first.synchronize()
            try await second.synchronize()
        }
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash)
        try a.close()
        try b.close()
        for path in [folder.file("a"), path] { _ = try StoreVerification(path: path) }
    }

    @Test("A new replica begins with a snapshot whose entry was lost and encrypted anew, not with one of a lost branch")
    func snapshotOfAHealedLog() async throws {
        let (server, key) = (MemoryServer(), SyncKey())
        let (a, b) = (try store("a"), try store("b"))
        for id: Int64 in 1...3 { try insert(id, a) }
        let first = try replica(a, MemoryLog(server), key: key)
        try await first.synchronize()
        #expect(try await first.offerSnapshot())
        server.truncate(to: 1)
        try await first.synchronize()
        #expect(first.state.repairs == [.appendedAgain(2...3)])
        var options = Replica.Options()
        options.key = key
        let (healed, forked) = (folder.file("healed"), folder.file("forked"))
        #expect(try await Replica.beginWithSnapshot(at: healed, MemoryLog(server), list: "list", options: options))
        #expect(try UntypedStore.confirmed(at: healed) == a.confirmed)
        server.truncate(to: 2)
        let second = try replica(b, MemoryLog(server), key: key)
        try await second.synchronize()
        try insert(4, b)
        try await second.synchronize()
        #expect(try await !Replica.beginWithSnapshot(at: forked, MemoryLog(server), list: "list", options: options))
        #expect(!FileManager.default.fileExists(atPath: forked))
    }
}
