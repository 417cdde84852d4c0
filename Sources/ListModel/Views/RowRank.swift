// The sort order of the rows of a derived view, in a tree beside that of the rows.
//
// Always holds: a section of the view has one rank for each row, in the same order, and the ranks ascend by `RowOrder`.

/// The values by which a row of the view is sorted.
struct RowRank: MemoryElement {
    var label: UInt64
    /// The number of the section of the source that the row is in.
    let section: UInt32
    let key: RowKey

    /// Whether both are of the same row.
    func isSame(as other: RowRank) -> Bool { label == other.label && section == other.section }
}

/// A section of a view, as the order of its rows.
struct RankedSection: MemoryElement {
    var group: QueryGroup
    /// The number of its section in the source; without meaning if the view has sections of its own.
    let number: UInt32
    private(set) var ranks: TreeChild<RowRank>

    init(group: QueryGroup, number: UInt32, ranks: TreeChild<RowRank> = .empty) {
        self.group = group
        self.number = number
        self.ranks = ranks
    }

    /// The tree of the ranks.
    func ranks(_ pool: NodePool) -> PersistentTree<RowRank> { PersistentTree(ranks, pool) }

    /// Changes the ranks.
    mutating func editRanks<Result>(
        _ pool: NodePool, _ body: (inout PersistentTree<RowRank>) -> Result
    ) -> Result {
        ranks.edit(pool, body)
    }
}

/// The order of ranks: by key, then in the order of the source.
struct RowOrder: Sendable {
    /// Which components of keys are in descending order.
    let descending: [Bool]
    /// The labels of the sections of the source, by number.
    var sectionLabels: [UInt64]

    /// Whether a rank comes before another.
    @inline(__always)
    func isBefore(_ left: borrowing RowRank, _ right: borrowing RowRank) -> Bool {
        if left.key !== right.key {
            let result = left.key.key.compare(right.key.key, descending: descending)
            if result != 0 { return result < 0 }
        }
        if left.section != right.section {
            return sectionLabels[Int(left.section)] < sectionLabels[Int(right.section)]
        }
        return left.label < right.label
    }
}
