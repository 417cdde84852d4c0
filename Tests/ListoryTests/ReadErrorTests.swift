// Errors of reading that may be gone the next time, and damage that can be told from them.

import Foundation
import LMDB
@testable import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("Errors of reading")
struct ReadErrorTests {
    /// Whether an error is that of the jam, and says nothing of damage.
    static func isPassing(_ error: any Error) -> Bool {
        ((error as? ListError)?.cause as? LMDBError)?.code == .readersFull
    }

    /// A store whose rows are in the file and not in memory.
    static func store(seed: UInt64) throws -> EditedStore {
        var edited = try EditedStore(seed: seed, targetCount: 150) {
            CheckpointTests.eager(&$0)
            $0.memoryBudget = 1
        }
        try edited.edit(200)
        try edited.reopen()
        return edited
    }

    @Test("A read that fails for a moment throws its error, and the next one succeeds")
    func passing() throws {
        var edited = try Self.store(seed: 5)
        let store = edited.store
        let rows = edited.versions.last!
        let id = rows.item(at: rows.paths[rows.paths.count / 2]).id
        let last = Version(UInt64(edited.versions.count - 1))
        let reads: [(String, () throws -> Void)] = [
            ("path", { _ = try store.indexPath(of: id) }),
            ("item", { _ = try store.item(id) }),
            ("read", { try store.read { _ = $0.itemIDs } }),
            ("edit", { try store.edit("Toggle") { try $0.toggle(.item(id)) } }),
            ("undo", { _ = try store.undo() }),
            ("version", { _ = try store.snapshot(at: Version(last.rawValue / 2)) }),
            ("changeset", { _ = try store.changeset(from: Version(last.rawValue - 9), to: last) }),
        ]
        for (name, read) in reads {
            var jam: ReaderJam? = ReaderJam(store)
            let snapshot = try? store.snapshot
            #expect("\(name)") { try read() } throws: { Self.isPassing($0) }
            withExtendedLifetime(jam) {}
            jam = nil
            try edited.checkRows("after \(name)")
            // Nor does a snapshot remember.
            if let snapshot {
                try #require(try ReferenceList(snapshot, GroupSource(base: store.source)) == rows, "after \(name)")
            }
        }
        try edited.edit(20)
        try edited.checkRows("in the end")
        try edited.checkPast(10, "in the end")
        try edited.reopen()
        #expect(!edited.store.recovery.wasRebuilt)
    }

