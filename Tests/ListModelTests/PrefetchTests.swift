// Tests that the nodes which events change are read before the events are applied.

@testable import ListModel
import TestSupport
import Testing

@Suite("Prefetching nodes")
struct PrefetchTests {
    private static let rowCount = 20_000

    /// A list of rows with a checkpoint.
    private static func filled() throws -> StoredList {
        var stored = StoredList(TreeLimits())
        try stored.list.commit { list in
            try list.insertSection(
                NewSection(
                    id: 1, title: "", items: (0..<rowCount).map { NewRow(id: .integer(Int64($0)), content: [1]) }))
        }
        try stored.checkpoint()
        return stored
    }

    private static func path(_ item: Int, section: Int = 0) -> ListIndexPath {
        ListIndexPath(section: section, item: item)
    }

    @Test("The leaves of scattered events are read ahead, also the one that a row moves to")
    func scattered() throws {
        let stored = try Self.filled()
        let state = ListState(from: stored.snapshot(at: 0))
        let paths = (0..<100).map { Self.path(13 + 199 * $0) }
        let destination = Self.path(Self.rowCount - 2)
        var events = paths.map { PackedEvent(.itemToggled, $0) }
        events.append(PackedEvent(.itemsMoved, paths[0], to: destination))
        state.prefetch(events.shuffled())
        let reads = stored.nodes.readCount
        for path in paths + [destination] { #expect(state.item(at: path)?.id == .integer(Int64(path.item))) }
        #expect(stored.nodes.readCount == reads)
        #expect(state.item(at: Self.path(5_000)) != nil)
        #expect(stored.nodes.readCount > reads, "a leaf that no event changes was not read")
    }

    @Test("Nothing is read for a few events, for many in one place, and for places that are not there")
    func notWorthIt() throws {
        let stored = try Self.filled()
        let state = ListState(from: stored.snapshot(at: 0))
        let reads = stored.nodes.readCount
        state.prefetch((0..<10).map { PackedEvent(.itemToggled, Self.path(1_000 * $0)) })
        state.prefetch((0..<100).map { PackedEvent(.itemToggled, Self.path(1_000 + $0)) })
        #expect(stored.nodes.readCount == reads)
        state.prefetch((1..<100).map { PackedEvent(.itemToggled, Self.path(100 * $0, section: 3)) })
        state.prefetch((1..<100).map { PackedEvent(.itemToggled, Self.path(Self.rowCount * $0)) })
        #expect(stored.nodes.readCount <= reads + 2, "the node with the section, which both threads may read")
    }

    @Test("A damaged node is no failure before it is needed")
    func damaged() throws {
        let stored = try Self.filled()
        let state = ListState(from: stored.snapshot(at: 0))
        let events = (0..<100).map { PackedEvent(.itemToggled, Self.path(199 * $0)) }
        for number in stored.nodes.numbers.prefix(400) { stored.nodes[number]![0] ^= 1 }
        state.prefetch(events)
        #expect(state.pool.failureCount == 0 && state.pool.damage == nil)
        for event in events { _ = state.item(at: event.path) }
        #expect(state.pool.damage != nil)
    }

    @Test("Events that are replayed some hundred together give the same rows", arguments: [1, 2, 3, 4] as [UInt64])
    func replayed(seed: UInt64) throws {
        let limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)
        var stored = StoredList(limits)
        var edits = RandomEdits(seed: seed, targetCount: 600)
        var reference = ReferenceList()
        func edit(_ steps: Int, _ stored: inout StoredList) throws {
            for _ in 0..<steps {
                let operation = edits.next(reference)
                guard (try? reference.apply(operation)) != nil else { continue }
                try stored.list.commit { try $0.apply(operation) }
            }
        }
        try edit(1_500, &stored)
        try stored.checkpoint(budget: 0)
        let version = stored.list.log.head
        try edit(800, &stored)
        var packing = ListState(from: stored.snapshot(at: 0))
        var packer = BlockPacker(after: try stored.list.log.commit(version).checksum)
        var pieces: [BlockPacker.Piece] = []
        for number in version.rawValue + 1...stored.list.log.head.rawValue {
            try stored.list.log.withRecord(of: Version(number)) { record in
                try packer.add(record, to: &packing) { pieces.append($0) }
            }
        }
        try packer.finish { pieces.append($0) }

        var state = ListState(from: stored.snapshot(at: 0))
        let reads = stored.nodes.readCount
        for piece in pieces {
            guard case .block(_, _, let bytes) = piece else {
                Issue.record("a commit is not packed: \(piece)")
                return
            }
            try bytes.withUnsafeBytes { try PackedBlock($0).replay(into: &state) }
        }
        #expect(try ReferenceList(state.snapshot(), stored.list.log) == reference, "seed \(seed)")
        #expect(stored.nodes.readCount > reads, "seed \(seed)")
    }
}
