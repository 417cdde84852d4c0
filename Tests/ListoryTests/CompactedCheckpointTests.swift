// Tests the checkpoints of a compacted store. The one that its log begins with is part of the truth, and stored numbers
// mean other nodes than in the old file.

import Foundation
import LMDB
import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("Checkpoints of a compacted store")
struct CompactedCheckpointTests {
    /// Compacts a store, and opens it again with the same options.
    private static func compact(
        _ edited: inout EditedStore, keeping kept: Compaction.Kept, unpacked: Int, spacing: Int = .max
    ) throws {
        try edited.store.close()
        var compaction = Compaction(keeping: kept)
        compaction.unpackedCount = unpacked
        compaction.checkpointSpacing = spacing
        try UntypedStore.compact(at: edited.path, compaction, options: edited.store.options)
        edited.store = try UntypedStore.open(at: edited.path, options: edited.store.options)
    }

    @Test("A log that was written down and imported has checkpoints all along, so that no replay is long")
    func imported() throws {
        let fixture = try StoreFixture { ($0.durability, $0.coalescing) = (.deferred, .never) }
        let store = fixture.store
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "list")) }
        try store.edit("Fill") {
            try $0.insert((0..<1_000).map { NewRow(id: .integer($0), content: []) }, at: .end(ofSection: "list"))
        }
        for _ in 0..<150 {
            try store.edit("Toggle") { list in
                // Of every second row, so that each is an event of its own.
                for id: Int64 in 0..<500 { try list.toggle(.item(.integer(id * 2))) }
            }
        }
        let copy = fixture.folder.file("copy.listory")
        try StoreTranscriber.write(to: copy) { copy in
            for version in 1...152 as ClosedRange<UInt64> {
                let commit = try store.commit(Version(version))
                let events = try commit.events().map { event in
                    guard case .itemsInserted(let path, let rows) = event else { return event }
                    return .itemsInserted(
                        at: path,
                        .many(rows.map { UntypedRow(id: $0.id, isChecked: $0.isChecked, content: copy.content([])) }))
                }
                try copy.append(CommitTranscript(commit), events)
            }
        }
        try store.close()
        let again = try UntypedStore.open(at: copy)
        let counts = try #require(again.checkpointer).database.all().map(\.eventCount)
        #expect(counts.count == 2 && counts[0] >= 65_536 && counts[0] < 67_000, "\(counts)")
        try again.close()
    }

    @Test(
        "The checkpoint that the log begins with is never dropped, and a damaged one is rebuilt from it",
        arguments: 0..<4)
    func base(damage: Int) throws {
        var edited = try EditedStore(seed: UInt64(30 + damage))
        let oldest = Version(100)
        try edited.edit(200)
        try Self.compact(&edited, keeping: .from(oldest), unpacked: 30, spacing: 8 << damage)
        for round in 0..<3 {
            try edited.edit(200)
            let database = try #require(edited.store.checkpointer).database
            let kept = try database.all().map(\.version)
            #expect(kept.first == oldest && kept.count > 3, "damage \(damage), round \(round)")
            try edited.checkPast(20, from: oldest, "damage \(damage), round \(round)")
            try edited.store.close()
            let environment = try Environment.open(path: edited.path)
            try CheckpointTests.damage(environment, damage)
            try environment.close()
            try edited.reopen { $0.gate = .full }
            let newest = UInt64(edited.versions.count - 1)
            #expect(edited.store.recovery.wasRebuilt)
            #expect(edited.store.recovery.commitCount == newest - oldest.rawValue)
            try edited.checkRows("damage \(damage), round \(round), rebuilt")
            try edited.checkPast(20, from: oldest, "damage \(damage), round \(round), rebuilt")
            try edited.edit(10)
            try edited.reopen()
            #expect(!edited.store.recovery.wasRebuilt && edited.store.oldestVersion == oldest)
            try edited.checkRows("damage \(damage), round \(round), edited")
        }
        try edited.store.close()
        let verified = try StoreVerification(path: edited.path)
        #expect(verified.commitCount == UInt64(edited.versions.count - 1) - oldest.rawValue)
        #expect(verified.checkpointCount > 1)
    }

    @Test(
        "If the first checkpoint after damage cannot be completed, the one that the log begins with stays, and that of a name before it"
    )
    func failure() throws {
        var edited = try EditedStore(seed: 41)
        try edited.edit(60)
        try edited.store.addName("early", to: Version(50))
        try edited.edit(140)
        try Self.compact(&edited, keeping: .from(100), unpacked: 30)
        try edited.edit(20)
        try edited.store.close()
        try CheckpointTests.damage(edited.path, 2)
        try edited.reopen { ($0.checkpoints.interval, $0.gate) = (.max, .full) }
        #expect(edited.store.recovery.wasRebuilt)
        // It cannot append what the checkpoint needs.
        let row = try edited.store.pretendForeignCommit()
        _ = try edited.store.edit("Section", durability: .deferred) {
            try $0.insertSection(NewSection(id: "of the failed checkpoint"))
        }
        #expect(throws: (any Error).self) { try edited.store.checkpoint() }
        try edited.store.setHeadRow(row)
        // Nor is there a newest one, from which rows could be read again.
        try edited.store.withTurn { try edited.store.racer.readAgain(&$0) }
        try edited.store.checkpoint()
        try edited.store.undo()
        edited.versions += [edited.versions.last!, edited.versions.last!]
        for version in [50, 100, 110] as [UInt64] {
            let source = GroupSource(base: edited.store.source)
            let rows = try edited.store.snapshot(at: Version(version))
            #expect(try ReferenceList(rows, source) == edited.versions[Int(version)], "version \(version)")
        }
        try edited.store.close()
        _ = try StoreVerification(path: edited.path)
    }

    @Test(
        "Changesets from a version before compaction to one after it, and back, are right",
        arguments: 1...6 as ClosedRange<UInt64>)
    func changesets(seed: UInt64) throws {
        var edited = try EditedStore(seed: seed) {
            CheckpointTests.eager(&$0)
            $0.memoryBudget = 1
        }
        try edited.edit(300)
        try edited.store.close()
        // A snapshot prevents that its file is compacted, so a copy is compacted.
        let other = edited.folder.file("other.listory")
        try FileManager.default.copyItem(atPath: edited.path, toPath: other)
        let original = try UntypedStore.open(at: other, options: edited.store.options)
        edited.store = try UntypedStore.open(at: edited.path, options: edited.store.options)
        let oldest = Version(seed % 2 == 0 ? 0 : 100)
        try Self.compact(&edited, keeping: .from(oldest), unpacked: Int(seed) * 20)
        if seed % 3 == 0 {
            try edited.edit(50)
            try edited.checkRows("seed \(seed)")
        }
        for _ in 0..<60 {
            let before = Version(UInt64.random(in: 0...300, using: &edited.edits.generator))
            let after = edited.randomVersion(from: oldest)
            let (old, new) = (edited.versions[Int(before.rawValue)], edited.versions[Int(after.rawValue)])
            let (left, right) = (try original.snapshot(at: before), try edited.store.snapshot(at: after))
            let (there, back) = (Changeset(from: left, to: right), Changeset(from: right, to: left))
            try #require(there.applied(to: old, giving: new) == new, "seed \(seed), \(before) to \(after)")
            try #require(back.applied(to: new, giving: old) == old, "seed \(seed), \(after) to \(before)")
        }
        try original.close()
        try edited.store.close()
    }

    @Test("Statistics and verification are right for a compacted store")
    func statistics() throws {
        var edited = try EditedStore(seed: 3)
        try edited.edit(120)
        var found = try edited.store.statistics()
        #expect(found.oldestVersion == .empty && found.lastPackedVersion == .empty && found.packedCommitCount == 0)
        #expect(found.checkpointVersion == edited.store.checkpointVersion && found.checkpointCount > 1)
        #expect(found.commitCount == 120 && found.nodeCount > found.checkpointCount)
        let (records, events) = (found.recordBytes, found.eventCount)
        try Self.compact(&edited, keeping: .from(Version(50)), unpacked: 20)
        found = try edited.store.statistics()
        #expect(found.oldestVersion == Version(50) && found.lastPackedVersion == Version(100))
        #expect(found.packedCommitCount == 50 && found.commitCount == 70)
        #expect(found.checkpointVersion == Version(120) && found.checkpointCount == 2)
        #expect(found.recordBytes < records && found.eventCount < events)
        // The totals in the file are those of all commits, dropped ones included.
        let head = edited.store.group.head
        #expect(head.recordBytes == records && head.eventCount == events)
        try edited.store.close()
        let verified = try StoreVerification(path: edited.path)
        #expect(verified.commitCount == 70 && verified.eventCount == found.eventCount)
        #expect(verified.checkpointCount == 2 && verified.nodeCount > 0)
        let reader = try UntypedStore.open(at: edited.path) { $0.isReadOnly = true }
        let again = try reader.statistics()
        #expect(again.stateHash == found.stateHash && again.recordBytes == found.recordBytes)
        #expect(again.fileBytes == found.fileBytes && again.nodeCount == found.nodeCount)
        #expect(again.oldestVersion == Version(50) && again.lastPackedVersion == Version(100))
        #expect(again.packedCommitCount == 50 && again.checkpointCount == 2)
        try reader.close()
    }
}
