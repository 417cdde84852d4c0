// The recorded sessions in packed blocks: how small they are, and that nothing is lost.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@Suite("The recorded sessions, packed", .enabled(if: RecordedTrace.isAvailable, "the recordings are not there"))
struct PackedTraceTests {
    /// A recording, imported and packed.
    private static func pieces(_ trace: RecordedTrace, _ store: Store) throws -> [BlockPacker.Piece] {
        var trace = try ListImport(path: trace.path, format: .editingTrace)
        try trace.apply(to: store)
        var pieces: [BlockPacker.Piece] = []
        var state = ListState()
        var packer = BlockPacker(after: 0)
        for number in 1...(try store.version.rawValue) {
            let record = try store.commit(Version(number)).record
            try record.withUnsafeBytes { try packer.add($0, to: &state) { pieces.append($0) } }
        }
        try packer.finish { pieces.append($0) }
        return pieces
    }

    @Test("A key takes a byte and a half at most")
    func size() throws {
        let folder = try TemporaryFolder()
        let store = try Store.create(at: folder.file("trace.listory"))
        defer { try? store.close() }
        var bytes = 0
        var events = 0
        for piece in try Self.pieces(.automergePaper, store) {
            guard case .block(_, _, let block) = piece else {
                Issue.record("a commit was not packed: \(piece)")
                continue
            }
            bytes += block.count
            events += try block.withUnsafeBytes { try PackedBlock($0).eventCount }
        }
        #expect(events > 250_000)
        #expect(Double(bytes) <= 1.5 * Double(events), "\(bytes) bytes for \(events) events")
    }

    @Test("Every record comes back, byte for byte", arguments: RecordedTrace.allCases)
    func records(trace: RecordedTrace) throws {
        let folder = try TemporaryFolder()
        let store = try Store.create(at: folder.file("trace.listory"))
        defer { try? store.close() }
        var state = ListState()
        var checksum: UInt64 = 0
        for piece in try Self.pieces(trace, store) {
            switch piece {
            case .block(_, _, let bytes):
                // The checksum at the end proves the records.
                try bytes.withUnsafeBytes { bytes in
                    let block = try PackedBlock(bytes)
                    #expect(block.checksumBefore == checksum)
                    try block.forEachRecord(with: &state) { _, _ in }
                    checksum = block.checksum
                }
            case .record(let version, let reason):
                #expect(reason == .tooLarge)
                let record = try store.commit(version).record
                checksum = try record.withUnsafeBytes { try state.replay($0, previousChecksum: checksum) }
            }
            let version = state.version
            #expect(try store.commit(version).checksum == checksum)
        }
        #expect(try state.version == store.version)
        #expect(try state.stateHash() == store.snapshot.stateHash)
    }
}
