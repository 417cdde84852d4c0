// Tests what is rebuilt in a damaged file, and copies of a store that others edit.

import Foundation
import LMDB
import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("Repair and backup")
struct RepairTests {
    @Test("What follows from the log is rebuilt, and a store without damage is left alone")
    func repair() throws {
        var edited = try EditedStore(seed: 3, CheckpointTests.packing)
        try edited.edit(200)
        try edited.store.close()
        let sound = try Data(contentsOf: URL(fileURLWithPath: edited.path))
        #expect(try UntypedStore.repair(at: edited.path).wasRepaired == false)
        #expect(try Data(contentsOf: URL(fileURLWithPath: edited.path)) == sound)
        for database in ["nodes", "checkpoints", "gone"] {
            try Self.spoil(database, in: edited.path)
            #expect(throws: (any Error).self) { try StoreVerification(path: edited.path) }
            let report = try UntypedStore.repair(at: edited.path)
            #expect(report.wasRepaired && report.found.isComplete && report.verification.version == Version(200))
            #expect(try StoreVerification(path: edited.path).commitCount == 200)
            try edited.reopen()
            try edited.checkRows("after \(database)")
            try edited.checkPast(10, "after \(database)")
            try edited.store.close()
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: edited.folder.path).sorted()
        #expect(files == ["list.listory", "list.listory-lock", "list.listory-processes"])
    }

