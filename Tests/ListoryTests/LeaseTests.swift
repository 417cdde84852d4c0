// Tests that what another process reads from stays in the file, and nothing else.

import Foundation
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("What another process reads from", .timeLimit(.minutes(10)))
struct LeaseTests {
    @Test("Stays in the file until it ends: a checkpoint, and chunks of its locators")
    func leases() throws {
        let (fixture, reader) = try Self.beginReading("reads")
        let database = try #require(fixture.store.checkpointer).database
        let version = fixture.store.checkpointVersion
        // Otherwise it would follow.
        reader.stop()
        for round in 0..<6 { try Self.editAll(fixture, round) }
        #expect(try database.checkpoint(version) != nil)
        reader.proceed()
        try Data().write(to: URL(fileURLWithPath: fixture.path + "-read"))
        #expect(reader.firstLine() == "100 100")
        reader.kill()
        for round in 6..<8 { try Self.editAll(fixture, round) }
        #expect(try database.checkpoint(version) == nil)
        try fixture.store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("Is the rows if it keeps a snapshot, and none of the locators that were replaced since")
    func locators() throws {
        let (fixture, reader) = try Self.beginReading("reads", "follows")
        let checkpointer = try #require(fixture.store.checkpointer)
        let first = fixture.store.checkpointVersion
        func leases() throws -> ProcessLeases? { try checkpointer.database.table?.neighbours().first?.leases }
        for round in 0..<12 {
            let newest = fixture.store.checkpointVersion
            try Self.editAll(fixture, round)
            // It hears of the commit, and continues from the checkpoint before it.
            while try leases()?.located ?? .empty < newest { usleep(200) }
        }
        #expect(try leases()?.contains(first) == true)
        let replaced = checkpointer.state.withLock { $0.replaced.filter { !$0.chunks.isEmpty } }
        #expect(!replaced.isEmpty && replaced.count <= 3, "\(replaced.map(\.version))")
        try Data().write(to: URL(fileURLWithPath: fixture.path + "-read"))
        #expect(reader.firstLine() == "100 100")
        reader.kill()
        try fixture.store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    /// A store with a checkpoint of a hundred rows, and a process that has it open.
    private static func beginReading(_ arguments: String...) throws -> (StoreFixture, ChildProcess) {
        let fixture = try StoreFixture(CheckpointTests.onRequest)
        try fixture.fill(100)
        try fixture.store.checkpoint()
        let reader = try ChildProcess("StoreWriter", [fixture.path] + arguments)
        #expect(reader.firstLine() == "reading")
        return (fixture, reader)
    }

    /// Changes all rows and the locators, and takes a checkpoint.
    private static func editAll(_ fixture: StoreFixture, _ round: Int) throws {
        try fixture.store.edit("Edit") { list in
            for id in 0..<100 as Range<Int64> { try list.toggle(.item(.integer(id))) }
            try list.insert(NewRow(id: .integer(Int64(1_000 + round)), content: []), at: .end(ofSection: "today"))
        }
        try fixture.store.checkpoint()
    }
}
