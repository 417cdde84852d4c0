// Tests how far apart checkpoints are taken, and which of them are kept.

@testable import Listory
@testable import ListModel
import TestSupport
import Testing

@Suite("The distance of checkpoints")
struct CheckpointDistanceTests {
    /// How many checkpoints are taken during some edits of a list of 5,000 rows, of which all that is older is in a checkpoint.
    ///
    /// - Parameter change: of options with which all checkpoints are kept.
    private func checkpoints(
        _ change: (inout StoreOptions) -> Void, _ edits: (UntypedStore) throws -> Void
    ) throws -> Int {
        let fixture = try StoreFixture { options in
            CheckpointTests.eager(&options)
            options.checkpoints.maximumSpacing = 0
            change(&options)
        }
        try fixture.fill(5_000)
        let first = try fixture.store.version
        try edits(fixture.store)
        return try #require(fixture.store.checkpointer).database.all().count { $0.version > first }
    }

    /// Imports batches of 100 rows. Each changes a few nodes at the end, and most chunks of the index, unless the ids are so close that they
    /// share chunks.
    private func importing(
        _ batches: Int, contentSize: Int, idDistance: Int = 64
    ) -> (UntypedStore) throws -> Void {
        { store in
            let content = [UInt8](repeating: 7, count: contentSize)
            for batch in 0..<batches {
                let rows = (0..<100).map {
                    NewRow(id: .integer(Int64(10_000 + idDistance * (100 * batch + $0))), content: content)
                }
                try store.edit("Import") { try $0.insert(rows, at: .end(ofSection: "today")) }
            }
        }
    }

    @Test(
        "A checkpoint that has many chunks of the index to write is due later in proportion, unless as many nodes have changed",
        arguments: [(chunksPerInterval: 1_000, idDistance: 64, counts: 10...10), (16, 64, 0...3), (16, 1, 7...10)])
    func manyChunks(chunksPerInterval: Int, idDistance: Int, counts: ClosedRange<Int>) throws {
        let taken = try checkpoints(
            {
                $0.limits = TreeLimits()
                $0.checkpoints.interval = 100
                $0.checkpoints.chunksPerInterval = chunksPerInterval
            }, importing(10, contentSize: 600, idDistance: idDistance))
        #expect(counts.contains(taken), "\(taken)")
    }

    @Test(
        "If the rows that have changed fill the memory, a large index is written without waiting",
        arguments: [(memoryBudget: 1 << 14, counts: 1...5), (1 << 30, 0...0)])
    func crowdedMemory(memoryBudget: Int, counts: ClosedRange<Int>) throws {
        let taken = try checkpoints(
            {
                $0.limits = TreeLimits()
                $0.memoryBudget = memoryBudget
                $0.checkpoints.interval = 100
                $0.checkpoints.chunksPerInterval = 1
            }, importing(10, contentSize: 1))
        #expect(counts.contains(taken), "\(taken)")
    }

    @Test(
        "Changed rows are many if they take half of the memory budget, or half of what the changed chunks of the index take"
    )
    func crowdedPolicy() {
        let policy = CheckpointPolicy()
        let later = policy.interval(chunks: 10_000, changes: 1)
        #expect(later > policy.interval)
        for (budget, most) in [(16 << 20, 8 << 20), (1 << 20, 10_000 * 256)] {
            let interval = { policy.interval(chunks: 10_000, changes: 1, rowBytes: $0, memoryBudget: budget) }
            #expect(interval(most) == later)
            #expect(interval(most + 1) == policy.interval)
        }
    }

    @Test(
        "Single insertions do not put off a checkpoint, although each changes a chunk of the index: all over a list, or in one place",
        arguments: [(stride: 2_003, idDistance: 1), (0, 64)])
    func singleChunks(stride: Int, idDistance: Int) throws {
        let taken = try checkpoints({
            $0.checkpoints.interval = 50
            $0.checkpoints.chunksPerInterval = 1
        }) { store in
            for step in 0..<500 {
                let row = NewRow(id: .integer(Int64(10_000 + idDistance * step)), content: [1])
                let place = ListIndexPath(section: 0, item: step * stride % 5_000)
                try store.edit("Insert") { try $0.insert(row, at: .at(place)) }
            }
        }
        #expect(taken == 10)
    }

    @Test("The distance of checkpoints is computed without a trap, whatever a damaged file counts")
    func hugeCounts() {
        let policy = CheckpointPolicy()
        for count in [0, 1, Int.max / 2, Int.max] {
            #expect(policy.interval(chunks: 5_000, changes: count) >= policy.interval)
            #expect(policy.interval(chunks: count, changes: 5_000) >= policy.interval)
            #expect(policy.interval(chunks: count, changes: count) == policy.interval)
            #expect(policy.interval(chunks: count, changes: 1, rowBytes: count, memoryBudget: count) >= policy.interval)
        }
        #expect(policy.interval(chunks: 2_048 + 20, changes: 10) == 2 * policy.interval)
    }

    @Test("No two checkpoints are further apart than the policy says, and old ones are dropped")
    func spacing() throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints.maximumSpacing = 64
        }
        try fixture.fill(1)
        for _ in 0..<800 { try fixture.store.edit("Toggle") { try $0.toggle(.item(0)) } }
        let kept = try #require(fixture.store.checkpointer).database.all().map(\.work)
        let gaps = zip(kept.dropFirst(), kept).map { $0 - $1 }
        #expect(gaps.allSatisfy { $0 <= 64 })
        #expect(kept.count < 800 / 8 / 2)
        // Dense near the newest version, sparse behind it.
        #expect(gaps.last == 8)
        #expect(gaps.first! > 32)
    }

    @Test("The policy keeps needed checkpoints and spaces the others", arguments: 1...20 as ClosedRange<UInt64>)
    func policy(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var policy = CheckpointPolicy()
        policy.interval = 10
        policy.maximumSpacing = 100
        var events: [UInt64] = []
        var newest: UInt64 = 0
        for _ in 0..<500 {
            newest += UInt64.random(in: 1...15, using: &generator)
            events.append(newest)
            let needed = Set(events.indices.filter { _ in generator.oneIn(50) }.map { events[$0] })
            let surplus = policy.surplus(events) { needed.contains(events[$0]) }
            #expect(!surplus.contains(events.count - 1))
            #expect(surplus.allSatisfy { !needed.contains(events[$0]) })
            for index in surplus.reversed() { events.remove(at: index) }
            let gaps = zip(events, [0] + events).map { $0 - $1 }
            #expect(gaps.allSatisfy { $0 <= 100 }, "seed \(seed)")
        }
        #expect(events.count < 200)
    }
}
