// Tests the file of a compacted store: the row that says where its log begins, and links to the file.

import Foundation
import LMDB
import ListModel
import TestSupport
import Testing

@testable @_spi(Sync) import Listory

@Suite("The file of a compacted store")
struct CompactedFileTests {
    /// A store whose log begins with version 20 of 60.
    private static func make(_ path: String) throws {
        let store = try UntypedStore.create(at: path)
        try store.edit("Fill") { list in
            let items = (0..<10).map { NewRow(id: .integer(Int64($0)), content: Array("row \($0)".utf8)) }
            try list.insertSection(NewSection(id: "today", title: "Today", items: items))
        }
        for step in 1..<60 {
            try store.edit("Toggle", durability: .deferred) { try $0.toggle(.item(.integer(Int64(step % 10)))) }
        }
        try store.close()
        var compaction = Compaction(keeping: .from(Version(20)))
        compaction.unpackedCount = 8
        try UntypedStore.compact(at: path, compaction)
    }

    /// Opens a store, edits it and uses everything that is computed from the beginning of its log.
    private static func use(_ path: String) throws {
        let store = try UntypedStore.open(at: path)
        defer { try? store.close(discardingUnappended: true) }
        _ = try store.statistics()
        try store.edit("Toggle") { try $0.toggle(.item(1)) }
        try store.checkpoint()
        _ = try store.snapshot(at: Version(30))
    }

    @Test("It has the permissions of the file before")
    func permissions() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try Self.make(path)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try UntypedStore.compact(at: path, Compaction())
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(permissions == 0o640)
    }

    @Test("A row with any changed byte is refused")
    func damagedBase() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try Self.make(path)
        let row = try OpeningTests.changeMeta(path, "base", [1, 2, 3])
        #expect(row.count == LogBase.byteCount)
        #expect { try Self.use(path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
        for place in row.indices {
            var damaged = row
            damaged[place] ^= 1 << UInt8(place % 8)
            try OpeningTests.changeMeta(path, "base", damaged)
            #expect("byte \(place)") { try Self.use(path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
            #expect(throws: ListError.self) { try StoreVerification(path: path) }
        }
        try OpeningTests.changeMeta(path, "base", row)
        try Self.use(path)
        #expect(try StoreVerification(path: path).version == Version(61))
    }

    @Test("A row of an earlier build, without a checksum, is read; if it is damaged, the process does not crash")
    func uncheckedBase() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try Self.make(path)
        let row = Array(try OpeningTests.changeMeta(path, "base", []).prefix(LogBase.uncheckedByteCount))
        try OpeningTests.changeMeta(path, "base", row)
        try Self.use(path)
        #expect(try StoreVerification(path: path).version == Version(61))
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for place in row.indices {
            for bit in [0, 7] {
                var damaged = row
                damaged[place] ^= 1 << UInt8(bit)
                try whole.write(to: URL(fileURLWithPath: path))
                try OpeningTests.changeMeta(path, "base", damaged)
                try? Self.use(path)
                _ = try? StoreVerification(path: path)
            }
        }
    }

    @Test("A head with impossible counts is refused")
    func impossibleHead() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try Self.make(path)
        let head = try OpeningTests.changeMeta(path, "head", [])
        for word in 2...3 {
            for byte in [UInt8(0), 255] {
                var other = head
                for place in 8 * word..<8 * word + 8 { other[place] = byte }
                try OpeningTests.changeMeta(path, "head", other)
                #expect { try Self.use(path) } throws: { ($0 as? ListError)?.code == "headMismatch" }
            }
        }
        try OpeningTests.changeMeta(path, "head", head)
        try Self.use(path)
    }

    @Test("If the path is a link, its target is locked and replaced, and the link stays")
    func link() throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let path = folder.file("list.listory")
        let link = other.file("link")
        try UntypedStore.create(at: path).close()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let child = try ChildProcess("StoreWriter", [path])
        _ = child.read()
        #expect { try UntypedStore.compact(at: link) } throws: { error in
            ["inUse", "writtenElsewhere"].contains((error as? ListError)?.code)
        }
        _ = child.kill()
        let report = try UntypedStore.compact(at: link, Compaction(keeping: .from(Version(1))))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["link"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
        #expect(try StoreVerification(path: path).version == report.version)
        let store = try UntypedStore.open(at: path)
        #expect(store.oldestVersion == Version(1))
        try store.close()
    }
}

@Suite("Damage")
struct DamageTests {
    @Test("A temporary error does not count as damage")
    func errors() {
        func engine(_ code: LMDBError.Code) -> LMDBError { LMDBError(.engine(code), in: "test") }
        for code in [.readersFull, .mapFull, .inputOutput, .outOfMemory, .noSpace, .tryAgain, .panic]
            as [LMDBError.Code]
        {
            #expect(!engine(code).saysDamage)
            #expect(!ListError.damagedNode(engine(code)).saysDamage)
        }
        #expect(!LMDBError(.resizeBlocked(live: 1), in: "test").saysDamage)
        #expect(!ListError.closed.saysDamage)
        #expect(!ListError.writtenElsewhere(expected: .empty, found: .empty).saysDamage)
        #expect(!CancellationError().saysDamage)
        #expect(engine(.corrupted).saysDamage && engine(.pageNotFound).saysDamage)
        #expect(ListError.damagedCheckpoint(.empty).saysDamage)
        #expect(ListError.unknownItem(1).saysDamage)
    }

    @Test("A file that another process keeps, or a disk that is full or fails, may be used again soon")
    func passing() {
        for kind in [.writerBusy(waited: .seconds(1)), .engine(.noSpace), .engine(.inputOutput)] as [LMDBError.Kind] {
            #expect(ListError(LMDBError(kind, in: "test")).mayPass)
        }
        #expect(ListError.appendFailed(durable: .empty, cause: LMDBError(.engine(.noSpace), in: "test")).mayPass)
        #expect(!ListError(LMDBError(.engine(.panic), in: "test")).mayPass && !ListError.closed.mayPass)
        #expect(!ListError.damagedCheckpoint(.empty).mayPass)
    }
}
