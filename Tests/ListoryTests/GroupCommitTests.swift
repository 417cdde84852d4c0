// Tests waiting for durability: no thread or task waits forever, acknowledged commits are in the file, failures reach
// all waiters.

import Foundation
import LMDB
import ListModel
import Synchronization
import TestSupport
import Testing

@testable import Listory

@Suite("Waiting for durability")
struct GroupCommitTests {
    @Test("64 threads and 64 tasks that wait in every way all return, and acknowledged commits are in the file")
    func everybodyComesBack() async throws {
        var options = StoreOptions()
        options.maximumPendingBytes = 2_000
        options.deferredDelay = .milliseconds(1)
        let fixture = try StoreFixture(options: options)
        let store = fixture.store
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "today")) }
        let writers = Writers(store)
        for writer in 0..<64 {
            writers.onThread { writers in
                var generator = SeededGenerator(seed: UInt64(writer))
                for step in 0..<40 { try writers.write(writer, step, Int(generator.next() % 4)) }
            }
            writers.inTask { writers in
                var generator = SeededGenerator(seed: UInt64(100 + writer))
                for step in 0..<40 { try await writers.writeAsync(64 + writer, step, Int(generator.next() % 3)) }
            }
        }
        try #require(await writers.finish(), "some writers never came back")
        #expect(writers.failures.isEmpty)
        let acknowledged = writers.acknowledged
        // Acknowledged commits must be in the file already, not only after the store is closed.
        #expect(acknowledged <= store.durableVersion)
        try store.close(discardingUnappended: true)
        let reopened = try UntypedStore.open(at: fixture.path)
        #expect(try reopened.version >= acknowledged)
        #expect(try reopened.version == Version(1 + 128 * 40))
        try reopened.close()
        #expect(try StoreVerification(path: fixture.path).commitCount == 1 + 128 * 40)
    }

    @Test("Who reads a commit that is being made again waits until it is there")
    func readWhileMadeAgain() throws {
        let fixture = try StoreFixture {
            $0.durability = .deferred
            $0.deferredDelay = .seconds(3_600)
        }
        let store = fixture.store
        try fixture.fill(1)
        try store.edit("Toggle") { try $0.toggle(.item(0)) }
        let queue = try store.group.pause()
        store.group.replaceQueue(after: queue.head, shift: 0, replacing: false)
        let readers = [
            RunningThread { _ = try store.commit(2) },
            RunningThread { _ = try store.commitInfo(2) },
            RunningThread { _ = try store.version(at: Timestamp(microseconds: .max)) },
        ]
        usleep(50_000)
        #expect(readers.allSatisfy { !$0.hasEnded })
        store.group.restore(queue)
        store.group.resume()
        for reader in readers { try reader.wait() }
        try store.close()
    }

    @Test("While commits are being written, nobody is told that they are durable; nor of those after them afterwards")
    func duringTheWrite() async throws {
        let fixture = try StoreFixture {
            $0.durability = .deferred
            $0.deferredDelay = .seconds(3_600)
            $0.journal.storeDelay = .seconds(3_600)
        }
        let store = fixture.store
        try fixture.fill(1)
        try store.waitUntilDurable()
        func edit() throws -> Version { try store.edit("Toggle") { try $0.toggle(.item(0)) }!.version }
        let told = Locked<[String]>([])
        // Each waiter that is released checks that its version is durable.
        @Sendable func note(_ who: String, _ version: Version) {
            let isDurable = store.durableVersion >= version
            told.withLock { $0.append(isDurable ? who : "\(who), too early") }
        }
        for round in 0..<20 {
            told.withLock { $0 = [] }
            // As long as another writer has the lock, the leader's write does not end.
            let isReleased = try await store.group.holdWriter()
            let versions = [try edit(), try edit(), try edit()]
            let last = versions[2]
            Thread {
                try! store.waitUntilDurable(last)
                note("leader", last)
            }.start()
            let group = store.group
            // A background flush that has stayed may lead a group with only the first of them.
            while group.monitor.withLock({ group.state.waiting.first <= versions[0] }) {
                try await Task.sleep(for: .microseconds(100))
            }
            Thread {
                try! store.waitUntilDurable(versions[0])
                note("thread", versions[0])
            }.start()
            Task {
                try await store.durable(versions[0])
                note("task", versions[0])
            }
            let next = try edit()
            Task {
                try await store.durable(next)
                note("task of the next group", next)
            }
            try await Task.sleep(for: .milliseconds(2))
            #expect(told.withLock { $0 } == [], "round \(round)")
            #expect(store.durableVersion < versions[0], "round \(round)")
            isReleased.signal()
            while told.withLock({ $0.count }) < 4 { try await Task.sleep(for: .microseconds(100)) }
            #expect(
                told.withLock { $0.sorted() } == ["leader", "task", "task of the next group", "thread"],
                "round \(round)")
        }
        try store.close()
    }

    @Test("A background flush that continues after a lost race is woken by the leader for which it waits")
    func continuedFlush() async throws {
        let fixture = try StoreFixture {
            $0.durability = .deferred
            $0.deferredDelay = .seconds(3_600)
            $0.journal.storeDelay = .seconds(3_600)
        }
        let (store, group) = (fixture.store, fixture.store.group)
        try fixture.fill(1)
        try store.waitUntilDurable()
        func edit() throws { try store.edit("Toggle") { try $0.toggle(.item(0)) } }
        func wait(until isTrue: (GroupCommit.State) -> Bool) async throws {
            while !group.monitor.withLock({ isTrue(group.state) }) { try await Task.sleep(for: .microseconds(100)) }
        }
        // As long as another writer has the lock, the leader's write does not end.
        let isReleased = try await group.holdWriter()
        try edit()
        // One that does not wait for others, so that the next group is complete with one thread.
        Thread { _ = try! group.flush(through: nil) }.start()
        try await wait { $0.isLed }
        try edit()
        // A flush takes its group, loses it, and continues: then none is announced.
        group.flushInBackground()
        try await wait { $0.waiters.threadCount == 1 }
        let hasReturned = Locked(false)
        Thread {
            try! store.waitUntilDurable()
            hasReturned.withLock { $0 = true }
        }.start()
        try await wait { $0.waiters.threadCount == 2 }
        isReleased.signal()
        while !hasReturned.withLock({ $0 }) { try await Task.sleep(for: .microseconds(100)) }
        #expect(try store.durableVersion == store.version)
        try store.close()
    }

    @Test("Commits that were queued while others could not be appended follow them, though nobody waits for them")
    func queuedDuringAFailure() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        var options = StoreOptions()
        (options.durability, options.deferredDelay) = (.deferred, .milliseconds(20))
        (options.lockTimeout, options.retryDelay) = (.milliseconds(500), .seconds(2))
        let store = try UntypedStore.create(at: path, options: options)
        try store.edit("Begin", durability: .immediate) { try $0.insertSection(NewSection(id: "rows")) }
        let group = store.group
        func edit() throws { try store.edit("Insert") { try $0.insertSection(NewSection(id: .uuid(UUID()))) } }
        func wait(until isTrue: (GroupCommit.State) -> Bool) {
            let end = ContinuousClock.now + .seconds(60)
            while !group.monitor.withLock({ isTrue(group.state) }) && ContinuousClock.now < end { usleep(200) }
        }
        for attempt in 1...10 {
            let failureCount = group.monitor.withLock { group.state.attempts.failureCount }
            let other = try ChildProcess("LMDBTestHelper", ["hold-writer", path])
            #expect(other.firstLine() == "writing")
            try edit()
            wait { $0.isLed }
            do { try edit() } catch ListError.appendFailed where attempt < 10 {
                // This thread was too slow.
                other.kill()
                try store.waitUntilDurable()
                continue
            }
            // By the timer of the second one, before it is tried again.
            wait { $0.attempts.failureCount == failureCount + 2 }
            other.kill()
            break
        }
        wait { $0.isEmpty }
        #expect(try store.durableVersion == store.version && store.appendFailure == nil)
        try store.close()
    }

    @Test("A version that does not exist is not waited for")
    func unknownVersion() throws {
        let fixture = try StoreFixture()
        try fixture.fill(1)
        #expect(throws: ListError.unknownVersion(Version(9), head: Version(1))) {
            try fixture.store.source.snapshot(at: Version(9))
        }
        try fixture.store.close()
    }

    @Test("A task is told, and a failure ends, if another process has appended the commits of this one")
    func foundInTheLog() async throws {
        let fixture = try StoreFixture()
        try fixture.fill(1)
        try fixture.store.waitUntilDurable()
        let group = fixture.store.group
        let queue = try group.pause()
        #expect(queue.commits.isEmpty)
        group.isFailing.store(true, ordering: .releasing)
        let task = Task {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let waiting = GroupCommit.WaitingTask(version: queue.head.version, continuation: continuation)
                group.monitor.withLock { group.state.waiters.tasks.append(waiting) }
            }
        }
        while group.monitor.withLock({ group.state.waiters.tasks.isEmpty }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        group.resume()
        try await task.value
        #expect(!group.hasFailed)
        try fixture.store.close()
    }

    @Test("A task waits for its commit, however many commits of other processes have come before it")
    func shiftedTask() async throws {
        let fixture = try StoreFixture {
            $0.durability = .deferred
            $0.deferredDelay = .seconds(3_600)
        }
        try fixture.fill(1)
        let group = fixture.store.group
        let version = try fixture.store.version
        let queue = try group.pause()
        let task = Task {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let waiting = GroupCommit.WaitingTask(version: version, continuation: continuation)
                group.monitor.withLock { group.state.waiters.tasks.append(waiting) }
            }
        }
        func waitedFor() -> [Version] { group.monitor.withLock { group.state.waiters.tasks.map(\.version) } }
        while waitedFor().isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        group.replaceQueue(after: queue.head, shift: 3, replacing: true)
        #expect(waitedFor() == [Version(version.rawValue + 3)])
        group.restore(queue)
        #expect(waitedFor() == [version])
        group.resume()
        try await task.value
        #expect(fixture.store.durableVersion == version)
        try fixture.store.close()
    }

    @Test("After a write during which the process was stopped for long, nobody waits long for others")
    func stoppedWrite() {
        var gathering = Gathering()
        gathering.arrived = 2
        gathering.beginGroup()
        gathering.endGroup(since: .now - .seconds(3_600))
        gathering.arrived = 1
        #expect(gathering.remaining > .zero && gathering.remaining < .seconds(1))
    }

    @Test("If catching up fails, versions are shifted as before, also if it has succeeded earlier")
    func failedCatchUp() throws {
        let fixture = try StoreFixture {
            $0.durability = .deferred
            $0.deferredDelay = .seconds(3_600)
        }
        try fixture.fill(1)
        let group = fixture.store.group
        let queue = try group.pause()
        group.replaceQueue(after: queue.head, shift: 3, replacing: true)
        group.resume()
        #expect(group.shift == 3)
        group.restore(try group.pause())
        #expect(group.shift == 3)
        // Nothing has happened in the file.
        group.replaceQueue(after: queue.head, shift: 0, replacing: false)
        queue.commits.forEach(group.requeue)
        group.resume()
        try fixture.store.close()
        #expect(try StoreVerification(path: fixture.path).version == queue.commits.last?.version)
    }

    @Test("Commits for which nobody waits are written after a time, or when they are many", arguments: [false, true])
    func deferred(isLong: Bool) async throws {
        let fixture = try StoreFixture {
            $0.durability = .deferred
            $0.deferredDelay = isLong ? .seconds(3_600) : .milliseconds(1)
            $0.maximumPendingBytes = isLong ? 1_000 : 1 << 20
        }
        try fixture.fill(1)
        for _ in 0..<20 { try fixture.store.edit("Toggle") { try $0.toggle(.item(0)) } }
        // Of the long queue, the last part may be short again.
        let version = try isLong ? Version(5) : fixture.store.version
        for _ in 0..<3_000 where fixture.store.durableVersion < version { try await Task.sleep(for: .milliseconds(10)) }
        #expect(fixture.store.durableVersion >= version)
        try fixture.store.close()
    }

    @Test("A closed store is released, however long it would have waited to write its commits")
    func closedWhileTimerRuns() throws {
        weak var queue: GroupCommit?
        do {
            let fixture = try StoreFixture {
                $0.durability = .deferred
                $0.deferredDelay = .seconds(3_600)
            }
            try fixture.fill(1)
            queue = fixture.store.group
            #expect(queue != nil)
            try fixture.store.close()
        }
        #expect(queue == nil)
    }

    @Test("Writers that wait together share syncs")
    func sharing() async throws {
        let fixture = try StoreFixture()
        try fixture.store.edit("Begin") { try $0.insertSection(NewSection(id: "today")) }
        // 50 groups are the best possible. On a busy machine, writers return too late to share the next one, so there are several rounds.
        var (round, least) = (0, Int.max)
        while least >= 16 * 50 / 3 && round < 5 {
            let before = fixture.store.group.groupCount
            let writers = Writers(fixture.store)
            for writer in 0..<16 {
                writers.onThread { [round] writers in
                    for step in 0..<50 { try writers.write(16 * round + writer, step, 0) }
                }
            }
            try #require(await writers.finish())
            #expect(writers.failures.isEmpty)
            least = min(least, fixture.store.group.groupCount - before)
            round += 1
        }
        #expect(least < 16 * 50 / 3)
        try fixture.store.close()
    }

    @Test("A single writer has one sync for each commit, and does not wait for others")
    func alone() throws {
        let fixture = try StoreFixture()
        try fixture.fill(1)
        try fixture.store.waitUntilDurable()
        let before = fixture.store.group.groupCount
        for _ in 0..<20 {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(0)) }
            #expect(fixture.store.group.isGatheringComplete(for: 1))
        }
        #expect(fixture.store.group.groupCount - before == 20)
        try fixture.store.close()
    }

    @Test("Moving the journal is not put off for as long as writers follow one another")
    func movingInBetween() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "today")) }
        let hasMoved = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<32 {
                group.addTask {
                    var step = 0
                    // They write until the journal has been moved, and would go on for ever if it were not.
                    while !hasMoved.withLock({ $0 }) {
                        let item = NewRow(id: .integer(Int64(writer + 32 * step)), content: [7])
                        let commit = try store.edit("Insert", durability: .deferred) { list in
                            try list.insert(item, at: .end(ofSection: "today"))
                        }
                        try await store.durable(commit!.version)
                        step += 1
                    }
                }
            }
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                Thread {
                    defer { continuation.resume() }
                    // Waits until all of them write.
                    while store.durableVersion < Version(100) { Thread.sleep(forTimeInterval: 0.001) }
                    for _ in 0..<10 {
                        do { try store.group.store() } catch { Issue.record(error) }
                    }
                    hasMoved.withLock { $0 = true }
                }.start()
            }
            try await group.waitForAll()
        }
        try store.close()
        #expect(try StoreVerification(path: fixture.path).commitCount >= 100)
    }

    @Test("After many tasks, threads, or both, a single writer does not wait for others")
    func aloneAfterACrowd() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "today")) }
        var next = 0
        for round in 0..<12 {
            let writers = Writers(store)
            for writer in 0..<9 where round % 3 != 2 || writer == 0 {
                let number = next
                next += 1
                if (round % 3 == 1) == (writer % 2 == 0) {
                    writers.onThread { writers in for step in 0..<15 { try writers.write(number, step, 0) } }
                } else {
                    writers.inTask { writers in for step in 0..<15 { try await writers.writeAsync(number, step, 1) } }
                }
            }
            try #require(await writers.finish(), "somebody was forgotten in round \(round)")
            #expect(writers.failures.isEmpty)
            #expect(try store.durableVersion == store.version)
        }
        try store.close()
        #expect(try StoreVerification(path: fixture.path).commitCount == UInt64(1 + next * 15))
    }

    @Test("If the file may not grow, every waiting thread and task gets the error, and none waits forever")
    func failuresReachEverybody() async throws {
        let fixture = try StoreFixture(options: .tiny)
        let store = fixture.store
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "today")) }
        let writers = Writers(store, contentSize: 4_000)
        for writer in 0..<32 {
            writers.onThread { writers in for step in 0..<100 { try writers.write(writer, step, step % 3) } }
            writers.inTask { writers in for step in 0..<100 { try await writers.writeAsync(32 + writer, step, 2) } }
        }
        try #require(await writers.finish(), "some writers were not told")
        #expect(writers.failures.count == 64)
        for failure in writers.failures {
            guard case ListError.appendFailed(_, let cause as LMDBError) = failure, case .mapFull = cause.kind else {
                Issue.record("another failure: \(failure)")
                continue
            }
        }
        #expect(writers.acknowledged <= store.durableVersion)
        try store.close(discardingUnappended: true)
        let durable = store.durableVersion
        let reopened = try UntypedStore.open(at: fixture.path)
        #expect(try reopened.version == durable)
        try reopened.close()
    }
}

