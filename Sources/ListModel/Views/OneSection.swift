// Rows in one section, in an order that their owner chooses, for a view that is not derived from a list's rows.
//
// Always holds: an edit copies only nodes that a snapshot refers to.

/// Rows that make up a snapshot of one section.
package struct OneSection: Sendable {
    private var rows: PersistentTree<UntypedRow>

    package init() { rows = PersistentTree(NodePool(limits: TreeLimits())) }

    /// Inserts rows, whose ids are not there.
    ///
    /// - Complexity: O(k + log n) for k rows, typically.
    package mutating func insert(_ new: [UntypedRow], at index: Int) { rows.insert(new, at: index) }

    /// Removes a row.
    ///
    /// - Complexity: O(log n).
    package mutating func remove(at index: Int) { rows.remove(at: index) }

    /// The rows in a section of this id, as those of a version.
    ///
    /// - Complexity: O(log n) for each row that was changed since the last time.
    package mutating func snapshot(_ version: Version, section id: UntypedID) -> UntypedSnapshot {
        rows.seal()
        var tree = PersistentTree(
            unlocated: [SectionEntry(id: id, title: "", number: 0, rows: rows.top)], rows.pool)
        tree.seal()
        return UntypedSnapshot(version: version, itemCount: rows.count, tree: tree)
    }
}