    @Test("A trash is not read from sections that cannot be read for a moment")
    func trash() throws {
        var edited = try Self.store(seed: 6)
        try edited.reopen()
        let rows = try edited.store.snapshot
        do {
            let jam = ReaderJam(edited.store)
            #expect { _ = try TrashReader(before: rows.version.next, rows) } throws: {
                ($0 as? LMDBError)?.code == .readersFull
            }
            withExtendedLifetime(jam) {}
        }
        _ = try TrashReader(before: rows.version.next, rows)
    }

    @Test(
        "An edit in steps whose rows cannot be read for a moment is cancelled, and the next one succeeds",
        arguments: [false, true])
    func inSteps(isCaught: Bool) throws {
        var edited = try Self.store(seed: 7)
        let store = edited.store
        let rows = edited.versions.last!
        let id = rows.item(at: rows.paths[rows.paths.count / 2]).id
        do {
            let jam = ReaderJam(store)
            #expect {
                try store.editInSteps(
                    "Toggle", origin: "", tracking: .untracked, isDiscardable: false, durability: nil
                ) { turn in
                    do { try turn.withEditor { try $0.toggle(.item(id)) } } catch { if !isCaught { throw error } }
                }
            } throws: {
                Self.isPassing($0)
            }
            withExtendedLifetime(jam) {}
        }
        try edited.checkRows("afterwards")
        try edited.edit(3)
        try edited.checkRows("after more edits")
    }

    /// A jam that begins at once, or with one of the next calls. Used by one thread.
    private final class LateJam: @unchecked Sendable {
        private var calls = 0
        private var jam: ReaderJam?

        func begin(with call: Int, _ store: UntypedStore) {
            calls = call
            if call == 0 { jam = ReaderJam(store) }
        }

        func end() { (calls, jam) = (0, nil) }

        func note(_ store: UntypedStore) {
            if calls == 1 { jam = ReaderJam(store) }
            calls = max(0, calls - 1)
        }
    }

    @Test("A view whose source cannot be read for a moment shows what it showed, and then the newest rows")
    func views() throws {
        var edited = try Self.store(seed: 8)
        let (store, jam) = (edited.store, LateJam())
        let arrangement = Arrangement(sections: .one(QueryGroup(id: "all", title: "", order: .absent))) { row in
            jam.note(store)
            return RowPlacement(key: .integer(Int64(truncatingIfNeeded: row.id.hash64)))
        }
        var failed = Set<Int>()
        for stages in [[], [QueryStage.arrange(arrangement)], [.visibleRows, .arrange(arrangement)]] {
            if !stages.isEmpty {
                jam.begin(with: 0, store)
                #expect { _ = try UntypedLiveList(of: store, stages) } throws: { Self.isPassing($0) }
                jam.end()
            }
            let list = try UntypedLiveList(of: store, stages)
            for call in [0, 1, 2, 3, 5] {
                let shown = list.shown
                for _ in 0..<8 {
                    try edited.edit(1)
                    try store.checkpoint()
                }
                jam.begin(with: call, store)
                do { _ = try list.snapshot } catch {
                    #expect(Self.isPassing(error))
                    #expect(list.shown.stateHash == shown.stateHash)
                    #expect(list.withState { $0.moment.version == $0.view.source.version })
                    failed.insert(call)
                }
                jam.end()
                let fresh = try DerivedView(stages, of: store.snapshot)
                #expect(try list.snapshot.stateHash == fresh.snapshot.stateHash, "with call \(call)")
            }
        }
        #expect(failed.contains(0) && failed.count > 1, "failed with \(failed)")
    }

    private enum Place: String, SectionIdentifier, CaseIterable { case a, b, c, d, e, f, g, h, i, j }

    private struct Note: Codable, Identifiable { var id: Int }

    @Test("A typed snapshot whose sections cannot be read for a moment does not end the process")
    func typedSections() throws {
        let folder = try TemporaryFolder()
        var options = StoreOptions()
        CheckpointTests.eager(&options)
        options.memoryBudget = 1
        let path = folder.file("store")
        var store = try ListStore<Place, Note>.open(at: path, createIfMissing: true, options: options)
        try store.edit("Insert") { list in
            for place in Place.allCases { try list.insertSection(place, title: "") }
        }
        try store.close()
        store = try ListStore<Place, Note>.open(at: path, options: options)
        let snapshot = try store.snapshot
        do {
            let jam = ReaderJam(store.core)
            let seen = snapshot.sections.map(\.id)
            #expect(seen.count == Place.allCases.count && seen[1] == .a)
            #expect(snapshot.indexed().sectionIDs.contains(.a))
            withExtendedLifetime(jam) {}
        }
        #expect(snapshot.sections.map(\.id) == Place.allCases)
        // A new snapshot looks at them all.
        try store.close()
        store = try ListStore<Place, Note>.open(at: path, options: options)
        let core = try store.core.snapshot
        do {
            let jam = ReaderJam(store.core)
            #expect { try ListSnapshot(core, of: store) } throws: { Self.isPassing($0) }
            withExtendedLifetime(jam) {}
        }
        #expect(try ListSnapshot(core, of: store).sections.map(\.id) == Place.allCases)
    }

    @Test("Rows that only a look at a snapshot failed to read do not stop edits")
    func snapshots() throws {
        var edited = try Self.store(seed: 6)
        let snapshot = try edited.store.snapshot
        do {
            let jam = ReaderJam(edited.store)
            let ids = snapshot.sections.flatMap { $0.items.map(\.id) }
            #expect(ids.count < snapshot.itemCount || ids.contains("unreadable"))
            withExtendedLifetime(jam) {}
        }
        try edited.edit(1)
        try edited.checkRows("after the look")
        #expect(
            try ReferenceList(snapshot, GroupSource(base: edited.store.source))
                == edited.versions[edited.versions.count - 2])
    }

    @Test("However often reads fail between edits, undos and checkpoints, the rows are those of the log")
    func randomFailures() throws {
        let seed = UInt64.random(in: .min ... .max)
        var edited = try Self.store(seed: seed)
        var generator = SeededGenerator(seed: seed)
        var outcomes = (failed: 0, succeeded: 0)
        for round in 0..<(Soak.isEnabled ? 2_000 : 60) {
            var jam = Int.random(in: 0..<3, using: &generator) == 0 ? nil : ReaderJam(edited.store)
            do {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: try edited.store.checkpoint()
                default: try edited.edit(Int.random(in: 1...3, using: &generator))
                }
                outcomes.succeeded += 1
            } catch {
                #expect(jam != nil && Self.isPassing(error), "round \(round), seed \(seed): \(error)")
                outcomes.failed += 1
            }
            withExtendedLifetime(jam) {}
            jam = nil
            try edited.checkRows("round \(round), seed \(seed)")
            if round % 20 == 19 { try edited.checkPast(3, "round \(round), seed \(seed)") }
            if round % 30 == 29 { try edited.reopen() }
            #expect(!edited.store.recovery.wasRebuilt, "round \(round), seed \(seed)")
        }
        #expect(outcomes.failed > 0 && outcomes.succeeded > 0, "seed \(seed): \(outcomes)")
        try edited.store.close()
        #expect(try StoreVerification(path: edited.path).version.rawValue == UInt64(edited.versions.count - 1))
    }

    @Test("A store that cannot read its rows can be closed")
    func closing() throws {
        var edited = try Self.store(seed: 7)
        let jam = ReaderJam(edited.store)
        #expect { try edited.edit(30) } throws: { Self.isPassing($0) }
        #expect { try edited.store.close() } throws: { error in
            // The readers of the jam are open; nothing else keeps it from closing.
            guard case .closeBlocked = ((error as? ListError)?.cause as? LMDBError)?.kind else { return false }
            return true
        }
        withExtendedLifetime(jam) {}
    }

    @Test("The map can grow while the log is replayed")
    func growing() throws {
        let fixture = try StoreFixture()
        try fixture.fill(20)
        let log = fixture.store.group.log
        try fixture.store.waitUntilDurable()
        var state = ListState(NodePool(limits: TreeLimits()))
        try log.forEachExactRecord(into: &state, after: 0, through: Version(1)) { _, _ in
            try log.environment.growMap(to: log.environment.mapSize * 2)
        }
        #expect(state.itemCount == 20)
    }
}

