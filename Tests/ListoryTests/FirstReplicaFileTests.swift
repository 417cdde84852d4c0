// Tests the first file of a replica, which several programs may make at the same time.

import Foundation
import LMDB
import ListModel
import TestSupport
import Testing

@_spi(Sync) @testable import Listory

@Suite("The first file of a replica")
struct FirstReplicaFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/list"
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private static func fill(_ path: String, _ title: String) throws {
        let store = try UntypedStore.create(at: path)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: 1, title: title)) }
        try store.beginSharing()
        try store.close()
    }

    private func title() throws -> String {
        let store = try UntypedStore.open(at: path)
        defer { try? store.close() }
        return try store.snapshot.sections[0].title
    }

    @Test("It is there when it is complete, and alone; another one is not made")
    func made() throws {
        let isMade = try UntypedStore.makeReplica(at: path) { scratch in
            try Self.fill(scratch, "first")
            #expect(!FileManager.default.fileExists(atPath: path))
            return true
        }
        #expect(isMade)
        #expect(try names == ["list"])
        #expect(try !UntypedStore.makeReplica(at: path) { _ in throw ListError.closed })
        #expect(try title() == "first")
    }

    @Test("While commits are pending, a snapshot that is not made needs no place for its file")
    func nothingToClaim() throws {
        let store = try UntypedStore.create(at: path)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: 1)) }
        try store.beginSharing()
        try DataFile.claiming(path) {
            let made = try store.withSnapshot { _, _ in true }
            #expect(made == nil)
            let count = try store.confirm(store.pendingRecords(atMost: .max))
            #expect(count == 1)
            #expect(throws: ListError.self) { try store.withSnapshot { _, _ in true } }
        }
        try store.close()
    }

    @Test("A sound file with other rows than those of the commit with which it ends is no snapshot")
    func otherRows() throws {
        func store(_ name: String, _ id: UntypedID) throws -> UntypedStore {
            let store = try UntypedStore.create(at: folder.file(name))
            try store.edit("Begin") { try $0.insertSection(NewSection(id: 1, items: [NewRow(id: id, content: [])])) }
            return store
        }
        let (a, other) = (try store("a", 1), try store("b", 2))
        try a.beginSharing()
        #expect(try a.confirm(a.pendingRecords(atMost: .max)) == 1)
        let record = try a.sharedRecord(of: 1)
        let position = try a.withSnapshot { copy, position in
            try FileManager.default.copyItem(atPath: copy, toPath: path)
            return position
        }
        #expect(position == a.confirmed)
        #expect(try UntypedStore.isSnapshot(at: path, endingWith: record, 1))
        #expect(throws: RecordError.self) {
            try UntypedStore.isSnapshot(at: path, endingWith: Array(record.dropLast()), 1)
        }
        #expect(try !UntypedStore.isSnapshot(at: path, endingWith: other.sharedRecord(of: 1), 1))
        // As the snapshot, with the rows of the other one.
        let forged = folder.file("forged")
        var base = LogBase()
        (base.version, base.lastPacked, base.checksum) = (1, 1, try a.commit(1).checksum)
        var file = try NewStoreFile(at: forged, StoreOptions())
        var state = ListState(NodePool(limits: NewStoreFile.limits, source: file.database))
        let rows = try other.snapshot
        _ = try file.putContents([rows.sections[0].items[0].content]) { _ in [] }
        try file.begin(
            &state, with: [FirstVersion(totals: base, rows: rows, histories: HistoryTable())], contentOf: { _ in [] })
        try file.put(base)
        try file.close()
        _ = try CommitLog.confirmAll(of: forged)
        #expect(try UntypedStore.confirmed(at: forged) == a.confirmed)
        #expect(try StoreVerification(path: forged).stateHash == rows.stateHash)
        #expect(try !UntypedStore.isSnapshot(at: forged, endingWith: record, 1))
    }

    @Test("One that is not wanted, or fails, leaves nothing")
    func refused() throws {
        #expect(
            try !UntypedStore.makeReplica(at: path) { scratch in
                try Self.fill(scratch, "unwanted")
                return false
            })
        #expect(try names == [])
        #expect(throws: ListError.readOnly) {
            try UntypedStore.makeReplica(at: path) { scratch in
                try Self.fill(scratch, "failed")
                throw ListError.readOnly
            }
        }
        #expect(try names == [])
    }

    @Test("What a program has left that was killed is not used")
    func leftover() throws {
        for name in ["", "-lock", "-processes"] {
            try Data("left".utf8).write(to: URL(fileURLWithPath: path + "~making" + name))
        }
        #expect(
            try UntypedStore.makeReplica(at: path) { scratch in
                try Self.fill(scratch, "whole")
                return true
            })
        #expect(try names == ["list"] && title() == "whole")
    }

    @Test("Of two programs, the second is told to wait, and a file that an app has made meanwhile stays")
    func together() throws {
        let isMade = try UntypedStore.makeReplica(at: path) { scratch in
            #expect(throws: ListError.inUse(path: path)) {
                try UntypedStore.makeReplica(at: path) { _ in throw ListError.closed }
            }
            try Self.fill(scratch, "program")
            try Self.fill(path, "app")
            return true
        }
        #expect(!isMade)
        #expect(try title() == "app")
        #expect(try names.filter { $0.contains("~") } == [])
    }
}
