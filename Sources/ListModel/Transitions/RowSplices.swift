// What a model without moves tells its view.
//
// Always holds: played on the rows of `old`, the splices give those of `new`, but for the content of `updated`.

/// The splices of a transition.
public struct RowSplices: Sendable {
    /// From front to back: before the end of a splice the rows are new, after it old. No two touch.
    public let splices: [Splice]
    /// Offsets in the new snapshot of the rows that stayed and changed in themselves, ascending. A GListModel has no
    /// signal for that: the object of the row says so.
    public let updated: [Int]
    /// The rows before the first splice.
    public let old: LaidOutRows
    /// The rows after the last splice.
    public let new: LaidOutRows
}

extension Transition {
    /// The splices that lead from the old rows to the new ones. A row that moves is removed and added.
    ///
    /// - Parameter layout: how the sections lie.
    /// - Complexity: O(s + k log k) for s sections and k rows that differ.
    public func splices(layout: RowLayout) -> RowSplices {
        RowDifference(self, layout).splices()
    }
}

extension RowDifference {
    /// What a model without moves tells its view.
    func splices() -> RowSplices {
        let difference = self
        var splices: [Splice] = []
        // Between the same two rows that stay, what goes and what comes is one splice.
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
