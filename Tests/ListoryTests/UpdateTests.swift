// Tests how much memory observers of a store need, and what they receive when closing or appending fails.

import Foundation
import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("Updates of a store")
struct UpdateTests {
    private static func lagging(_ limit: Int) throws -> StoreFixture {
        let fixture = try StoreFixture { $0.updates.queueLimit = limit }
        try fixture.fill(4)
        return fixture
    }

    @Test(
        "For a slow reader, at most as many updates wait as the queue holds, and they lead to the newest rows",
        arguments: [1, 2, 7, 100])
    func laggingReader(limit: Int) async throws {
        let fixture = try Self.lagging(limit)
        let updates = try fixture.store.updates()
        for step in 0..<20 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(step % 4)))) } }
        let newest = try fixture.store.snapshot
        try fixture.store.close()
        var last = updates.initial
        var count = 0
        for await update in updates {
            #expect(update.previous.version == last.version && update.versions.lowerBound == last.version.next)
            #expect(update.changeset == Changeset(from: last, to: update.snapshot))
            #expect(update.cause.version == update.snapshot.version)
            last = update.snapshot
            count += 1
        }
        #expect(count == min(limit, 20))
        #expect(last.version == newest.version && last.stateHash == newest.stateHash)
    }

    @Test("For a slow reader of a view, changes are combined, without failures that are over")
    func laggingReaderOfView() async throws {
        struct Refusal: Error {}
        let fixture = try Self.lagging(2)
        let failing = Locked(false)
        let arrangement = Arrangement { item in
            if failing.withLock({ $0 }) && item.isChecked { throw Refusal() }
            return RowPlacement()
        }
        let view = try UntypedLiveList(of: fixture.store, [.arrange(arrangement)])
        let (healed, broken) = (try view.updates(), try view.updates())
        for step in 0..<12 {
            failing.withLock { $0 = step == 6 }
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(step % 3)))) }
            _ = try? view.snapshot
        }
        for sequence in [healed, broken] {
            var iterator = sequence.makeAsyncIterator()
            var shown = sequence.initial
            for _ in 0..<2 where shown.stateHash != view.shown.stateHash {
                let transition = try #require(await iterator.next()).get()
                #expect(transition.old.stateHash == shown.stateHash && !transition.isEmpty)
                shown = transition.new
            }
            #expect(shown.stateHash == view.shown.stateHash)
        }
        // A failure that is still the newest event is delivered after the changes before it.
        let last = try view.updates()
        for id in [0, 1, 2, 0, 3] as [Int64] {
            failing.withLock { $0 = id == 3 }
            try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(id))) }
            _ = try? view.snapshot
        }
        try fixture.store.close()
        var failures = 0
        for await update in last { if case .failure = update { failures += 1 } else { #expect(failures == 0) } }
        #expect(failures == 1)
    }

    @Test("An observer that needs only a signal for each commit keeps no rows in memory")
    func listeners() async throws {
        let fixture = try StoreFixture()
        try fixture.fill(2)
        let store = fixture.store
        let view = try UntypedLiveList(of: store, [])
        var states = try store.undoStates().makeAsyncIterator()
        let updates = try view.updates()
        let changes = try ListStore<String, Plain>(store).changes()
        #expect(try store.withHead { $0.observers.hasReaders } == false)
        #expect(await states.next()?.canUndo == true)
        try store.edit("Toggle") { try $0.toggle(.item(1)) }
        #expect(await states.next()?.undo?.name == "Toggle")
        for await _ in changes { break }
        for await update in updates {
            #expect(try update.get().new.version == store.version)
            break
        }
        do {
            let read = try store.updates()
            #expect(try store.withHead { $0.observers.hasReaders })
            withExtendedLifetime(read) {}
        }
        // It is removed on another thread.
        for _ in 0..<60_000 where try store.withHead({ $0.observers.hasReaders }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(try store.withHead { $0.observers.hasReaders } == false)
        try store.close()
    }

    @Test("A state of undo that cannot be read for a moment does not end the sequence")
    func unreadableState() async throws {
        struct Marker: Error {}
        let fixture = try StoreFixture()
        let store = fixture.store
        try fixture.fill(2)
        try store.waitUntilDurable()
        try store.group.store()
        var states = try store.undoStates().makeAsyncIterator()
        #expect(await states.next()?.undo?.name == "Fill")
        do {
            let jam = ReaderJam(store)
            store.group.log.forgetRecords()
            // The next thread that takes the lock reads the rows again; that fails, and replaces this error.
            store.head.withLock { head in
                head.failure = Marker()
                head.observers.signal()
            }
            for _ in 0..<60_000 where store.head.withLock({ $0.failure is Marker }) {
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(store.head.withLock { $0.failure != nil && !($0.failure is Marker) })
            withExtendedLifetime(jam) {}
        }
        try store.edit("Toggle") { try $0.toggle(.item(1)) }
        #expect(await states.next()?.undo?.name == "Toggle")
        try store.close()
    }

    private struct Plain: Codable, Identifiable, Sendable {
        var id: Int
    }

    @Test("A store that could not be closed still delivers its commits")
    func failedClose() async throws {
        let fixture = try StoreFixture()
        try fixture.fill(3)
        try fixture.store.waitUntilDurable()
        let updates = try fixture.store.updates()
        var failures = try fixture.store.appendFailures().makeAsyncIterator()
        var changes = try fixture.store.changes().makeAsyncIterator()
        try fixture.store.source.withRecord(of: Version(1)) { _ in
            _ = expectCause(LMDBError.self) { try fixture.store.close() }
        }
        try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
        #expect(await changes.next() != nil)
        try fixture.store.close()
        var names: [String] = []
        for await update in updates {
            #expect(update.changeset.items.updated.count == 1)
            names.append(update.cause.name)
        }
        #expect(names == ["Toggle"])
        #expect(await changes.next() == nil)
        #expect(await Self.code(failures.next()) == "none")
        #expect(await Self.code(failures.next()) == "end")
    }

    /// An element of a sequence of failures, as text.
    private static func code(_ element: ListError??) -> String {
        guard let element else { return "end" }
        return element?.code ?? "none"
    }

    @Test("A deferred commit that cannot be appended is reported and tried again by itself; its success is reported")
    func failedFlush() async throws {
        let fixture = try StoreFixture {
            $0.deferredDelay = .milliseconds(1)
            $0.retryDelay = .milliseconds(1)
        }
        try fixture.fill(1)
        try fixture.store.waitUntilDurable()
        var failures = try fixture.store.appendFailures().makeAsyncIterator()
        #expect(await Self.code(failures.next()) == "none")
        let head = try fixture.store.pretendForeignCommit()
        let commit = try #require(
            try fixture.store.edit("Toggle", durability: .deferred) { try $0.toggle(.item(0)) })
        #expect(await Self.code(failures.next()) == "appendFailed")
        #expect(fixture.store.appendFailure?.code == "appendFailed")
        // The next attempt, which starts by itself, fails as well.
        #expect(await Self.code(failures.next()) == "appendFailed")
        try fixture.store.setHeadRow(head)
        while await Self.code(failures.next()) == "appendFailed" {}
        #expect(fixture.store.durableVersion == commit.version)
        #expect(fixture.store.appendFailure?.code == nil)
        try fixture.store.close()
    }

    @Test("Attempts to append do not keep a released store in memory")
    func letGo() async throws {
        weak var group: GroupCommit?
        do {
            let fixture = try StoreFixture {
                $0.deferredDelay = .milliseconds(1)
                $0.retryDelay = .seconds(3_600)
            }
            try fixture.fill(1)
            try fixture.store.waitUntilDurable()
            try fixture.store.pretendForeignCommit()
            group = fixture.store.group
            try fixture.store.edit("Toggle") { try $0.toggle(.item(0)) }
            #expect(fixture.store.appendFailure != nil)
        }
        // A timer of the first attempt may still be about to release it.
        for _ in 0..<60_000 where group != nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(group == nil)
    }

    @Test(
        "The sequences of a store that is released and not closed end, and none keeps its file",
        .timeLimit(.minutes(5)))
    func released() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        var store: UntypedStore? = try UntypedStore.create(at: path)
        try store?.edit("Begin") { try $0.insertSection(NewSection(id: "rows")) }
        // Tasks that wait, and do not have the store.
        func readers(_ store: UntypedStore) throws -> [Task<Void, Never>] {
            let (updates, changes) = (try store.updates(), try store.changes())
            let (states, failures) = (try store.undoStates(), try store.appendFailures())
            return [
                Task { for await _ in updates {} }, Task { for await _ in changes {} },
                Task { for await _ in states {} }, Task { for await _ in failures {} },
            ]
        }
        let tasks = try readers(#require(store))
        store = nil
        for task in tasks { await task.value }
        // A task or a timer may still be about to release it.
        var again: UntypedStore?
        for _ in 0..<60_000 where again == nil {
            again = try? UntypedStore.open(at: path)
            if again == nil { try await Task.sleep(for: .milliseconds(1)) }
        }
        try #require(again).close()
    }

    @Test("Tasks that wait for updates may be cancelled during edits: nobody waits for anybody")
    func cancelled() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try fixture.fill(1)
        let view = try UntypedLiveList(of: store, [])
        let isOver = Locked(false)
        let thread = Thread {
            while !isOver.withLock({ $0 }) {
                _ = try? store.edit("Toggle", durability: .deferred) { try $0.toggle(.item(0)) }
                usleep(50)
            }
        }
        thread.start()
        for round in 0..<(Soak.isEnabled ? 20_000 : 300) {
            let readers = [
                Task { for await _ in try store.updates() {} }, Task { for await _ in try store.undoStates() {} },
                Task { for await _ in try store.appendFailures() {} }, Task { for await _ in try view.updates() {} },
            ]
            try await Task.sleep(for: .microseconds(round % 7 * 50))
            for reader in readers { reader.cancel() }
            for reader in readers { try await reader.value }
        }
        isOver.withLock { $0 = true }
        // All have been removed, also those that ended inside an edit.
        for _ in 0..<60_000 {
            if try store.withHead({ !$0.observers.hasReaders }) && store.group.failures.isEmpty { break }
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(try store.withHead { !$0.observers.hasReaders })
        #expect(store.group.failures.isEmpty)
        try store.close()
    }

    @Test("A reader of updates does not keep the file of a store that is closed")
    func closedFile() async throws {
        let fixture = try StoreFixture { CheckpointTests.eager(&$0) }
        try fixture.fill(100)
        try fixture.store.close()
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        var reader = try store.updates().makeAsyncIterator()
        try store.edit("Check", durability: .immediate) { try $0.toggle(.item(1)) }
        #expect(await reader.next()?.cause.name == "Check")
        try store.close()
        #expect(throws: Never.self) { try DataFile.check(path: fixture.path, depth: .quick) }
        #expect(await reader.next() == nil)
    }
}
