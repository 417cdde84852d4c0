// Tests names of versions in the file: beside successors, other processes, damage and journals.

import Foundation
import LMDB
@testable import Listory
import ListModel
import TestSupport
import Testing

@Suite("Names of versions in the file")
struct NamedVersionFileTests {
    /// A store with a hundred commits, of which version 10 has a name.
    private static func fixture(_ change: (inout StoreOptions) -> Void = CheckpointTests.eager) throws -> StoreFixture {
        let fixture = try StoreFixture(change)
        try fixture.fill(10)
        for number in 0..<99 as Range<Int64> {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(number % 10))) }
        }
        try fixture.store.addName("ten", to: 10)
        return fixture
    }

    @Test("A version is durable, and drained from the journal, before it has a name")
    func durability() throws {
        let fixture = try StoreFixture { options in
            options.durability = .deferred
            (options.deferredDelay, options.journal.storeDelay) = (.seconds(3_600), .seconds(3_600))
        }
        try fixture.fill(3)
        // The first group of commits goes into the database, the later ones into the journal.
        try fixture.store.waitUntilDurable()
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        #expect(fixture.store.durableVersion == 1)
        try fixture.store.addName("1.0")
        #expect(fixture.store.durableVersion == 2)
        // A copy of the databases without the journal.
        let copy = fixture.folder.file("copy")
        try fixture.store.group.log.environment.copy(to: copy, emptying: LogFormat.journalDatabase)
        let found = try StoreVerification(path: copy)
        #expect(found.version == 2 && found.nameCount == 1)
        try fixture.store.close()
    }

    @Test("A successor gets the names that the store has when it is closed")
    func names() throws {
        let fixture = try Self.fixture()
        var store = fixture.store
        let hash = try store.snapshot(at: 10).stateHash
        try #require(try store.trim(Retention(steps: 20), atLeast: 10))
        try store.changeName("ten", to: "10")
        try store.addName("ninety", to: 90)
        try store.edit("Toggle") { try $0.toggle(.item(1)) }
        try store.addName("newest")
        try store.close()
        store = try UntypedStore.open(at: fixture.path, options: store.options)
        #expect(store.oldestVersion == 80)
        #expect(try store.namedVersions.map(\.name) == ["10", "ninety", "newest"])
        #expect(try store.snapshot(at: 10).stateHash == hash)
        try store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("A successor that lacks a version which was named later is removed, and written again")
    func namedLater() throws {
        let fixture = try Self.fixture()
        var store = fixture.store
        let hash = try store.snapshot(at: 20).stateHash
        for attempt in 0..<2 {
            try #require(try store.trim(Retention(steps: 20), atLeast: 10))
            if attempt == 0 { try store.addName("twenty", to: 20) }
            try store.close()
            #expect(!Platform.exists(fixture.path + "-successor"))
            store = try UntypedStore.open(at: fixture.path, options: store.options)
            #expect(store.oldestVersion == (attempt == 0 ? .empty : 80))
            #expect(try store.snapshot(at: 20).stateHash == hash)
        }
        try store.close()
    }

    @Test("A successor does not take the place if a version was named after it was compared")
    func namedMeanwhile() throws {
        let fixture = try Self.fixture()
        try #require(try fixture.store.trim(Retention(steps: 20), atLeast: 10))
        let caughtUp = try #require(fixture.store.catchUpSuccessor())
        // As another process may do it between closing and replacing.
        let successor = fixture.path + "-successor"
        try FileManager.default.moveItem(atPath: successor, toPath: fixture.path + "-later")
        try fixture.store.addName("twenty", to: 20)
        try fixture.store.close()
        try FileManager.default.moveItem(atPath: fixture.path + "-later", toPath: successor)
        fixture.store.put(caughtUp)
        var options = fixture.store.options
        options.isReadOnly = true
        let reader = try UntypedStore.open(at: fixture.path, options: options)
        #expect(try reader.oldestVersion == .empty && reader.version(named: "twenty") == 20)
        try reader.close()
    }

    @Test("A compaction notices that another process has named a version meanwhile")
    func compaction() throws {
        let fixture = try Self.fixture { $0.durability = .deferred }
        // So many that progress is told while the old file is read.
        for _ in 0..<1_000 { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        try fixture.store.close()
        var lines: [String] = []
        let error = #expect(throws: ListError.self) {
            try UntypedStore.compact(at: fixture.path) { share in
                guard lines.isEmpty else { return }
                #expect(share < 0.6)
                do { lines = try ChildProcess("StoreWriter", [fixture.path, "race", "1"]).lines() } catch {
                    Issue.record(error)
                }
            }
        }
        #expect(error?.code == "writtenElsewhere" && lines == ["won 0"])
        let store = try UntypedStore.open(at: fixture.path)
        #expect(try store.namedVersions.map(\.name) == ["ten", "race 0"])
        try store.close()
    }

    @Test("Several processes that give names at once never give one twice, and see each other's")
    func processes() throws {
        let fixture = try Self.fixture { $0.durability = .deferred }
        let children = try (0..<2).map { _ in try ChildProcess("StoreWriter", [fixture.path, "race", "40"]) }
        for number in 0..<40 as Range<Int64> {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(number % 10))) }
        }
        var won: [Int] = []
        for child in children {
            let lines = child.lines()
            #expect(lines.count == 40)
            won += lines.compactMap { $0.hasPrefix("won ") ? Int($0.dropFirst(4)) : nil }
        }
        #expect(won.sorted() == Array(0..<40))
        let named = try fixture.store.namedVersions
        #expect(Set(named.map(\.name)) == Set((0..<40).map { "race \($0)" } + ["ten"]))
        for one in named { #expect(try fixture.store.snapshot(at: one.version).stateHash == one.stateHash) }
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).nameCount == 41)
    }

    /// Compacts a store, so that only the checkpoint of version 10 is before the log.
    private static func compacted() throws -> StoreFixture {
        let fixture = try fixture()
        try fixture.store.close()
        try UntypedStore.compact(at: fixture.path, Compaction(keeping: .from(80)))
        return fixture
    }

    /// Changes the file with LMDB alone.
    private static func change(
        _ path: String, _ body: (CommitLog, inout WriteTransaction) throws -> Void
    ) throws {
        var options = StoreOptions()
        (options.journal.isUsed, options.isKnownToOthers) = (false, false)
        let log = try CommitLog(path: path, mode: .open, options: options)
        defer { try? log.environment.close() }
        try log.environment.write { txn in try body(log, &txn) }
    }

    @Test("Verifying finds a name of other rows, of no version, and one whose rows are missing")
    func verification() throws {
        let fixture = try Self.compacted()
        let sound = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        _ = try StoreVerification(path: fixture.path)
        for version in [10, 80, 90, 101, 20] as [UInt64] {
            try Self.change(fixture.path) { log, txn in
                let named = NamedVersion(
                    name: "wrong", version: Version(version), stateHash: UntypedSnapshot.empty.stateHash,
                    time: Timestamp(microseconds: 0))
                try txn.put(named.bytes, forKey: NamedVersion.key("wrong"), in: log.meta)
            }
            let error = #expect(throws: ListError.self) { try StoreVerification(path: fixture.path) }
            #expect(error?.code == "headMismatch" && error?.description.contains("wrong") == true)
            try sound.write(to: URL(fileURLWithPath: fixture.path))
        }
        try Self.change(fixture.path) { log, txn in
            let checkpoints = try txn.openDatabase(
                named: LogFormat.checkpointDatabase, of: UInt64.self, [UInt8].self, create: false)
            try txn.delete(10, in: checkpoints)
        }
        #expect(throws: ListError.self) { try StoreVerification(path: fixture.path) }
        // As a build leaves it that knows no names.
        let store = try UntypedStore.open(at: fixture.path)
        #expect(throws: ListError.droppedVersion(10, oldest: 80)) { try store.snapshot(at: 10) }
        try store.removeName("ten")
        try store.close()
        #expect(try StoreVerification(path: fixture.path).nameCount == 0)
    }

    @Test("A damaged name is an error, is taken away, and is not repaired but salvaged without")
    func damagedName() throws {
        let fixture = try Self.compacted()
        try Self.change(fixture.path) { log, txn in
            var row = try #require(try txn.get(NamedVersion.key("ten"), in: log.meta))
            row[20] ^= 1
            try txn.put(row, forKey: NamedVersion.key("ten"), in: log.meta)
        }
        #expect(throws: ListError.notRepairable(commits: 0, contents: 0, names: 1)) {
            try UntypedStore.repair(at: fixture.path)
        }
        let salvaged = fixture.folder.file("salvaged")
        let report = try UntypedStore.salvage(from: fixture.path, to: salvaged)
        #expect(report.lostNameCount == 1 && !report.isComplete && report.lostCommitCount == 0)
        #expect(try StoreVerification(path: salvaged).nameCount == 0)
        let store = try UntypedStore.open(at: fixture.path)
        let error = #expect(throws: ListError.self) { try store.version(named: "ten") }
        #expect(error?.code == "headMismatch")
        #expect(throws: ListError.self) { try store.namedVersions }
        try store.removeName("ten")
        #expect(try store.namedVersions.isEmpty)
        try store.addName("ten", to: 10)
        try store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("A name whose key is damaged and no UTF-8 any more is taken away by the name that the error says")
    func damagedKey() throws {
        let fixture = try Self.compacted()
        try Self.change(fixture.path) { log, txn in
            let row = try #require(try txn.get(NamedVersion.key("ten"), in: log.meta))
            try txn.delete(NamedVersion.key("ten"), in: log.meta)
            let rows = try txn.openDatabase(
                named: LogFormat.metaDatabase, of: [UInt8].self, [UInt8].self, create: false)
            try txn.put(row, forKey: Array(LogFormat.namePrefix.utf8) + [0xFF] + Array("en".utf8), in: rows)
        }
        let store = try UntypedStore.open(at: fixture.path)
        let error = #expect(throws: ListError.self) { try store.namedVersions }
        #expect(error?.description.contains("\u{FFFD}en") == true)
        try store.removeName("\u{FFFD}en")
        #expect(try store.namedVersions.isEmpty)
        #expect(throws: ListError.unknownName("\u{FFFD}en")) { try store.removeName("\u{FFFD}en") }
        try store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("If the rows of names are damaged, nobody knows which there were, so the file is salvaged and not repaired")
    func damagedRows() throws {
        let fixture = try Self.compacted()
        let store = try UntypedStore.open(at: fixture.path)
        try store.removeName("ten")
        try store.addName("ninety", to: 90)
        try store.close()
        var place = 0
        try DataFile.scan(fixture.path) { scan in
            try scan.forEachEntry { if $0.database == Array("meta".utf8) { place = $0.page * scan.pageSize } }
        }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: fixture.path))
        try file.seek(toOffset: UInt64(place))
        try file.write(contentsOf: [UInt8](repeating: 0, count: 16))
        try file.close()
        let error = #expect(throws: ListError.self) { try UntypedStore.repair(at: fixture.path) }
        guard case .notRepairable(commits: 0, contents: 0, names: 1...) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        let report = try UntypedStore.salvage(from: fixture.path, to: fixture.folder.file("salvaged"))
        #expect(report.lostNameCount > 0 && report.lostCommitCount == 0)
    }

    @Test("Names that Swift takes for equal are two, also when the store is salvaged")
    func equalNames() throws {
        let fixture = try Self.compacted()
        let names = ["e\u{301}", "\u{E9}"]
        var store = try UntypedStore.open(at: fixture.path)
        for (name, version) in zip(names, [90, 95] as [Version]) { try store.addName(name, to: version) }
        #expect(try store.namedVersions.count == 3)
        try store.close()
        let salvaged = fixture.folder.file("salvaged")
        #expect(try UntypedStore.salvage(from: fixture.path, to: salvaged).isComplete)
        store = try UntypedStore.open(at: salvaged)
        #expect(try names.map { try store.version(named: $0) } == [90, 95])
        try store.close()
    }

    @Test("The checkpoint of a version before the log is not taken for a dropped one if it is damaged")
    func damagedCheckpoint() throws {
        let fixture = try Self.compacted()
        try Self.change(fixture.path) { log, txn in
            let checkpoints = try txn.openDatabase(
                named: LogFormat.checkpointDatabase, of: UInt64.self, [UInt8].self, create: false)
            var row = try #require(try txn.get(10, in: checkpoints))
            row[20] ^= 1
            try txn.put(row, forKey: 10, in: checkpoints)
        }
        let store = try UntypedStore.open(at: fixture.path)
        #expect(throws: ListError.damagedCheckpoint(10)) { try store.snapshot(at: 10) }
        try store.close()
        #expect(throws: ListError.damagedCheckpoint(10)) { try UntypedStore.compact(at: fixture.path, Compaction()) }
    }

    @Test("What follows from the log is rebuilt, and versions before it stay", arguments: ["repair", "open"])
    func rebuilt(way: String) throws {
        let fixture = try Self.compacted()
        try Self.change(fixture.path) { log, txn in
            // The newest checkpoint cannot be used without them.
            try txn.put([1, 2, 3], forKey: LogFormat.locatorKey, in: log.meta)
        }
        if way == "repair" {
            #expect(try UntypedStore.repair(at: fixture.path).wasRepaired)
        }
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(store.recovery.wasRebuilt == (way == "open"))
        let rows = try ReferenceList(store.snapshot(at: store.version(named: "ten")), GroupSource(base: store.source))
        #expect(rows.itemCount == 10 && rows.sections[0].items.count(where: \.isChecked) == 9)
        for number in 0..<60 as Range<Int64> {
            try store.edit("Toggle") { try $0.toggle(.item(.integer(number % 10))) }
        }
        try store.checkpoint()
        #expect(try ReferenceList(store.snapshot(at: 10), GroupSource(base: store.source)) == rows)
        try store.close()
        #expect(try StoreVerification(path: fixture.path).nameCount == 1)
    }

    @Test("Ids of other kinds in a version before the log are noticed when an app opens the store")
    func identifiers() throws {
        struct Note: Codable, Identifiable, Sendable { var id: Int }
        let fixture = try StoreFixture()
        try fixture.store.edit("Insert") { list in
            try list.insertSection(NewSection(id: 1, title: "", items: [NewRow(id: "text", content: [])]))
        }
        try fixture.store.addName("with text")
        try fixture.store.edit("Delete") { try $0.delete(.item("text")) }
        try fixture.store.close()
        try UntypedStore.compact(at: fixture.path, Compaction(keeping: .from(2)))
        let error = #expect(throws: ListError.self) { try ListStore<Int, Note>.open(at: fixture.path) }
        #expect(error?.code == "otherIdentifiers")
    }
}