extension StoreOptions {
    /// Options of a store whose file is soon full.
    static var tiny: StoreOptions {
        var options = StoreOptions()
        options.maximumFileSize = 1 << 20
        return options
    }
}

extension GroupCommit {
    /// Takes the writer's lock on another thread, and keeps it until the result is signalled.
    fileprivate func holdWriter() async throws -> DispatchSemaphore {
        let (isHeld, isReleased) = (Locked(false), DispatchSemaphore(value: 0))
        Thread { [environment = log.environment] in
            let transaction = try! environment.beginWrite()
            isHeld.withLock { $0 = true }
            isReleased.wait()
            transaction.abort()
        }.start()
        while !isHeld.withLock({ $0 }) { try await Task.sleep(for: .microseconds(100)) }
        return isReleased
    }

    /// How many write groups were begun.
    var groupCount: Int { monitor.withLock { state.groupCount } }

    /// Whether a write group begins at once if that many writers wait for it.
    func isGatheringComplete(for count: Int) -> Bool {
        monitor.withLock {
            var gathering = state.waiters.gathering
            gathering.arrived = count
            return gathering.isComplete
        }
    }
}

/// Threads and tasks that write to a store at the same time.
private final class Writers: Sendable {
    private struct Outcome {
        var acknowledged = Version.empty
        var failures: [any Error] = []
    }

