// Tests with other processes and threads: forks, dead readers, full reader tables, transactions that change threads.

import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LMDB

@Suite struct ProcessTests {
    let folder = try! TemporaryFolder()

    @Test("A fork cannot use or close its parent's environment, and its attempts do no harm")
    func fork() throws {
        let answers = try ChildProcess("LMDBTestHelper", ["fork", folder.file()]).lines()
        #expect(answers == ["calls 0", "transactions 0", "deinit 0", "own 0", "parent after 0"])
    }

    @Test(
        "What a process prints whose standard descriptors are closed goes into no file",
        arguments: ["0", "1", "2", "01", "12", "02", "012"])
    func closedStandardDescriptors(numbers: String) throws {
        let path = folder.file()
        _ = try ChildProcess("LMDBTestHelper", ["print", path, numbers]).lines()
        for file in [path, path + "-lock"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            #expect(bytes.range(of: Data("printed".utf8)) == nil, "\(file)")
        }
        try DataFile.check(path: path, depth: .full)
        let environment = try folder.open()
        #expect(try environment.read { try $0.get(1, in: environment.bytes()) } == [1, 2, 3])
    }

    @Test("The slot of a reader that was killed is freed by a reader check")
    func staleReader() throws {
        let environment = try folder.open()
        let helper = try ChildProcess("LMDBTestHelper", ["hold-reader", environment.path])
        #expect(helper.firstLine() == "reading")
        #expect(try environment.checkReaders() == 0)
        helper.kill()
        #expect(try environment.checkReaders() >= 1)
        #expect(try environment.checkReaders() == 0)
    }

    @Test("Opening frees the slots of dead readers")
    func staleReaderAtOpen() throws {
        let helper = try ChildProcess("LMDBTestHelper", ["hold-reader", folder.file()])
        #expect(helper.firstLine() == "reading")
        // Another process keeps the lock file open, so it is not simply initialised again.
        let keeper = try ChildProcess("LMDBTestHelper", ["hold-reader", folder.file()])
        #expect(keeper.firstLine() == "reading")
        helper.kill()
        let environment = try folder.open()
        #expect(try environment.checkReaders() == 0)
        keeper.kill()
    }

    @Test("If the lock file is deleted while it is in use, who is behind is told so, and writes over no commit")
    func deletedLockFile() throws {
        func writeElsewhere() throws {
            let other = try ChildProcess("LMDBTestHelper", ["write", folder.file(), "\(1 << 20)", "1"])
            #expect(other.lines() == ["written"])
        }
        // It makes its database, so that later it makes one transaction at a time.
        try writeElsewhere()
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { try $0.put("own", forKey: 1, in: rows) }
        let lockFile = LockFile.path(of: environment.path)
        Platform.remove(lockFile)
        try writeElsewhere()
        let replaced = LMDBError.Kind.lockFileReplaced(path: lockFile)
        #expect(kind { try environment.write { try $0.put("lost", forKey: 1, in: rows) } } == replaced)
        // The version that it knows is still in the file.
        #expect(try environment.read { try $0.get(1, in: rows) } == "own")
        try writeElsewhere()
        #expect(kind { try environment.read { _ in } } == replaced)
        #expect(kind { try environment.write { try $0.put("lost", forKey: 1, in: rows) } } == replaced)
        try environment.close()
        let again = try folder.open()
        let same = try again.texts()
        #expect(try again.read { try $0.get(1, in: same) } == "own")
        try again.write { try $0.put("next", forKey: 1, in: same) }
        try again.close()
        try DataFile.check(path: folder.file(), depth: .full)
    }

    @Test("Opening waits only for a limited time for a process that keeps the exclusive lock of the lock file")
    func exclusiveLockFile() throws {
        try folder.open().close()
        let other = try ChildProcess("LMDBTestHelper", ["hold-byte", LockFile.path(of: folder.file()), "0"])
        #expect(other.firstLine() == "holding")
        let found = kind { _ = try folder.open { $0.writerTimeout = .milliseconds(50) } }
        guard case .writerBusy = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        other.kill()
        try folder.open().close()
    }

    @Test("A process that has the id of another one, as in another container, is told so when it opens the file")
    func sameProcessID() throws {
        try folder.open().close()
        let other = try ChildProcess("LMDBTestHelper", ["hold-byte", LockFile.path(of: folder.file()), "\(getpid())"])
        #expect(other.firstLine() == "holding")
        let error = #expect(throws: LMDBError.self) { try folder.open() }
        #expect(error?.code == .tryAgain && error?.detail?.contains("\(getpid())") == true)
        other.kill()
        try folder.open().close()
    }

