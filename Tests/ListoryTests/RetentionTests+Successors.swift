// Tests what is appended to a successor after it was written: it has checkpoints, and closing has little left to append.

import LMDB
@testable @_spi(Sync) import Listory
import ListModel
import TestSupport
import Testing

extension RetentionTests {
    @Test(
        "A successor has checkpoints of what was appended to it, so opening it replays little", arguments: 0..<4)
    func checkpointsOfSuccessor(seed: UInt64) throws {
        var story = try Story(seed: seed)
        try story.edit(120)
        let (store, kept) = (story.store, Retention(steps: 20))
        let oldest = try store.oldestVersion(keptBy: kept)
        try #require(try store.trim(kept, atLeast: 10))
        try story.edit(300)
        let last = try store.version
        let eventCounts = try (oldest.next.rawValue...last.rawValue).map { try store.commit(Version($0)).eventCount }
        try story.reopen()
        let opened = story.store
        let spacing = UInt64(store.options.checkpoints.maximumSpacing)
        #expect(opened.recovery.eventCount < spacing, "seed \(seed)")
        let checkpointer = try #require(opened.checkpointer)
        let counts = try checkpointer.database.all().map(\.eventCount)
        let limit = spacing + UInt64(eventCounts.max() ?? 0)
        let isDense = zip(counts, counts.dropFirst()).allSatisfy { $1 - $0 < limit }
        #expect(isDense, "seed \(seed): \(counts)")
        try story.check(oldest, "seed \(seed)")
        try opened.close()
        _ = try StoreVerification(path: story.path)
    }

    @Test("A later look appends to the successor, also while another process reads, until that is not wanted any more")
    func extended() throws {
        var story = try Story(seed: 0)
        try story.edit(120)
        let (store, kept) = (story.store, Retention(steps: 20))
        let oldest = try store.oldestVersion(keptBy: kept)
        try #require(try store.trim(kept, atLeast: 10))
        let before = try store.version
        try story.edit(100)
        let child = try Self.reader(of: story.path)
        struct Stopped: Error {}
        #expect(throws: Stopped.self) { try store.trim(kept, atLeast: 1_000) { throw Stopped() } }
        #expect(try Self.newestVersionOfSuccessor(of: store) == before)
        #expect(try !store.trim(kept, atLeast: 1_000))
        #expect(try Self.newestVersionOfSuccessor(of: store) == store.version)
        child.kill()
        try story.reopen()
        try story.reopen()
        try story.check(oldest, "extended")
        try story.store.close()
    }

    private static func newestVersionOfSuccessor(of store: UntypedStore) throws -> Version {
        let path = UntypedStore.successor(of: store.filePath)
        let copy = try CommitLog(path: path, mode: .open, options: store.unknownOptions(true))
        defer { try? copy.environment.close() }
        return try copy.readHead().head.version
    }
}

extension SharingTests {
    @Test("A successor of a replica has checkpoints of what was appended to it, up to the confirmed end")
    func checkpointsOfSuccessor() throws {
        let (fixture, a) = try store { CheckpointTests.eager(&$0) }
        var log = Log()
        for id: Int64 in 1..<41 { try insert(id, a) }
        try send(a, &log)
        try #require(try a.trim(Retention(steps: 5), atLeast: 10))
        for id: Int64 in 41..<121 { try insert(id, a) }
        try send(a, &log)
        // So many that a checkpoint would be due.
        for id: Int64 in 121..<201 { try insert(id, a) }
        try a.close()
        let b = try UntypedStore.open(at: fixture.path, options: a.options)
        #expect(b.oldestVersion > .empty)
        #expect(b.confirmed?.version == 120)
        let newest = b.recovery.checkpoint
        #expect(newest > 88 && newest <= 120)
        // The pending commits can still be made again.
        let (second, c) = try store()
        try c.receive(log.records)
        try insert(250, c)
        try send(c, &log)
        try b.receive([log.records[120]])
        #expect(try Set(ids(b)).count == 201)
        try b.close()
        _ = try StoreVerification(path: fixture.path)
        withExtendedLifetime(second) {}
    }
}
