// Tests giving free pages back: when a store is closed, and while it is open.

import Foundation
import LMDB
import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("Giving free pages back")
struct GivingBackTests {
    private static let editCount = 2_000

    /// A store most of which is free, because its commits are packed, still open.
    private static func sparseStore(
        _ path: String, _ adjust: (inout StoreOptions) -> Void = { _ in }
    ) throws -> UntypedStore {
        var options = StoreOptions()
        (options.durability, options.coalescing) = (.deferred, .never)
        options.unpackedCount = 50
        options.packing.groupCount = 200
        options.packing.freeSize = 0
        adjust(&options)
        let store = try UntypedStore.create(at: path, options: options)
        try store.edit("Begin") { list in
            try list.insertSection(NewSection(id: "list", items: (0..<50).map { NewRow($0) }))
        }
        for number in 1..<editCount {
            try store.edit("Edit") { try $0.update(.integer(Int64(number % 50)), content: Array("row \(number)".utf8)) }
        }
        try store.group.flush(through: nil)
        return store
    }

    @Test("Closing a store makes its file smaller if most of it is free, and loses nothing")
    func closing() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        let store = try Self.sparseStore(path)
        let versions = stride(from: 0, through: UInt64(Self.editCount), by: 100).map { Version($0) }
        let hashes = try versions.map { try store.snapshot(at: $0).stateHash }
        let size = Platform.size(path)
        try store.close()
        #expect(Platform.size(path) < size, "\(Platform.size(path)) of \(size) bytes")
        let environment = try Environment.open(path: path)
        let used = try #require(try environment.databaseBytes())
        // The rest are the tree of names, and LMDB's own pages.
        let rest = try Platform.size(path) - used - 8 * environment.pageSize
        #expect(rest <= 0)
        try environment.close()
        #expect(!Platform.exists(path + "~made") && !Platform.exists(path + "~made-lock"))
        #expect(try StoreVerification(path: path).version == versions.last)
        let again = try UntypedStore.open(at: path)
        #expect(try versions.map { try again.snapshot(at: $0).stateHash } == hashes)
        #expect(try again.statistics().packedCommitCount > 1_500)
        for _ in 0..<60 { try again.undo() }
        #expect(try again.snapshot.stateHash == again.snapshot(at: Version(UInt64(Self.editCount - 60))).stateHash)
        try again.close()
        #expect(try StoreVerification(path: path).version == Version(UInt64(Self.editCount + 60)))
    }

    @Test(
        "The new file has no journal, unless another process that was killed has left commits in it",
        arguments: [false, true])
    func journal(isLeft: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        let closed = try Self.sparseStore(path) { $0.packing.freeSize = 1 << 30 }
        try closed.close()
        var options = StoreOptions()
        options.journal.storeDelay = .seconds(3_600)
        options.packing.freeSize = 1 << 30
        let store = try UntypedStore.open(at: path, options: options)
        // The first group of commits goes into the database, the next one into the journal.
        for _ in 0..<2 { try store.edit("Toggle") { try $0.toggle(.item(7)) } }
        let (version, hash) = try (store.version, store.snapshot.stateHash)
        let left = folder.file("left")
        try FileManager.default.copyItem(atPath: path, toPath: left)
        try store.close()
        if isLeft { try DataFile.replace(path, with: left) { true } }
        let size = Platform.size(path)
        closed.giveBack()
        #expect(Platform.size(path) < size / 2, "it was replaced")
        let environment = try Environment.open(path: path)
        let rows = try environment.openDatabase(named: LogFormat.journalDatabase, of: UInt64.self, [UInt8].self)
        #expect(try environment.read { try $0.count(in: rows) } == (isLeft ? 1 : 0))
        try environment.close()
        #expect(try StoreVerification(path: path).version == version)
        let again = try UntypedStore.open(at: path)
        #expect(try again.version == version && again.snapshot.stateHash == hash)
        try again.edit("Toggle") { try $0.toggle(.item(8)) }
        try again.close()
        #expect(try StoreVerification(path: path).version == version.next)
    }

    @Test("A file without a journal in which there is no room for one is opened, and edited without it")
    func noRoom() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        try Self.sparseStore(path).close()
        var options = StoreOptions()
        options.journal.size = (1 << 20) - JournalOptions.pageHeaderSize
        options.maximumFileSize = Platform.size(path) + (1 << 19)
        let store = try UntypedStore.open(at: path, options: options)
        for _ in 0..<5 { try store.edit("Toggle") { try $0.toggle(.item(7)) } }
        #expect(store.appendFailure == nil && store.group.log.journal.capacity == 0)
        let version = store.durableVersion
        #expect(version == Version(UInt64(Self.editCount) + 5))
        try store.close()
        #expect(try StoreVerification(path: path).version == version)
    }

    @Test("The control: without packing, and if more has to be free, the file stays as it is")
    func control() throws {
        let adjustments: [(inout StoreOptions) -> Void] = [
            { $0.unpackedCount = .max }, { $0.packing.freeSize = 1 << 30 },
        ]
        for adjust in adjustments {
            let folder = try TemporaryFolder()
            let path = folder.file("store")
            let store = try Self.sparseStore(path, adjust)
            let size = Platform.size(path)
            try store.close()
            #expect(Platform.size(path) >= size)
        }
    }

    @Test("A file that rows are still read from is not replaced")
    func readers() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        try Self.sparseStore(path) { $0.packing.freeSize = 1 << 30 }.close()
        var options = StoreOptions()
        options.unpackedCount = 50
        options.packing.freeSize = 0
        let store = try UntypedStore.open(at: path, options: options)
        let rows = try store.snapshot
        #expect(store.isMostlyFree)
        let size = Platform.size(path)
        try store.close()
        #expect(Platform.size(path) >= size)
        #expect(try rows.reading { rows.sections[0].items.map(\.id) } == (0..<50).map { .integer($0) })
    }

    @Test(
        "What an interrupted copy left is removed, and no file of the user's; while another file is made for the path, the file stays"
    )
    func interrupted() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        let other = folder.file("other")
        for (path, isClaimed) in [(path, false), (other, true)] {
            let store = try Self.sparseStore(path)
            let size = Platform.size(path)
            let (left, own) = (path + "~made", path + "-compacted")
            for name in [left, own] { try UntypedStore.create(at: name).close() }
            if isClaimed { try DataFile.claiming(path) { try store.close() } } else { try store.close() }
            #expect((Platform.size(path) < size) == !isClaimed)
            #expect(!Platform.exists(left) && Platform.exists(own))
            #expect(try StoreVerification(path: path).version == Version(UInt64(Self.editCount)))
        }
    }

    @Test("The new file has the permissions of the old one, and a file with several names stays")
    func attributes() throws {
        let folder = try TemporaryFolder()
        for hasNames in [false, true] {
            let path = folder.file("store \(hasNames)")
            let store = try Self.sparseStore(path)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            if hasNames { try FileManager.default.linkItem(atPath: path, toPath: path + " too") }
            let size = Platform.size(path)
            try store.close()
            #expect((Platform.size(path) < size) == !hasNames)
            // What could not take the place is not made.
            var isMade = false
            store.replaceFile { _ in
                isMade = true
                return nil
            }
            #expect(isMade == !hasNames)
            let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(permissions == 0o640)
        }
    }

    // MARK: - While it is open

    /// Edits a store without closing it, and keeps some of its snapshots.
    ///
    /// - Returns: by how much the disk space was more than twice what was in use, at most.
    private static func edit(_ count: Int, _ adjust: (inout StoreOptions) -> Void = { _ in }) throws -> Int {
        let folder = try TemporaryFolder()
        var options = StoreOptions()
        (options.durability, options.coalescing, options.unpackedCount) = (.deferred, .never, 400)
        // By the edits, so that each one finds what the one before has left.
        options.checkpoints.isBackground = false
        (options.packing.groupCount, options.packing.openFreeSize) = (100, 1 << 18)
        adjust(&options)
        let store = try UntypedStore.create(at: folder.file("store"), options: options)
        try store.edit("Begin") { list in
            try list.insertSection(NewSection(id: "list", items: (0..<400).map { NewRow($0) }))
        }
        var kept: [(rows: UntypedSnapshot, hash: StateHash)] = []
        var excess = 0
        for number in 1..<count {
            // Much at once, so that much becomes free at once.
            let size = number % 10_000 < 1_000 ? 2_000 : 60
            try store.edit("Edit") { list in
                let content = Array("row \(number)".utf8) + [UInt8](repeating: 7, count: size)
                try list.update(.integer(Int64(number % 400)), content: content)
            }
            if number % (count / 8) == 0 {
                let rows = try store.snapshot
                kept.append((rows, rows.stateHash))
            }
            guard number % 100 == 0 else { continue }
            // What a transaction is writing now is in no version yet.
            try store.group.flush(through: nil)
            let used = try #require(try store.group.log.environment.databaseBytes())
            excess = max(excess, Platform.diskSize(store.path) - 2 * used)
        }
        for (rows, hash) in kept {
            #expect(try store.snapshot(at: rows.version).stateHash == hash)
            #expect(try rows.reading { rows.sections[0].items.count } == 400)
            for item in rows.sections[0].items.prefix(20) {
                #expect(try store.source.content(of: item.content).count <= 2_010)
            }
        }
        return excess
    }

    @Test(
        "A store that is edited 50,000 times and never closed takes at most twice the disk space that it uses",
        .enabled(if: canMakeHoles, "this file system makes no holes"))
    func open() throws {
        let (excess, control) = (try Self.edit(50_000), try Self.edit(12_000) { $0.packing.openFreeSize = .max })
        // What is too little to be given back, and what the newest transaction has freed.
        #expect(excess <= 1 << 19 && control > 1 << 21, "\(excess), and \(control) bytes if nothing is given back")
    }

    private static let canMakeHoles: Bool = {
        guard let folder = try? TemporaryFolder(), let store = try? sparseStore(folder.file("store")) else {
            return false
        }
        var place: FreePagePlace?
        _ = try? store.group.log.environment.giveBackFreePages(&place, within: .seconds(1))
        return Platform.diskSize(store.path) < Platform.size(store.path)
    }()
}
