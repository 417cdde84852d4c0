// Opening: safe defaults, one open a file and process, names, network file systems.

import Foundation
import LMDB
import TestSupport
import Testing

@Suite struct OpeningTests {
    let folder = try! TemporaryFolder()

    @Test("A new data file and lock file let only the owner in")
    func fileMode() throws {
        let environment = try folder.open()
        for path in [environment.path, environment.path + "-lock"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("The default flags sync every commit and bind no reader to a thread")
    func flags() throws {
        let environment = try Environment.open(path: folder.file())
        let flags = try environment.engineFlags
        #expect(flags & 0x10000 == 0, "MDB_NOSYNC")
        #expect(flags & 0x40000 == 0, "MDB_NOMETASYNC")
        #expect(flags & 0x80000 == 0, "MDB_WRITEMAP")
        #expect(flags & 0x100000 == 0, "MDB_MAPASYNC")
        #expect(flags & 0x400000 == 0, "MDB_NOLOCK")
        #expect(flags & 0x200000 != 0, "MDB_NOTLS")
        #expect(flags & 0x4000 != 0, "MDB_NOSUBDIR")
        #expect(try environment.information.maximumReaders == 1022)
        #expect(environment.maximumKeySize == 511)
    }

    @Test(
        "Less durability is had only when asked for",
        arguments: [
            (Environment.Durability.noMetaSync, UInt32(0x40000)), (.noSync, 0x10000),
        ])
    func durability(_ durability: Environment.Durability, _ flag: UInt32) throws {
        let environment = try folder.open { $0.durability = durability }
        #expect(try environment.engineFlags & 0x50000 == flag)
        let rows = try environment.texts()
        try environment.write { txn in try txn.put("x", forKey: 1, in: rows) }
        try environment.sync()
    }

    @Test("Map sizes are rounded up to multiples of 16 KiB", arguments: [1, 16_384, 16_385, 1_000_000, 1 << 20])
    func rounding(_ size: Int) throws {
        let environment = try folder.open { $0.mapSize = size }
        let mapSize = try environment.mapSize
        #expect(mapSize % 16_384 == 0)
        #expect(mapSize >= size && mapSize < size + 16_384)
    }

    @Test("A map is at least as large as its file, in multiples of 16 KiB")
    func mapOfLargerFile() throws {
        do {
            let environment = try folder.open()
            let rows = try environment.bytes()
            try environment.write { txn in try txn.put([UInt8](repeating: 1, count: 500_000), forKey: 1, in: rows) }
        }
        let environment = try folder.open { $0.mapSize = 1 }
        #expect(try environment.mapSize >= environment.fileSize)
        #expect(try environment.mapSize % 16_384 == 0)
    }

    @Test("The same file is not opened twice in a process, by whatever name")
    func registry() throws {
        let environment = try folder.open()
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: folder.file())
        try FileManager.default.linkItem(atPath: folder.file(), toPath: folder.file("hard"))
        try FileManager.default.createSymbolicLink(atPath: folder.file("folder"), withDestinationPath: folder.path)
        for name in ["data", "link", "hard", "./data", "folder/data"] {
            #expect(kind { _ = try folder.open(name) } == .alreadyOpen(path: environment.path), "\(name)")
        }
        #expect(kind { try DataFile.check(path: folder.file("hard")) } == .alreadyOpen(path: environment.path))
        try environment.close()
        try folder.open("link").close()
        try folder.open("hard").close()
    }

    @Test("All symbolic names of a file share one lock file")
    func lockFile() throws {
        try folder.open().close()
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: folder.file())
        let environment = try folder.open("link")
        #expect(environment.path.hasSuffix("/data"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("link-lock")))
    }

    @Test("A dropped environment closes its file")
    func deinitCloses() throws {
        do { _ = try folder.open().texts() }
        try folder.open().close()
    }

    @Test("A closed environment refuses every use, and a second close does nothing")
    func closed() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.close()
        try environment.close()
        #expect(kind { try environment.read { txn in _ = try txn.get(1, in: rows) } } == .closed)
        #expect(kind { try environment.write { _ in } } == .closed)
        #expect(kind { _ = try environment.information } == .closed)
        #expect(kind { try environment.growMap(to: 1 << 30) } == .closed)
    }

    @Test("An environment with live transactions is not closed")
    func closeBlocked() throws {
        let environment = try folder.open()
        let reading = try environment.beginRead()
        let writing = try environment.beginWrite()
        #expect(kind { try environment.close() } == .closeBlocked(live: 2))
        reading.abort()
        #expect(kind { try environment.close() } == .closeBlocked(live: 1))
        writing.abort()
        try environment.close()
    }

    @Test("A transaction keeps its environment alive")
    func lifetime() throws {
        var environment: Environment? = try folder.open()
        let rows = try environment!.texts()
        try environment!.write { txn in try txn.put("x", forKey: 1, in: rows) }
        let transaction = try environment!.beginRead()
        environment = nil
        #expect(try transaction.get(1, in: rows) == "x")
        transaction.abort()
        try folder.open().close()
    }

    @Test("A read-only environment reads and does not write")
    func readOnly() throws {
        #expect(kind { _ = try folder.open { $0.isReadOnly = true } } == .engine(.noSuchFile))
        do {
            let environment = try folder.open()
            let rows = try environment.texts()
            try environment.write { txn in try txn.put("x", forKey: 1, in: rows) }
        }
        let environment = try folder.open { $0.isReadOnly = true }
        let rows = try environment.openDatabase(named: "texts", of: UInt64.self, String.self)
        let again = try environment.openDatabase(named: "texts", of: UInt64.self, String.self)
        #expect(rows.handle == again.handle)
        #expect(try environment.read { txn in try txn.get(1, in: rows) } == "x")
        #expect(kind { try environment.write { _ in } } == .readOnly)
        #expect(kind { _ = try environment.texts("new") } == .readOnly)
        #expect(
            kind { _ = try environment.openDatabase(named: "none", of: UInt64.self, String.self) }
                == .engine(.notFound))
    }

    @Test("Unusable paths are refused with a reason")
    func paths() throws {
        #expect(kind { _ = try Environment.open(path: "") } == .invalidName(""))
        #expect(kind { _ = try Environment.open(path: "a\0b") } == .invalidName("a\0b"))
        #expect(kind { _ = try folder.open("no/such/folder") } == .engine(.noSuchFile))
        #expect(kind { _ = try Environment.open(path: folder.path) } != nil)
        try FileManager.default.createSymbolicLink(atPath: folder.file("loose"), withDestinationPath: "nowhere")
        #expect(kind { _ = try folder.open("loose") } == .engine(.noSuchFile))
    }

    @Test("Unknown error codes keep their number")
    func unknownCodes() {
        let code = LMDBError.Code(rawValue: -30_001)
        let error = LMDBError(.engine(code), in: "mdb_put", detail: "a test")
        #expect(error.code?.rawValue == -30_001)
        #expect(error.description.contains("mdb_put") && error.description.contains("a test"))
        #expect(LMDBError.Code.mapFull.rawValue == -30_792)
        #expect(LMDBError.Code.notFound.message.contains("NOTFOUND"))
    }
}
