// Tests packing while a store is open: everything can be read as before, also meanwhile, and nothing is in two places.

import Foundation
import LMDB
@testable import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("Packing while the store is open")
struct PackingTests {
    /// Larger groups, and checkpoints farther apart, than those of ``CheckpointTests/packing(_:)``.
    private static func large(_ options: inout StoreOptions) {
        CheckpointTests.eager(&options)
        options.unpackedCount = 50
        options.packing.groupCount = 40
        options.packing.headerCount = 7
        options.checkpoints.interval = 64
        options.checkpoints.maximumSpacing = 256
    }

    /// Reads what is where in the file of a store.
    private func layout(_ store: UntypedStore) throws -> (records: [UInt64], blocks: [ClosedRange<UInt64>]) {
        let log = store.group.log
        let blocks = try log.packed.blocks()
        return try log.environment.read { txn in
            var (records, packed) = ([UInt64](), [ClosedRange<UInt64>]())
            try txn.forEach(in: log.commits) { key, _ in
                records.append(try UInt64.decode(key))
                return true
            }
            guard let blocks else { return (records, []) }
            try txn.forEach(in: blocks) { key, bytes in
                let block = try PackedBlock(bytes)
                #expect(try UInt64.decode(key) == block.first.rawValue)
                packed.append(block.first.rawValue...block.last.rawValue)
                return true
            }
            return (records, packed)
        }
    }

    /// Checks that each commit is in one place, and no checkpoint is inside a block.
    private func checkPlaces(_ store: UntypedStore, _ comment: Comment) throws {
        try store.group.flush(through: nil)
        try store.group.store()
        let (records, blocks) = try layout(store)
        let places = (records + blocks.flatMap { Array($0) }).sorted()
        let newest = try store.version.rawValue
        try #require(places == Array(store.oldestVersion.rawValue + 1..<newest + 1), comment)
        let checkpoints = try #require(store.checkpointer).database.all()
        for checkpoint in checkpoints.map(\.version.rawValue) {
            let around = blocks.first { $0.contains(checkpoint) }
            try #require(around.map { $0.upperBound == checkpoint } ?? true, comment)
        }
        let statistics = try store.statistics()
        #expect(statistics.packedCommitCount == UInt64(blocks.reduce(0) { $0 + $1.count }))
        #expect(statistics.lastPackedVersion.rawValue == blocks.last?.upperBound ?? store.oldestVersion.rawValue)
    }

    @Test("Whoever undoes everything and redoes it unpacks each block a few times, and not for each step")
    func unpackings() throws {
        let fixture = try StoreFixture(Self.large)
        try fixture.fill(20)
        let store = fixture.store
        for number in 0..<1_000 {
            try store.edit("Edit \(number)") { try $0.toggle(.item(.integer(Int64(number % 20)))) }
        }
        let hash = try store.snapshot.stateHash
        for _ in 0..<1_000 { try store.undo() }
        #expect(store.past.unpackings < 100)
        for _ in 0..<1_000 { try store.redo() }
        #expect(try store.snapshot.stateHash == hash)
        let statistics = try store.statistics()
        #expect(statistics.packedCommitCount > 2_000)
        #expect(store.past.unpackings < 400, "\(store.past.unpackings)")
    }

