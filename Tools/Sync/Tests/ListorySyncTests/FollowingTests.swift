// Tests a replica that follows a log: what it does meanwhile, and how it ends.

import ListModel
@_spi(Sync) import Listory
import ListorySync
import MemoryLog
import SharedLog
import Synchronization
import TestSupport
import Testing

@Suite("A replica that follows", .timeLimit(.minutes(1)))
struct FollowingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder.inMemory() }

    private func insert(_ id: Int64, _ store: UntypedStore) throws {
        try store.edit("Insert") { list in
            if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: 0)) }
            try list.insert(NewRow(id: .integer(id), content: [1]), at: .end(ofSection: 0))
        }
    }

    /// Waits for a state.
    private func wait(_ replica: Replica, until isReached: (SyncState) -> Bool) async {
        for await state in replica.states where isReached(state) { return }
    }

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
}

extension SyncState {
    fileprivate var isUpToDate: Bool { if case .upToDate = phase { true } else { false } }
}
