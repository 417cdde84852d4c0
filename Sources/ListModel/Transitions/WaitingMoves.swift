// A sequence in which some moves are still to come.
//
// Views may reject a move from an index to the same index. It is a real move if other things go and come in the same batch:
// from "x y A B C" to "B C A", A moves from 2 to 2. Often other rows can move instead, and a changeset prefers that. Where that would take more moves, some of the moves wait for a batch of their own: the rows that wait
// stand among those that stay as they did before, while all others are where they belong.
//
// Words: the *rank* of a place is the number of staying elements before it. Between the same two of them, waiting elements
// stand together, before or behind the others.

struct WaitingMoves {
    /// The moves that wait, ascending by source.
    let waiting: [Changeset.Move<Int>]
    private let waitingRanks: [Int]
    /// Where elements arrive in the final sequence, all and those that do not wait, ascending.
    private let arrived: [Int]
    private let keptRanks: [Int]
    private let isBehind: Bool

    /// - Parameters:
    ///   - waiting: the moves that wait, from the first sequence to the last.
    ///   - gone: the indices in the first sequence of all that does not stay, ascending.
    ///   - arrived: the indices in the last sequence of all that does not stay, ascending.
    ///   - isBehind: whether waiting elements stand behind others between the same two that stay.
    init(_ waiting: [Changeset.Move<Int>], gone: [Int], arrived: [Int], isBehind: Bool) {
        self.waiting = waiting.sorted { $0.from < $1.from }
        self.arrived = arrived
        self.isBehind = isBehind
        waitingRanks = self.waiting.map { $0.from - gone.countLess(than: $0.from) }
        let targets = waiting.map(\.to).sorted()
        keptRanks = arrived.enumerated().compactMap { targets.containsSorted($1) ? nil : $1 - $0 }
    }

    /// The index of a waiting element.
    func index(ofWaiting position: Int) -> Int {
        let rank = waitingRanks[position]
        let before = keptRanks.sortedIndex { isBehind ? $0 > rank : $0 >= rank }
        return rank + position + before
    }

    /// The index of an element that does not wait, by its index in the last sequence.
    func index(of target: Int) -> Int {
        let rank = target - arrived.countLess(than: target)
        guard arrived.containsSorted(target) else {
            return rank + keptRanks.sortedIndex { $0 > rank } + waitingRanks.sortedIndex { $0 > rank }
        }
        let targets = waiting.map(\.to).filter { $0 < target }
        let before = waitingRanks.sortedIndex { isBehind ? $0 >= rank : $0 > rank }
        return target - targets.count + before
    }

    /// From the last sequence to where the waiting elements stand.
    var placesBack: [Changeset.Move<Int>] {
        waiting.indices.map { Changeset.Move(from: waiting[$0].to, to: index(ofWaiting: $0)) }
    }
}

extension WaitingMoves {
    /// Takes moves apart so that none leads to its own index: what waits after each batch; nothing after the last.
    ///
    /// - Parameters:
    ///   - moves: all moves within the sequence, one of which leads to its own index.
    ///   - gone: see above.
    ///   - arrived: see above.
    /// - Returns: one state if two batches are enough, as they always were so far; otherwise the moves are made one by one,
    ///   each of which passes something that stays and so changes its index.
    static func states(_ moves: [Changeset.Move<Int>], gone: [Int], arrived: [Int]) -> [WaitingMoves] {
        func rank(_ move: Changeset.Move<Int>) -> (Int, Int) {
            (move.from - gone.countLess(than: move.from), move.to - arrived.countLess(than: move.to))
        }
        let candidates = [
            moves.filter { $0.from == $0.to },
            moves.filter { rank($0).0 < rank($0).1 },
            moves.filter { rank($0).0 > rank($0).1 },
            moves.filter { $0.from != $0.to },
            moves,
        ]
        for candidate in candidates where candidate.count < max(gone.count, arrived.count) {
            for isBehind in [true, false] {
                let state = WaitingMoves(candidate, gone: gone, arrived: arrived, isBehind: isBehind)
                if state.isClean(moves) { return [state] }
            }
        }
        return moves.indices.map {
            WaitingMoves(Array(moves[$0...]), gone: gone, arrived: arrived, isBehind: false)
        }
    }

    /// Whether no move leads to its own index, neither on the way to this state nor on the way from it.
    private func isClean(_ moves: [Changeset.Move<Int>]) -> Bool {
        if waiting.indices.contains(where: { index(ofWaiting: $0) == waiting[$0].to }) { return false }
        let sources = waiting.map(\.from)
        return !moves.contains { !sources.containsSorted($0.from) && index(of: $0.to) == $0.from }
    }
}
