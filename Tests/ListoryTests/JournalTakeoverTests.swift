// What a process does with entries of the journal that another one has written and not published: that one was killed, or its
// sync failed. Nobody knows whether such an entry is on the device, and a sync could succeed without it. The tests write the
// entries themselves. `JournalModel` says why each rule is needed.

import Foundation
import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("Entries of the journal that nobody has published")
struct JournalTakeoverTests {
    private static func fixture() throws -> StoreFixture {
        let fixture = try StoreFixture { options in
            options.journal.storeDelay = .seconds(3_600)
            options.checkpoints = .never
        }
        try fixture.fill(2)
        // The first write group of a process goes into the database.
        for _ in 0..<2 { try fixture.store.edit("Toggle") { try $0.toggle(.item(0)) } }
        try #require(!fixture.store.group.log.journal.isEmpty)
        return fixture
    }

    /// The next commit, as another process would make it.
    private static func nextCommit(_ fixture: StoreFixture) throws -> Commit {
        let folder = try TemporaryFolder()
        let path = folder.file("other.listory")
        try Data(contentsOf: URL(fileURLWithPath: fixture.path)).write(to: URL(fileURLWithPath: path))
        let other = try UntypedStore.open(at: path)
        let commit = try #require(try other.edit("Other") { try $0.toggle(.item(1)) })
        try other.close()
        return commit
    }

    /// Writes an entry with one commit behind the end of the journal, as another process would, and neither syncs nor
    /// publishes it.
    private static func writeEntry(_ fixture: StoreFixture) throws -> (commit: Commit, place: Journal.Place) {
        let commit = try nextCommit(fixture)
        let journal = fixture.store.group.log.journal
        var run = RecordRun(first: commit.version)
        run.append(commit)
        let (head, end) = journal.state.withLock { ($0.head, $0.end) }
        let bytes = try #require(JournalEntry.bytes(run, 0..<1, after: head, atMost: journal.capacity - end))
        let txn = try journal.environment.beginWrite()
        try bytes.withUnsafeBytes {
            try txn.overwriteInPlace($0, at: end, ofValueForKey: Journal.key, in: #require(journal.database))
        }
        txn.abort()
        return (commit, Journal.Place(offset: end, checksum: bytes.withUnsafeBytes { JournalEntry.checksum(in: $0) }))
    }

    @Test("They are written again in a transaction before anything follows them, because a sync could not tell")
    func writtenAgain() throws {
        let fixture = try Self.fixture()
        let journal = fixture.store.group.log.journal
        let found = try Self.writeEntry(fixture).commit
        #expect(try journal.storedVersion() < found.version)
        let own = try #require(try fixture.store.edit("Own") { try $0.toggle(.item(0)) })
        #expect(own.version == found.version.next)
        #expect(try journal.storedVersion() >= found.version)
        #expect(try fixture.store.commit(found.version).name == "Other")
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).version == own.version)
    }

    @Test("If an entry that failed here is in the log by then, it is neither cleared nor reported as discarded")
    func continued() throws {
        let fixture = try Self.fixture()
        let journal = fixture.store.group.log.journal
        let (commit, place) = try Self.writeEntry(fixture)
        // As if it were this process's own, and its sync had failed.
        journal.state.withLock { ($0.failed, $0.isDirect) = (place, true) }
        // Otherwise it would hear of it and catch up.
        fixture.store.racer.stop()
        // Opening drains what it finds.
        let other = try ChildProcess("StoreWriter", [fixture.path, "idle"])
        #expect(other.read() == "closed\n")
        _ = other.kill()
        #expect(try journal.storedVersion() == commit.version)
        #expect { try journal.discardFailed() } throws: { ($0 as? ListError)?.code == "writtenElsewhere" }
        fixture.store.racer.start()
        try fixture.store.edit("Own") { try $0.toggle(.item(0)) }
        #expect(try fixture.store.commit(commit.version).name == "Other")
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).version == commit.version.next)
    }

    @Test(
        "A process that opens the store tells the others of what it finds, even if it edits nothing",
        arguments: ["an entry", "a transaction"])
    func published(what: String) async throws {
        let fixture = try Self.fixture()
        let updates = try fixture.store.updates()
        let commit: Commit
        if what == "an entry" {
            commit = try Self.writeEntry(fixture).commit
        } else {
            commit = try Self.nextCommit(fixture)
            try fixture.store.group.store()
            let journal = fixture.store.group.log.journal
            var run = RecordRun(first: commit.version)
            run.append(commit)
            _ = try journal.environment.write { try journal.rows.append(run, 0..<1, after: journal.head, &$0) }
        }
        let other = try ChildProcess("StoreWriter", [fixture.path, "idle"])
        #expect(other.read() == "closed\n")
        _ = other.kill()
        try #require(fixture.store.group.log.journal.table?.published()?.head.version == commit.version)
        var iterator = updates.makeAsyncIterator()
        let update = try #require(await iterator.next())
        #expect(update.snapshot.version == commit.version && update.cause.name == "Other")
        try fixture.store.close()
    }

    @Test("If nobody took it, an entry that failed here is cleared when it is discarded")
    func discarded() throws {
        let fixture = try Self.fixture()
        let journal = fixture.store.group.log.journal
        let version = try fixture.store.version
        let (_, place) = try Self.writeEntry(fixture)
        journal.state.withLock { ($0.failed, $0.isDirect) = (place, true) }
        try journal.discardFailed()
        #expect(try journal.readCopy().0.head.version == version)
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).version == version)
    }
}
