// Tests checkpoints: what opening reads, and that a version is the same from whichever of them it is reached.

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
        options.checkpoints.touches = TouchLimits(
            interval: 2_000, runSize: 64, runCount: 1_000, bucketSize: 4, fanOut: 4, sliceSize: 256, deletionSize: 3)
        options.durability = .deferred
        options.coalescing = .never
        options.limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)
    }

    /// As ``eager(_:)``; all but the newest commits are packed by the edits.
    static func packing(_ options: inout StoreOptions) {
        eager(&options)
        options.unpackedCount = 60
        (options.packing.groupCount, options.packing.givesBackAlways) = (7, true)
        options.packing.headerCount = 3
    }

    /// As ``eager(_:)``, but only the test takes checkpoints, and only the newest one is kept, and those in use.
    static func onRequest(_ options: inout StoreOptions) {
        eager(&options)
        options.checkpoints.interval = .max
        options.checkpoints.maximumSpacing = 1 << 40
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

        mutating func edit(_ count: Int, in store: UntypedStore) throws {
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
        var store = try UntypedStore.open(at: past.fixture.path, options: past.fixture.store.options)
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
            store = try UntypedStore.open(at: past.fixture.path, options: past.fixture.store.options)
        }
        try store.close()
        #expect(try StoreVerification(path: past.fixture.path).checkpointCount > 3)
    }

    @Test(
        "A kept snapshot does not change, however many checkpoints and openings follow, and however little memory there is",
        arguments: [1 << 20, 1])
    func keptSnapshots(memoryBudget: Int) throws {
        var past = try Past(seed: 11) {
            CheckpointTests.eager(&$0)
            $0.memoryBudget = memoryBudget
        }
        var kept: [(UntypedSnapshot, ReferenceList)] = []
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
                store = try UntypedStore.open(at: past.fixture.path, options: past.fixture.store.options)
            }
        }
        let source = GroupSource(base: store.source)
        for (snapshot, rows) in kept { try #require(try ReferenceList(snapshot, source) == rows) }
        try store.close()
        let ids = kept.map { $0.0.sections.flatMap { $0.items.map(\.id) } }
        #expect(ids == kept.map { kept in kept.1.paths.map { kept.1.item(at: $0).id } })
    }

    @Test(
        "A store that another process edits is followed; a snapshot keeps its rows, whatever nodes are deleted meanwhile"
    )
    func readers() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.store.close()
        let child = try ChildProcess("StoreWriter", [fixture.path, "checkpoints"])
        for _ in 0..<20 { _ = child.read() }
        let reader = try UntypedStore.open(at: fixture.path) { $0.isReadOnly = true }
        let (snapshot, hash) = (try reader.snapshot, try reader.snapshot.stateHash)
        // The writer replaces every node that the reader has not read yet, and deletes the old ones.
        for _ in 0..<200 { _ = child.read() }
        for _ in 0..<20_000 where try reader.version == snapshot.version { usleep(1_000) }
        #expect(try reader.version > snapshot.version)
        #expect(try reader.snapshot.sections[0].items.map(\.id).contains("unreadable") == false)
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
        var readers: [UntypedStore] = []
        var kept: [(snapshot: UntypedSnapshot, hash: StateHash)] = []
        for _ in 0..<4 {
            for _ in 0..<60 { _ = child.read() }
            let reader = try UntypedStore.open(at: fixture.path) { $0.isReadOnly = true }
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
        try UntypedStore.open(at: fixture.path) { $0.isReadOnly = true }.close()
        let store = try UntypedStore.open(at: fixture.path)
        try store.edit("Toggle") { try $0.toggle(.item("counter")) }
        try store.close()
    }

    @Test("Snapshots of a closed store are read on, whatever becomes of another store that shares the file for reading")
    func sharedForReading() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(500)
        try fixture.store.close()
        var options = StoreOptions()
        options.isReadOnly = true
        func reader() throws -> UntypedStore { try UntypedStore.open(at: fixture.path, options: options) }
        let first = try reader()
        let snapshot = try first.snapshot
        try first.close()
        options.lastVersion = 1_000
        #expect(throws: ListError.unknownVersion(1_000, head: 1)) { try reader() }
        options.lastVersion = nil
        let second = try reader()
        #expect(throws: ListError.inUse(path: fixture.path)) { try reader() }
        try second.close()
        let third = try reader()
        #expect(snapshot.sections[0].items.map(\.id) == (0..<500).map { .integer($0) })
        withExtendedLifetime(snapshot) {}
        #expect(try third.snapshot.itemCount == 500)
        try third.close()
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
        let store = try UntypedStore.open(at: fixture.path)
        #expect(store.recovery.commitCount == 0)
        let verified = try store.snapshot.stateHash
        try store.close()
        #expect(try StoreVerification(path: fixture.path).stateHash == verified)
    }

    @Test("A store without checkpoints replays its whole log, and takes checkpoints when the policy allows them")
    func never() throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints = .never
        }
        try fixture.fill(50)
        try fixture.store.close()
        var store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(store.recovery.commitCount == 1 && store.checkpointVersion == .empty)
        try store.checkpoint()
        #expect(store.checkpointVersion == Version(1))
        try store.close()
        store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(store.recovery.commitCount == 0)
    }

    @Test("A checkpoint that is written while the rows are read again is adopted with the rows of the file")
    func readAgainMeanwhile() throws {
        let fixture = try StoreFixture {
            CheckpointTests.onRequest(&$0)
            $0.checkpoints.sliceSize = 64
            $0.memoryBudget = 1
        }
        let store = fixture.store
        try fixture.fill(2_000)
        try store.checkpoint()
        var meetings = 0
        for round in 0..<(Soak.isEnabled ? 200 : 20) {
            for id in 1...20 { try store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id * 90 + round)))) } }
            // Edits that are cancelled change nodes all the same. Rows that are read again have the nodes of the checkpoint before there,
            // which the new one does not need.
            for id in 1...20 {
                #expect(throws: CancellationError.self) {
                    try store.edit("Cancelled") { list in
                        for new in 0..<6 {
                            let row = NewRow(id: .integer(Int64(10_000 + new)), content: [1])
                            try list.insert(row, at: .before(.integer(Int64(id * 70 + round))))
                        }
                        throw CancellationError()
                    }
                }
            }
            let isDone = Locked(false)
            Thread.detachNewThread {
                try? store.checkpoint()
                isDone.withLock { $0 = true }
            }
            while !isDone.withLock({ $0 }) {
                try store.withTurn { head in
                    if store.checkpointer?.isWriting == true {
                        try store.racer.readAgain(&head)
                        meetings += 1
                    }
                }
            }
            try store.read { try $0.checkInvariants() }
        }
        #expect(meetings > 0)
        let hash = try store.snapshot.stateHash
        try store.checkpoint()
        try store.close()
        let reopened = try UntypedStore.open(at: fixture.path)
        #expect(try reopened.snapshot.stateHash == hash && !reopened.recovery.wasRebuilt)
        try reopened.close()
        _ = try StoreVerification(path: fixture.path)
    }
}

/// Takes all reader slots of a store, so that each further read throws.
final class ReaderJam {
    private final class Reader {
        let transaction: ReadTransaction

        init(_ environment: Environment) throws { transaction = try environment.beginRead() }
    }

    private var readers: [Reader] = []

    init(_ store: UntypedStore) {
        while let reader = try? Reader(store.group.log.environment) { readers.append(reader) }
    }
}

extension UntypedStore {
    /// Opens a store with the defaults, changed by `change`.
    static func open(at path: String, _ change: (inout StoreOptions) -> Void) throws -> UntypedStore {
        var options = StoreOptions()
        change(&options)
        return try UntypedStore.open(at: path, options: options)
    }
}
