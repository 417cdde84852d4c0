// A transition as operations for a view without sections.
//
// Each row that moves *waits* at its old place until its own operation. The *rank* of a place is the number of staying rows
// before it. Waiting rows and rows that have arrived are each after as many staying rows as their rank. Between the
// same two staying rows, those that have arrived come before those that wait.

extension ListTransition {
    /// The operations that lead from the old rows to the new ones.
    ///
    /// ```swift
    /// for operation in transition.operations(layout: .rows).operations {
    ///     switch operation {
    ///     case .remove(let row): table.removeRows(at: [row])
    ///     case .insert(let row, _): table.insertRows(at: [row])
    ///     case .move(let from, let to): table.moveRow(at: from, to: to)
    ///     case .update(let row): table.reloadData(forRowIndexes: [row], columnIndexes: columns)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - layout: the layout of the sections.
    ///   - limit: if there are more operations, the view should reload instead; nil for no limit.
    /// - Complexity: O(s + k log k) for s sections and k operations.
    public func operations(layout: RowLayout, reloadAbove limit: Int? = nil) -> RowOperations {
        RowDifference(self, layout).operations(reloadAbove: limit)
    }
}

extension RowDifference {
    /// The operations of the difference.
    func operations(reloadAbove limit: Int? = nil) -> RowOperations {
        let difference = self
        let count = difference.gone.count + difference.arrived.count - difference.moves.count + difference.updated.count
        if let limit, count > limit {
            return RowOperations(operations: [], isReload: true, old: difference.old, new: difference.new)
        }
        var order = OperationOrder(difference)
        return RowOperations(operations: order.operations(), isReload: false, old: difference.old, new: difference.new)
    }
}

/// Orders the operations of a difference, and computes their offsets.
private struct OperationOrder {
    private let difference: RowDifference
    /// The old offsets of the rows that move, ascending, and the ranks of these places.
    private let sources: [Int]
    private let sourceRanks: [Int]
    /// A Fenwick tree that counts which of them still wait.
    private var waiting: FenwickTree
    /// The ranks of the places at which rows arrive.
    private let targetRanks: [Int]

    init(_ difference: RowDifference) {
        self.difference = difference
        sources = difference.moves.map(\.from).sorted()
        sourceRanks = sources.map { $0 - difference.gone.countLess(than: $0) }
        waiting = FenwickTree(ones: sources.count)
        targetRanks = difference.arrived.enumerated().map { $1 - $0 }
    }

    mutating func operations() -> [RowOperation] {
        let moved = Set(sources)
        var operations: [RowOperation] = difference.gone.reversed().compactMap {
            moved.contains($0) ? nil : .remove(at: $0)
        }
        var nextMove = 0
        for (index, target) in difference.arrived.enumerated() {
            // The number of sources before the place: those with a lower rank.
            let before = sourceRanks.countLess(than: targetRanks[index])
            guard nextMove < difference.moves.count, difference.moves[nextMove].to == target else {
                operations.append(.insert(at: target + waiting.sum(before), row: target))
                continue
            }
            let source = sources.countLess(than: difference.moves[nextMove].from)
            nextMove += 1
            let rank = sourceRanks[source]
            let placed = min(index, targetRanks.sortedIndex { $0 > rank })
            let from = rank + placed + waiting.sum(source)
            waiting.add(-1, at: source)
            operations.append(.move(from: from, to: target + waiting.sum(before)))
        }
        for offset in difference.updated { operations.append(.update(at: offset)) }
        return operations
    }
}

/// A Fenwick tree: prefix sums and changes of numbers in O(log n).
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

/// A single change of a view that shows rows in one sequence, such as `NSTableView` or `RecyclerView`. The offsets of a
/// operation refer to the result of the operation before.
public enum RowOperation: Hashable, Sendable {
    /// Remove the row at an offset.
    case remove(at: Int)
    /// Insert a row, so that it is at an offset afterwards. It is the row at the offset `row` of the new snapshot.
    case insert(at: Int, row: Int)
    /// Remove the row at an offset, and insert it again so that it is at another offset afterwards.
    case move(from: Int, to: Int)
    /// Update the row at an offset, which keeps its place and its selection. All rows are in their places by then, so
    /// it is the row at the same offset of the new snapshot.
    case update(at: Int)
}

/// The operations of a transition.
public struct RowOperations: Sendable {
    /// The operations in order: removals from the back, insertions and moves from the front, updates.
    public let operations: [RowOperation]
    /// Whether the view should reload everything instead; then there are no operations.
    public let isReload: Bool
    /// The rows before the first operation.
    public let old: LaidOutRows
    /// The rows after the last operation.
    public let new: LaidOutRows
}
