// Finds the visible rows of an outline in one pass.
//
// Always holds: a row is visible if none of its ancestors is collapsed.

/// A walk over the rows of a section, from the first to the last.
struct OutlineFold {
    /// The depth of the collapsed row whose subtree the pass is in.
    private var collapsedDepth: Int?

    /// Whether the next row is visible.
    ///
    /// - Complexity: O(1).
    mutating func shows(_ item: UntypedRow) -> Bool {
        if let collapsedDepth, item.depth > collapsedDepth { return false }
        collapsedDepth = item.isCollapsed ? item.depth : nil
        return true
    }
}

extension SectionOutline {
    /// The visible rows at and after an index.
    ///
    /// - Complexity: O(level · log n), and O(log n) for each that is asked for.
    func visibleRows(from row: Int) -> Visible {
        var rows = visibleRows
        rows.upcoming = row
        if row < tree.count, let ancestor = outermostCollapsed(above: row) {
            rows.upcoming = subtree(of: ancestor).upperBound
        }
        return rows
    }

    /// The visible one among the collapsed ancestors of a row.
    private func outermostCollapsed(above row: Int) -> Int? {
        var outermost: Int?
        var next = parent(of: row)
        while let ancestor = next {
            if tree[ancestor].isCollapsed { outermost = ancestor }
            next = parent(of: ancestor)
        }
        return outermost
    }
}
