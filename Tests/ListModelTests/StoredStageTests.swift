// Tests batches of stored lists: the snapshots between batches are made of the nodes of both versions.

@testable import ListModel
import ListoryTestSupport
import TestSupport
import Testing

@Suite("Stages of stored lists")
struct StoredStageTests {
    private static let narrow = TreeLimits(leafCapacity: 4, innerCapacity: 4)

    @Test(
        "Transitions between versions of different checkpoints, evicted or opened again, are right",
        arguments: 1...8 as ClosedRange<UInt64>)
    func randomEdits(seed: UInt64) throws {
        var stored = StoredList(
            seed % 2 == 0 ? TreeLimits() : Self.narrow, cacheSize: seed % 3 == 0 ? 1 << 10 : 1 << 20)
        var edits = RandomEdits(seed: seed, targetCount: 60)
        var reference = ReferenceList()
        var versions = [stored.list.snapshot()]
        var middle = 0
        for step in 0..<400 {
            let comment: Comment = "seed \(seed), step \(step)"
            for _ in 0..<Int.random(in: 1...6, using: &edits.generator) {
                let operation = edits.next(reference)
                guard (try? reference.apply(operation)) != nil else { continue }
                try stored.list.commit { try $0.apply(operation) }
            }
            if edits.generator.oneIn(5) {
                try stored.checkpoint(budget: [0, .max].randomElement(using: &edits.generator)!)
            }
            if edits.generator.oneIn(20) { try stored.reopen() }
            let (old, new) = (versions.randomElement(using: &edits.generator)!, stored.list.snapshot())
            let hashes = (old.stateHash, new.stateHash)
            for transition in [ListTransition(from: old, to: new), ListTransition(from: new, to: old)] {
                do { try transition.checkConsumers() } catch {
                    Issue.record(error, comment)
                    throw error
                }
                for batch in transition.batches() where !batch.changes.items.moved.isEmpty {
                    middle += 1
                    try #require(
                        batch.snapshot.itemCount == batch.snapshot.sections.reduce(0) { $0 + $1.items.count }, comment)
                    try check(batch.snapshot, comment)
                }
            }
            try #require(old.stateHash == hashes.0 && new.stateHash == hashes.1, comment)
            try #require(stored.store.damage == nil, comment)
            versions.append(new)
            if versions.count > 12 { versions.removeFirst() }
        }
        #expect(middle > 20)
        try stored.list.editor.checkInvariants()
    }

    /// Checks that the trees of a snapshot are valid, and that its hashes are right.
    private func check(_ snapshot: UntypedSnapshot, _ comment: Comment) throws {
        let store = snapshot.tree.pool
        _ = try snapshot.tree.checkInvariants(owner: 0, isFilled: false, Locator(store, isTracking: false))
        for index in snapshot.tree.indices {
            let items = snapshot.tree[index].items(store)
            _ = try items.checkInvariants(owner: 0, isFilled: false, Locator(store, isTracking: false))
        }
        try #require(store.damage == nil, comment)
    }

    @Test("Transitions between versions of two files are right")
    func twoFiles() throws {
        func stored(_ rows: [[Int]]) throws -> UntypedSnapshot {
            var stored = StoredList(Self.narrow)
            try stored.list.commit { editor in
                for (index, rows) in rows.enumerated() { try editor.insertSection(NewSection(index + rows[0], rows)) }
            }
            try stored.checkpoint(budget: 0)
            return stored.list.snapshot()
        }
        // One list has sections 1 and 101, the other 1 and 51; rows change sections.
        let left = try stored([Array(1...40), Array(100...140)])
        let right = try stored([Array(1...30) + Array(120...140), Array(50...80) + Array(31...40) + [100]])
        for transition in [ListTransition(from: left, to: right), ListTransition(from: right, to: left)] {
            try transition.checkConsumers()
            let batches = transition.batches()
            #expect(batches.count == 3)
            for batch in batches { try check(batch.snapshot, "two files") }
        }
    }

    @Test("However often rows are moved on screen, the shown rows keep only the checkpoint in memory")
    func manyDrags() throws {
        weak var between: NodePool?
        weak var kept: CheckpointLease?
        var moved: UntypedSnapshot
        do {
            var list = try MemoryList([Array(0..<100)])
            let lease = CheckpointLease()
            kept = lease
            list.editor.state.replaceStore(NodePool(after: list.editor.state.pool, lease))
            moved = list.snapshot()
        }
        for number in 0..<100 {
            moved = try moved.moving(from: ListIndexPath(0, number), to: ListIndexPath(0, 50))
            if number == 0 { between = moved.tree.pool }
        }
        #expect(kept != nil && between == nil && moved.itemCount == 100)
        moved = .empty
        #expect(kept == nil)
    }
}
