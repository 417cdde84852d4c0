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
        for (index, record) in log.records.enumerated() {
            try Data(record).write(to: URL(fileURLWithPath: "\(fixture.path)-record\(index + 1)"))
        }
        #expect(try ChildProcess("StoreWriter", [fixture.path, "receives"]).lines() == ["confirmed 2"])
        try a.group.store()
        #expect(a.confirmed?.version == 2)
        #expect(try Set(ids(a)) == [1, 2, 3, 9] && a.pendingCount == 2)
        try a.close()
        #expect(try UntypedStore.confirmed(at: fixture.path) == b.confirmed)
        #expect(throws: Never.self) { try StoreVerification(path: fixture.path) }
        withExtendedLifetime(second) {}
    }
}
