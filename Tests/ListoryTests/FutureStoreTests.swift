// Tests stores of a newer release: what can be opened, what is refused and how, and that editing them loses nothing.

import Foundation
import LMDB
@testable import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("Stores from the future")
struct FutureStoreTests {
    private static let payload: [UInt8] = [7, 0, 255, 128]

    /// A store whose third commit has events of an unknown kind.
    private static func store(kind: UInt8, _ change: (inout StoreOptions) -> Void = { _ in }) throws -> StoreFixture {
        let fixture = try StoreFixture(change)
        try fixture.fill(4)
        try fixture.store.edit("Move") { try $0.move(.item(0), to: .end(ofSection: "today")) }
        try fixture.store.edit("Newer") { list in
            try list.append(.unrecognised(kind: kind, payload: payload))
            try list.toggle(.item(1))
            try list.append(.unrecognised(kind: kind, payload: []))
        }
        return fixture
    }

    private static func records(_ store: UntypedStore) throws -> [[UInt8]] {
        var records: [[UInt8]] = []
        try store.forEachCommit(in: store.oldestVersion.next...store.version) { records.append($0.record) }
        return records
    }

    @Test("An unknown ancillary event is shown, skipped, and kept by edits, undos, copies and compaction")
    func ancillary() throws {
        let fixture = try Self.store(kind: 222, CheckpointTests.eager)
        let folder = fixture.folder
        let before = try Self.records(fixture.store)
        let events = try fixture.store.commit(Version(3)).events()
        #expect(events.count == 3 && events[0] == .unrecognised(kind: 222, payload: Self.payload))
        #expect(events[2] == .unrecognised(kind: 222, payload: []))
        try fixture.store.close()

        var store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(try store.snapshot.item(at: ListIndexPath(section: 0, item: 0))?.isChecked == true)
        let toggled = try store.snapshot.stateHash
        let undo = try #require(try store.undo().commit)
        #expect(try undo.events().count == 1)
        #expect(try store.snapshot.stateHash == store.snapshot(at: Version(2)).stateHash)
        try store.redo()
        #expect(try store.snapshot.stateHash == toggled)
        for index in 0..<40 { try store.edit("More") { try $0.toggle(.item(.integer(Int64(index % 4)))) } }
        #expect(try Array(Self.records(store)[..<3]) == before)
        // Replay backward over it, and forward from a checkpoint before it.
        #expect(try store.snapshot(at: Version(2)).stateHash == store.commit(Version(2)).stateHash)
        #expect(try store.snapshot(at: Version(3)).stateHash == toggled)
        let copy = folder.file("copy")
        try store.copy(to: copy)
        let all = try Self.records(store)
        try store.close()
        #expect(try StoreVerification(path: fixture.path).version == Version(UInt64(all.count)))
        let copied = try UntypedStore.open(at: copy, options: store.options)
        #expect(try Self.records(copied) == all)
        try copied.close()

        var compaction = Compaction()
        compaction.unpackedCount = 1
        let report = try UntypedStore.compact(at: fixture.path, compaction, options: store.options)
        // Its commit stays a record; the others are packed.
        #expect(report.unpackedCount == 2)
        _ = try StoreVerification(path: fixture.path)
        store = try UntypedStore.open(at: fixture.path, options: store.options)
        #expect(try Self.records(store) == all)
        #expect(try store.snapshot(at: Version(3)).stateHash == toggled)
        #expect(try store.commit(Version(3)).events() == events)
        try store.undo(42)
        #expect(try store.snapshot.stateHash == store.snapshot(at: Version(1)).stateHash)
        try store.close()
        // A compacted log can begin with it, and it can be dropped.
        try UntypedStore.compact(at: fixture.path, Compaction(keeping: .from(Version(3))), options: store.options)
        try UntypedStore.open(at: fixture.path).close()
    }

