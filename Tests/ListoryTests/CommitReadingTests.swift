// Tests reading the commits of the log in parts of bounded size, without a transaction while the app's closure runs.

import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("Reading commits")
struct CommitReadingTests {
    @Test("The closure of forEachCommit may read and edit the store, and the map may grow meanwhile")
    func editWhileReading() throws {
        let fixture = try StoreFixture()
        try fixture.fill(1)
        for index in 0..<5 { try fixture.store.edit("Toggle \(index)") { try $0.toggle(.item(0)) } }
        let environment = fixture.store.group.log.environment
        var names: [String] = []
        try fixture.store.forEachCommit(in: Version(1)...Version(6)) { commit in
            names.append(commit.name)
            #expect(try fixture.store.commit(commit.version).record == commit.record)
            // Growing waits for all readers, and would wait for this closure without end.
            try environment.growMap(to: environment.mapSize * 2)
            try fixture.store.edit("More") { try $0.toggle(.item(0)) }
        }
        #expect(names == ["Fill"] + (0..<5).map { "Toggle \($0)" })
        #expect(try fixture.store.version == Version(12))
        try fixture.store.close()
    }

    @Test("A part of the log ends at the given range, count or size, and is never empty")
    func parts() throws {
        let fixture = try StoreFixture()
        try fixture.fill(1)
        for index in 0..<9 {
            let content = [UInt8](repeating: UInt8(index), count: 1_000)
            try fixture.store.edit("Update", durability: .deferred) { try $0.update(0, content: content) }
        }
        try fixture.store.waitUntilDurable()
        let log = fixture.store.group.log
        #expect(try log.copies(of: 2...9)?.count == 8)
        #expect(try log.copies(of: 2...9, atMost: 3)?.count == 3)
        #expect(try log.copies(of: 2...9, size: 2_500)?.count == 3)
        let first = try #require(try log.copies(of: 4...9, size: 1))
        #expect(first.count == 1 && first.version(0) == Version(4))
        let record = try fixture.store.commit(Version(4)).record
        #expect(first.withRecord(0) { Array($0) } == record)
        #expect(try log.copies(of: 11...12)?.count == nil)
        try fixture.store.close()
    }

    @Test("A commit that is not where it should be is damage, not an unknown version")
    func missingRecord() throws {
        let fixture = try StoreFixture()
        try fixture.fill(1)
        for _ in 0..<5 { try fixture.store.edit("Toggle") { try $0.toggle(.item(0)) } }
        try fixture.store.close()
        let store = try UntypedStore.open(at: fixture.path)
        let log = store.group.log
        try log.environment.write { txn in _ = try txn.delete(3, in: log.commits) }
        let error = #expect(throws: ListError.self) { try store.commit(3) }
        #expect(error.map(ListError.saysDamage) == true && error?.description.contains("commit 3") == true)
        let unknown = #expect(throws: ListError.self) { try store.commit(7) }
        #expect(unknown?.code == "unknownVersion")
        try store.close()
    }

    @Test("A damaged content is detected when it is read, also after opening with a checkpoint")
    func damagedContent() throws {
        let fixture = try StoreFixture()
        try fixture.fill(5)
        try fixture.store.checkpoint()
        let environment = fixture.store.group.log.environment
        let commits = try environment.openDatabase(named: "commits", of: UInt64.self, [UInt8].self)
        let content = try #require(try fixture.store.item(3)).content
        try environment.write { txn in
            var record = try txn.get(1, in: commits)!
            record[Int(content.offset)] ^= 1
            try txn.put(record, forKey: 1, in: commits)
        }
        try fixture.store.close()
        let store = try UntypedStore.open(at: fixture.path)
        #expect(store.recovery.commitCount == 0)
        #expect(throws: RecordError.self) { try store.source.content(of: content) }
        let other = try #require(try store.item(2)).content
        #expect(try store.source.content(of: other) == Array("row 2".utf8))
        try store.close()
    }
}