    @Test("A repaired store has checkpoints all along, so that no version of the past takes a long replay")
    func checkpoints() throws {
        let fixture = try StoreFixture(CheckpointTests.packing)
        try fixture.fill(20)
        for number in 0..<500 as Range<Int64> {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(number % 20))) }
        }
        try fixture.store.close()
        try Self.spoil("checkpoints", in: fixture.path)
        #expect(try UntypedStore.repair(at: fixture.path, options: fixture.store.options).wasRepaired)
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        let versions = try #require(store.checkpointer).database.all().map(\.version.rawValue)
        // Every 32 events, but not inside a block.
        let distances = zip([0] + versions, versions).map { $1 - $0 }
        #expect(versions.last == 501 && distances.allSatisfy { $0 < 64 }, "\(versions)")
        for version in stride(from: 1, through: 501, by: 10) as StrideThrough<UInt64> {
            let commit = try store.commit(Version(version))
            #expect(try store.snapshot(at: Version(version)).stateHash == commit.stateHash)
        }
        try store.close()
    }

    @Test("A state of a projection is kept by repair and salvage, also if the commit of its version is packed")
    func packedProjection() throws {
        var list = try ProjectedStore(seed: 5)
        for _ in 0..<40 { try list.commit() }
        try list.store.projection(EditsPerDay.self).checkpoint()
        let stored = try #require(try list.storedVersion(EditsPerDay.name))
        try list.reopen()
        for _ in 0..<60 { try list.commit() }
        try list.store.close()
        var compaction = Compaction()
        compaction.unpackedCount = 8
        try UntypedStore.compact(at: list.path, compaction)
        let salvaged = list.folder.file("salvaged")
        try UntypedStore.salvage(from: list.path, to: salvaged)
        try Self.spoil("nodes", in: list.path)
        #expect(try UntypedStore.repair(at: list.path).wasRepaired)
        for path in [list.path, salvaged] {
            list.store = try UntypedStore.open(at: path, options: list.store.options)
            #expect(try list.storedVersion(EditsPerDay.name) == stored)
            #expect(try list.store.projection(EditsPerDay.self).value.counts == list.edited.counts)
            try list.store.close()
        }
    }

    @Test("A store that lost contents when it was salvaged can be repaired later")
    func lostBefore() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        let path = try Self.salvaged(of: fixture)
        let hash = try StoreVerification(path: path).stateHash
        try Self.spoil("nodes", in: path)
        let repaired = try UntypedStore.repair(at: path)
        #expect(repaired.wasRepaired && repaired.found.lostContentCount == 0)
        #expect(repaired.verification.stateHash == hash && repaired.verification.lostContentCount == 1)
        withExtendedLifetime(fixture) {}
    }

    /// Loses the content of a row of a store, and salvages the store.
    ///
    /// - Returns: the path of the salvaged store, whose last commit deletes the row.
    private static func salvaged(of fixture: StoreFixture) throws -> String {
        try fixture.fill(10)
        for number in 0..<40 as Range<Int64> {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(number % 10))) }
        }
        try fixture.store.close()
        try UntypedStore.compact(at: fixture.path, Compaction(keeping: .from(20)))
        try spoil("contents", in: fixture.path)
        let path = fixture.folder.file("salvaged")
        let report = try UntypedStore.salvage(from: fixture.path, to: path)
        #expect(report.lostContentCount == 1 && report.unreadableCount == 1)
        return path
    }

    @Test("A store is repaired although the rows of contents that an earlier salvage has lost were brought back")
    func lostBroughtBack() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        let path = try Self.salvaged(of: fixture)
        let store = try UntypedStore.open(at: path)
        try store.undo()
        let (count, hash) = try (store.snapshot.itemCount, store.snapshot.stateHash)
        try store.close()
        try Self.spoil("nodes", in: path)
        let repaired = try UntypedStore.repair(at: path)
        #expect(repaired.wasRepaired && repaired.found.itemCount == count && repaired.found.unreadableCount == 0)
        #expect(repaired.verification.stateHash == hash && repaired.verification.lostContentCount == 1)
        // Another salvage does not delete them either.
        let again = try UntypedStore.salvage(from: path, to: path + "-again")
        #expect(again.isComplete && again.itemCount == count)
        withExtendedLifetime(fixture) {}
    }

    @Test("A content is lost, and the store not repaired, if the number of its pages is damaged")
    func damagedPageNumber() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        let path = fixture.path
        // Too large for a leaf, however large pages are.
        let row = NewRow(id: 1, content: [UInt8](repeating: 7, count: 20_000))
        try fixture.store.edit("Add") { try $0.insertSection(NewSection(id: "list", items: [row])) }
        for _ in 0..<40 { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        try fixture.store.close()
        try UntypedStore.compact(at: path, Compaction(keeping: .from(20)))
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var end: Int?
        try DataFile.scan(path) { scan in
            try scan.forEachEntry { entry in
                guard entry.database == Array("contents".utf8) else { return }
                let number = entry.value.offset / scan.pageSize
                let reference = entry.key + (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
                let page = entry.page * scan.pageSize..<(entry.page + 1) * scan.pageSize
                end = bytes[page].firstRange(of: reference)?.upperBound
            }
        }
        let last = try #require(end) - 1
        bytes[last] = 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(throws: ListError.notRepairable(commits: 0, contents: 1, names: 0)) {
            try UntypedStore.repair(at: path)
        }
        #expect(FileManager.default.contents(atPath: path) == Data(bytes))
        withExtendedLifetime(fixture) {}
    }

    @Test("A store with a lost commit or in use is not repaired, and stays as it is")
    func refusals() throws {
        var edited = try EditedStore(seed: 4)
        try edited.edit(100)
        #expect(throws: (any Error).self) { try UntypedStore.repair(at: edited.path) }
        try edited.store.close()
        try SalvageTests.damage([50], in: edited.path)
        let before = try Data(contentsOf: URL(fileURLWithPath: edited.path))
        do {
            try UntypedStore.repair(at: edited.path)
            Issue.record("it was repaired")
        } catch ListError.notRepairable(let commits, _, _) {
            // The commits before the lost one are not lost, but would be in another store.
            #expect(commits == 50)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: edited.path)) == before)
    }

    @Test(
        "A backup has everything that was durable when it began, also while another store edits and when it only reads")
    func backup() throws {
        var options = StoreOptions()
        options.journal.storeDelay = .seconds(3_600)
        let fixture = try StoreFixture(options: options)
        try fixture.fill(20)
        try fixture.store.waitUntilDurable()
        let first = fixture.folder.file("first")
        #expect(try fixture.store.backup(to: first).version == Version(1))
        #expect(throws: ListError.self) { try fixture.store.backup(to: first) }
        for number in 0..<10 { try fixture.store.edit("toggle") { try $0.toggle(.item(.integer(Int64(number)))) } }
        // As a killed process leaves it, with commits in the journal only.
        let copy = fixture.folder.file("copy")
        try Data(contentsOf: URL(fileURLWithPath: fixture.path)).write(to: URL(fileURLWithPath: copy))
        var reading = options
        reading.isReadOnly = true
        let reader = try UntypedStore.open(at: copy, options: reading)
        #expect(reader.recovery.journalCommitCount == 10)
        let second = fixture.folder.file("second")
        let found = try reader.backup(to: second)
        #expect(try found.version == Version(11) && found.stateHash == fixture.store.snapshot.stateHash)
        try reader.close()
        try fixture.store.close()
        let store = try UntypedStore.open(at: second)
        #expect(try store.version == Version(11))
        try store.close()
    }

    @Test("A backup of a store that is only read does not take it behind what another process commits meanwhile")
    func backupMeanwhile() throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        let path = fixture.path
        let writer = try ChildProcess("StoreWriter", [path, "steps"])
        let commit: @Sendable (UInt64) -> Void = { number in
            _ = FileManager.default.createFile(atPath: "\(path)-step\(number)", contents: nil)
            _ = writer.firstLine()
        }
        commit(1)
        let meanwhile = Locked<(@Sendable () -> Void)?>(nil)
        var options = StoreOptions()
        options.isReadOnly = true
        options.journal.whenReading = { meanwhile.withLock { $0 }?() }
        let reader = try UntypedStore.open(at: path, options: options)
        let thread = Platform.currentThread
        meanwhile.withLock { call in
            call = {
                // The thread that catches up reads the journal as well.
                guard Platform.currentThread == thread, let version = try? reader.version, version < 3 else { return }
                commit(version.next.rawValue)
                for _ in 0..<50_000 where (try? reader.version) == version { usleep(200) }
            }
        }
        try reader.backup(to: fixture.folder.file("backup"))
        meanwhile.withLock { $0 = nil }
        let version = try reader.version
        #expect(version > 1)
        #expect(throws: Never.self) { try reader.commit(version) }
        _ = writer.kill()
        try reader.close()
    }

    /// Changes a byte in the last value of a database.
    static func spoil(_ database: String, in path: String) throws {
        var last: PageScan.Place?
        try DataFile.scan(path) { scan in
            try scan.forEachEntry { if $0.database == Array(database.utf8) { last = $0.value } }
        }
        let place = try #require(last)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(place.offset + place.count - 1))
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: UInt64(place.offset + place.count - 1))
        try file.write(contentsOf: [byte ^ 1])
    }
}
