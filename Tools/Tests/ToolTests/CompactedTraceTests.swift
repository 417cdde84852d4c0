// Tests a recorded session in a compacted store: the size of the file, and that its whole history can still be read.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@Suite("The recorded sessions, compacted", .enabled(if: RecordedTrace.isAvailable, "the recordings are not there"))
struct CompactedTraceTests {
    /// The number of key strokes with which the paper was written.
    private static let keyCount = 259_778
    /// The most bytes of the file per key stroke, with the whole history.
    private static let goal = 4.0
    /// The most bytes of packed blocks per key stroke.
    private static let packedGoal = 1.5

    @Test("With its whole history, the file has at most four bytes per key stroke, and the history is unchanged")
    func paper() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("trace.listory")
        let hashes = try Self.importPaper(path)
        var compaction = Compaction(keeping: .everything)
        compaction.checkpointSpacing = .max
        let report = try UntypedStore.compact(at: path, compaction)
        let perKey = Double(report.bytesAfter) / Double(Self.keyCount)
        print(String(format: "the paper, compacted: %.3f bytes a key, %d in all", perKey, report.bytesAfter))
        #expect(perKey <= Self.goal, "\(report)")
        #expect(report.oldestVersion == .empty && report.droppedCount == 0)
        #expect(report.eventCount >= Self.keyCount && report.unpackedCount == 256)
        #expect(Double(report.blockBytes) <= Self.packedGoal * Double(report.eventCount), "\(report)")
        #expect(report.packedCount + report.unpackedCount == report.version.rawValue)
        #expect(report.version == hashes.keys.max())

        let verified = try StoreVerification(path: path)
        #expect(verified.checkpointCount == 1)
        let store = try UntypedStore.open(at: path)
        #expect(store.recovery.commitCount == 0)
        for (version, hash) in hashes {
            #expect(try store.snapshot(at: version).stateHash == hash, "version \(version)")
        }
        // Back into the packed commits.
        try store.undo(300, durability: .deferred)
        let past = try store.snapshot(at: Version(report.version.rawValue - 300)).stateHash
        #expect(try store.snapshot.stateHash == past)
        #expect(try store.history.redoCount == 300)
        try store.redo(300, durability: .deferred)
        #expect(try store.snapshot.stateHash == verified.stateHash)
        try store.close()
        #expect(try StoreVerification(path: path).stateHash == verified.stateHash)
    }

    @Test("Every record is rebuilt byte for byte")
    func records() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("trace.listory")
        var trace = try ListImport(path: RecordedTrace.svelteComponent.path, format: .editingTrace)
        let store = try UntypedStore.create(at: path)
        try trace.apply(to: store)
        let versions = try Version(1)...store.version
        var records: [[UInt8]] = []
        try store.forEachCommit(in: versions) { records.append($0.record) }
        try store.close()
        #expect(try UntypedStore.compact(at: path, Compaction(keeping: .everything)).packedCount > 0)

        let compacted = try UntypedStore.open(at: path)
        defer { try? compacted.close() }
        var (count, differences) = (0, 0)
        try compacted.forEachCommit(in: versions) { commit in
            if commit.record != records[count] { differences += 1 }
            count += 1
        }
        #expect(count == records.count && differences == 0)
    }

    /// Imports the recording, and returns the hashes of some of its versions, the newest among them.
    private static func importPaper(_ path: String) throws -> [Version: StateHash] {
        var trace = try ListImport(path: RecordedTrace.automergePaper.path, format: .editingTrace)
        var options = StoreOptions()
        options.coalescing = .never
        let store = try UntypedStore.create(at: path, options: options)
        try trace.apply(to: store)
        let newest = try store.version
        var versions = (0..<20).map { _ in Version(UInt64.random(in: 1..<newest.rawValue)) }
        versions.append(newest)
        var hashes: [Version: StateHash] = [:]
        for version in versions { hashes[version] = try store.snapshot(at: version).stateHash }
        try store.close()
        return hashes
    }
}
