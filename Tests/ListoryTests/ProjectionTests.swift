// Tests projections: at every version they equal the value computed from the rows, whatever happened to the store in
// between.

import Foundation
import LMDB
import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("Projections")
struct ProjectionTests {
    @Test(
        "After random commits, undos, redos, reopenings and crashes, projections have the values of the rows",
        arguments: 0..<8 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var list = try ProjectedStore(seed: seed)
        for step in 0..<(250 * Soak.factor) {
            try list.commit()
            let comment: Comment = "seed \(seed), step \(step)"
            switch Int.random(in: 0..<40, using: &list.edits.generator) {
            case 0: try list.reopen()
            case 1: try list.reopen(isCrash: true)
            case 2: try list.store.checkpoint()
            case 3: try list.store.projection(WordIndex.self).rebuild()
            case 4: try list.store.projection(SectionCounts.self).checkpoint()
            // Several commits between two reads.
            case ..<25: continue
            default: break
            }
            try list.check(comment)
        }
        try list.reopen()
        for name in [SectionCounts.name, WordIndex.name, EditsPerDay.name] {
            #expect(try list.storedVersion(name) == list.store.version, "seed \(seed), \(name)")
        }
        let names = [SectionCounts.name, WordIndex.name, EditsPerDay.name].sorted()
        let (stored, head) = (try list.store.storedProjections(), try list.store.version)
        #expect(stored.map(\.name) == names, "seed \(seed)")
        #expect(stored.allSatisfy { $0.version == head && $0.byteCount > 0 }, "seed \(seed)")
        try list.check("seed \(seed), at the end")
        try list.store.close()
        _ = try StoreVerification(path: list.path)
    }

    @Test("If the store is reopened after every commit, a projection continues from its stored state")
    func reopening() throws {
        var list = try ProjectedStore(seed: 77)
        for step in 0..<60 {
            try list.commit()
            try list.check("step \(step)")
            try list.reopen(isCrash: step % 3 == 2)
            try list.check("step \(step), reopened")
        }
    }

    @Test("Compacting keeps the folded values, also those of dropped commits", arguments: 0..<4 as Range<UInt64>)
    func compaction(seed: UInt64) throws {
        var list = try ProjectedStore(seed: seed)
        for round in 0..<4 {
            for _ in 0..<60 { try list.commit() }
            try list.check("seed \(seed), round \(round)")
            let (head, oldest) = (try list.store.version, list.store.oldestVersion)
            let options = list.store.options
            try list.store.close()
            let base = Version(UInt64.random(in: oldest.rawValue...head.rawValue, using: &list.edits.generator))
            var compaction = Compaction(keeping: .from(base))
            compaction.unpackedCount = [0, 10, 100][round % 3]
            compaction.checkpointSpacing = 30
            try UntypedStore.compact(at: list.path, compaction, options: options)
            list.store = try UntypedStore.open(at: list.path, options: options)
            try list.check("seed \(seed), round \(round), compacted")
            #expect(try list.store.projection(EditsPerDay.self).beginning == .empty)
        }
    }

    @Test("In a compacted store, a new projection is seeded with the oldest rows, and reports it")
    func seeding() throws {
        var list = try ProjectedStore(seed: 5)
        for _ in 0..<80 { try list.commit() }
        let (head, options) = (try list.store.version, list.store.options)
        try list.store.close()
        let base = Version(head.rawValue - 20)
        // Packed, so that the events after the oldest version must be unpacked.
        var compaction = Compaction(keeping: .from(base))
        compaction.unpackedCount = 5
        try UntypedStore.compact(at: list.path, compaction, options: options)
        list.store = try UntypedStore.open(at: list.path, options: options)
        #expect(try list.store.projection(SectionCounts.self).value == SectionCounts(of: list.rows))
        #expect(try list.store.projection(WordIndex.self).value == WordIndex(of: list.rows))
        let edits = try list.store.projection(EditsPerDay.self)
        #expect(try edits.beginning == base)
        #expect(try edits.value.counts.values.reduce(0, +) == 20)
        list.edited = try edits.value
        for _ in 0..<20 { try list.commit() }
        try list.check("after the seed")
        try list.reopen()
        #expect(try list.store.projection(EditsPerDay.self).beginning == base)
        try list.check("reopened")
    }

    @Test("A version is drained from the journal before a state of it is stored")
    func durability() throws {
        let fixture = try StoreFixture { options in
            options.durability = .deferred
            (options.deferredDelay, options.journal.storeDelay) = (.seconds(3_600), .seconds(3_600))
        }
        try fixture.fill(3)
        // The first group of commits goes into the database, the later ones into the journal.
        try fixture.store.waitUntilDurable()
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        try fixture.store.projection(EditsPerDay.self).checkpoint()
        // A copy of the databases without the journal.
        let copy = fixture.folder.file("copy")
        try fixture.store.group.log.environment.copy(to: copy, emptying: LogFormat.journalDatabase)
        #expect(try StoreVerification(path: copy).version == 2)
        try fixture.store.close()
    }