    @Test("Commits, rows, and histories are as they were before they were packed", arguments: 0..<4 as Range<UInt64>)
    func changes(number: UInt64) throws {
        let seed = Soak.seed &+ number
        var edited = try EditedStore(changing: seed, number % 2 == 0 ? CheckpointTests.packing : Self.large)
        var records: [[UInt8]] = []
        var marks: [HistoryMark] = []
        for round in 0..<5 * Soak.factor {
            try edited.change(40)
            // The newest commits are not packed yet.
            while records.count < Int(try edited.store.version.rawValue) {
                let commit = try edited.store.commit(Version(UInt64(records.count + 1)))
                records.append(commit.record)
                marks.append(commit.mark)
            }
            if round % 3 == 2 { try edited.reopen() }
            try checkPlaces(edited.store, "seed \(seed), round \(round)")
            for _ in 0..<20 {
                let version = Version(UInt64.random(in: 1...UInt64(records.count), using: &edited.edits.generator))
                let commit = try edited.store.commit(version)
                let index = Int(version.rawValue) - 1
                try #require(commit.record == records[index], "seed \(seed), version \(version)")
                try #require(
                    try edited.store.snapshot(at: version).stateHash == commit.stateHash, "seed \(seed), \(version)")
                try #require(
                    try edited.store.group.historyMark(of: version) == marks[index], "seed \(seed), \(version)")
                try #require(try edited.store.group.commitTime(version) == commit.time)
            }
        }
        var next = 0
        let newest = try edited.store.version
        try edited.store.forEachCommit(in: Version(1)...newest) { commit in
            try #require(commit.record == records[next], "seed \(seed), version \(commit.version)")
            next += 1
        }
        #expect(next == records.count)
        let oracle = try RowHistoryOracle(edited.store)
        for subject in oracle.subjects.sorted(by: { $0.fingerprint < $1.fingerprint }).prefix(10) {
            let found =
                switch subject {
                case .row(let id): try edited.store.history(ofRow: id)
                case .section(let id): try edited.store.history(ofSection: id)
                }
            let expected = oracle.history(of: subject)
            try #require(found.map(\.commit.version) == expected.map(\.version), "seed \(seed), \(subject)")
            try #require(found.map(\.kinds) == expected.map(\.kinds), "seed \(seed), \(subject)")
        }
        let statistics = try edited.store.statistics()
        #expect(statistics.packedCommitCount > UInt64(records.count) / 5, "seed \(seed)")
        try edited.store.close()
        let found = try StoreVerification(path: edited.path)
        #expect(found.commitCount == UInt64(records.count))
        Soak.count(records.count)
    }

    @Test("The past is that of a reference, in any order", arguments: 0..<4 as Range<UInt64>)
    func past(number: UInt64) throws {
        let seed = Soak.seed &+ number
        var edited = try EditedStore(seed: seed, number % 2 == 0 ? CheckpointTests.packing : Self.large)
        for round in 0..<4 * Soak.factor {
            try edited.edit(150)
            try edited.checkRows("seed \(seed), round \(round)")
            try edited.checkPast(10, "seed \(seed), round \(round)")
            if round % 2 == 1 { try edited.reopen() }
            try edited.checkPast(10, "seed \(seed), round \(round), opened again")
        }
        #expect(try edited.store.statistics().packedCommitCount > 300)
    }

    @Test("A reader meanwhile finds every commit and every version")
    func meanwhile() throws {
        let fixture = try StoreFixture { options in
            Self.large(&options)
            options.checkpoints.isBackground = true
        }
        try fixture.fill(20)
        let store = fixture.store
        for _ in 0..<200 { try store.edit("Toggle") { try $0.toggle(.item(1)) } }
        try store.waitUntilDurable()
        let (isDone, count) = (Locked(false), Locked(0))
        let reader = RunningThread {
            var generator = SeededGenerator(seed: 7)
            while !isDone.withLock({ $0 }) {
                let version = Version(UInt64.random(in: 1...store.durableVersion.rawValue, using: &generator))
                let commit = try store.commit(version)
                try #require(try store.snapshot(at: version).stateHash == commit.stateHash)
                try #require(try store.group.historyMark(of: version) == commit.mark)
                var next = Version(max(1, version.rawValue - min(version.rawValue, 60)))
                try store.forEachCommit(in: next...version) { commit in
                    try #require(commit.version == next)
                    next = next.next
                }
                try #require(next == version.next)
                count.withLock { $0 += 1 }
            }
        }
        var edits = 0
        while edits < 2_000 || count.withLock({ $0 }) < 100 {
            try store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(edits % 20)))) }
            edits += 1
            if edits % 100 == 0 { try store.waitUntilDurable() }
            if reader.hasEnded { break }
        }
        isDone.withLock { $0 = true }
        try reader.wait()
        try store.close()
        let opened = try UntypedStore.open(at: fixture.path, options: store.options)
        #expect(try opened.statistics().packedCommitCount > 1_000)
        try checkPlaces(opened, "opened again")
        #expect(try opened.history(ofRow: 3).count == edits / 20 + (edits % 20 > 3 ? 1 : 0) + 1)
    }

    @Test(
        "A record that no block takes stays between the blocks, and rows before it are found though later ones are packed"
    )
    func largeRecord() throws {
        let fixture = try StoreFixture(Self.large)
        try fixture.fill(5)
        let store = fixture.store
        func toggle(_ count: Int) throws { for _ in 0..<count { try store.edit("Toggle") { try $0.toggle(.item(1)) } } }
        try toggle(59)
        let large = [UInt8](repeating: 1, count: 100_000)
        let version = try #require(try store.edit("Write") { try $0.update(2, content: large) }).version
        #expect(version == 61)
        try toggle(240)
        try checkPlaces(store, "a large record")
        let (records, blocks) = try layout(store)
        #expect(records.first == 61 && blocks.contains { $0.lowerBound == 62 })
        // Going back from a later version begins with a record, and then comes upon a block.
        let later = try store.snapshot(at: 70)
        #expect(try store.past.point(at: 60, [later]).stateHash == (try store.commit(60).stateHash))
        #expect(try store.source.content(of: store.snapshot.sections[0].items[2].content) == large)
        #expect(try store.commit(61).eventCount == 1)
        try store.close()
        let opened = try UntypedStore.open(at: fixture.path, options: store.options)
        for _ in 0..<200 { try opened.edit("Toggle") { try $0.toggle(.item(1)) } }
        try checkPlaces(opened, "opened again")
        #expect(try layout(opened).records.first == 61)
    }

    @Test("Commits that are too large for a block are not replayed again by each process that opens the store")
    func largeRecords() throws {
        let fixture = try StoreFixture(Self.large)
        try fixture.fill(5)
        for number in 0..<200 as Range<UInt8> {
            let content = [UInt8](repeating: number, count: 70_000)
            try fixture.store.edit("Write") { try $0.update(2, content: content) }
        }
        try fixture.store.close()
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        let packer = try #require(store.checkpointer).packer
        let group = try packer.nextGroup(of: 1)
        #expect(group?.end == nil)
        // What comes behind them is packed.
        for _ in 0..<240 { try store.edit("Toggle") { try $0.toggle(.item(1)) } }
        try checkPlaces(store, "large records")
        #expect(try layout(store).blocks.contains { $0.lowerBound == 202 })
        try store.close()
    }

    @Test("The newest commit stays a record, and what only the journal has is not packed", arguments: [0, 1, 5])
    func newest(unpackedCount: Int) throws {
        let fixture = try StoreFixture { options in
            CheckpointTests.eager(&options)
            (options.unpackedCount, options.packing.groupCount) = (unpackedCount, 2)
            options.checkpoints.interval = 200
            options.journal.storeDelay = .seconds(3_600)
        }
        try fixture.fill(5)
        let store = fixture.store
        for number in 0..<1_000 {
            try store.edit("Toggle") { try $0.toggle(.item(1)) }
            if number % 3 == 0 { try store.waitUntilDurable() }
            if number % 100 == 99 { try checkPlaces(store, "edit \(number)") }
        }
        try store.checkpoint()
        store.checkpointer?.packer.packRest(store)
        try checkPlaces(store, "packed")
        #expect(try layout(store).records.count <= max(1, unpackedCount) + 1)
        try store.close()
        let opened = try UntypedStore.open(at: fixture.path, options: store.options)
        #expect(try opened.version == 1_001)
        try checkPlaces(opened, "opened again")
    }

    @Test("Closing packs a rest of some hundred commits, but not a smaller one")
    func rest() throws {
        let fixture = try StoreFixture { options in
            CheckpointTests.onRequest(&options)
            options.unpackedCount = 10
            (options.packing.groupCount, options.packing.lastGroupCount) = (1_000, 50)
        }
        try fixture.fill(5)
        var store = fixture.store
        func closeAndOpen(at version: Version) throws {
            while try store.version < version { try store.edit("Toggle") { try $0.toggle(.item(1)) } }
            try store.close()
            store = try UntypedStore.open(at: fixture.path, options: store.options)
            try checkPlaces(store, "opened again")
        }
        // The checkpoint with which a store was opened ends a block, whatever its size.
        for (version, packedCount) in [(59, 0), (60, 50), (109, 60), (110, 60)] as [(Version, Int)] {
            try closeAndOpen(at: version)
            #expect(try store.statistics().packedCommitCount == packedCount, "version \(version)")
        }
    }

    @Test("Nothing is packed if all is to stay as it is, nor behind a reader that stands still")
    func never() throws {
        let fixture = try StoreFixture { options in
            CheckpointTests.packing(&options)
            options.unpackedCount = .max
        }
        try fixture.fill(5)
        for _ in 0..<300 { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        #expect(try fixture.store.statistics().packedCommitCount == 0)
        #expect(try fixture.store.group.log.packed.blocks() == nil)
        try fixture.store.close()

        var options = fixture.store.options
        (options.unpackedCount, options.packing.groupCount) = (10, 7)
        options.maximumReaderLag = 0
        let store = try UntypedStore.open(at: fixture.path, options: options)
        // From here on, this process has the role.
        try store.checkpoint()
        try store.group.log.environment.read { _ in
            let other = RunningThread {
                // A transaction after the one that the reader sees. An edit would pack by itself.
                try store.addName("later")
                store.checkpointer?.packer.packRest(store)
            }
            try other.wait()
        }
        #expect(try store.statistics().packedCommitCount == 0)
        // The control: without the reader, it is.
        store.checkpointer?.packer.packRest(store)
        #expect(try store.statistics().packedCommitCount > 200)
        try checkPlaces(store, "packed")
    }

    @Test("A checkpoint that is completed while commits are packed is not inside a block")
    func newCheckpoint() throws {
        let fixture = try StoreFixture { options in
            CheckpointTests.onRequest(&options)
            options.packing.groupCount = 20
        }
        try fixture.fill(5)
        for _ in 0..<100 { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        try fixture.store.checkpoint()
        try fixture.store.close()
        var options = fixture.store.options
        options.unpackedCount = 10
        let store = try UntypedStore.open(at: fixture.path, options: options)
        try store.edit("Toggle") { try $0.toggle(.item(1)) }
        try store.checkpoint()
        let checkpointer = try #require(store.checkpointer)
        let group = try #require(try checkpointer.packer.nextGroup())
        #expect((group.start, group.end) == (.empty, 20) && group.blocks.count == 1)
        // As if it had been written for a long time.
        let row = try #require(try checkpointer.database.all().last).bytes
        try checkpointer.database.write { try $0.put(row, forKey: 7, in: checkpointer.database.checkpoints) }
        #expect(try !checkpointer.packer.write(group))
        #expect(try layout(store).blocks.isEmpty)
        let smaller = try #require(try checkpointer.packer.nextGroup())
        #expect((smaller.start, smaller.end) == (.empty, 7))
        #expect(try checkpointer.packer.write(smaller))
        #expect(try layout(store).blocks == [1...7])
        _ = try checkpointer.database.write { try $0.delete(7, in: checkpointer.database.checkpoints) }
        try store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("A log can be read on from the middle of what was packed meanwhile")
    func readingOn() throws {
        var edited = try EditedStore(seed: 12, Self.large)
        try edited.edit(300)
        let store = edited.store
        try store.waitUntilDurable()
        let (log, newest) = (store.group.log, try store.version)
        for start in stride(from: 1, to: 200, by: 7) as StrideTo<UInt64> {
            var state = ListState(from: try store.snapshot(at: Version(start)))
            var next = Version(start).next
            try log.forEachExactRecord(
                into: &state, after: try store.past.checksum(of: Version(start)), through: newest
            ) { version, record in
                #expect(version == next)
                next = next.next
                let expected = try store.commit(version).record
                #expect(expected.elementsEqual(record))
            }
            let rows = try store.snapshot
            #expect(next == newest.next && state.stateHash() == rows.stateHash)
        }
        var state = ListState(from: try store.snapshot(at: 3))
        #expect(throws: RecordError.self) {
            try log.forEachExactRecord(into: &state, after: 1, through: newest) { _, _ in }
        }
    }

    @Test("A process without the checkpoint role packs nothing")
    func role() throws {
        let fixture = try StoreFixture { options in
            CheckpointTests.onRequest(&options)
            (options.unpackedCount, options.packing.groupCount) = (10, 7)
        }
        try fixture.fill(5)
        for _ in 0..<100 { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        // What only the journal has is packed by nobody, and what is not durable stays there.
        try fixture.store.waitUntilDurable()
        try fixture.store.group.store()
        // It knows what is in the file, so nothing but the role keeps it from packing.
        _ = try #require(fixture.store.checkpointer).database.newest()
        fixture.store.checkpointer?.packer.packRest(fixture.store)
        #expect(try fixture.store.statistics().packedCommitCount == 0)
        try fixture.store.checkpoint()
        fixture.store.checkpointer?.packer.packRest(fixture.store)
        #expect(try fixture.store.statistics().packedCommitCount > 50)
    }

    @Test("A block that begins before the log is damage")
    func beforeTheLog() throws {
        let fixture = try StoreFixture()
        try fixture.fill(5)
        for _ in 0..<100 { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        try fixture.store.close()
        let whole = fixture.folder.file("whole.listory")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: whole)
        var compaction = Compaction()
        compaction.unpackedCount = 8
        try UntypedStore.compact(at: whole, compaction)
        compaction.kept = .from(10)
        try UntypedStore.compact(at: fixture.path, compaction)
        let other = try UntypedStore.open(at: whole)
        let otherBlocks = try #require(try other.group.log.packed.blocks())
        let found = try other.group.log.environment.read { try $0.get(1, in: otherBlocks) }
        let block = try #require(found)
        try other.close()
        let store = try UntypedStore.open(at: fixture.path)
        let blocks = try #require(try store.group.log.packed.blocks())
        #expect(try store.oldestVersion == 10 && store.commit(20).version == 20)
        store.past.clear()
        try store.group.log.environment.write { txn in
            try txn.deleteAll(after: 0, in: blocks)
            try txn.put(block, forKey: 1, in: blocks)
        }
        #expect(
            throws: ListError.headMismatch(
                what: "beginning of a packed block", expected: "one after version 10", found: "1")
        ) { try store.commit(20) }
    }
}
