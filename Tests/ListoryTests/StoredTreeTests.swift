// Tests stored trees that are used under other conditions: other limits, a failed or damaged checkpoint, another file.

import Foundation
import LMDB
import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("Stored trees that others go on with")
struct StoredTreeTests {
    private static let widths = [4, 32]

    @Test("A store continues with stored nodes that are wider or narrower than its own", arguments: [0, 1])
    func otherLimits(first: Int) throws {
        var edited = try EditedStore(seed: UInt64(90 + first), targetCount: 200) {
            CheckpointTests.eager(&$0)
            $0.limits = TreeLimits(leafCapacity: Self.widths[first], innerCapacity: Self.widths[first])
        }
        // Enough rows to fill leaves completely.
        let items = (0..<200).map { NewRow(id: .string("row \($0)"), content: []) }
        let operation = EditOperation.insertSection(NewSection(id: "first", title: "First", items: items), .end)
        var rows = ReferenceList()
        try rows.apply(operation)
        try edited.store.edit("Fill") { try $0.apply(operation) }
        edited.versions.append(rows)
        for round in 1...20 * Soak.factor {
            let width = Self.widths[(first + round) % 2]
            try edited.reopen {
                $0.limits = TreeLimits(leafCapacity: width, innerCapacity: width)
                // With a tiny budget, nodes are read from the file repeatedly.
                $0.memoryBudget = round % 3 == 0 ? 1 : 16 << 20
            }
            #expect(!edited.store.recovery.wasRebuilt)
            try edited.edit(100)
            try edited.checkRows("first \(first), round \(round)")
            try edited.checkPast(3, "first \(first), round \(round)")
        }
        try edited.store.close()
        #expect(try StoreVerification(path: edited.path).version.rawValue == UInt64(edited.versions.count - 1))
    }

    @Test("Stored versions are compared while the map grows and others edit")
    func comparedWhileGrowing() throws {
        let fixture = try StoreFixture { $0.memoryBudget = 1 }
        try fixture.fill(20_000)
        try fixture.store.checkpoint()
        let old = try fixture.store.version
        for id in stride(from: Int64(0), to: 20_000, by: 16) {
            try fixture.store.edit("Toggle", durability: .deferred) { try $0.toggle(.item(.integer(id))) }
        }
        try fixture.store.checkpoint()
        let new = try fixture.store.version
        let changed = Array(stride(from: 0, to: 20_000, by: 16))
        let environment = fixture.store.group.log.environment
        let isComparing = Locked(true)
        let problems = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { worker in
            do {
                if worker == 0 {
                    defer { isComparing.withLock { $0 = false } }
                    for _ in 0..<20 {
                        // More than 1,200 nodes: the transaction of a scan is begun several times.
                        let snapshots = (try fixture.store.snapshot(at: old), try fixture.store.snapshot(at: new))
                        let updated = Changeset(from: snapshots.0, to: snapshots.1).items.updated.map(\.item)
                        if updated != changed { problems.withLock { $0.append("\(updated.count) updates") } }
                    }
                } else {
                    while isComparing.withLock({ $0 }) {
                        try environment.growMap(to: environment.mapSize + 4_096)
                        try fixture.store.edit("More") { try $0.toggle(.item(1)) }
                    }
                }
            } catch {
                problems.withLock { $0.append("\(error)") }
            }
        }
        #expect(problems.withLock { $0 } == [])
        try fixture.store.close()
    }

    @Test("The rows between two batches can be read as long as they are kept, though both versions are gone")
    func keptStage() throws {
        let fixture = try StoreFixture {
            CheckpointTests.onRequest(&$0)
            $0.memoryBudget = 1
        }
        let store = fixture.store
        try fixture.fill(40)
        try store.checkpoint()
        let stages: [UntypedSnapshot] = try {
            let old = try store.snapshot
            try store.edit("Insert") { list in
                let items = (100..<140).map { NewRow(id: .integer($0), content: [1]) }
                try list.insertSection(NewSection(id: "later", title: "Later", items: items))
                // A row that moves into a new section needs a batch of its own; the other section comes whole.
                try list.insertSection(NewSection(id: "last", title: "Last"))
                try list.move(.item(3), to: .end(ofSection: "last"))
            }
            try store.checkpoint()
            let snapshot = try store.snapshot
            let there = ListTransition(from: old, to: snapshot).batches()
            let back = ListTransition(from: snapshot, to: old).batches()
            return there.dropLast().map(\.snapshot) + back.dropLast().map(\.snapshot)
        }()
        #expect(stages.contains { $0.sections.map(\.items.count).contains(40) && $0.itemCount == 80 })
        for _ in 0..<4 {
            try store.edit("Toggle") { list in
                for id in (0..<40).map(Int64.init) + (100..<140).map(Int64.init) {
                    try list.toggle(.item(.integer(id)))
                }
            }
            try store.checkpoint()
        }
        for (number, stage) in stages.enumerated() {
            let ids = stage.sections.flatMap { $0.items.map(\.id) }
            #expect(ids.count == stage.itemCount && !ids.contains("unreadable"), "stage \(number)")
        }
        try store.close()
    }

