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

    /// A store whose last checkpoint has made more than a thousand nodes superfluous.
    private func withManySuperfluousNodes() throws -> StoreFixture {
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
        return fixture
    }

    @Test("A store that is closed frees what its last checkpoint has made superfluous")
    func freeingAtTheEnd() throws {
        let fixture = try withManySuperfluousNodes()
        let hash = try fixture.store.snapshot.stateHash
        try fixture.store.close()
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(try #require(store.checkpointer).database.superfluous().isEmpty)
        #expect(try store.snapshot.stateHash == hash)
        try store.edit("Toggle") { try $0.toggle(.item(7)) }
        try store.checkpoint()
        try CheckpointTests.expectNoUnneededNodes(store)
    }

    @Test("Chunks that another process may still read stay in the file and in the list when a store is closed")
    func replacedAtTheEnd() throws {
        let fixture = try withManySuperfluousNodes()
        let checkpointer = try #require(fixture.store.checkpointer)
        // As if another process had a head of the checkpoint before.
        let replaced = checkpointer.state.withLock { state in
            let chunks = Array(state.superfluous.suffix(100))
            state.superfluous.removeLast(100)
            state.replaced.append((state.newest!.version, chunks))
            return chunks
        }
        try fixture.store.close()
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        let database = try #require(store.checkpointer).database
        #expect(try database.superfluous() == replaced.sorted())
        for number in replaced {
            var isThere = false
            try database.readNode(number) { isThere = $0 != nil }
            #expect(isThere, "\(number)")
        }
        try store.close()
    }

    @Test("All of a thousand nodes and more that a checkpoint makes superfluous are deleted")
    func freeingMany() throws {
        let fixture = try withManySuperfluousNodes()
        for id in 0..<6 {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) }
            try fixture.store.checkpoint()
        }
        try CheckpointTests.expectNoUnneededNodes(fixture.store)
    }

    @Test(
        "Nodes that are stored in runs, or one by one as earlier builds did, are there until they are deleted",
        arguments: 1...10 as ClosedRange<UInt64>)
    func runs(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let fixture = try StoreFixture(CheckpointTests.onRequest)
        let environment = fixture.store.group.log.environment
        var expected: [UInt64: [UInt8]] = [:]
        var next: UInt64 = 1
        for round in 0..<60 {
            var slice = NodeSlice()
            for _ in 0..<generator.below(80) {
                let size = generator.oneIn(10) ? generator.below(3_000) : generator.below(50)
                let node = [0, 0, 0, 0, 73] + [UInt8](repeating: UInt8(truncatingIfNeeded: next), count: size + 1)
                node.withUnsafeBytes { slice.append(next, $0) }
                expected[next] = node
                next += 1
            }
            var deleted = expected.keys.sorted().filter { _ in generator.oneIn(round % 2 == 0 ? 3 : 40) }
            deleted.shuffle(using: &generator)
            // Some were deleted before.
            deleted += (0..<3).map { _ in UInt64(generator.below(Int(next)) + 1) }
            let isByEarlierBuild = generator.oneIn(4)
            try environment.write { txn in
                let nodes = try txn.openDatabase(named: "nodes", of: UInt64.self, [UInt8].self, create: true)
                if isByEarlierBuild { try txn.append(slice, to: nodes) } else { try txn.appendNodes(slice, to: nodes) }
                try txn.deleteNodes(deleted[...], in: nodes)
            }
            for number in deleted { expected[number] = nil }
            let database = try #require(fixture.store.checkpointer).database
            for number in 1...next {
                var found: [UInt8]?
                try database.readNode(number) { found = $0.map { Array($0) } }
                #expect(found == expected[number], "seed \(seed), round \(round), node \(number)")
            }
            #expect(try database.nodeCount() == expected.count, "seed \(seed), round \(round)")
            #expect(try database.boundOfNumbers() >= expected.keys.max() ?? 0, "seed \(seed), round \(round)")
        }
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