    private let store: UntypedStore
    private let content: [UInt8]
    private let outcome = Mutex(Outcome())
    private let running = DispatchGroup()

    init(_ store: UntypedStore, contentSize: Int = 20) {
        self.store = store
        content = Array(repeating: 7, count: contentSize)
    }

    /// The newest version that was acknowledged to any writer.
    var acknowledged: Version { outcome.withLock { $0.acknowledged } }
    /// The errors that the writers threw, at most one each.
    var failures: [any Error] { outcome.withLock { $0.failures } }

    func onThread(_ body: @escaping @Sendable (Writers) throws -> Void) {
        running.enter()
        Thread { [self] in
            do { try body(self) } catch { fail(error) }
            running.leave()
        }.start()
    }

    func inTask(_ body: @escaping @Sendable (Writers) async throws -> Void) {
        running.enter()
        Task { [self] in
            do { try await body(self) } catch { fail(error) }
            running.leave()
        }
    }

    /// Waits for all of them; false if one was evidently forgotten.
    ///
    /// A separate thread waits, because the tasks need the threads of the pool. They may get none until all other tests
    /// have ended, which takes minutes.
    func finish() async -> Bool {
        await withCheckedContinuation { continuation in
            Thread { [running] in
                continuation.resume(returning: running.wait(timeout: .now() + 1_500) == .success)
            }.start()
        }
    }

