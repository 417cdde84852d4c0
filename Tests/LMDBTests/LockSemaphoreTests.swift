// Tests LMDB's locks where they are semaphores, which stay taken when their holder is killed. `Tools/lmdb-versions` builds
// LMDB so.

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LMDB

private let usesSemaphores = (try? TemporaryFolder().open().semaphores?.semaphores) != nil

@Suite(.enabled(if: usesSemaphores, "LMDB uses mutexes, which the system releases"))
struct LockSemaphoreTests {
    let folder = try! TemporaryFolder()

    @Test("A thread waits for ever for the lock of a killed writer; the next write makes it free")
    func killedWriter() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        let helper = try ChildProcess("LMDBTestHelper", ["hold-writer", environment.path])
        #expect(helper.firstLine() == "writing")
        helper.kill()
        // The control: LMDB alone.
        let isDone = Box(Mutex(false))
        Thread.detachNewThread {
            // SAFETY: the environment is closed after the thread has ended its transaction.
            if let transaction = try? Engine.begin(environment.handle, readOnly: false) { Engine.abort(transaction) }
            isDone.value.withLock { $0 = true }
        }
        usleep(200_000)
        #expect(!isDone.value.withLock { $0 })
        try environment.write { txn in try txn.put("x", forKey: 1, in: rows) }
        #expect(try environment.read { txn in try txn.get(1, in: rows) } == "x")
        while !isDone.value.withLock({ $0 }) { usleep(1_000) }
    }

    @Test("A commit of a killed writer that the lock file does not know yet is not overwritten")
    func killedAfterCommit() throws {
        let environment = try folder.open()
        let rows = try environment.texts()
        for key in 1...3 as ClosedRange<UInt64> {
            try environment.write { txn in try txn.put("x", forKey: key, in: rows) }
        }
        let semaphores = try #require(environment.semaphores?.semaphores)
        // As a process leaves it that is killed after it has written the meta page.
        #expect(Platform.tryTake(semaphores.writer) == 0)
        semaphores.lastTransaction.pointee -= 1
        #expect(try environment.read { txn in try txn.count(in: rows) } == 2, "the control: the last one is not seen")
        try environment.write { txn in try txn.put("x", forKey: 4, in: rows) }
        #expect(try environment.read { txn in try txn.count(in: rows) } == 4)
    }

    @Test("The lock of the reader table is made free as well, for reading, for clearing it, and for opening")
    func killedReader() throws {
        let environment = try folder.open()
        let semaphores = try #require(environment.semaphores?.semaphores)
        for _ in 0..<2 {
            #expect(Platform.tryTake(semaphores.reader) == 0)
            let readers = try [environment.beginReader(), environment.beginReader()]
            for reader in readers { Engine.abort(reader) }
        }
        #expect(Platform.tryTake(semaphores.reader) == 0)
        #expect(try environment.checkReaders() == 0)
        #expect(Platform.tryTake(semaphores.reader) == 0)
        #expect(try ChildProcess("LMDBTestHelper", ["open", environment.path]).lines() == ["opened"])
        // It is free again, once.
        #expect(Platform.tryTake(semaphores.reader) == 0)
        #expect(Platform.tryTake(semaphores.reader) == Platform.tryAgain)
        Platform.post(semaphores.reader)
    }

    @Test("A lock that another program has for a moment is waited for")
    func foreignHolder() throws {
        let environment = try folder.open()
        let semaphores = try #require(environment.semaphores?.semaphores)
        for semaphore in [semaphores.writer, semaphores.reader] {
            #expect(Platform.tryTake(semaphore) == 0)
            // SAFETY: any thread may post a semaphore.
            nonisolated(unsafe) let held = semaphore
            Thread.detachNewThread {
                usleep(20_000)
                Platform.post(held)
            }
            try environment.write { _ in }
            Engine.abort(try environment.beginReader())
            // Not freed twice.
            #expect(Platform.tryTake(semaphore) == 0)
            #expect(Platform.tryTake(semaphore) == Platform.tryAgain)
            Platform.post(semaphore)
        }
    }
}
