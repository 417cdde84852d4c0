// Tests the limit for snapshots, which is the same for every engine.

import Foundation
import SharedLog
import Testing

@Suite struct SnapshotSizeTests {
    private func snapshot(bytes: Int) -> LogSnapshot {
        LogSnapshot(
            position: LogPosition(number: 7, checksum: 1), bytes: [UInt8](repeating: 5, count: bytes))
    }

    @Test(arguments: Engine.allCases)
    func aSnapshotThatIsTooLargeIsRefusedAndTheOneBeforeStays(engine: Engine) async throws {
        let log = try engine.list(maximumSnapshotBytes: 1_000).open()
        let largest = snapshot(bytes: 1_000)
        try await log.offer(largest)
        await #expect(throws: SharedLogError.tooLarge(number: 7, bytes: 1_001, limit: 1_000)) {
            try await log.offer(snapshot(bytes: 1_001))
        }
        #expect(try await log.snapshot() == largest)
        await log.close()
    }

    /// A client of somebody's own may write it.
    @Test(arguments: Engine.servers)
    func aSnapshotThatIsLargerThanAnyMayBeIsNotRead(engine: Engine) async throws {
        let name = UUID().uuidString
        let writer = try engine.list(name).open()
        let reader = try engine.list(name, maximumSnapshotBytes: 1_000).open()
        try await writer.offer(snapshot(bytes: 1_001))
        await #expect(throws: SharedLogError.damaged(.snapshot, expected: "at most 1000 bytes", found: "1001")) {
            try await reader.snapshot()
        }
        try await writer.offer(snapshot(bytes: 1_000))
        #expect(try await reader.snapshot() == snapshot(bytes: 1_000))
        await writer.close()
        await reader.close()
    }
}
