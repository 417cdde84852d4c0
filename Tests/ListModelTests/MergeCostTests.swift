// Tests merges of many rows: the work for each row does not grow with the number of the others.

@testable import ListModel
import TestSupport
import Testing

@Suite("Merges of many rows")
struct MergeCostTests {
    // If each conflict were compared with all others, this test would make a hundred million comparisons.
    @Test("Each of many rows that others changed is a conflict, once and in order")
    func manyConflicts() throws {
        let count = 15_000
        var list = KeptList(limits: TreeLimits())
        try list.commit(tracking: .untracked) { try $0.insertSection(NewSection(0, [])) }
        try list.commit(by: "a") { try $0.insert((0..<count).map { NewRow($0) }, at: .end(ofSection: "s0")) }
        try list.commit(by: "b") { try $0.toggle(.run(ListIndexPath(0, 0), count: count)) }
        let draft = list.editor.snapshot()
        let reversal = try list.undo("a", onConflict: .skip)
        let expected = (0..<count).map { MergeConflict(.item(.integer(Int64($0))), .changed) }
        #expect(reversal.conflicts == expected)
        #expect(list.editor.snapshot().stateHash == draft.stateHash)
    }

    @Test(
        "A row that is not in its place is visited once, however many rows follow it",
        arguments: 1...20 as ClosedRange<UInt64>)
    func searches(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // Which rows of the target are in their place. A row that is placed is in its place from then on.
        var isInPlace = (0..<2_000).map { _ in Int.random(in: 0..<Int(seed) * 10, using: &generator) == 0 }
        var searched = Searched()
        var looks = 0
        var places = 0
        for index in isInPlace.indices where !isInPlace[index] && Bool.random(using: &generator) {
            places += 1
            let found = searched.nearest(before: index) {
                looks += 1
                return isInPlace[$0] ? $0 * 3 : nil
            }
            #expect(found == isInPlace[..<index].lastIndex(of: true).map { $0 * 3 }, "seed \(seed), place \(index)")
            isInPlace[index] = Bool.random(using: &generator)
        }
        #expect(looks <= isInPlace.count + places, "seed \(seed)")
    }
}