    @Test("A reader table full of dead readers is cleared, and the read succeeds")
    func readersFullOfDead() throws {
        let environment = try folder.open { $0.maximumReaders = 2 }
        let first = try ChildProcess("LMDBTestHelper", ["hold-reader", environment.path])
        #expect(first.firstLine() == "reading")
        let second = try ChildProcess("LMDBTestHelper", ["hold-reader", environment.path])
        #expect(second.firstLine() == "reading")
        first.kill()
        second.kill()
        try environment.read { _ in }
    }

    @Test("A reader table full of living readers is a typed error")
    func readersFull() throws {
        let environment = try folder.open { $0.maximumReaders = 2 }
        let first = try environment.beginRead()
        let second = try environment.beginRead()
        #expect(kind { try environment.read { _ in } } == .engine(.readersFull))
        first.abort()
        try environment.read { _ in }
        second.abort()
    }

    @Test("One thread may have several read transactions")
    func severalReaders() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        let before = try environment.beginRead()
        try environment.write { txn in try txn.put("new", forKey: 1, in: rows) }
        let after = try environment.beginRead()
        #expect(try before.get(1, in: rows) == nil)
        #expect(try after.get(1, in: rows) == "new")
        before.abort()
        after.abort()
    }

    @Test("A read transaction may begin on one thread and end on another")
    func threads() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        try environment.write { txn in try txn.put("here", forKey: 1, in: rows) }
        let held = Mutex<ReadTransaction?>(try environment.beginRead())
        let text = try onAnotherThread {
            let transaction = held.withLock { $0.take()! }
            return try transaction.get(1, in: rows)
        }
        #expect(text == "here")
        try environment.close()
    }

    @Test("Handles are reused: many reads on many threads take few slots")
    func pooling() async throws {
        let environment = try folder.open { $0.maximumReaders = 32 }
        let rows = try environment.texts()
        try environment.write { txn in try txn.put("x", forKey: 1, in: rows) }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try (0..<200).reduce(0) { sum, _ in
                        try environment.read { txn in try sum + txn.count(in: rows) }
                    }
                }
            }
            for try await sum in group { #expect(sum == 200) }
        }
        #expect(try environment.information.readers <= 8)
    }

    @Test("A write transaction that another thread commits is refused, and so are later writes")
    func wrongThread() throws {
        let environment = try folder.open()
        let held = Mutex<WriteTransaction?>(try environment.beginWrite())
        let found = try onAnotherThread {
            kind { try held.withLock { $0.take()! }.commit() }
        }
        #expect(found == .wrongThread)
        #expect(kind { try environment.write { _ in } } == .wrongThread)
        try environment.read { _ in }
    }

    @Test("Threads that wait while another process holds the file are refused together, not one after the other")
    func refusedTogether() throws {
        let timeout = Duration.milliseconds(500)
        let environment = try folder.open { $0.writerTimeout = timeout }
        // Another opening of the file has a lock of its own, as another process has.
        let other = open(environment.path, O_RDWR)
        defer { close(other) }
        #expect(Platform.tryLock(other) == 0)
        let (waits, threads) = (Box(Mutex<[Duration]>([])), DispatchGroup())
        for _ in 0..<16 {
            threads.enter()
            Thread.detachNewThread {
                let start = ContinuousClock.now
                if case .writerBusy? = kind({ try environment.write { _ in } }) {
                    waits.value.withLock { $0.append(.now - start) }
                }
                threads.leave()
            }
        }
        threads.wait()
        let found = waits.value.withLock { $0 }
        #expect(found.count == 16)
        // One after the other, the last would have waited 16 times as long.
        try #expect(#require(found.max()) < timeout * 8)
        Platform.unlock(other)
        try environment.write { _ in }
    }

    @Test("Writes of many threads wait for each other, and none is lost")
    func concurrentWrites() async throws {
        let environment = try folder.open { options in
            options.durability = .noSync
            options.mapSize = 64 * 1024
            options.resizeTimeout = .seconds(60)
        }
        let rows = try environment.texts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 as Range<UInt64> {
                group.addTask {
                    for step in 0..<100 as Range<UInt64> {
                        try environment.write { txn in
                            try txn.put(String(repeating: "w", count: 500), forKey: worker * 1000 + step, in: rows)
                        }
                        _ = try environment.read { txn in try txn.count(in: rows) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try environment.read { txn in try txn.count(in: rows) } == 400)
    }

    private func onAnotherThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) throws -> Result {
        let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let box = Box(outcome)
        Thread.detachNewThread {
            box.value.withLock { $0 = Swift.Result { try body() } }
            done.signal()
        }
        done.wait()
        return try box.value.withLock { try $0!.get() }
    }
}

/// Shares a value that cannot be copied.
final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}
