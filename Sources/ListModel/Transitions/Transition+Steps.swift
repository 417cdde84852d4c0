// A transition as steps of a view without sections.
//
// Rows that are to move wait where they stand until it is their turn. Of those that stay, each has a *rank*: how many of
// them are before it. A row that waits, or that was put in its place, stands after as many rows that stay as its rank
// says; between the same two, those that are in their places come first.

extension Transition {
    /// The steps that lead from the old rows to the new ones.
    ///
    /// ```swift
    /// for step in transition.steps(layout: .rows).steps {
    ///     switch step {
    ///     case .remove(let row): table.removeRows(at: [row])
    ///     case .insert(let row, _): table.insertRows(at: [row])
    ///     case .move(let from, let to): table.moveRow(at: from, to: to)
    ///     case .update(let row): table.reloadData(forRowIndexes: [row], columnIndexes: columns)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - layout: how the sections lie.
    ///   - limit: if there were more steps, the view is to reload instead; nil for never.
    /// - Complexity: O(s + k log k) for s sections and k steps.
    public func steps(layout: RowLayout, reloadAbove limit: Int? = nil) -> RowOperations {
        RowDifference(self, layout).steps(reloadAbove: limit)
    }
}

extension RowDifference {
    /// What a view without sections plays.
    func steps(reloadAbove limit: Int? = nil) -> RowOperations {
        let difference = self
        let count = difference.gone.count + difference.arrived.count - difference.moves.count + difference.updated.count
        if let limit, count > limit {
            return RowOperations(steps: [], isReload: true, old: difference.old, new: difference.new)
        }
        var order = OperationOrder(difference)
        return RowOperations(steps: order.steps(), isReload: false, old: difference.old, new: difference.new)
    }
}

/// Puts the steps of a difference in order.
private struct OperationOrder {
    private let difference: RowDifference
    /// The rows that are to move, ascending by where they stood, with the ranks of where they stood.
    private let sources: [Int]
    private let sourceRanks: [Int]
    /// Which of them wait, as a Fenwick tree of counts.
    private var waiting: FenwickTree
    /// The ranks of the places of rows that arrive.
    private let targetRanks: [Int]

    init(_ difference: RowDifference) {
        self.difference = difference
        sources = difference.moves.map(\.from).sorted()
        sourceRanks = sources.map { $0 - difference.gone.countLess(than: $0) }
        waiting = FenwickTree(ones: sources.count)
        targetRanks = difference.arrived.enumerated().map { $1 - $0 }
    }

    mutating func steps() -> [RowOperation] {
        let moved = Set(sources)
        var steps: [RowOperation] = difference.gone.reversed().compactMap { moved.contains($0) ? nil : .remove(at: $0) }
        var nextMove = 0
        for (index, target) in difference.arrived.enumerated() {
            // Those that wait before the place: whose rank is less.
            let before = sourceRanks.countLess(than: targetRanks[index])
            guard nextMove < difference.moves.count, difference.moves[nextMove].to == target else {
                steps.append(.insert(at: target + waiting.sum(before), row: target))
                continue
            }
            let source = sources.countLess(than: difference.moves[nextMove].from)
            nextMove += 1
            let rank = sourceRanks[source]
            let placed = min(index, targetRanks.sortedIndex { $0 > rank })
            let from = rank + placed + waiting.sum(source)
            waiting.add(-1, at: source)
            steps.append(.move(from: from, to: target + waiting.sum(before)))
        }
        for offset in difference.updated { steps.append(.update(at: offset)) }
        return steps
    }
}

/// Numbers that are added up from the first to any one, and changed, in O(log n).
private struct FenwickTree {
    private var sums: [Int]

    init(ones count: Int) {
        sums = (0...count).map { $0 & -$0 }
    }

    /// The sum of the first `count` numbers.
    func sum(_ count: Int) -> Int {
        var sum = 0
        var slot = count
        while slot > 0 {
            sum += sums[slot]
            slot &= slot - 1
        }
        return sum
    }

    mutating func add(_ number: Int, at index: Int) {
        var slot = index + 1
        while slot < sums.count {
            sums[slot] += number
            slot += slot & -slot
        }
    }
}
