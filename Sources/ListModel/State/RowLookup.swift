// Reading rows by id, at the head and in an indexed snapshot.
//
// For an unknown id, functions that look up a row or its position return nil. Functions that compute something about a
// known row throw.

/// Rows that can be looked up by id: ``ListState`` at the head, ``UntypedIndexedSnapshot`` at any version.
public protocol RowLookup: ~Copyable {
    /// The number of sections.
    var sectionCount: Int { get }
    /// The number of rows in all sections.
    var itemCount: Int { get }
    /// The index path of the row of an id, or nil if there is none.
    func indexPath(of id: UntypedID) -> ListIndexPath?
    /// The index of the section of an id, or nil if there is none.
    func indexOfSection(_ id: UntypedID) -> Int?
    /// The id of the section at an index, or nil if there is none.
    func sectionID(at index: Int) -> UntypedID?
    /// The rows of the section at an index, which must be valid, as an outline.
    func outline(inSectionAt index: Int) -> SectionOutline
}

extension ListState: RowLookup {
    public func sectionID(at index: Int) -> UntypedID? {
        tree.indices.contains(index) ? sectionEntry(at: index).id : nil
    }
}

// MARK: - Sections and rows

extension RowLookup where Self: ~Copyable {
    /// The ids of all sections, in order.
    ///
    /// - Complexity: O(s log s) for s sections.
    public var sectionIDs: [UntypedID] { (0..<sectionCount).compactMap { sectionID(at: $0) } }

    /// The ids of all rows, in order.
    ///
    /// - Complexity: O(n).
    public var itemIDs: [UntypedID] {
        var ids: [UntypedID] = []
        // The count of a damaged checkpoint may be too large.
        ids.reserveCapacity(min(itemCount, 1 << 20))
        for section in 0..<sectionCount { for item in outline(inSectionAt: section).items { ids.append(item.id) } }
        return ids
    }

    /// The ids of the rows of a section, in order.
    ///
    /// - Throws: ``ListError/unknownSection(_:)``.
    /// - Complexity: O(rows of the section).
    public func itemIDs(inSection id: UntypedID) throws(ListError) -> [UntypedID] {
        try knownSection(id).items.map(\.id)
    }

    /// The number of rows of a section.
    ///
    /// - Throws: ``ListError/unknownSection(_:)``.
    /// - Complexity: a lookup of the section.
    public func itemCount(inSection id: UntypedID) throws(ListError) -> Int { try knownSection(id).items.count }

    /// The row of an id, or nil if there is none.
    ///
    /// - Complexity: a lookup of the row, and O(log n).
    public func row(_ id: UntypedID) -> UntypedRow? {
        indexPath(of: id).map { outline(inSectionAt: $0.section).items[$0.item] }
    }

    /// The id of the row at an index path, or nil if there is none.
    ///
    /// - Complexity: O(log n).
    public func itemID(at path: ListIndexPath) -> UntypedID? {
        guard path.section >= 0 && path.section < sectionCount else { return nil }
        let items = outline(inSectionAt: path.section).items
        return path.item >= 0 && path.item < items.count ? items[path.item].id : nil
    }

    /// The id of the section of a row, or nil if there is no such row.
    ///
    /// - Complexity: a lookup of the row.
    public func sectionID(containing id: UntypedID) -> UntypedID? {
        indexPath(of: id).flatMap { sectionID(at: $0.section) }
    }

    /// The number of rows before a row over all sections, or nil if there is no such row.
    ///
    /// - Complexity: a lookup of the row, and O(s) for s sections before it.
    public func offset(of id: UntypedID) -> Int? {
        guard let path = indexPath(of: id) else { return nil }
        return (0..<path.section).reduce(path.item) { $0 + outline(inSectionAt: $1).items.count }
    }

    private func knownSection(_ id: UntypedID) throws(ListError) -> SectionOutline {
        guard let index = indexOfSection(id) else { throw ListError.unknownSection(id) }
        return outline(inSectionAt: index)
    }
}

// MARK: - Outlines

extension RowLookup where Self: ~Copyable {
    /// The number of ancestors of a row.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(level · log n).
    public func level(of id: UntypedID) throws(ListError) -> Int {
        let (outline, row) = try known(id)
        return outline.level(of: row)
    }

    /// The parent of a row; nil if it has none.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(log n).
    public func parent(of id: UntypedID) throws(ListError) -> UntypedID? {
        let (outline, row) = try known(id)
        return outline.parent(of: row).map { outline.items[$0].id }
    }

    /// The children of a row: the rows directly below it.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(k log n) for k children, however many rows are below them.
    public func children(of id: UntypedID) throws(ListError) -> [UntypedID] {
        let (outline, row) = try known(id)
        return outline.children(of: row).map { outline.items[$0].id }
    }

    /// A row and all rows below it.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(k + log n) for k rows.
    public func subtree(of id: UntypedID) throws(ListError) -> [UntypedID] {
        let (outline, row) = try known(id)
        return outline.tree.elements(in: outline.subtree(of: row)).map(\.id)
    }

    /// Whether a row is not collapsed, so that its children are shown if it has any.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: a lookup of the row.
    public func isExpanded(_ id: UntypedID) throws(ListError) -> Bool {
        let (outline, row) = try known(id)
        return !outline.items[row].isCollapsed
    }

    /// Whether no ancestor of a row is collapsed.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(level · log n).
    public func isVisible(_ id: UntypedID) throws(ListError) -> Bool {
        let (outline, row) = try known(id)
        return outline.isVisible(row)
    }

    /// The rows of a section that have no parent.
    ///
    /// - Throws: ``ListError/unknownSection(_:)``.
    /// - Complexity: O(k log n) for k such rows.
    public func rootItems(inSection id: UntypedID) throws(ListError) -> [UntypedID] {
        let outline = try knownSection(id)
        return outline.roots.map { outline.items[$0].id }
    }

    /// The visible rows of a section.
    ///
    /// - Throws: ``ListError/unknownSection(_:)``.
    /// - Complexity: O(k log n) for k such rows.
    public func visibleItems(inSection id: UntypedID) throws(ListError) -> [UntypedID] {
        let outline = try knownSection(id)
        return outline.visibleRows.map { outline.items[$0].id }
    }

    private func known(_ id: UntypedID) throws(ListError) -> (SectionOutline, row: Int) {
        guard let path = indexPath(of: id) else { throw ListError.unknownItem(id) }
        return (outline(inSectionAt: path.section), path.item)
    }
}
