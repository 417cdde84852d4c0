// The splices of a transition, for models without moves.
//
// Always holds: applied to the rows of `old`, the splices result in those of `new`, except for the content of
// `updated`.

/// The splices of a transition.
public struct RowSplices: Sendable {
    /// The splices from front to back. After a splice is applied, the rows before its end are new and the rows after it
    /// are old. No two splices are adjacent.
    public let splices: [Splice]
    /// The offsets in the new snapshot of the rows that stayed and whose own fields changed, ascending. A `GListModel`
    /// has no signal for this: the object of the row has to notify.
    public let updated: [Int]
    /// The rows before the first splice.
    public let old: LaidOutRows
    /// The rows after the last splice.
    public let new: LaidOutRows
}

extension ListTransition {
    /// The splices that lead from the old rows to the new ones. A row that moves is removed and added.
    ///
    /// - Parameter layout: the layout of the sections.
    /// - Complexity: O(s + k log k) for s sections and k rows that differ.
    public func splices(layout: RowLayout) -> RowSplices {
        RowDifference(self, layout).splices()
    }
}

extension RowDifference {
    /// The splices of the difference.
    func splices() -> RowSplices {
        let difference = self
        var splices: [Splice] = []
        // The rows that leave and arrive between the same two staying rows are one splice.
        var (gone, arrived) = (0, 0)
        while gone < difference.gone.count || arrived < difference.arrived.count {
            let rank = min(
                gone < difference.gone.count ? difference.gone[gone] - gone : .max,
                arrived < difference.arrived.count ? difference.arrived[arrived] - arrived : .max)
            var splice = Splice(position: rank + arrived, removed: 0, added: 0)
            while gone < difference.gone.count, difference.gone[gone] - gone == rank {
                splice.removed += 1
                gone += 1
            }
            while arrived < difference.arrived.count, difference.arrived[arrived] - arrived == rank {
                splice.added += 1
                arrived += 1
            }
            splices.append(splice)
        }
        return RowSplices(
            splices: splices, updated: difference.updated.filter { !difference.arrived.containsSorted($0) },
            old: difference.old, new: difference.new)
    }
}

/// A replacement of consecutive rows by others: the `items-changed` signal of a `GListModel`.
public struct Splice: Hashable, Sendable {
    /// The offset of the first replaced row, after all splices before this one.
    public var position: Int
    /// The number of rows that are removed there.
    public var removed: Int
    /// The number of rows that are inserted in their place.
    public var added: Int

    /// A splice.
    public init(position: Int, removed: Int, added: Int) {
        self.position = position
        self.removed = removed
        self.added = added
    }
}
