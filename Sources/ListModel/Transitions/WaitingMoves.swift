// Chooses moves that wait for a second batch, so that no batch moves an element to its own index.
//
// Views may reject a move from an index to the same index. Such a move is real if other elements are deleted or
// inserted in the same batch: from "x y A B C" to "B C A", A moves from 2 to 2. Often other rows can move instead, and
// a changeset prefers that. If that would need more moves, some of the moves wait: the first batch has all other
// changes, the second one only these moves.
//
// Always holds: no move of either batch leads to its own index, and every move is in exactly one batch. So two batches
// are enough for any sequence, with the fewest moves.
//
// Words: an element that is not inserted, deleted or moved *stays*. The *rank* of a place is the number of staying
// elements before it. A move is *forward* if the rank of its target is greater than that of its source, otherwise
// *back*. The ranks are never equal, because then the element could stay. A waiting element remains between the same
// two staying elements, before all elements that arrive there. The *arrival* of a move is its target index in the first
// batch.
//
// The rule: moves back are examined in the order of their targets, moves forward in the reversed order. A move waits if
// it would arrive at its own index, given the moves that wait already. Proof that this is enough:
//
// 1. The directions are independent. Say m is a move forward that would arrive at its own index, so it waits.
//    This changes the arrival of a move x back only if x arrives after the place of the source of m and before the
//    target of m. Then x arrives at least two before its own source: arrival of x < arrival of m = source of m < source
//    of x. Because m waits, the arrival of x increases by one, so x still does not arrive at its own index. The mirror
//    image is also true. So each direction can be examined as if no move of the other direction waited.
// 2. Waiting moves back have the same order by target and by source. Say q waits, and x has a later target
//    and an earlier source. Then x would arrive at least two after its source: arrival of x > arrival of q = source of
//    q > source of x. Because q waits, the arrival of x decreases by one. Other waiting moves could decrease it further
//    only if their targets are before that of x, and so after that of q, and if their sources are before that of x;
//    otherwise x would again arrive at least two after its source. But then these moves also have a later target and an
//    earlier source than q. The first of them to wait had no other one before it, so only q decreased its arrival, and
//    it would not wait after all. The mirror image is true for moves forward.
// 3. The first batch: a move that does not wait did not arrive at its own index when it was examined.
//    A move of the same direction that waits later has its target after it, in the order of examination, and does not
//    change its arrival. For moves of the other direction, see 1.
// 4. The second batch only has moves. Say q moves back in it.
//    Every element before q at the end was before it already while q waited: waiting moves back by 2, all other
//    elements because they were at a lower rank than q. And at least one staying element was before q then and is after
//    it at the end. So the index of q decreases. In the same way, the index of a move forward increases.
//
// The proof does not depend on the other deletions and insertions of the first batch, nor on its moves to other
// sequences.

struct WaitingMoves {
    /// The moves of the second batch, ascending by target.
    let moves: [Changeset.Move<Int>]
    /// The ranks of the sources of the waiting moves, ascending, and their targets, ascending.
    private let sourceRanks: [Int]
    private let targets: [Int]
    /// The indices of all elements that arrive in the last sequence, ascending.
    private let arrived: [Int]

    /// - Parameter changes: the changes of a sequence, with as few moves as possible.
    /// - Complexity: O(k log k) for k changes.
    init(_ changes: Changeset.Changes<Int>) {
        let gone = (changes.deleted + changes.moved.map(\.from)).sorted()
        let arrived = (changes.inserted + changes.moved.map(\.to)).sorted()
        var waiting: [(move: Changeset.Move<Int>, sourceRank: Int)] = []
        for isForward in [false, true] {
            // The first waiting move whose source the examined targets have not passed yet.
            var open = waiting.endIndex
            for position in changes.moved.indices {
                let move = changes.moved[isForward ? changes.moved.count - 1 - position : position]
                let sourceRank = move.from - gone.countLess(than: move.from)
                let targetRank = move.to - arrived.countLess(than: move.to)
                guard isForward == (sourceRank < targetRank) else { continue }
                while open < waiting.endIndex, isForward == (waiting[open].sourceRank > targetRank) { open += 1 }
                let openCount = waiting.endIndex - open
                if move.to + (isForward ? openCount : -openCount) == move.from { waiting.append((move, sourceRank)) }
            }
        }
        waiting = waiting.ordered { $0.move.from < $1.move.from }
        let targets = waiting.map(\.move.to).sorted()
        moves = waiting.enumerated().map { position, element in
            let rank = element.sourceRank
            // Before a waiting element are the waiting elements before it, and all elements of the last sequence up to
            // the staying element before it, except those that wait.
            let end = rank == 0 ? 0 : arrived.complement(rank - 1) + 1
            return Changeset.Move(from: position + end - targets.countLess(than: end), to: element.move.to)
        }.ordered { $0.to < $1.to }
        sourceRanks = waiting.map(\.sourceRank)
        self.targets = targets
        self.arrived = arrived
    }

    /// Whether the element at an index of the last sequence waits.
    func isWaiting(_ target: Int) -> Bool { targets.containsSorted(target) }

    /// The index between the batches of an element that does not wait, from its index in the last sequence.
    func index(of target: Int) -> Int {
        let rank = target - arrived.countLess(than: target)
        return target - targets.countLess(than: target) + sourceRanks.sortedIndex { $0 > rank }
    }

    /// The inverse moves, from the last sequence to the sequence between the batches.
    var placesBack: [Changeset.Move<Int>] { moves.map { Changeset.Move(from: $0.to, to: $0.from) } }
}
