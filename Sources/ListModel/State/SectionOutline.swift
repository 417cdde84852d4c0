// A section as an outline: its rows have depths, and the deeper rows right after a row are below it.
//
// Any sequence of depths is an outline. The parent of a row is the nearest row before it in the section that is less
// deep, by any difference. The level of a row is the number of its ancestors. Level and depth are equal where depths
// increase by one at a time.
//
// Always holds: of two subtrees that have a row in common, one contains the other.

/// The rows of a section as an outline. A row is identified by its index in the section.
///
/// ```swift
/// let outline = snapshot.sections[0].outline
/// for row in outline.roots { print(outline.items[row].id, outline.subtree(of: row).count - 1, "rows below") }
/// ```
///
/// Precondition: an index is that of a row, as for the subscript of an array.
public struct SectionOutline: Sendable {
    let tree: PersistentTree<UntypedRow>

    /// The rows of all levels.
    public var items: ItemCollection { ItemCollection(tree: tree) }

    /// The parent of a row; nil if it has none.
    ///
    /// - Complexity: O(log n), however far away the parent is.
    public func parent(of row: Int) -> Int? {
        tree.lastOffset(before: row, notDeeperThan: tree[row].depth - 1)
    }

    /// The number of ancestors of a row: 0 for a row without a parent.
    ///
    /// - Complexity: O(level · log n).
    public func level(of row: Int) -> Int {
        var level = 0
        forEachAncestor(of: row) { _ in
            level += 1
            return true
        }
        return level
    }

    /// A row and all rows below it, which are right after it.
    ///
    /// - Complexity: O(log n), however many they are.
    public func subtree(of row: Int) -> Range<Int> {
        row..<(tree.firstOffset(from: row + 1, notDeeperThan: tree[row].depth) ?? tree.count)
    }

    /// Whether there are rows below a row.
    ///
    /// - Complexity: O(log n).
    public func hasChildren(_ row: Int) -> Bool {
        row + 1 < tree.count && tree[row + 1].depth > tree[row].depth
    }

    /// The children of a row: the rows directly below it.
    ///
    /// - Complexity: lazy, O(log n) for each row.
    public func children(of row: Int) -> Siblings {
        Siblings(tree: tree, upcoming: row + 1, end: subtree(of: row).upperBound)
    }

    /// The rows without a parent.
    ///
    /// - Complexity: lazy, O(log n) for each row.
    public var roots: Siblings { Siblings(tree: tree, upcoming: 0, end: tree.count) }

    /// The sibling before a row; nil for the first child and for the first root.
    ///
    /// - Complexity: O(m · log n), where the row before is m levels below that sibling.
    public func previousSibling(of row: Int) -> Int? {
        let parent = parent(of: row)
        var sibling = row - 1
        guard sibling >= 0, sibling != parent else { return nil }
        while let above = self.parent(of: sibling), above != parent { sibling = above }
        return sibling
    }

    /// Whether no ancestor of a row is collapsed.
    ///
    /// - Complexity: O(level · log n).
    public func isVisible(_ row: Int) -> Bool {
        var isVisible = true
        forEachAncestor(of: row) { ancestor in
            isVisible = !ancestor.isCollapsed
            return isVisible
        }
        return isVisible
    }

    /// The visible rows in order.
    ///
    /// - Complexity: lazy, O(log n) for each visible row. Hidden rows are skipped.
    public var visibleRows: Visible { Visible(tree: tree) }

    /// Calls `body` with the parent of a row, its parent and so on, until it returns false.
    private func forEachAncestor(of row: Int, _ body: (UntypedRow) -> Bool) {
        var depth = tree[row].depth
        var next = tree.lastOffset(before: row, notDeeperThan: depth - 1)
        while let row = next {
            let item = tree[row]
            guard body(item) else { return }
            depth = item.depth
            next = tree.lastOffset(before: row, notDeeperThan: depth - 1)
        }
    }

    /// The indices of the rows of one parent, in order.
    public struct Siblings: Sequence, IteratorProtocol, Sendable {
        let tree: PersistentTree<UntypedRow>
        var upcoming: Int
        let end: Int

        /// The index of the next row.
        public mutating func next() -> Int? {
            guard upcoming < end else { return nil }
            let row = upcoming
            upcoming = tree.firstOffset(from: row + 1, notDeeperThan: tree[row].depth) ?? tree.count
            return row
        }
    }

    /// The indices of the visible rows, in order.
    public struct Visible: Sequence, IteratorProtocol, Sendable {
        let tree: PersistentTree<UntypedRow>
        var upcoming = 0

        /// The index of the next visible row.
        public mutating func next() -> Int? {
            guard upcoming < tree.count else { return nil }
            let row = upcoming
            let item = tree[row]
            // The next visible row is the row after it or, if it is collapsed, the next row that is not below it.
            upcoming = row + 1
            if item.isCollapsed {
                upcoming = tree.firstOffset(from: upcoming, notDeeperThan: item.depth) ?? tree.count
            }
            return row
        }
    }
}

extension UntypedSection {
    /// The rows as an outline.
    public var outline: SectionOutline { SectionOutline(tree: tree) }
}

extension ListState {
    /// The rows of the section at an index, which must be valid, as an outline.
    public func outline(inSectionAt index: Int) -> SectionOutline {
        SectionOutline(tree: sectionEntry(at: index).items(pool))
    }
}
