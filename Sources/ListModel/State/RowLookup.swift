// Reading rows by id: what is at hand wherever ids can be looked up, at the head and in an indexed snapshot.
//
// A row that is asked for and is not there is nil where somebody looks for it, and an error where somebody asks
// something of it.

/// Rows that can be looked up by id: ``ListState`` at the head, ``IndexedSnapshot`` at any version.
public protocol RowLookup: ~Copyable {
    /// How many sections there are.
    var sectionCount: Int { get }
    /// How many rows there are in all sections.
    var itemCount: Int { get }
    /// Where the row of an id is, or nil if there is none.
    func indexPath(of id: Identifier) -> ListIndexPath?
    /// The index of the section of an id, or nil if there is none.
    func indexOfSection(_ id: Identifier) -> Int?
    /// The id of the section at an index, or nil if there is none.
    func sectionID(at index: Int) -> Identifier?
    /// The rows of a section, which must be there, as an outline.
    func outline(inSectionAt index: Int) -> SectionOutline
}

extension ListState: RowLookup {
    public func sectionID(at index: Int) -> Identifier? {
        tree.indices.contains(index) ? sectionEntry(at: index).id : nil
    }
}

// MARK: - Sections and rows

extension RowLookup where Self: ~Copyable {
    /// The ids of all sections, in order.
    ///
    /// - Complexity: O(s log s) for s sections.
    public var sectionIDs: [Identifier] { (0..<sectionCount).compactMap { sectionID(at: $0) } }

    /// The ids of all rows, in order.
    ///
    /// - Complexity: O(n).
    public var itemIDs: [Identifier] {
        var ids: [Identifier] = []
        ids.reserveCapacity(itemCount)
        for section in 0..<sectionCount { for item in outline(inSectionAt: section).items { ids.append(item.id) } }
        return ids
    }

    /// The ids of the rows of a section, in order.
    ///
    /// - Throws: ``ListError/unknownSection(_:)``.
    /// - Complexity: O(rows of the section).
    public func itemIDs(inSection id: Identifier) throws(ListError) -> [Identifier] {
        try knownSection(id).items.map(\.id)
    }

    /// How many rows a section has.
    ///
    /// - Throws: ``ListError/unknownSection(_:)``.
    /// - Complexity: that of looking up the section.
    public func itemCount(inSection id: Identifier) throws(ListError) -> Int { try knownSection(id).items.count }

    /// The row of an id, or nil if there is none.
    ///
    /// - Complexity: that of looking it up, and O(log n).
    public func row(_ id: Identifier) -> ListItem? {
        indexPath(of: id).map { outline(inSectionAt: $0.section).items[$0.item] }
    }

    /// The id of the row at an index path, or nil if there is none.
    ///
    /// - Complexity: O(log n).
    public func itemID(at path: ListIndexPath) -> Identifier? {
        guard path.section >= 0 && path.section < sectionCount else { return nil }
        let items = outline(inSectionAt: path.section).items
        return path.item >= 0 && path.item < items.count ? items[path.item].id : nil
    }

    /// The id of the section that a row is in, or nil if there is no such row.
    ///
    /// - Complexity: that of looking it up.
    public func sectionID(containing id: Identifier) -> Identifier? {
        indexPath(of: id).flatMap { sectionID(at: $0.section) }
    }

    /// How many rows stand before a row in all sections, or nil if there is no such row.
    ///
    /// - Complexity: that of looking it up, and O(s) for s sections before it.
    public func offset(of id: Identifier) -> Int? {
        guard let path = indexPath(of: id) else { return nil }
        return (0..<path.section).reduce(path.item) { $0 + outline(inSectionAt: $1).items.count }
    }

    private func knownSection(_ id: Identifier) throws(ListError) -> SectionOutline {
        guard let index = indexOfSection(id) else { throw ListError.unknownSection(id) }
        return outline(inSectionAt: index)
    }
}

// MARK: - Outlines

extension RowLookup where Self: ~Copyable {
    /// How many ancestors a row has.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(level · log n).
    public func level(of id: Identifier) throws(ListError) -> Int {
        let (outline, row) = try known(id)
        return outline.level(of: row)
    }

    /// The row that a row is below; nil if it is below none.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(log n).
    public func parent(of id: Identifier) throws(ListError) -> Identifier? {
        let (outline, row) = try known(id)
        return outline.parent(of: row).map { outline.items[$0].id }
    }

    /// The rows directly below a row.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(k log n) for k children, however many rows are below those.
    public func children(of id: Identifier) throws(ListError) -> [Identifier] {
        let (outline, row) = try known(id)
        return outline.children(of: row).map { outline.items[$0].id }
    }

    /// A row and all rows below it.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(k + log n) for k rows.
    public func subtree(of id: Identifier) throws(ListError) -> [Identifier] {
        let (outline, row) = try known(id)
        return outline.tree.elements(in: outline.subtree(of: row)).map(\.id)
    }

    /// Whether the children of a row are shown, if it has any.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: that of looking it up.
    public func isExpanded(_ id: Identifier) throws(ListError) -> Bool {
        let (outline, row) = try known(id)
        return !outline.items[row].isCollapsed
    }

    /// Whether no ancestor of a row is collapsed.
    ///
    /// - Throws: ``ListError/unknownItem(_:)``.
    /// - Complexity: O(level · log n).
    public func isVisible(_ id: Identifier) throws(ListError) -> Bool {
        let (outline, row) = try known(id)
        return outline.isVisible(row)
    }

    /// The rows of a section that have no parent.
    ///
    /// - Throws: ``ListError/unknownSection(_:)``.
    /// - Complexity: O(k log n) for k such rows.
    public func rootItems(inSection id: Identifier) throws(ListError) -> [Identifier] {
        let outline = try knownSection(id)
        return outline.roots.map { outline.items[$0].id }
    }

    /// The rows of a section that are visible.
    ///
    /// - Throws: ``ListError/unknownSection(_:)``.
    /// - Complexity: O(k log n) for k such rows.
    public func visibleItems(inSection id: Identifier) throws(ListError) -> [Identifier] {
        let outline = try knownSection(id)
        return outline.visibleRows.map { outline.items[$0].id }
    }

    private func known(_ id: Identifier) throws(ListError) -> (SectionOutline, row: Int) {
        guard let path = indexPath(of: id) else { throw ListError.unknownItem(id) }
        return (outline(inSectionAt: path.section), path.item)
    }
}
