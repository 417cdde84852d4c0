// Tests a replica that follows a log: what it does meanwhile, and how it ends.

import ListModel
@_spi(Sync) import Listory
import ListorySync
import LogServers
import MemoryLog
import SharedLog
import SharedLogs
import Synchronization
import TestSupport
import Testing

@Suite("A replica that follows", .timeLimit(.minutes(10)))
struct FollowingTests: ReplicaSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder.inMemory() }

    /// Closes a store. What was sent wakes the replica once more, and while that reads the store, it cannot be closed.
    private func close(_ store: UntypedStore) async throws {
        for _ in 0..<1_000 {
            do { return try store.close() } catch { try await Task.sleep(for: .milliseconds(1)) }
        }
        try store.close()
    }

    @Test("Exchanges commits while a snapshot is offered, which ends with its task")
    func offeringBeside() async throws {
        let server = MemoryServer()
        let store = try UntypedStore.create(at: folder.file("a"))
        try insert(1, store)
        let (began, signal) = AsyncStream<Void>.makeStream()
        let offers = Atomic(0)
        let log = MemoryLog(server) { call in
            guard case .offer = call else { return nil }
            offers.add(1, ordering: .relaxed)
            signal.yield()
            // A very slow line.
            try? await Task.sleep(for: .seconds(3_600))
            return .requestLost
        }
        var options = Replica.Options()
        options.snapshotBytes = 1
        options.snapshotPause = {
            Issue.record("its own commits have made the snapshot due")
            return .zero
        }
        let replica = try Replica(store, log, list: "list", options: options)
        let following = Task { await replica.follow() }
        for await _ in began { break }
        try insert(2, store)
        await wait(replica) { $0.confirmed == 2 && $0.isUpToDate }
        #expect(server.count == 2 && offers.load(ordering: .relaxed) == 1)
        following.cancel()
        await following.value
        #expect(replica.state.isUpToDate && replica.state.snapshotFailure == nil)
        #expect(try await MemoryLog(server).snapshotPosition() == nil)
    }

    @Test("Says that it has stopped if its store or its log is closed while there is nothing to exchange")
    func closedWhileIdle() async throws {
        for closesStore in [true, false] {
            let store = try UntypedStore.create(at: folder.file("\(closesStore)"))
            try insert(1, store)
            let log = MemoryLog(MemoryServer())
            let replica = try Replica(store, log, list: "list")
            let following = Task { await replica.follow() }
            await wait(replica) { $0.confirmed == 1 && $0.isUpToDate }
            if closesStore { try await close(store) } else { await log.close() }
            await following.value
            switch (replica.state.phase, closesStore) {
            case (.stopped(.store), true), (.stopped(.server(.closed)), false): break
            default: Issue.record("\(replica.state)")
            }
            // Whoever follows again learns of it, too.
            await replica.follow()
            if case .stopped = replica.state.phase {} else { Issue.record("\(replica.state)") }
        }
    }

    @Test("Each call of follow() goes on after an exchange that another call has begun fails")
    func followingAnew() async throws {
        let server = MemoryServer()
        let (a, b) = (try store("a"), try store("b"))
        let isDown = Mutex(true)
        let first = try replica(a, MemoryLog(server) { _ in isDown.withLock { $0 } ? .requestLost : nil })
        for _ in 0..<20 {
            let task = Task { await first.follow() }
            await Task.yield()
            task.cancel()
        }
        let task = Task { await first.follow() }
        try insert(1, a)
        try await Task.sleep(for: .milliseconds(50))
        isDown.withLock { $0 = false }
        for await state in first.states where state.waitingCount == 0 && state.confirmed == a.durableVersion { break }
        task.cancel()
        await task.value
        try await replica(b, MemoryLog(server)).synchronize()
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash)
    }

    @Test("Each call of follow() ends when an exchange that another call has begun finds a problem")
    func followingTogether() async throws {
        let a = try store("a")
        let log = MemoryLog(MemoryServer()) { call in
            guard case .append = call else { return nil }
            // Meanwhile the other call gets the signal of the edit, too.
            try? await Task.sleep(for: .milliseconds(100))
            return .refused(.permissions)
        }
        let first = try replica(a, log)
        let tasks = (0..<2).map { _ in Task { await first.follow() } }
        // Both have asked the log once.
        try await Task.sleep(for: .milliseconds(100))
        try insert(1, a)
        for task in tasks { await task.value }
        guard case .stopped(.server(.refused)) = first.state.phase else {
            Issue.record("\(first.state)")
            return
        }
    }

    @Test("A replica that follows the log says at once that a commit was forgotten which had been set aside")
    func forgetting() async throws {
        let server = MemoryServer(maximumEntryBytes: 2_000)
        let a = try store("a")
        let first = try replica(a, MemoryLog(server))
        let task = Task { await first.follow() }
        defer { task.cancel() }
        try insert(1, a, content: [UInt8](repeating: 7, count: 5_000))
        await wait(first) { $0.isUpToDate && $0.setAsideCount == 1 }
        // Another exchange would begin now.
        try await Task.sleep(for: .milliseconds(50))
        try a.forget(try a.setAsideCommits[0])
        await wait(first) { $0.setAsideCount == 0 }
        #expect(try a.setAsideCommits.isEmpty)
    }

    @Test("A replica whose store is closed while it waits for the log says that it has stopped")
    func closedMeanwhile() async throws {
        let a = try store("a")
        try insert(1, a)
        let log = MemoryLog(MemoryServer()) { call in
            if case .append = call { try? a.close() }
            return nil
        }
        let first = try replica(a, log)
        await first.follow()
        guard case .stopped(.store) = first.state.phase else {
            Issue.record("\(first.state)")
            return
        }
    }

    @Test("Its state says that it is offline and how much waits, and follows by itself when the log is there again")
    func following() async throws {
        let server = MemoryServer()
        let isOffline = Atomic(true)
        let a = try store("a")
        let log = MemoryLog(server) { _ in isOffline.load(ordering: .relaxed) ? .requestLost : nil }
        let first = try replica(a, log)
        let task = Task { await first.follow() }
        try insert(1, a)
        try insert(2, a)
        await wait(first) { if case .offline = $0.phase { $0.waitingCount == 2 } else { false } }
        isOffline.store(false, ordering: .relaxed)
        await wait(first) { $0.isUpToDate && $0.waitingCount == 0 }
        // Another replica's commits arrive without being asked for.
        let b = try store("b")
        let second = try replica(b, MemoryLog(server))
        let other = Task { await second.follow() }
        try insert(3, a)
        await wait(second) { $0.confirmed == 3 }
        #expect(try b.snapshot.itemCount == 3)
        try b.close()
        // A store that is closed ends it.
        await other.value
        task.cancel()
        await task.value
    }

    @Test("Is not up to date while a commit waits to be sent")
    func commitOnItsWay() async throws {
        let a = try store("a")
        let proceed = AsyncStream<Void>.makeStream()
        let log = MemoryLog(MemoryServer()) { call in
            if case .append = call { for await _ in proceed.stream { break } }
            return nil
        }
        let first = try replica(a, log)
        let task = Task { await first.follow() }
        await wait(first) { $0.isUpToDate }
        try insert(1, a)
        for await state in first.states where state.waitingCount == 1 {
            if case .working = state.phase {} else { Issue.record("\(state)") }
            break
        }
        proceed.continuation.finish()
        await wait(first) { $0.confirmed == 1 && $0.isUpToDate }
        #expect(first.state.waitingCount == 0)
        task.cancel()
        await task.value
    }

    @Test(
        "Says that it is offline when the server has gone, also if nothing is to be sent, and goes on when it is back",
        arguments: ["postgres", "nats"])
    func serverGone(engine: String) async throws {
        let server: (url: String, kill: () throws -> Void, start: () throws -> Void, end: () -> Void)
        if engine == "nats" {
            let nats = try NATSServer()
            server = (nats.url, { try nats.kill() }, { try nats.start() }, { nats.end() })
        } else {
            let postgres = try PostgresServer()
            server = (postgres.url, { try postgres.kill() }, { try postgres.start() }, { postgres.end() })
        }
        defer { server.end() }
        let a = try store("a")
        try insert(1, a)
        let log = try SharedLogs.open(server.url, list: "list")
        let first = try replica(a, log)
        let task = Task { await first.follow() }
        await wait(first) { $0.confirmed == 1 && $0.isUpToDate }
        // What has woken it until now is done then.
        try await Task.sleep(for: .seconds(1))
        try server.kill()
        await wait(first) { if case .offline = $0.phase { true } else { false } }
        try server.start()
        await wait(first) { $0.isUpToDate }
        task.cancel()
        await task.value
        await log.close()
    }

    @Test("A replica that is cancelled ends after the batch that is on its way, and goes on with the rest later")
    func cancelled() async throws {
        let server = MemoryServer()
        let a = try store("a")
        for id in 1..<40 { try insert(Int64(id), a) }
        var options = Replica.Options()
        options.batchBytes = 1
        let (reached, proceed) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let log = MemoryLog(server) { call in
            if case .append(_, let position) = call, position.number == 2 {
                reached.continuation.yield()
                for await _ in proceed.stream { break }
            }
            return nil
        }
        let first = try Replica(a, log, list: "list", options: options)
        let task = Task { await first.follow() }
        for await _ in reached.stream { break }
        // The first batches were taken.
        if case .working = first.state.phase {} else { Issue.record("\(first.state.phase)") }
        task.cancel()
        proceed.continuation.finish()
        await task.value
        if case .unknown = first.state.phase {} else { Issue.record("\(first.state.phase)") }
        #expect(server.count < 6 && first.state.waitingCount == 39 - UInt64(server.count))
        try await first.synchronize()
        #expect(server.count == 39)
    }

    @Test("Is not offline when a request is given up because its task was cancelled; what was sent is in the log once")
    func cancelledRequest() async throws {
        let server = MemoryServer()
        let a = try store("a")
        try insert(1, a)
        let (began, signal) = AsyncStream<Void>.makeStream()
        let isSilent = Atomic(true)
        let log = MemoryLog(server) { call in
            guard case .append = call, isSilent.exchange(false, ordering: .relaxed) else { return nil }
            signal.yield()
            // As an engine does with a silent server, it waits until its task is cancelled.
            try? await Task.sleep(for: .seconds(3_600))
            return .answerLost
        }
        let first = try replica(a, log)
        let task = Task { await first.follow() }
        for await _ in began { break }
        task.cancel()
        await task.value
        if case .unknown = first.state.phase {} else { Issue.record("\(first.state.phase)") }
        #expect(server.count == 1 && first.state.waitingCount == 1)
        try await first.synchronize()
        #expect(server.count == 1 && first.state.waitingCount == 0)
    }

    @Test("What stops a replica is not forgotten when its tasks are cancelled")
    func stoppedWhileFollowing() async throws {
        let a = try store("a")
        try insert(1, a)
        let log = MemoryLog(MemoryServer()) { if case .append = $0 { .refused(.permissions) } else { nil } }
        for _ in 0..<20 {
            let first = try replica(a, log)
            await first.follow()
            guard case .stopped(.server) = first.state.phase else {
                Issue.record("\(first.state.phase)")
                return
            }
        }
    }
}
