// Merges of many rows: what each of them looks at does not grow with the number of the others.

@testable import ListModel
import TestSupport
import Testing

@Suite("Merges of many rows")
struct MergeCostTests {
    // Who compares each conflict with all others notices here: that is a hundred million comparisons.
    @Test("Each of many rows that others changed is a conflict, once and in order")
    func manyConflicts() throws {
        let count = 15_000
        var list = KeptList(limits: TreeLimits())
        try list.commit(tracking: .untracked) { try $0.insertSection(NewSection(0, [])) }
        try list.commit(by: "a") { try $0.insert((0..<count).map { NewItem($0) }, at: .end(ofSection: "s0")) }
        try list.commit(by: "b") { try $0.toggle(.run(ListIndexPath(0, 0), count: count)) }
        let draft = list.editor.snapshot()
        let reversal = try list.undo("a", onConflict: .skip)
        let expected = (0..<count).map { MergeConflict(.item(.integer(Int64($0))), .changed) }
        #expect(reversal.conflicts == expected)
        #expect(list.editor.snapshot().stateHash == draft.stateHash)
    }

    @Test(
        "What is not in its place is looked at once, however many places come after it",
        arguments: 1...20 as ClosedRange<UInt64>)
    func searches(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // Which of the target are in their place; those that are placed are from then on.
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
