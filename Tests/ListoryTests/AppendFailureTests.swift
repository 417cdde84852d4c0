// Tests commits that cannot be appended: the commits before them are appended, and the store can be closed.

import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("A commit that cannot be appended")
struct AppendFailureTests {
    @Test("The commits before it are appended in few syncs; it and those after it stay queued")
    func culprit() throws {
        // Nothing is appended before a thread waits.
        var options = StoreOptions.tiny
        options.maximumPendingBytes = 1 << 30
        options.deferredDelay = .seconds(3_600)
        let fixture = try StoreFixture(options: options)
        try fixture.fill(1)
        for _ in 0..<100 { try fixture.store.edit("Toggle", durability: .deferred) { try $0.toggle(.item(0)) } }
        let large = [UInt8](repeating: 7, count: 2 << 20)
        try fixture.store.edit("Large", durability: .deferred) { try $0.update(0, content: large) }
        for _ in 0..<100 { try fixture.store.edit("Toggle", durability: .deferred) { try $0.toggle(.item(0)) } }
        #expect(throws: ListError.self) { try fixture.store.waitUntilDurable() }
        #expect(fixture.store.durableVersion == Version(101))
        let writes = try fixture.store.group.log.environment.information.lastTransaction
        #expect(writes < 20, "\(writes) transactions for 101 commits")
        #expect(try fixture.store.source.commit(Version(102)).name == "Large")
        #expect(try fixture.store.source.commit(Version(202)).name == "Toggle")
        #expect(throws: ListError.self) { try fixture.store.edit("More") { try $0.toggle(.item(0)) } }
        #expect(try fixture.store.version == Version(202))
        #expect(throws: ListError.self) { try fixture.store.close() }
        try fixture.store.close(discardingUnappended: true)
        try expectVersion(101, fixture)
    }

    @Test("A failure that passes leaves later write groups whole")
    func passing() throws {
        let fixture = try StoreFixture()
        try fixture.fill(1)
        try fixture.store.waitUntilDurable()
        let head = try fixture.store.pretendForeignCommit()
        for _ in 0..<50 { try fixture.store.edit("Toggle", durability: .deferred) { try $0.toggle(.item(0)) } }
        #expect(throws: ListError.self) { try fixture.store.waitUntilDurable() }
        #expect(fixture.store.durableVersion == Version(1))
        try fixture.store.setHeadRow(head)
        let environment = fixture.store.group.log.environment
        let before = try environment.information.lastTransaction
        try fixture.store.waitUntilDurable()
        #expect(fixture.store.durableVersion == Version(51))
        #expect(try environment.information.lastTransaction - before <= 1)
        try fixture.store.close()
    }

    @Test("A store to which another process wrote can be closed without its last commits, and opened again at once")
    func writtenElsewhere() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        try fixture.store.waitUntilDurable()
        try fixture.store.pretendForeignCommit()
        let kept = fixture.store.durableVersion
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        #expect(throws: ListError.self) { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        #expect(throws: ListError.self) { try fixture.store.close() }
        #expect(try fixture.store.item(1)?.isChecked == true, "the store is still open")
        let second = #expect(throws: ListError.self) { _ = try UntypedStore.open(at: fixture.path) }
        #expect(second?.code == "inUse")
        try fixture.store.close(discardingUnappended: true)
        #expect(fixture.store.durableVersion == kept)
        #expect(throws: ListError.self) { try fixture.store.close(discardingUnappended: true) }
        #expect(throws: ListError.self) { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
    }

    @Test("Closing without the last commits appends those that can be appended")
    func nothingToDiscard() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        try fixture.store.edit("Toggle", durability: .deferred) { try $0.toggle(.item(1)) }
        try fixture.store.close(discardingUnappended: true)
        try expectVersion(2, fixture)
    }

    @Test("A task that waits for a discarded commit gets the error that the store is closed or that appending failed")
    func waitingTask() async throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        try fixture.store.waitUntilDurable()
        try fixture.store.pretendForeignCommit()
        let store = fixture.store
        let commit = try #require(try store.edit("Toggle", durability: .deferred) { try $0.toggle(.item(1)) })
        let waiting = Task { try await store.durable(commit.version) }
        try store.close(discardingUnappended: true)
        await #expect(throws: ListError.self) { try await waiting.value }
    }

    @Test(
        "A store that sees one version of the file, and is not closed while it is being read, can still read its rows")
    func closeBlockedWithView() throws {
        let fixture = try StoreFixture { CheckpointTests.eager(&$0) }
        try fixture.fill(100)
        let version = try fixture.store.version
        try fixture.store.close()
        var options = fixture.store.options
        (options.isReadOnly, options.lastVersion) = (true, version)
        let store = try UntypedStore.open(at: fixture.path, options: options)
        try store.source.withRecord(of: Version(1)) { _ in
            guard case .closeBlocked = expectCause(LMDBError.self, { try store.close() })?.kind else {
                Issue.record("it was closed")
                return
            }
        }
        #expect(try store.snapshot.sections[0].items.map(\.id) == (0..<100).map { .integer($0) })
        try store.close()
    }

    @Test("A store is not closed while it is being read, and stays usable")
    func closeBlocked() throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        try fixture.store.waitUntilDurable()
        try fixture.store.source.withRecord(of: Version(1)) { _ in
            for discards in [false, true] {
                let error = expectCause(LMDBError.self) {
                    try fixture.store.close(discardingUnappended: discards)
                }
                guard case .closeBlocked = error?.kind else {
                    Issue.record("another error: \(String(describing: error))")
                    continue
                }
            }
        }
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        let rows = try fixture.store.snapshot
        try fixture.store.close()
        // The attempts took a checkpoint; later edits are in the next one.
        let reopened = try UntypedStore.open(at: fixture.path)
        #expect(!reopened.recovery.wasRebuilt)
        #expect(try reopened.version == Version(2))
        #expect(try reopened.item(1)?.isChecked == true)
        #expect(try reopened.snapshot.stateHash == rows.stateHash)
        try reopened.edit("Toggle again") { try $0.toggle(.item(1)) }
        try reopened.close()
    }

    private func expectVersion(_ number: UInt64, _ fixture: StoreFixture) throws {
        let reopened = try UntypedStore.open(at: fixture.path)
        #expect(try reopened.version == Version(number))
        try reopened.close()
    }
}

extension UntypedStore {
    /// Changes the log's head row to that of another commit, as another process would, and returns the old one.
    @discardableResult
    func pretendForeignCommit() throws -> [UInt8] {
        let environment = group.log.environment
        let meta = try environment.openDatabase(named: LogFormat.metaDatabase, of: String.self, [UInt8].self)
        let row = try environment.read { try $0.get(LogFormat.headKey, in: meta) } ?? []
        var other = row
        other[0] += 1
        try setHeadRow(other)
        return row
    }

    func setHeadRow(_ row: [UInt8]) throws {
        let environment = group.log.environment
        let meta = try environment.openDatabase(named: LogFormat.metaDatabase, of: String.self, [UInt8].self)
        try environment.write { try $0.put(row, forKey: LogFormat.headKey, in: meta) }
    }
}
