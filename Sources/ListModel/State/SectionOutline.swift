// A section read as an outline: rows with depths, in which a row's children are the deeper rows right after it.
//
// Any sequence of depths is an outline: the parent of a row is the nearest row before it in the section that is less
// deep, however much less. Level and depth are the same where depths grow one at a time; where they grow in greater
// steps, the level counts the ancestors.
//
// Always holds: the row of an index is in the section; subtrees that have a row in common contain one another.

/// The rows of a section as an outline. Rows are named by their index in the section.
///
/// ```swift
/// let outline = snapshot.sections[0].outline
/// for row in outline.roots { print(outline.items[row].id, outline.subtree(of: row).count - 1, "rows below") }
/// ```
///
/// An index must be that of a row, as for the subscript of an array.
public struct SectionOutline: Sendable {
    let tree: PersistentTree<ListItem>

    /// The rows, of every level.
    public var items: ItemCollection { ItemCollection(tree: tree) }

    /// The row that a row is below; nil if it is below none.
    ///
    /// - Complexity: O(log n), however far away the parent is.
    public func parent(of row: Int) -> Int? {
        tree.lastOffset(before: row, notDeeperThan: tree[row].depth - 1)
    }

    /// How many ancestors a row has: 0 for a row without a parent.
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

    /// A row and all rows below it, which stand right after it.
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

    /// The rows directly below a row.
    ///
    /// - Complexity: O(log n) for each that is asked for.
    public func children(of row: Int) -> Siblings {
        Siblings(tree: tree, upcoming: row + 1, end: subtree(of: row).upperBound)
    }

    /// The rows without a parent.
    ///
    /// - Complexity: O(log n) for each that is asked for.
    public var roots: Siblings { Siblings(tree: tree, upcoming: 0, end: tree.count) }

    /// The sibling that stands before a row; nil if it is the first child, or the first root.
    ///
    /// - Complexity: O(m · log n), where the row before stands m levels below that sibling.
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

    /// The rows that are visible, from the first to the last.
    ///
    /// - Complexity: O(log n) for each that is asked for; hidden rows are stepped over.
    public var visibleRows: Visible { Visible(tree: tree) }

    /// Calls `body` with the parent of a row, its parent and so on, until it returns false.
    private func forEachAncestor(of row: Int, _ body: (ListItem) -> Bool) {
        var depth = tree[row].depth
        var next = tree.lastOffset(before: row, notDeeperThan: depth - 1)
        while let row = next {
            let item = tree[row]
            guard body(item) else { return }
            depth = item.depth
            next = tree.lastOffset(before: row, notDeeperThan: depth - 1)
        }
    }

    /// Rows of one parent, in order, each by its index.
    public struct Siblings: Sequence, IteratorProtocol, Sendable {
        let tree: PersistentTree<ListItem>
        var upcoming: Int
        let end: Int

        /// The index of the next of the rows.
        public mutating func next() -> Int? {
            guard upcoming < end else { return nil }
            let row = upcoming
            upcoming = tree.firstOffset(from: row + 1, notDeeperThan: tree[row].depth) ?? tree.count
            return row
        }
    }

    /// The visible rows, in order, each by its index.
    public struct Visible: Sequence, IteratorProtocol, Sendable {
        let tree: PersistentTree<ListItem>
        var upcoming = 0

        /// The index of the next visible row.
        public mutating func next() -> Int? {
            guard upcoming < tree.count else { return nil }
            let row = upcoming
            let item = tree[row]
            // After a visible row comes its first child or, if that is hidden, the next row that is not below it.
            upcoming = row + 1
            if item.isCollapsed {
                upcoming = tree.firstOffset(from: upcoming, notDeeperThan: item.depth) ?? tree.count
            }
            return row
        }
    }
}

extension SectionView {
    /// The rows as an outline.
    public var outline: SectionOutline { SectionOutline(tree: tree) }
}

extension ListState {
    /// The rows of a section as an outline; the index must be that of a section.
    public func outline(inSectionAt index: Int) -> SectionOutline {
        SectionOutline(tree: sectionEntry(at: index).items(store))
    }
}
