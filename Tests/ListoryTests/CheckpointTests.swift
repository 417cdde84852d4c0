// Tests checkpoints: what opening reads, how far apart they are, which are kept, and that a damaged one costs only
// time.

import Foundation
import LMDB
@testable import Listory
@testable import ListModel
import TestSupport
import Testing

@Suite("Checkpoints")
struct CheckpointTests {
    /// Options with frequent checkpoints, which are taken by the edits and not in the background.
    static func eager(_ options: inout StoreOptions) {
        options.checkpoints.interval = 8
        options.checkpoints.nodeWeight = 0
        options.checkpoints.maximumSpacing = 32
        options.checkpoints.isBackground = false
        options.durability = .deferred
        options.coalescing = .never
        options.limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)
    }

    /// A store after some random edits, and its rows at each version.
    private struct Past: ~Copyable {
        let fixture: StoreFixture
        var edits: RandomEdits
        var reference = ReferenceList()
        var versions = [ReferenceList()]

        init(seed: UInt64, _ change: (inout StoreOptions) -> Void = CheckpointTests.eager) throws {
            fixture = try StoreFixture(change)
            edits = RandomEdits(seed: seed)
        }

        mutating func edit(_ count: Int, in store: Store) throws {
            for _ in 0..<count {
                let operation = edits.next(reference)
                guard (try? reference.apply(operation)) != nil else { continue }
                if try store.edit("Edit", { try $0.apply(operation) }) != nil { versions.append(reference) }
            }
        }
    }

    @Test("Any version, and the changeset between any two, stay correct", arguments: 1...6 as ClosedRange<UInt64>)
    func travel(seed: UInt64) throws {
        var past = try Past(seed: seed)
        let store = past.fixture.store
        try past.edit(400, in: store)
        for _ in 0..<200 {
            let from = past.versions.indices.randomElement(using: &past.edits.generator)!
            let to = past.versions.indices.randomElement(using: &past.edits.generator)!
            let snapshot = try store.snapshot(at: Version(UInt64(from)))
            #expect(snapshot.version == Version(UInt64(from)))
            try #require(try ReferenceList(snapshot, GroupSource(base: store.source)) == past.versions[from])
            let changes = try store.changeset(from: Version(UInt64(from)), to: Version(UInt64(to)))
            let (old, new) = (past.versions[from], past.versions[to])
            try #require(changes.applied(to: old, giving: new) == new, "seed \(seed), \(from) to \(to)")
        }
        #expect(try store.history.undoCount == past.versions.count - 1)
        try store.close()
        #expect(try StoreVerification(path: past.fixture.path).version.rawValue == UInt64(past.versions.count - 1))
    }

    @Test("A store that is opened again replays only the commits after the newest checkpoint")
    func reopening() throws {
        var past = try Past(seed: 7)
        try past.edit(100, in: past.fixture.store)
        try past.fixture.store.close()
        var store = try Store.open(at: past.fixture.path, options: past.fixture.store.options)
        for round in 0..<20 {
            #expect(store.recovery.commitCount == 0 && !store.recovery.wasRebuilt, "round \(round)")
            let source = GroupSource(base: store.source)
            try #require(try ReferenceList(store.snapshot, source) == past.reference)
            for path in past.reference.paths {
                try #require(try store.indexPath(of: past.reference.item(at: path).id) == path)
            }
            try past.edit(20, in: store)
            for _ in 0..<5 {
                let version = past.versions.indices.randomElement(using: &past.edits.generator)!
                let snapshot = try store.snapshot(at: Version(UInt64(version)))
                try #require(try ReferenceList(snapshot, source) == past.versions[version])
            }
            try store.close()
            store = try Store.open(at: past.fixture.path, options: past.fixture.store.options)
        }
        try store.close()
        #expect(try StoreVerification(path: past.fixture.path).checkpointCount > 3)
    }

    @Test("No two checkpoints are further apart than the policy says, and old ones are dropped")
    func spacing() throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints.maximumSpacing = 64
        }
        try fixture.fill(1)
        for _ in 0..<800 { try fixture.store.edit("Toggle") { try $0.toggle(.item(0)) } }
        let kept = try #require(fixture.store.checkpointer).database.all().map(\.work)
        let gaps = zip(kept.dropFirst(), kept).map { $0 - $1 }
        #expect(gaps.allSatisfy { $0 <= 64 })
        #expect(kept.count < 800 / 8 / 2)
        // Dense near the newest version, sparse behind it.
        #expect(gaps.last == 8)
        #expect(gaps.first! > 32)
    }

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
            CheckpointTests.eager(&$0)
            // The test takes the checkpoints, and only the newest one is kept.
            $0.checkpoints.interval = .max
            $0.checkpoints.maximumSpacing = 1 << 40
            $0.checkpoints.sliceSize = 4_096
        }
        let rows = (0..<5_000).map { Int64($0) }
        try fixture.fill(rows.count)
        // The first one is dropped by the third, because the head uses the one before.
        for _ in 0..<3 {
            try fixture.store.edit("Toggle") { list in for id in rows { try list.toggle(.item(.integer(id))) } }
            try fixture.store.checkpoint()
        }
        let waiting = try #require(fixture.store.checkpointer).database.superfluous().count
        #expect(waiting > 1_500, "only \(waiting) nodes are superfluous at once")
        for id in 0..<6 {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) }
            try fixture.store.checkpoint()
        }
        try CheckpointTests.expectNoUnneededNodes(fixture)
    }

    @Test("Of a checkpoint that could not be finished, no node stays in the file")
    func unfinished() throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints.interval = .max
            $0.checkpoints.maximumSpacing = 1 << 40
            $0.checkpoints.sliceSize = 64
            $0.memoryBudget = 1
        }
        try fixture.fill(200)
        try fixture.store.checkpoint()
        var failures = 0
        for round in 0..<30 {
            for step in 0..<5 {
                let id = Identifier.integer(Int64((round * 37 + step * 41) % 200))
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
        try CheckpointTests.expectNoUnneededNodes(fixture)
    }

    /// Closes a store, and checks that no nodes are stored but those that a checkpoint needs or that will be deleted.
    private static func expectNoUnneededNodes(_ fixture: StoreFixture) throws {
        let database = try #require(fixture.store.checkpointer).database
        let (stored, waiting) = (try database.nodeCount(), try database.superfluous().count)
        let chunks = try #require(try database.newest()).locators
        try fixture.store.close()
        let needed = try StoreVerification(path: fixture.path).nodeCount
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
            CheckpointTests.eager(&$0)
            $0.checkpoints.interval = .max
            $0.checkpoints.maximumSpacing = 1 << 40
            $0.memoryBudget = 1
            $0.undoScope = .origin
        }
        let store = fixture.store
        try fixture.fill(30)
        var kept: [(snapshot: Snapshot, rows: Int)] = []
        for round in 0..<12 {
            let id = Identifier.integer(Int64(1_000 + round))
            try store.edit("Insert", origin: "ann") {
                try $0.insert(NewItem(id: id, content: [1]), at: .end(ofSection: "today"))
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
                let id = Identifier.integer(Int64((round * 7 + step) % 30))
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

    @Test("A node that the replay needs and that is damaged is noticed when the store is opened, though all events fit")
    func damagedOnTheWay() throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints.interval = .max
        }
        try fixture.fill(40)
        try fixture.store.checkpoint()
        let checkpoint = fixture.store.checkpointVersion
        // Nothing but the place is known of the row after which this is inserted.
        try fixture.store.edit("Insert") {
            try $0.insert(NewItem(id: 1_000, content: [1]), at: .at(ListIndexPath(section: 0, item: 20)))
        }
        let expected = try fixture.store.snapshot.stateHash
        try fixture.store.waitUntilDurable()
        let environment = fixture.store.group.log.environment
        let nodes = try environment.openDatabase(named: "nodes", of: UInt64.self, [UInt8].self)
        let numbers = try environment.read { txn in
            var numbers: [UInt64] = []
            try txn.forEach(in: nodes) { key, _ in
                numbers.append(try UInt64.decode(key))
                return true
            }
            return numbers
        }
        try fixture.store.group.store()
        let file = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        try fixture.store.close()
        var rebuilt = 0
        for number in numbers {
            DataFile.remove(fixture.path)
            try file.write(to: URL(fileURLWithPath: fixture.path))
            let damaging = try Environment.open(path: fixture.path)
            let nodes = try damaging.openDatabase(named: "nodes", of: UInt64.self, [UInt8].self)
            try damaging.write { txn in
                guard var row = try txn.get(number, in: nodes) else { return }
                row[row.count / 2] ^= 4
                try txn.put(row, forKey: number, in: nodes)
            }
            try damaging.close()
            let store = try Store.open(at: fixture.path, options: fixture.store.options)
            if store.recovery.wasRebuilt { rebuilt += 1 }
            if store.recovery.wasRebuilt {
                #expect(try store.snapshot.stateHash == expected, "node \(number)")
                #expect(try store.snapshot.sections[0].items.map(\.id).count == 41, "node \(number)")
            } else {
                #expect(store.recovery.checkpoint == checkpoint, "node \(number)")
            }
            try? store.close()
            try? store.close(discardingUnappended: true)
        }
        // At least the path to the row.
        #expect(rebuilt >= 3)
    }

    @Test("A checkpoint whose history is not that of the log is not used")
    func otherHistory() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(10)
        for id in 0..<8 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
        try fixture.store.undo(2)
        var history = try fixture.store.history
        try fixture.store.close()
        // The bytes of the shared history of the newest checkpoint: positions, and how much can be undone and redone.
        let options = fixture.store.options
        for place in 0..<7 {
            let environment = try Environment.open(path: fixture.path)
            let checkpoints = try environment.openDatabase(named: "checkpoints", of: UInt64.self, [UInt8].self)
            try environment.write { txn in
                let version = try txn.lastKey(in: checkpoints)!
                var row = try txn.get(version, in: checkpoints)!
                row[6 + 64 + place] ^= 1
                let sum = UInt32(truncatingIfNeeded: row[4...].withUnsafeBytes { XXHash64.hash($0, seed: version) })
                withUnsafeBytes(of: sum.littleEndian) { row.replaceSubrange(0..<4, with: $0) }
                #expect(row.withUnsafeBytes { Checkpoint($0, version: Version(version)) } != nil)
                try txn.put(row, forKey: version, in: checkpoints)
            }
            try environment.close()
            let store = try Store.open(at: fixture.path, options: options)
            #expect(store.recovery.wasRebuilt, "byte \(place)")
            #expect(try store.history == history, "byte \(place)")
            // Its next checkpoint is sound again.
            try store.edit("Toggle") { try $0.toggle(.item(1)) }
            try store.undo()
            try store.undo()
            try store.redo()
            try store.close()
            let again = try Store.open(at: fixture.path, options: options)
            #expect(!again.recovery.wasRebuilt, "byte \(place)")
            #expect(try again.history.undoCount == history.undoCount, "byte \(place)")
            try again.redo()
            try again.undo()
            history = try again.history
            try again.close()
        }
    }

    @Test("If going back from a later checkpoint leads to other rows than those of the commit, an error says so")
    func goingBack() throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints.interval = .max
        }
        try fixture.fill(10)
        for id in 0..<9 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
        try fixture.store.checkpoint()
        let version = Version(8)
        try fixture.store.close()
        // The record of the version says that the rows have another hash; everything else about it is right.
        let environment = try Environment.open(path: fixture.path)
        let commits = try environment.openDatabase(named: "commits", of: UInt64.self, [UInt8].self)
        try environment.write { txn in
            var record = try txn.get(version.rawValue, in: commits)!
            record[16] ^= 1
            let sum = record[8...].withUnsafeBytes { XXHash64.hash($0, seed: version.rawValue) }
            withUnsafeBytes(of: sum.littleEndian) { record.replaceSubrange(0..<8, with: $0) }
            try txn.put(record, forKey: version.rawValue, in: commits)
        }
        try environment.close()
        let store = try Store.open(at: fixture.path, options: fixture.store.options)
        #expect(throws: ListError.self) { try store.snapshot(at: version) }
        #expect(try store.snapshot(at: Version(9)).itemCount == 10)
        try store.close()
    }

    @Test(
        "A kept snapshot does not change, however many checkpoints and openings follow, and however little memory there is",
        arguments: [1 << 20, 1])
    func keptSnapshots(memoryBudget: Int) throws {
        var past = try Past(seed: 11) {
            CheckpointTests.eager(&$0)
            $0.memoryBudget = memoryBudget
        }
        var kept: [(Snapshot, ReferenceList)] = []
        var store = past.fixture.store
        for _ in 0..<30 {
            try past.edit(30, in: store)
            if past.edits.generator.oneIn(3) { kept.append((try store.snapshot, past.reference)) }
            // Right after a checkpoint, nothing of a snapshot is in memory.
            if past.edits.generator.oneIn(3) {
                try store.checkpoint()
                kept.append((try store.snapshot, past.reference))
            }
            if past.edits.generator.oneIn(3) {
                let version = past.versions.indices.randomElement(using: &past.edits.generator)!
                kept.append((try store.snapshot(at: Version(UInt64(version))), past.versions[version]))
            }
            if past.edits.generator.oneIn(4) {
                try store.close()
                store = try Store.open(at: past.fixture.path, options: past.fixture.store.options)
            }
        }
        let source = GroupSource(base: store.source)
        for (snapshot, rows) in kept { try #require(try ReferenceList(snapshot, source) == rows) }
        try store.close()
        let ids = kept.map { $0.0.sections.flatMap { $0.items.map(\.id) } }
        #expect(ids == kept.map { kept in kept.1.paths.map { kept.1.item(at: $0).id } })
    }

    @Test("A store that another process reads shows one version, whatever nodes are deleted meanwhile")
    func readers() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.store.close()
        let child = try ChildProcess("StoreWriter", [fixture.path, "checkpoints"])
        for _ in 0..<20 { _ = child.read() }
        let reader = try Store.open(at: fixture.path) { $0.isReadOnly = true }
        let (snapshot, hash) = (try reader.snapshot, try reader.snapshot.stateHash)
        // The writer replaces every node that the reader has not read yet, and deletes the old ones.
        for _ in 0..<200 { _ = child.read() }
        #expect(try reader.version == snapshot.version)
        let items = snapshot.sections[0].items.map(\.id)
        #expect(items.count == snapshot.itemCount && !items.contains("unreadable"))
        #expect(snapshot.stateHash == hash)
        _ = child.kill()
        try reader.close()
    }

    @Test("A read-only store can be opened again while snapshots are kept, and then shows newer commits")
    func readAgain() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.store.close()
        let child = try ChildProcess("StoreWriter", [fixture.path, "checkpoints"])
        var readers: [Store] = []
        var kept: [(snapshot: Snapshot, hash: StateHash)] = []
        for _ in 0..<4 {
            for _ in 0..<60 { _ = child.read() }
            let reader = try Store.open(at: fixture.path) { $0.isReadOnly = true }
            let snapshot = try reader.snapshot
            // The map is no larger than the file needs.
            #expect(try reader.group.log.environment.mapSize <= 16 << 20)
            #expect(snapshot.version > kept.last?.snapshot.version ?? .empty)
            kept.append((snapshot, snapshot.stateHash))
            try reader.close()
            readers.append(reader)
        }
        for _ in 0..<60 { _ = child.read() }
        _ = child.kill()
        for (snapshot, hash) in kept {
            let items = snapshot.sections[0].items.map(\.id)
            #expect(items.count == snapshot.itemCount && !items.contains("unreadable"))
            #expect(snapshot.stateHash == hash)
        }
        // When the last snapshot is released, the file is closed, also by stores that were closed before.
        kept = []
        try Store.open(at: fixture.path) { $0.isReadOnly = true }.close()
        let store = try Store.open(at: fixture.path)
        try store.edit("Toggle") { try $0.toggle(.item("counter")) }
        try store.close()
    }

    @Test("Checkpoints are taken in the background while edits go on")
    func background() throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints.isBackground = true
        }
        try fixture.fill(500)
        for step in 0..<2_000 {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(step * 13 % 500)))) }
        }
        try fixture.store.close()
        let store = try Store.open(at: fixture.path)
        #expect(store.recovery.commitCount == 0)
        let verified = try store.snapshot.stateHash
        try store.close()
        #expect(try StoreVerification(path: fixture.path).stateHash == verified)
    }

    @Test("A checkpoint that cannot be used costs only a replay of the log")
    func damagedCheckpoints() throws {
        for damage in 0..<4 {
            let fixture = try StoreFixture(CheckpointTests.eager)
            try fixture.fill(100)
            for id in 0..<50 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
            let expected = try fixture.store.snapshot.stateHash
            try fixture.store.close()
            try CheckpointTests.damage(fixture.path, damage)
            var options = fixture.store.options
            options.gate = .full
            let store = try Store.open(at: fixture.path, options: options)
            #expect(store.recovery.wasRebuilt && store.recovery.commitCount == 51, "damage \(damage)")
            #expect(try store.snapshot.stateHash == expected)
            try store.edit("Toggle") { try $0.toggle(.item(99)) }
            try store.close()
            let again = try Store.open(at: fixture.path, options: options)
            #expect(!again.recovery.wasRebuilt && again.recovery.commitCount == 0, "damage \(damage)")
            try again.close()
        }
    }

    /// Damages the row of the newest checkpoint, the row of the locators, or the first or last node.
    static func damage(_ path: String, _ kind: Int) throws {
        let environment = try Environment.open(path: path)
        try damage(environment, kind)
        try environment.close()
    }

    static func damage(_ environment: Environment, _ kind: Int) throws {
        let meta = try environment.openDatabase(named: "meta", of: String.self, [UInt8].self)
        let rows = try environment.openDatabase(
            named: kind == 0 ? "checkpoints" : "nodes", of: UInt64.self, [UInt8].self)
        try environment.write { txn in
            if kind == 1 {
                var row = try txn.get("locators", in: meta)!
                row[row.count / 2] ^= 4
                return try txn.put(row, forKey: "locators", in: meta)
            }
            // The root is written last, so a node before it is below it.
            var key = try txn.lastKey(in: rows)!
            var row = try txn.get(key, in: rows)!
            if kind == 3 { (key, row) = (key - 2, try txn.get(key - 2, in: rows)!) }
            row[row.count / 2] ^= 4
            try txn.put(row, forKey: key, in: rows)
        }
    }

    @Test("If a node is found damaged after opening, edits throw, and opening again rebuilds it")
    func damagedNode() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(300)
        try fixture.store.close()
        let expected = try StoreVerification(path: fixture.path).stateHash
        try CheckpointTests.damage(fixture.path, 3)
        let store = try Store.open(at: fixture.path, options: fixture.store.options)
        let ids = try store.snapshot.sections[0].items.map(\.id)
        #expect(ids.count == 300 && ids.contains("unreadable"))
        #expect { try store.edit("Toggle") { try $0.toggle(.at(ListIndexPath(section: 0, item: 0))) } } throws: {
            ($0 as? StoreError)?.code == "damagedNode"
        }
        try store.close()
        let mended = try Store.open(at: fixture.path, options: fixture.store.options)
        #expect(mended.recovery.wasRebuilt)
        #expect(try mended.snapshot.stateHash == expected)
    }

    @Test("A store without checkpoints replays its whole log, and takes checkpoints when the policy allows them")
    func never() throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints = .never
        }
        try fixture.fill(50)
        try fixture.store.close()
        var store = try Store.open(at: fixture.path, options: fixture.store.options)
        #expect(store.recovery.commitCount == 1 && store.checkpointVersion == .empty)
        try store.checkpoint()
        #expect(store.checkpointVersion == Version(1))
        try store.close()
        store = try Store.open(at: fixture.path, options: fixture.store.options)
        #expect(store.recovery.commitCount == 0)
    }

    @Test("The policy keeps needed checkpoints and spaces the others", arguments: 1...20 as ClosedRange<UInt64>)
    func policy(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var policy = CheckpointPolicy()
        policy.interval = 10
        policy.maximumSpacing = 100
        var events: [UInt64] = []
        var newest: UInt64 = 0
        for _ in 0..<500 {
            newest += UInt64.random(in: 1...15, using: &generator)
            events.append(newest)
            let needed = Set(events.indices.filter { _ in generator.oneIn(50) }.map { events[$0] })
            let surplus = policy.surplus(events) { needed.contains(events[$0]) }
            #expect(!surplus.contains(events.count - 1))
            #expect(surplus.allSatisfy { !needed.contains(events[$0]) })
            for index in surplus.reversed() { events.remove(at: index) }
            let gaps = zip(events, [0] + events).map { $0 - $1 }
            #expect(gaps.allSatisfy { $0 <= 100 }, "seed \(seed)")
        }
        #expect(events.count < 200)
    }
}

/// Takes all reader slots of a store, so that each further read throws.
final class ReaderJam {
    private final class Reader {
        let transaction: ReadTransaction

        init(_ environment: Environment) throws { transaction = try environment.beginRead() }
    }

    private var readers: [Reader] = []

    init(_ store: Store) {
        while let reader = try? Reader(store.group.log.environment) { readers.append(reader) }
    }
}

extension Store {
    /// Opens a store with the defaults, changed by `change`.
    static func open(at path: String, _ change: (inout StoreOptions) -> Void) throws -> Store {
        var options = StoreOptions()
        change(&options)
        return try Store.open(at: path, options: options)
    }
}
