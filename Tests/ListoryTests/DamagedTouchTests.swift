// Tests histories of rows and the trash beside a damaged commit that the index of touches does not have.

import LMDB
@testable import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("Histories of rows and the trash beside a damaged commit")
struct DamagedTouchTests {
    /// A store whose commits are not indexed, and of which only the test takes checkpoints.
    private static func unindexed() throws -> StoreFixture {
        try StoreFixture { options in
            CheckpointTests.onRequest(&options)
            options.checkpoints.touches.interval = .max
        }
    }

    /// The store of a fixture, opened again at a checkpoint after a commit was damaged.
    private static func damaging(_ version: UInt64, in fixture: StoreFixture) throws -> UntypedStore {
        try fixture.store.checkpoint()
        try fixture.store.close()
        try damageCommit(version, at: fixture.path)
        return try UntypedStore.open(at: fixture.path, options: fixture.store.options)
    }

    /// Damages the record of a commit in the file of a closed store, in a transaction: `SalvageTests.damage` also finds it on pages that are free
    /// by now, and may be those of something else.
    private static func damageCommit(_ version: UInt64, at path: String) throws {
        let environment = try Environment.open(path: path)
        let commits = try environment.openDatabase(named: "commits", of: UInt64.self, [UInt8].self)
        try environment.write { txn in
            var record = try txn.get(version, in: commits)!
            record[record.count - 1] ^= 1
            try txn.put(record, forKey: version, in: commits)
        }
        try environment.close()
    }

    /// Whether an error says that a commit is damaged.
    private static func isOfDamagedCommit(_ version: Version, _ error: any Error) -> Bool {
        ((error as? ListError)?.cause as? RecordError)?.version == version && ListError.saysDamage(error)
    }

    @Test("A damaged commit that is not indexed yet is only in the way of histories and blame that may depend on it")
    func histories() throws {
        let fixture = try Self.unindexed()
        try fixture.fill(5)
        try fixture.store.edit("Check") { try $0.toggle(.item(1)) }
        try fixture.store.edit("Lost") { try $0.toggle(.item(2)) }
        try fixture.store.edit("Add") { try $0.insert([NewRow(id: 10, content: [])], at: .end(ofSection: "today")) }
        try fixture.store.edit("Check") { try $0.toggle(.item(1)) }
        try fixture.store.edit("Check") { try $0.toggle(.item(10)) }
        let store = try Self.damaging(3, in: fixture)
        func history(_ id: UntypedID, before version: Version? = nil, limit: Int = .max) throws -> [Version] {
            try store.history(ofRow: id, before: version, limit: limit).map(\.commit.version)
        }
        // On both sides of it. The first question reads the commits up to it, the others the rest.
        #expect(try history(1, before: 3) == [2, 1])
        #expect(try history(1, limit: 1) == [5])
        #expect(try history(1, before: 3) == [2, 1])
        #expect(try history(10, limit: 2) == [6, 4])
        // A row that came later, and the rows at an earlier version.
        let blame = try store.blame(ofRows: [10])[0]
        #expect(blame.inserted?.version == 4 && blame.toggled?.version == 6)
        #expect(try store.blame(ofRows: [1, 2], at: 2).map(\.toggled?.version) == [2, nil])
        // What it may have done to any row.
        #expect { try history(1) } throws: { Self.isOfDamagedCommit(3, $0) }
        #expect { try store.history(ofSection: "today") } throws: { Self.isOfDamagedCommit(3, $0) }
        #expect { try store.blame(ofRows: [10, 1]) } throws: { Self.isOfDamagedCommit(3, $0) }
    }

    @Test("A damaged commit that is not indexed yet leaves what was deleted after it, and before it, in the trash")
    func trash() throws {
        let fixture = try Self.unindexed()
        try fixture.fill(6)
        try fixture.store.edit("Delete") { try $0.delete(.item(4)) }
        try fixture.store.undo()
        try fixture.store.edit("Delete") { try $0.delete(.item(0)) }
        for id in [4, 1, 2] as [UntypedID] { try fixture.store.edit("Delete") { try $0.delete(.item(id)) } }
        let store = try Self.damaging(5, in: fixture)
        func isDamage(_ error: any Error) -> Bool { Self.isOfDamagedCommit(5, error) }

        #expect(try store.trash(limit: 2).map(\.row.id) == [2, 1])
        var read: [UntypedID] = []
        #expect {
            try store.trash { row in
                read.append(row.row.id)
                return true
            }
        } throws: { isDamage($0) }
        #expect(read == [2, 1])
        // Behind it: of a row that had come back, it may be the commit that has deleted it again. Here, it is.
        #expect(try store.trash(before: 5, limit: 1).map(\.row.id) == [0])
        #expect { try store.trash(before: 5) } throws: { isDamage($0) }

        let live = try UntypedLiveTrash(of: store, limit: 2)
        #expect { try live.loadMore() } throws: { isDamage($0) }
        try store.edit("Delete") { try $0.delete(.item(3)) }
        #expect(try live.snapshot.rows.map(\.row.id) == [3, 2, 1])
    }

    @Test("Two damaged commits in a row leave what was deleted before them in the trash")
    func severalInARow() throws {
        let fixture = try Self.unindexed()
        try fixture.fill(6)
        for id in [0, 1] as [UntypedID] { try fixture.store.edit("Delete") { try $0.delete(.item(id)) } }
        for id in [2, 3] as [UntypedID] { try fixture.store.edit("Check") { try $0.toggle(.item(id)) } }
        try fixture.store.edit("Delete") { try $0.delete(.item(4)) }
        try fixture.store.checkpoint()
        try fixture.store.close()
        for version in [4, 5] as [UInt64] { try Self.damageCommit(version, at: fixture.path) }
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(try store.trash(limit: 1).map(\.row.id) == [4])
        #expect(try store.trash(before: 4).map(\.row.id) == [1, 0])
    }

    @Test("A damaged commit ends the index of the commits before it, and checkpoints do not make that anew each time")
    func index() throws {
        var edited = try EditedStore(seed: 14)
        try edited.edit(200)
        try edited.reopen { $0.checkpoints.touches.interval = .max }
        let indexed = try #require(try edited.store.checkpointer?.touches.catalog())
        try edited.edit(40)
        try edited.store.checkpoint()
        try edited.store.close()
        try Self.damageCommit(220, at: edited.path)
        try edited.reopen { $0.checkpoints.touches.interval = 0 }
        try edited.edit(5)
        try edited.store.checkpoint()
        let found = try #require(try edited.store.checkpointer?.touches.catalog())
        // While an index is being rebuilt, its catalog does not say how many bytes of records it covers.
        #expect(found.recordBytes == indexed.recordBytes && indexed.recordBytes > 0)
        let last = try #require(found.last)
        #expect(last < 220)
    }
}
