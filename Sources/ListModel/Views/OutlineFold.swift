// Which rows of an outline are visible, found on a walk over all of them.
//
// Always holds: a row is visible if no row before it that is less deep, and that is its ancestor therefore, is collapsed.

/// A walk over the rows of a section, from the first to the last.
struct OutlineFold {
    /// The depth of the collapsed row whose subtree the walk is in.
    private var collapsedDepth: Int?

    /// Whether the next row is visible.
    ///
    /// - Complexity: O(1).
    mutating func shows(_ item: ListItem) -> Bool {
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

    /// Of the collapsed ancestors of a row, that which is visible itself.
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