    private func fail(_ error: any Error) { outcome.withLock { $0.failures.append(error) } }

    private func acknowledge(_ version: Version) {
        outcome.withLock { $0.acknowledged = max($0.acknowledged, version) }
    }

    /// Makes a commit, and waits for it in one of four ways: not at all, in the edit, afterwards, or for all commits.
    func write(_ writer: Int, _ step: Int, _ way: Int) throws {
        let version = try insert(writer, step, way == 0 ? .immediate : .deferred)
        switch way {
        // The edit stands, also if it could not be saved.
        case 0: if store.appendFailure != nil { return }
        case 1: try store.waitUntilDurable(version)
        case 2: return
        default: try store.waitUntilDurable()
        }
        if way != 2 { acknowledge(version) }
    }

    /// Makes a commit in a task, and waits for it or not.
    func writeAsync(_ writer: Int, _ step: Int, _ way: Int) async throws {
        let version = try insert(writer, step, .deferred)
        if way == 0 { return }
        try await store.durable(version)
        acknowledge(version)
    }

    private func insert(_ writer: Int, _ step: Int, _ durability: Durability) throws -> Version {
        let item = NewRow(id: .integer(Int64(writer * 1_000 + step)), content: content)
        return try store.edit("Insert", durability: durability) { list in
            try list.insert(item, at: .end(ofSection: "today"))
        }!.version
    }
}
