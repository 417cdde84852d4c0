// What the tests of replicas have in common.

import ListModel
@_spi(Sync) import Listory
import ListorySync
import SharedLog
import TestSupport

import class MemoryLog.MemoryLog
import class MemoryLog.MemoryServer

/// Tests of replicas, each of which has a folder of its own.
protocol ReplicaSuite {
    var folder: TemporaryFolder { get }
}

extension ReplicaSuite {
    /// A new store.
    func store(_ name: String) throws -> UntypedStore { try UntypedStore.create(at: folder.file(name)) }

    /// Appends a row to the first section.
    func insert(_ id: Int64, _ store: UntypedStore, content: [UInt8] = [1]) throws {
        try store.edit("Insert") { list in
            if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: 0)) }
            try list.insert(NewRow(id: .integer(id), content: content), at: .end(ofSection: 0))
        }
    }

    /// A store with some rows, and the server of a log that has its commits, one for each row.
    func shared(_ ids: ClosedRange<Int64>) async throws -> (MemoryServer, UntypedStore) {
        let server = MemoryServer()
        let store = try store("a")
        for id in ids { try insert(id, store) }
        try await replica(store, MemoryLog(server)).synchronize()
        return (server, store)
    }

    /// A replica that tries again soon.
    func replica(_ store: UntypedStore, _ log: any SharedLog, key: SyncKey? = nil) throws -> Replica {
        var options = Replica.Options()
        (options.key, options.retryPause) = (key, .milliseconds(20))
        return try Replica(store, log, list: "list", options: options)
    }

    /// Waits for a state.
    func wait(_ replica: Replica, until isReached: (SyncState) -> Bool) async {
        for await state in replica.states where isReached(state) { return }
    }

    /// Follows the log until a state is reached.
    func follow(_ replica: Replica, until isReached: (SyncState) -> Bool) async {
        let task = Task { await replica.follow() }
        await wait(replica, until: isReached)
        task.cancel()
        await task.value
    }
}

extension SyncState {
    var isUpToDate: Bool { if case .upToDate = phase { true } else { false } }
}
