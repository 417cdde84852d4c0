// Which moves wait for a second batch, so that no batch moves anything to the index that it has already.
//
// Views may reject a move from an index to the same index. It is a real move if other things go and come in the same batch:
// from "x y A B C" to "B C A", A moves from 2 to 2. Often other rows can move instead, and a changeset prefers that. Where
// that would take more moves, some of the moves wait: the first batch has everything else, the second only those moves.
//
// Always holds: no move of either batch leads to its own index, and every move is in exactly one of them. So two batches
// are enough for any sequence, with the fewest moves.
//
// Words: what neither comes, goes nor moves *stays*. The *rank* of a place is how many staying elements are before it.
// A move leads *forward* if its target has the greater rank, otherwise *back*: none has equal ranks, or the element could
// stay as well. What waits stands where it stood between the same two staying elements, before all that arrives there.
//
// The rule: the moves back are looked at in the order of their targets, the moves forward in the opposite order. One waits
// if it would arrive at its own index, after those that wait already. Proof that this is enough:
//
// 1. The directions do not disturb each other. Say m, forward, would arrive at its own index and waits. That changes where
//    x, back, arrives only if x arrives after the source of m and before the target of m. So x arrives before its own
//    source by two or more: x < arrival of m = source of m < source of x. That m waits adds one, so x is still not at its
//    own index. The mirror image holds too. So each direction may be looked at as if no move of the other one waited.
// 2. Of two moves back that wait, the one with the first target has the first source. Say q waits, and x has a later target
//    and an earlier source. Then x would arrive behind its source by two or more: arrival of x > arrival of q = source of q
//    > source of x. That q waits takes one off. The next ones that wait can take more off only if their targets are before
//    that of x, so after that of q; and their sources before that of x, or x would be behind by two once more. Then they
//    themselves have a later target and an earlier source than q; but the first such move that waits had none before it.
//    The mirror image holds for moves forward.
// 3. The first batch: one that does not wait was not at its own index when it was looked at. What waits later has its
//    target behind it, seen in the direction of looking, and does not change where it arrives; for moves of the other
//    direction, see 1.
// 4. The second batch only moves. Say q moves back in it. Whatever is before q at the end was before it already while it
//    waited: a move back by 2, anything else because it stood at a lower rank than q. And at least one staying element was
//    before q then and is behind it at the end. So the index of q falls; that of a move forward rises.
//
// This holds whatever is deleted, inserted or moved to other sequences in the first batch.

struct WaitingMoves {
    /// The moves of the second batch, ascending by target.
    let moves: [Changeset.Move<Int>]
    /// The ranks of the sources of what waits, ascending, and its targets, ascending.
    private let sourceRanks: [Int]
    private let targets: [Int]
    /// Where elements arrive in the last sequence, all of them, ascending.
    private let arrived: [Int]

    /// - Parameter changes: what happens to a sequence; as few elements as possible move.
    /// - Complexity: O(k log k) for k changes.
    init(_ changes: Changeset.Changes<Int>) {
        let gone = (changes.deleted + changes.moved.map(\.from)).sorted()
        let arrived = (changes.inserted + changes.moved.map(\.to)).sorted()
        var waiting: [(move: Changeset.Move<Int>, sourceRank: Int)] = []
        for isForward in [false, true] {
            // The first of those that wait whose place the places looked at have not passed yet.
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
        waiting.sort { $0.move.from < $1.move.from }
        let targets = waiting.map(\.move.to).sorted()
        moves = waiting.enumerated().map { position, element in
            let rank = element.sourceRank
            // Before it are those that wait before it, and all that the last sequence has up to the staying element before it,
            // but for what waits.
            let end = rank == 0 ? 0 : arrived.complement(rank - 1) + 1
            return Changeset.Move(from: position + end - targets.countLess(than: end), to: element.move.to)
        }.sorted { $0.to < $1.to }
        sourceRanks = waiting.map(\.sourceRank)
        self.targets = targets
        self.arrived = arrived
    }

    /// Whether the element that comes to an index of the last sequence waits.
    func isWaiting(_ target: Int) -> Bool { targets.containsSorted(target) }

    /// The index between the batches of an element that does not wait, by its index in the last sequence.
    func index(of target: Int) -> Int {
        let rank = target - arrived.countLess(than: target)
        return target - targets.countLess(than: target) + sourceRanks.sortedIndex { $0 > rank }
    }

    /// From the last sequence to the one between the batches.
    var placesBack: [Changeset.Move<Int>] { moves.map { Changeset.Move(from: $0.to, to: $0.from) } }
}
