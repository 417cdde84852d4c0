// Tests the store of a replica whose file several processes have open.

import Foundation
@testable @_spi(Sync) import Listory
@testable import ListModel
import TestSupport
import Testing

extension SharingTests {
    @Test("A process that is just opening a store while it becomes a replica gives its commits ids")
    func openingMeanwhile() throws {
        let fixture = try StoreFixture()
        var other: ChildProcess?
        try fixture.store.group.log.environment.whileNobodyWrites {
            other = try ChildProcess("StoreWriter", [fixture.path, "steps"])
            // It waits for the lock.
            usleep(300_000)
            try fixture.store.beginSharing()
        }
        try Data().write(to: URL(fileURLWithPath: "\(fixture.path)-step1"))
        #expect(other?.firstLine().hasPrefix("1 ") == true)
        // This process hears of it.
        while try fixture.store.version < 1 { usleep(200) }
        #expect(try fixture.store.commit(1).identifier?.count == 8)
        _ = other?.kill()
    }

    @Test("A confirmed end that is not saved does not take the place of one that another process has moved back")
    func replacedBeforeSaving() throws {
        let (fixture, a) = try store { $0.journal.storeDelay = .seconds(3_600) }
        let (second, b) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try b.receive(log.records)
        for id: Int64 in 2...3 { try insert(id, a) }
        try send(a, &log)
        #expect(a.group.log.confirmed.isUnsaved)
        // The log loses the last two, and another replica goes on.
        log.records.removeLast(2)
        try insert(9, b)
        try send(b, &log)
        try write(log, beside: fixture.path)
        #expect(try ChildProcess("StoreWriter", [fixture.path, "receives"]).lines() == ["confirmed 2"])
        try a.group.store()
        #expect(a.confirmed?.version == 2)
        #expect(try Set(ids(a)) == [1, 2, 3, 9] && a.pendingCount == 2)
        try a.close()
        #expect(try UntypedStore.confirmed(at: fixture.path) == b.confirmed)
        #expect(throws: Never.self) { try StoreVerification(path: fixture.path) }
        withExtendedLifetime(second) {}
    }

    @Test(
        "A name goes to the commit that was meant, whoever replaces it and when",
        arguments: ["another process, before", "another process, meanwhile", "this process, meanwhile"])
    func namedWhileReplaced(how: String) throws {
        // Called once, between reading the rows of the version and giving it the name.
        let meanwhile = Locked<(@Sendable () -> Void)?>(nil)
        let (fixture, a) = try store { $0.now = calling(once: meanwhile) }
        let (second, b) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try b.receive(log.records)
        for id: Int64 in 2...3 { try insert(id, a) }
        try insert(9, b)
        try send(b, &log)
        let (path, rest) = (fixture.path, Array(log.records[1...]))
        try write(log, beside: path)
        let replaceElsewhere: @Sendable () -> Void = {
            let lines = (try? ChildProcess("StoreWriter", [path, "receives"]))?.lines()
            #expect(lines == ["confirmed 2"])
        }
        switch how {
        case "another process, before":
            // It does not hear of it by itself.
            a.racer.stop()
            replaceElsewhere()
        case "another process, meanwhile": meanwhile.withLock { $0 = replaceElsewhere }
        default: meanwhile.withLock { $0 = { #expect(throws: Never.self) { try a.receive(rest) } } }
        }
        let isBefore = how.hasSuffix("before")
        let named = try a.addName("mine", to: isBefore ? nil : 2)
        #expect(named.version == (isBefore ? 4 : 3))
        #expect(try a.commit(named.version).name == (isBefore ? "Insert 3" : "Insert 2"))
        #expect(try a.snapshot(at: named.version).stateHash == named.stateHash)
        try a.close()
        #expect(try StoreVerification(path: path).nameCount == 1)
        withExtendedLifetime(second) {}
    }

    @Test(
        "An update covers confirmed commits that became pending, here or elsewhere, and that another process has replaced",
        arguments: [false, true])
    func updateAfterRetreat(elsewhere: Bool) async throws {
        // A checkpoint would be in the way.
        let (fixture, first) = try store { $0.checkpoints.atClose = false }
        var log = Log()
        for id: Int64 in 1...4 { try insert(id, first) }
        try send(first, &log)
        try first.close()
        // Opening learns that all are confirmed.
        let a = try UntypedStore.open(at: fixture.path, options: first.options)
        #expect(a.confirmed?.version == 4)
        if !elsewhere { try a.retreat(to: 1) }
        let updates = try a.updates()
        let other = try ChildProcess("StoreWriter", [fixture.path, "replaces"] + (elsewhere ? ["retreats"] : []))
        #expect(other.firstLine() == "replaced 4")
        var iterator = updates.makeAsyncIterator()
        let update = try #require(await iterator.next())
        // Of a retreat elsewhere, only its end is known here, and that it is not the one from before.
        #expect(update.versions == Version(elsewhere ? 1 : 2)...Version(4))
        _ = other.kill()
        try a.close()
        withExtendedLifetime(fixture) {}
    }

    @Test("A process in which another one has replaced pending commits does not read the rows of the checkpoint")
    func replacedBehindCheckpoint() throws {
        let (fixture, first) = try store {
            CheckpointTests.onRequest(&$0)
            $0.durability = .immediate
        }
        var log = Log()
        for id: Int64 in 1...100 { try insert(id, first) }
        try send(first, &log)
        try first.checkpoint()
        try first.close()
        let a = try UntypedStore.open(at: fixture.path, options: first.options)
        for id: Int64 in 101...103 { try insert(id, a) }
        let (shown, count) = (try a.snapshot, a.replacementCount)
        // Only the end of the list was edited.
        let top = try #require(shown.sections[0].entry.rows.node)
        let beginning = top.children[0]
        func isInMemory() -> Bool {
            beginning.node != nil || a.head.withLock { $0.editor.state.pool.items[beginning.key] != nil }
        }
        #expect(!isInMemory())
        let other = try ChildProcess("StoreWriter", [fixture.path, "replaces"])
        #expect(other.firstLine() == "replaced 103")
        for _ in 0..<12_000 where a.replacementCount == count { usleep(5_000) }
        #expect(a.replacementCount > count && !isInMemory())
        // What is still shown can be read, though its records were replaced.
        let last = try #require(shown.sections[0].items.last)
        #expect(try a.source.content(of: last.content) == [103])
        #expect(try ids(a) == (1...103).filter { $0 != 102 }.map { UntypedID.integer(Int64($0)) })
        _ = other.kill()
        try a.close()
        withExtendedLifetime(fixture) {}
    }

    /// Writes the records into files, for another process that receives them.
    private func write(_ log: Log, beside path: String) throws {
        for (index, record) in log.records.enumerated() {
            try Data(record).write(to: URL(fileURLWithPath: "\(path)-record\(index + 1)"))
        }
    }
}