    @Test("If the commits of a checkpoint could not be appended, no chunk of the index is lost")
    func failedCheckpoints() throws {
        var edited = try EditedStore(seed: 5, targetCount: 300) {
            CheckpointTests.eager(&$0)
            // The test decides when checkpoints are taken and commits appended.
            $0.checkpoints.interval = .max
            $0.deferredDelay = .seconds(3_600)
            $0.journal.storeDelay = .seconds(3_600)
            $0.retryDelay = .seconds(3_600)
            $0.memoryBudget = 1
        }
        for round in 0..<12 {
            try edited.edit(40)
            try edited.store.checkpoint()
            try edited.store.waitUntilDurable()
            let head = try edited.store.pretendForeignCommit()
            try edited.edit(20)
            for _ in 0...round % 3 { #expect(throws: ListError.self) { try edited.store.checkpoint() } }
            try edited.store.setHeadRow(head)
            try edited.store.waitUntilDurable()
            try edited.edit(20)
            for _ in 0..<3 {
                try edited.store.checkpoint()
                try edited.edit(1)
            }
            try edited.checkRows("round \(round)")
            if round % 2 == 1 { try edited.reopen() }
            #expect(!edited.store.recovery.wasRebuilt && edited.store.checkpointVersion > .empty)
            try edited.checkRows("round \(round), opened again")
        }
        try edited.store.close()
        #expect(try StoreVerification(path: edited.path).version.rawValue == UInt64(edited.versions.count - 1))
    }

    @Test(
        "A rebuilt list does not use the stored nodes to which its old snapshots refer",
        arguments: 1...8 as ClosedRange<UInt64>)
    func rebuilt(seed: UInt64) throws {
        var edited = try EditedStore(seed: seed) {
            CheckpointTests.eager(&$0)
            // Without a cache, and with a small one.
            $0.memoryBudget = seed <= 4 ? 1 : 65_536
            $0.gate = .full
        }
        try edited.edit(200)
        var kept: [UntypedSnapshot] = []
        for _ in 0..<10 { kept.append(try edited.store.snapshot(at: edited.randomVersion())) }
        kept.append(try edited.store.snapshot)
        let database = try #require(edited.store.checkpointer).database
        try edited.store.close()
        // The file stays open for the snapshots.
        try CheckpointTests.damage(database.environment, Int(seed % 4))
        let lastNumber = try database.boundOfNumbers()
        try edited.reopen()
        #expect(edited.store.recovery.wasRebuilt)
        #expect(edited.store.checkpointer?.database === database)
        try edited.checkPast(10, "seed \(seed), rebuilt")
        var later: [UntypedSnapshot] = []
        for _ in 0..<10 { later.append(try edited.store.snapshot(at: edited.randomVersion())) }
        for round in 0..<20 {
            try edited.edit(10)
            try edited.checkRows("seed \(seed), round \(round)")
            try edited.checkPast(5, "seed \(seed), round \(round)")
        }
        // A stored number to which a snapshot refers is never given to another node.
        for checkpoint in try database.all() { #expect(checkpoint.firstNumber > lastNumber) }
        let source = GroupSource(base: edited.store.source)
        for snapshot in later {
            let rows = edited.versions[Int(snapshot.version.rawValue)]
            try #require(try ReferenceList(snapshot, source) == rows, "seed \(seed)")
        }
        // In a damaged checkpoint, rows may be missing, but no other row takes their place.
        for snapshot in kept {
            let rows = edited.versions[Int(snapshot.version.rawValue)]
            #expect(snapshot.itemCount == rows.itemCount)
            for (section, expected) in zip(snapshot.sections, rows.sections) {
                for (item, row) in zip(section.items, expected.items) {
                    #expect(item.id == row.id || item.id == "unreadable", "seed \(seed)")
                }
            }
        }
        try edited.store.close()
        kept = []
        later = []
    }

    @Test("An edit does not use the substitute of a node that could not be read for the past")
    func damageOfThePast() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(300)
        try fixture.store.close()
        try CheckpointTests.damage(fixture.path, 3)
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        // Another checkpoint, which shares the damaged node without reading it.
        for _ in 0..<8 { try store.edit("Toggle") { try $0.toggle(.item(0)) } }
        #expect(store.checkpointVersion == Version(9))
        let hash = try store.snapshot.stateHash
        let items = try store.snapshot(at: Version(1)).sections[0].items
        let place = try #require(items.firstIndex { $0.id == "unreadable" })
        #expect { try store.edit("Toggle") { try $0.toggle(.at(ListIndexPath(section: 0, item: place))) } } throws: {
            ($0 as? ListError)?.code == "damagedNode"
        }
        try store.close()
        let mended = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(mended.recovery.wasRebuilt)
        #expect(try mended.version == Version(9) && mended.snapshot.stateHash == hash)
        try mended.close()
        #expect(try StoreVerification(path: fixture.path).stateHash == hash)
    }

    @Test("If one of several undos fails, checkpoints can still be taken")
    func failedUndo() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        let store = fixture.store
        try fixture.fill(10)
        for step in 0..<40 { try store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(step % 10)))) } }
        try store.waitUntilDurable()
        let environment = store.group.log.environment
        let commits = try environment.openDatabase(named: "commits", of: UInt64.self, [UInt8].self)
        let record = try #require(try environment.read { try $0.get(20, in: commits) })
        try environment.write { txn in _ = try txn.delete(20, in: commits) }
        #expect(throws: (any Error).self) { try store.undo(35) }
        #expect((10...21).contains(try store.version.rawValue - 41))
        try environment.write { txn in try txn.put(record, forKey: 20, in: commits) }
        let newest = try store.version.rawValue
        #expect(newest - store.checkpointVersion.rawValue < 8)
        for step in 0..<40 { try store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(step % 10)))) } }
        #expect(try store.version.rawValue - store.checkpointVersion.rawValue < 8)
        try store.close()
        #expect(try StoreVerification(path: fixture.path).version.rawValue == newest + 40)
    }
}
