// Tests opening: safe defaults, one opening of a file in a process, names, network file systems.

import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LMDB

@Suite struct OpeningTests {
    let folder = try! TemporaryFolder()

    @Test("Only the owner may read and write a new data file and lock file")
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
        "Commits are less durable only if an option says so",
        arguments: [
            (Environment.Durability.noMetaSync, UInt32(0x40000)), (.noSync, 0x10000),
        ])
    func durability(_ durability: Environment.Durability, _ flag: UInt32) throws {
        let environment = try folder.open { $0.durability = durability }
        #expect(try environment.engineFlags & 0x50000 == flag)
        let rows = try environment.texts()
        try environment.write { txn in try txn.put("x", forKey: 1, in: rows) }
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

    @Test("A process does not open the same file twice, under any name")
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

    @Test("A slow opening does not delay other files, and the file is opened once")
    func slowOpening() async throws {
        // Opening a pipe for reading waits until a writer opens it.
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let (isOpening, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let order = Order()
        // A thread, because a task that waits would occupy a thread of the pool.
        Thread {
            isOpening.signal()
            order.note(kind { _ = try Environment.open(path: pipe) } == nil ? "opened" : "refused")
            isDone.signal()
        }.start()
        while isOpening.wait(timeout: .now()) != .success { await Task.yield() }
        for name in ["a", "b"] {
            let environment = try folder.open(name)
            try DataFile.check(path: folder.file("c"))
            try environment.close()
        }
        // When the writer's end is closed, the pipe is empty, and LMDB cannot open it.
        try FileHandle(forWritingTo: URL(fileURLWithPath: pipe)).close()
        while isDone.wait(timeout: .now()) != .success { await Task.yield() }
        #expect(order.notes == ["refused"])
    }

    @Test("If threads open the same file at the same time, one succeeds and the others are refused")
    func sameFile() async throws {
        try folder.open().close()
        try FileManager.default.linkItem(atPath: folder.file(), toPath: folder.file("hard"))
        let folder = folder
        for _ in 0..<20 {
            let found = await withTaskGroup(of: Result<Environment, any Error>.self) { group in
                for index in 0..<8 { group.addTask { Result { try folder.open(index % 2 == 0 ? "data" : "hard") } } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let open = found.compactMap { try? $0.get() }
            #expect(open.count == 1)
            for case .failure(let error) in found {
                #expect((error as? LMDBError)?.kind == .alreadyOpen(path: open[0].path))
            }
            try open[0].close()
        }
    }

    @Test("An opening of a file waits for another opening of it that is still running")
    func heldOpening() async throws {
        let registry = EnvironmentRegistry()
        let path = folder.file("held")
        let (isHeld, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isDone = DispatchSemaphore(value: 0)
        let order = Order()
        Thread {
            try! registry.withClosedFile(path, "first") {
                order.note("first began")
                isHeld.signal()
                isReleased.wait()
                order.note("first ended")
            }
        }.start()
        while isHeld.wait(timeout: .now()) != .success { await Task.yield() }
        Thread {
            try! registry.withClosedFile(path, "second") { order.note("second") }
            isDone.signal()
        }.start()
        try registry.withClosedFile(folder.file("other"), "other") { order.note("other") }
        // Usually the second opening is waiting by now; if not, the result is the same.
        for _ in 0..<50 { await Task.yield() }
        isReleased.signal()
        while isDone.wait(timeout: .now()) != .success { await Task.yield() }
        #expect(order.notes == ["first began", "other", "first ended", "second"])
    }

    @Test("A file whose creation was interrupted is not emptied if another thread has finished it meanwhile")
    func finishedMeanwhile() throws {
        let path = folder.file("new")
        try folder.open("new").close()
        let fresh = try Data(contentsOf: URL(fileURLWithPath: path))
        let environment = try folder.open("new")
        let texts = try environment.texts()
        try environment.write { try $0.put("finished", forKey: 1, in: texts) }
        try environment.close()
        let finished = try Data(contentsOf: URL(fileURLWithPath: path))
        DataFile.remove(path)
        try fresh.prefix(fresh.count / 2).write(to: URL(fileURLWithPath: path))
        #expect(try DataFile.isUnfinished(path))
        let isDone = DispatchSemaphore(value: 0)
        try EnvironmentRegistry.shared.withClosedFile(path, "creation") {
            Thread {
                try! DataFile.resetUnfinished(path)
                isDone.signal()
            }.start()
            // Usually it has looked at the file by then, and waits; if not, the result is the same.
            Thread.sleep(forTimeInterval: 0.05)
            try! finished.write(to: URL(fileURLWithPath: path))
        }
        isDone.wait()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == finished)
    }

    /// What happened, in order.
    private final class Order: Sendable {
        private let list = Mutex<[String]>([])
        var notes: [String] { list.withLock { $0 } }
        func note(_ text: String) { list.withLock { $0.append(text) } }
    }

    @Test("A file is read without a lock file only if there is none and none can be made")
    func withoutLockFile() throws {
        do {
            let environment = try folder.open()
            let rows = try environment.texts()
            try environment.write { txn in try txn.put("x", forKey: 1, in: rows) }
        }
        #expect(try ChildProcess("LMDBTestHelper", ["read-unprivileged", folder.file()]).lines() == ["refused 13"])
        try FileManager.default.removeItem(atPath: folder.file("data-lock"))
        #expect(try ChildProcess("LMDBTestHelper", ["read-unprivileged", folder.file()]).lines() == ["read x"])
        #expect(!FileManager.default.fileExists(atPath: folder.file("data-lock")))
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

    @Test("Closing waits for a thread that keeps others from writing, and is refused to that thread itself")
    func closedMeanwhile() throws {
        let environment = try folder.open()
        try environment.whileNobodyWrites {
            #expect(kind { try environment.close() } == .closeBlocked(live: 1))
        }
        let (holds, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isClosed = Atomic(false)
        Thread.detachNewThread {
            try? environment.whileNobodyWrites {
                holds.signal()
                mayLeave.wait()
                let wasClosed = isClosed.load(ordering: .sequentiallyConsistent)
                #expect(!wasClosed)
            }
        }
        holds.wait()
        let closed = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            #expect(throws: Never.self) { try environment.close() }
            isClosed.store(true, ordering: .sequentiallyConsistent)
            closed.signal()
        }
        #expect(closed.wait(timeout: .now() + 0.05) == .timedOut)
        mayLeave.signal()
        closed.wait()
    }

    @Test("Programs that a process starts do not get its data file, whose lock they would keep when it is killed")
    func inheritance() throws {
        let environment = try folder.open()
        #expect(fcntl(try Engine.descriptor(environment.handle), F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test("A file is checked if it was opened with checks, also for generic code, which knows types only when it runs")
    func optionalReader() throws {
        func isThere<Value>(_ value: Value?) -> Bool { value != nil }
        for (name, gate) in [("off", .off), ("quick", .quick)] as [(String, Environment.Gate)] {
            for unloadsPages in [false, true] {
                let environment = try folder.open(name) {
                    $0.gate = gate
                    $0.unloadsPages = unloadsPages
                }
                #expect(try environment.read { isThere($0.core.reader) } == (gate != .off))
                try environment.close()
            }
        }
    }
}