// MARK: - Damage

extension ReadErrorTests {
    /// A store with a checkpoint and commits after it.
    private static func uncheckedStore(_ count: Int) throws -> EditedStore {
        var edited = try EditedStore(seed: 8) {
            CheckpointTests.eager(&$0)
            $0.checkpoints = .never
        }
        try edited.edit(100)
        try edited.store.checkpoint()
        try edited.edit(count)
        try edited.store.close()
        return edited
    }

    @Test("A damaged commit behind the newest checkpoint is named, and everything before it can be read")
    func damagedCommit() throws {
        var edited = try Self.uncheckedStore(40)
        let environment = try Environment.open(path: edited.path)
        let commits = try environment.openDatabase(named: "commits", of: UInt64.self, [UInt8].self)
        try environment.write { txn in
            var record = try txn.get(121, in: commits)!
            record[record.count / 2] ^= 1
            try txn.put(record, forKey: 121, in: commits)
        }
        try environment.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: edited.path))
        for isReadOnly in [false, true] {
            #expect { try edited.reopen { $0.isReadOnly = isReadOnly } } throws: { error in
                guard case ListError.damagedCommit(Version(121), let cause) = error else { return false }
                return cause is RecordError && "\(error)".contains("version 121")
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: edited.path)) == bytes)

        for last in [120, 100, 60] as [UInt64] {
            try edited.reopen {
                $0.isReadOnly = true
                $0.lastVersion = Version(last)
            }
            #expect(try edited.store.version == Version(last))
            #expect(edited.store.recovery.checkpoint == Version(last < 100 ? 0 : 100))
            let source = GroupSource(base: edited.store.source)
            #expect(try ReferenceList(edited.store.snapshot, source) == edited.versions[Int(last)])
            #expect(try edited.store.undoState().canUndo)
            #expect(try edited.store.snapshot(at: Version(last - 5)).version == Version(last - 5))
            #expect { try edited.store.snapshot(at: Version(last + 1)) } throws: {
                ($0 as? ListError)?.code == "unknownVersion"
            }
            try edited.store.close()
        }
        for last in [121, 141] as [UInt64] {
            #expect {
                try edited.reopen {
                    $0.isReadOnly = true
                    $0.lastVersion = Version(last)
                }
            } throws: {
                ($0 as? ListError)?.code == (last == 121 ? "damagedCommit" : "unknownVersion")
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: edited.path)) == bytes)
    }

    /// Makes the newest checkpoint count fewer rows than it has.
    private static func miscount(_ path: String) throws {
        let environment = try Environment.open(path: path)
        let meta = try environment.openDatabase(named: "meta", of: String.self, [UInt8].self)
        let checkpoints = try environment.openDatabase(named: "checkpoints", of: UInt64.self, [UInt8].self)
        try environment.write { txn in
            let version = try txn.lastKey(in: checkpoints)!
            let row = try txn.get(version, in: checkpoints)!
            let old = try #require(row.withUnsafeBytes { Checkpoint($0, version: Version(version)) })
            let wrong = Checkpoint(
                version: old.version, eventCount: old.eventCount, work: old.work, checksum: old.checksum,
                histories: old.histories, stateHash: old.stateHash, itemCount: 1, firstNumber: old.firstNumber,
                lastNumber: old.lastNumber, sectionNumberCount: old.sectionNumberCount, top: old.top)
            try txn.put(wrong.bytes, forKey: version, in: checkpoints)
            let bytes = try txn.get("locators", in: meta)!
            var locators = try #require(bytes.withUnsafeBytes { StoredLocators($0, version: old.version) })
            locators.items.entryCount = 1
            try txn.put(locators.bytes(old.version), forKey: "locators", in: meta)
        }
        try environment.close()
    }

    @Test("A checkpoint that counts too few rows is taken for damaged when more are deleted", arguments: [true, false])
    func miscounted(isReplayed: Bool) throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints = .never
        }
        try fixture.fill(30)
        try fixture.store.checkpoint()
        if isReplayed {
            try fixture.store.edit("Delete") { list in
                for _ in 0..<3 { try list.delete(.at(ListIndexPath(section: 0, item: 0))) }
            }
        }
        let hash = try fixture.store.snapshot.stateHash
        try fixture.store.close()
        try Self.miscount(fixture.path)
        #expect { try StoreVerification(path: fixture.path) } throws: { error in
            ["damagedCheckpoint", "damagedNode"].contains((error as? ListError)?.code)
        }
        var store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(store.recovery.wasRebuilt == isReplayed)
        if !isReplayed {
            #expect {
                try store.edit("Delete") { list in
                    for _ in 0..<3 { try list.delete(.at(ListIndexPath(section: 0, item: 0))) }
                }
            } throws: {
                ($0 as? ListError)?.code == "damagedNode"
            }
            try store.close()
            store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
            #expect(store.recovery.wasRebuilt)
        }
        #expect(try store.snapshot.stateHash == hash && store.snapshot.itemCount == (isReplayed ? 27 : 30))
        try store.edit("Toggle") { try $0.toggle(.item(20)) }
        try store.checkpoint()
        try store.close()
        #expect(try StoreVerification(path: fixture.path).version == Version(isReplayed ? 3 : 2))
        store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(!store.recovery.wasRebuilt)
    }
}