    @Test("An unknown critical event is an error with version, byte, kind and origin")
    func critical() throws {
        let fixture = try Self.store(kind: 64) { $0.checkpoints = .never }
        let record = try fixture.store.group.withRecord(of: Version(3)) { Array($0) }
        let offset = try Commit(record: record, version: Version(3)).eventsOffset
        try fixture.store.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let expected = RecordError(
            version: Version(3), offset: offset, problem: .unknown(what: "kind of event", found: 64))
        #expect(throws: ListError.failed(cause: expected)) { try UntypedStore.open(at: fixture.path) }
        #expect(throws: ListError.failed(cause: expected)) { try StoreVerification(path: fixture.path) }
        #expect(
            expected.description
                == "commit 3, byte \(offset): unknown kind of event 64: written by a newer version of the library")
        // Nothing was written by the attempt.
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == bytes)
    }

    @Test("After a checkpoint, an unknown critical event is an error only where it is read; nothing is half undone")
    func criticalBehindCheckpoint() throws {
        let fixture = try Self.store(kind: 64)
        try fixture.store.close()
        let store = try UntypedStore.open(at: fixture.path)
        let hash = try store.snapshot.stateHash
        #expect(throws: RecordError.self) { try store.commit(Version(3)).events() }
        expectCause(RecordError.self) { try store.undo() }
        // From the beginning, that is not on the way.
        #expect(try store.snapshot(at: Version(2)).version == 2)
        #expect(try store.snapshot.stateHash == hash && store.version == Version(3))
        try store.edit("Toggle") { try $0.toggle(.item(2)) }
        try store.undo()
        #expect(try store.snapshot.stateHash == hash)
        // A projection that reads it throws as well.
        expectCause(RecordError.self) { try store.projection(EditsPerDay.self).value }
        try store.close()
        expectCause(RecordError.self) { try StoreVerification(path: fixture.path) }
        expectCause(RecordError.self) { try UntypedStore.compact(at: fixture.path) }
        try UntypedStore.open(at: fixture.path).close()
    }

    @Test(
        "A flag, a cause and a format of a record that are not known are refused, each by its name",
        arguments: [
            (14, 16, RecordError.Problem.unknown(what: "flags", found: 16)),
            (15, 0x80, .unknown(what: "flags", found: 0x8000)),
            (13, 7, .unknown(what: "cause", found: 7)),
            (12, 200, .unknownFormat(found: 200)),
        ] as [(Int, UInt8, RecordError.Problem)])
    func header(offset: Int, byte: UInt8, problem: RecordError.Problem) throws {
        let fixture = try StoreFixture { $0.checkpoints = .never }
        try fixture.fill(2)
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        try fixture.store.close()
        try Self.changeNewest(fixture.path, Version(2)) { $0[offset] = byte }
        let error = expectCause(RecordError.self) { try UntypedStore.open(at: fixture.path) }
        #expect(error?.version == Version(2) && error?.problem == problem)
        #expect(error?.description.contains("newer version of the library") == true)
    }

    /// Changes the newest record and its checksum, as a newer release would have written it.
    private static func changeNewest(_ path: String, _ version: Version, _ change: (inout [UInt8]) -> Void) throws {
        let environment = try Environment.open(path: path)
        defer { try? environment.close() }
        let commits = try environment.openDatabase(named: "commits", of: UInt64.self, [UInt8].self)
        let meta = try environment.openDatabase(named: "meta", of: String.self, [UInt8].self)
        var (record, head) = try environment.read { txn in
            (try txn.get(version.rawValue, in: commits) ?? [], try txn.get("head", in: meta) ?? [])
        }
        change(&record)
        let checksum = record.withUnsafeBytes { RecordLayout.checksum($0, version: version) }
        withUnsafeBytes(of: checksum.littleEndian) {
            record.replaceSubrange(0..<8, with: $0)
            head.replaceSubrange(8..<16, with: $0)
        }
        let (newRecord, newHead) = (record, head)
        try environment.write { txn in
            try txn.put(newRecord, forKey: version.rawValue, in: commits)
            try txn.put(newHead, forKey: "head", in: meta)
        }
    }

    @Test("A file in a newer format is refused before anything else in it is read, and does not change")
    func fileFormat() throws {
        let fixture = try Self.store(kind: 222)
        try fixture.store.close()
        let environment = try Environment.open(path: fixture.path)
        let meta = try environment.openDatabase(named: "meta", of: String.self, [UInt8].self)
        let newer = LogFormat.magic + withUnsafeBytes(of: (LogFormat.version + 1).littleEndian) { Array($0) }
        try environment.write { try $0.put(newer, forKey: "format", in: meta) }
        try environment.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        #expect { try UntypedStore.open(at: fixture.path) } throws: { error in
            guard case .unknownFormat(_, LogFormat.version + 1, LogFormat.version) = error as? ListError else {
                return false
            }
            return true
        }
        #expect { try UntypedStore.compact(at: fixture.path) } throws: { ($0 as? ListError)?.code == "unknownFormat" }
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == bytes)
    }
}
