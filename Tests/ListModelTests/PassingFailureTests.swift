// Tests computations during which rows cannot be read for a moment: of two looks at one row, one may see a placeholder.

@testable import ListModel
import Synchronization
import TestSupport
import Testing

@Suite("Reads that fail for a moment, in the middle of a computation")
struct PassingFailureTests {
    /// Stored nodes of which some reads fail, and say nothing of damage.
    private final class JammedNodes: NodeSource {
        struct Jam: Error {}

        private let nodes: MemoryNodes
        /// How many reads there were, and which of them fail.
        private let reads: Mutex<(count: Int, failing: Range<Int>)>

        init(_ nodes: MemoryNodes, failing: Range<Int>) {
            self.nodes = nodes
            reads = Mutex((0, failing))
        }

        func readNode(_ number: UInt64, _ body: (UnsafeRawBufferPointer?) -> Void) throws {
            let isFailing = reads.withLock { reads in
                defer { reads.count += 1 }
                return reads.failing.contains(reads.count)
            }
            if isFailing { throw Jam() }
            try nodes.readNode(number, body)
        }

        func saysDamage(_ error: any Error) -> Bool { !(error is Jam) }
    }

    /// A section of twenty rows, in a checkpoint.
    private static func stored() throws -> StoredList {
        var stored = StoredList(TreeLimits(leafCapacity: 4, innerCapacity: 4))
        try stored.list.commit { try $0.insertSection(NewSection(0, Array(0..<20))) }
        try stored.checkpoint()
        return stored
    }

    /// The rows of the checkpoint, of which some reads fail.
    private static func rows(_ stored: borrowing StoredList, failing: Range<Int>) -> UntypedSnapshot {
        let nodes = JammedNodes(stored.nodes, failing: failing)
        return stored.kept[0].checkpoint.snapshot(NodePool(limits: stored.limits, source: nodes))
    }

    @Test("Whichever one read of the target fails, a merge gives the right rows or throws, and can be cancelled")
    func merges() throws {
        var stored = try Self.stored()
        let expected = stored.list.snapshot().stateHash
        let deleted = (5..<15 as Range<Int64>).map { UntypedID.integer($0) }
        try stored.list.commit { try $0.delete(.items(deleted)) }
        let now = stored.list.snapshot()
        var (failures, successes) = (0, 0)
        for number in 0..<40 {
            let target = Self.rows(stored, failing: number..<number + 1)
            try stored.list.editor.begin(CommitDraft(name: "", time: Timestamp(microseconds: 1)))
            do {
                _ = try stored.list.editor.merge(from: now, to: target, now: now)
                let merged = stored.list.snapshot().stateHash
                #expect(merged == expected, "read \(number)")
                successes += 1
            } catch is JammedNodes.Jam { failures += 1 }
            stored.list.editor.cancel()
            let after = stored.list.snapshot().stateHash
            #expect(after == now.stateHash, "read \(number)")
        }
        #expect(failures > 2 && successes > 0)
    }

    @Test("A transition whose rows could be compared, but not counted, ends: it replaces all rows that were counted")
    func transitions() throws {
        var stored = try Self.stored()
        let old = stored.list.snapshot()
        try stored.list.commit { editor in
            try editor.move(.item(1), to: .after(9))
            try editor.toggle(.item(3))
        }
        let new = stored.list.snapshot()
        let changes = Changeset(from: old, to: new)
        let unreadable = Self.rows(stored, failing: 0..<1_000)
        let inserted = ListTransition(old: unreadable, new: new, changeset: changes)
        #expect(inserted.operations(layout: .rows).operations == (0..<20).map { RowOperation.insert(at: $0, row: $0) })
        #expect(inserted.collectionDifference(layout: .rows).insertions.count == 20)
        let removed = ListTransition(old: old, new: unreadable, changeset: changes)
        #expect(removed.operations(layout: .rows).operations == (0..<20).reversed().map { RowOperation.remove(at: $0) })
        #expect(removed.splices(layout: .rows).splices == [Splice(position: 0, removed: 20, added: 0)])
    }

    @Test("So it is if nothing has moved", arguments: ["delete", "insert", "toggle"])
    func transitionsWithoutMoves(edit: String) throws {
        var stored = try Self.stored()
        let old = stored.list.snapshot()
        try stored.list.commit { editor in
            switch edit {
            case "delete": try editor.delete(.item(1))
            case "insert": try editor.insert(NewRow(50), at: .after(7))
            default: try editor.toggle(.item(1))
            }
        }
        let new = stored.list.snapshot()
        let changes = Changeset(from: old, to: new)
        let unreadable = Self.rows(stored, failing: 0..<1_000)
        let count = new.itemCount
        let inserted = ListTransition(old: unreadable, new: new, changeset: changes)
        #expect(inserted.splices(layout: .rows).splices == [Splice(position: 0, removed: 0, added: count)])
        #expect(inserted.collectionDifference(layout: .rows).insertions.count == count)
        let removed = ListTransition(old: old, new: unreadable, changeset: changes)
        #expect(removed.splices(layout: .rows).splices == [Splice(position: 0, removed: 20, added: 0)])
        #expect(removed.collectionDifference(layout: .rows).removals.count == 20)
    }

    @Test("A section that cannot be read when a view looks for hidden rows has none")
    func outlines() throws {
        var stored = try Self.stored()
        let unreadable = Self.rows(stored, failing: 0..<1_000)
        let edits: [(inout UntypedEditor) throws -> Void] = [
            { try $0.insert(NewRow(50), at: .after(7)) }, { try $0.changeDepth(of: .item(4), by: 1) },
            { try $0.delete(.item(11)) },
        ]
        for (index, edit) in edits.enumerated() {
            let before = stored.list.snapshot()
            try stored.list.commit("edit", edit)
            let after = stored.list.snapshot()
            let changes = Changeset(from: before, to: after)
            for (old, new) in [(before, unreadable), (unreadable, after)] {
                let regions = ChangesBySection(changes, from: old, to: new).regions(inSection: 0)
                #expect(regions.isEmpty, "edit \(index)")
            }
        }
    }
}