    @Test("Another version of the rules folds from the beginning, and so does the older one afterwards")
    func otherVersion() throws {
        var list = try ProjectedStore(seed: 3)
        for _ in 0..<60 { try list.commit() }
        try list.check("before")
        try list.reopen()
        let other = try list.store.projection(OtherCounts.self)
        #expect(try other.value.text == OtherCounts.text(SectionCounts(of: list.rows)))
        expectCause(ProjectionError.self) { try list.store.projection(SectionCounts.self) }
        try list.reopen()
        #expect(try list.storedVersion(OtherCounts.name) == list.store.version)
        for _ in 0..<10 { try list.commit() }
        try list.check("the older rules")
    }

    @Test("A damaged stored state is folded again, and verifying the store finds it")
    func damage() throws {
        var list = try ProjectedStore(seed: 4)
        for _ in 0..<40 { try list.commit() }
        try list.check("before")
        for offset in [0, 8, 9, 17, 25, 33, 41, 60] {
            let options = list.store.options
            try list.store.close()
            try ProjectedStore.changeRow(list.path, WordIndex.name) { $0[offset] ^= 1 }
            #expect { try StoreVerification(path: list.path) } throws: {
                ($0 as? ListError)?.code == "damagedProjection"
            }
            list.store = try UntypedStore.open(at: list.path, options: options)
            #expect(try list.storedVersion(WordIndex.name) == nil)
            try list.check("byte \(offset)")
        }
        // The row of another projection is not used either.
        try list.store.close()
        var row: [UInt8] = []
        try ProjectedStore.changeRow(list.path, EditsPerDay.name) { row = $0 }
        try ProjectedStore.changeRow(list.path, WordIndex.name) { $0 = row }
        list.store = try UntypedStore.open(at: list.path, options: list.store.options)
        try list.check("another's row")
    }

    @Test("A stored state of another log is not used")
    func otherLog() throws {
        var list = try ProjectedStore(seed: 6)
        for _ in 0..<30 { try list.commit() }
        try list.check("before")
        try list.store.close()
        // The same versions with other commits, and the state of the log before.
        let environment = try Environment.open(path: list.path)
        let rows = try environment.openDatabase(named: "projections", of: String.self, [UInt8].self)
        let row = try #require(try environment.read { try $0.get(WordIndex.name, in: rows) })
        try environment.close()
        var other = try ProjectedStore(seed: 1_006)
        for _ in 0..<60 { try other.commit() }
        #expect(try other.store.projection(WordIndex.self).value == WordIndex(of: other.rows))
        try other.store.close()
        try ProjectedStore.changeRow(other.path, WordIndex.name) { $0 = row }
        other.store = try UntypedStore.open(at: other.path, options: other.store.options)
        #expect(try other.storedVersion(WordIndex.name) == nil)
        #expect(try other.store.projection(WordIndex.self).value == WordIndex(of: other.rows))
    }

    @Test("A process that only reads continues from the stored state, and stores nothing")
    func readOnly() throws {
        var list = try ProjectedStore(seed: 8)
        for _ in 0..<40 { try list.commit() }
        try list.check("before")
        try list.store.checkpoint()
        let stored = try #require(try list.storedVersion(EditsPerDay.name))
        for _ in 0..<5 { try list.commit() }
        var options = list.store.options
        try list.store.close()
        options.isReadOnly = true
        list.store = try UntypedStore.open(at: list.path, options: options)
        try list.check("read only")
        #expect(throws: ListError.self) { try list.store.projection(EditsPerDay.self).checkpoint() }
        #expect(try #require(try list.storedVersion(EditsPerDay.name)) > stored)
        try list.store.close()

        // A file without stored projections, and one without their database.
        let fixture = try StoreFixture()
        try fixture.fill(3)
        try fixture.store.close()
        let environment = try Environment.open(path: fixture.path)
        let older = list.folder.file("older")
        let copy = try Environment.open(path: older)
        for name in ["meta", "commits", "nodes", "checkpoints", "gone", "tail"] {
            let rows = try environment.openDatabase(named: name, of: [UInt8].self, [UInt8].self)
            let copies = try copy.openDatabase(named: name, of: [UInt8].self, [UInt8].self, create: true)
            try environment.read { from in
                try copy.write { to in
                    try from.forEach(in: rows) { key, value in
                        try to.put(bytes: value, forKey: Array(key), in: copies)
                        return true
                    }
                }
            }
        }
        try environment.close()
        try copy.close()
        let reader = try UntypedStore.open(at: older, options: options)
        #expect(try reader.projection(SectionCounts.self).value.sections.map(\.unchecked) == [3])
    }

    @Test("A projection that is read for the first time late folds in slices, over durable and queued commits")
    func catchingUp() throws {
        let fixture = try StoreFixture {
            $0.durability = .deferred
            $0.deferredDelay = .seconds(100)
            $0.checkpoints = .never
        }
        try fixture.fill(4)
        for index in 0..<3_000 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(index % 4)))) } }
        try fixture.store.waitUntilDurable()
        for index in 0..<1_501 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(index % 4)))) } }
        let durable = fixture.store.durableVersion
        let newest = try fixture.store.version
        try #require(durable < newest)
        #expect(try fixture.store.projection(SectionCounts.self).value.sections.map(\.checked) == [3])
        #expect(try fixture.store.projection(EditsPerDay.self).value.counts.values.reduce(0, +) == 4_502)
        #expect(fixture.store.durableVersion == durable, "looking makes nothing durable")
        try fixture.store.close()
    }
}
