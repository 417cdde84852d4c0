// Tests that the nodes which no checkpoint needs leave the file, and no others.

@testable import Listory
@testable import ListModel
import TestSupport
import Testing

extension CheckpointTests {
    @Test("Nodes that no checkpoint needs are deleted")
    func freeing() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(200)
        for step in 0..<1_000 {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(step * 7 % 200)))) }
        }
        try fixture.store.checkpoint()
        let database = try #require(fixture.store.checkpointer).database
        let (stored, waiting) = (try database.nodeCount(), try database.superfluous().count)
        try fixture.store.close()
        let needed = try StoreVerification(path: fixture.path).nodeCount
        // The pages of the locators of 200 rows are few.
        #expect(
            (0...20).contains(stored - waiting - needed),
            "\(stored) stored, \(waiting) to be freed, \(needed) needed")
        #expect(waiting < 500)
    }

    @Test("All of a thousand nodes and more that a checkpoint makes superfluous are deleted")
    func freeingMany() throws {
        let fixture = try StoreFixture {
            CheckpointTests.onRequest(&$0)
            $0.checkpoints.sliceSize = 4_096
        }
        let rows = (0..<5_000).map { Int64($0) }
        try fixture.fill(rows.count)
        // The first one is dropped by the third, because the head uses the one before.
        for round in 0..<3 {
            // So much of each leaf changes that none is stored as a patch.
            try fixture.store.edit("Update") { list in
                for id in rows { try list.update(.integer(id), content: [UInt8](repeating: UInt8(round), count: 9)) }
            }
            try fixture.store.checkpoint()
        }
        let waiting = try #require(fixture.store.checkpointer).database.superfluous().count
        #expect(waiting > 1_500, "only \(waiting) nodes are superfluous at once")
        for id in 0..<6 {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) }
            try fixture.store.checkpoint()
        }
        try CheckpointTests.expectNoUnneededNodes(fixture.store)
    }

    @Test("Of a checkpoint that could not be finished, no node stays in the file")
    func unfinished() throws {
        let fixture = try StoreFixture {
            CheckpointTests.onRequest(&$0)
            $0.checkpoints.sliceSize = 64
            $0.memoryBudget = 1
        }
        try fixture.fill(200)
        try fixture.store.checkpoint()
        var failures = 0
        for round in 0..<30 {
            for step in 0..<5 {
                let id = UntypedID.integer(Int64((round * 37 + step * 41) % 200))
                try fixture.store.edit("Toggle") { try $0.toggle(.item(id)) }
            }
            // Its nodes are written; then those that the checkpoint before has and this one has not cannot be read.
            let jam = ReaderJam(fixture.store)
            do { try fixture.store.checkpoint() } catch { failures += 1 }
            withExtendedLifetime(jam) {}
        }
        #expect(failures > 20)
        try fixture.store.edit("Toggle") { try $0.toggle(.item(7)) }
        try fixture.store.checkpoint()
        try CheckpointTests.expectNoUnneededNodes(fixture.store)
    }

    /// Closes a store, and checks that no nodes are stored but those that a checkpoint needs or that will be deleted.
    static func expectNoUnneededNodes(_ store: UntypedStore) throws {
        let database = try #require(store.checkpointer).database
        let (stored, waiting) = (try database.nodeCount(), try database.superfluous().count)
        let chunks = try #require(try database.newest()).locators
        try store.close()
        let needed = try StoreVerification(path: store.path).nodeCount
        // The chunks of the locators are stored as nodes are.
        var chunkCount = 0
        for root in [chunks.items, chunks.sections] {
            chunkCount += root.indexChunkCount + root.parentChunkCount
            chunkCount += root.indexDirectories.count + root.parentDirectories.count
        }
        #expect(
            stored == waiting + needed + chunkCount,
            "\(stored) stored, \(waiting) to be freed, \(needed) needed, \(chunkCount) chunks")
    }

    @Test("A checkpoint without nodes of its own can be dropped: the nodes of the one before stay")
    func withoutNodes() throws {
        let fixture = try StoreFixture {
            CheckpointTests.onRequest(&$0)
            $0.memoryBudget = 1
            $0.undoScope = .origin
        }
        let store = fixture.store
        try fixture.fill(30)
        var kept: [(snapshot: UntypedSnapshot, rows: Int)] = []
        for round in 0..<12 {
            let id = UntypedID.integer(Int64(1_000 + round))
            try store.edit("Insert", origin: "ann") {
                try $0.insert(NewRow(id: id, content: [1]), at: .end(ofSection: "today"))
            }
            try store.edit("Delete", origin: "bob") { try $0.delete(.item(id)) }
            try store.checkpoint()
            kept.append((try store.snapshot, 30))
            let lastNumber = try #require(store.checkpointer?.newest).lastNumber
            // Nothing is left to undo, so the commit has no events, and the rows do not change.
            let undo = try store.undo(origin: "ann")
            #expect(undo.commit?.eventCount == 0)
            try store.checkpoint()
            #expect(store.checkpointer?.newest?.lastNumber == lastNumber)
            // The root that both have is in the next one's list of dead nodes.
            for step in 0..<3 {
                let id = UntypedID.integer(Int64((round * 7 + step) % 30))
                try store.edit("Toggle", origin: "bob") { try $0.toggle(.item(id)) }
                try store.checkpoint()
            }
        }
        for (number, (snapshot, count)) in kept.enumerated() {
            let ids = snapshot.sections.flatMap { $0.items.map(\.id) }
            #expect(ids.count == count && !ids.contains("unreadable"), "snapshot \(number)")
        }
        kept = []
        try store.close()
        _ = try StoreVerification(path: fixture.path)
    }
}
