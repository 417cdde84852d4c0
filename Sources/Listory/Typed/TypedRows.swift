// Reads typed rows by id, at the head or in an indexed snapshot.
//
// Always holds: the answers are those of the untyped rows, converted to the app's identifiers.

import ListModel

/// A typed snapshot with an index of its ids, for lookups by id in an old version, or for many lookups.
///
/// ```swift
/// let rows = try store.snapshot.indexed()
/// if let path = rows.indexPath(of: 7) { … }
/// ```
public struct IndexedListSnapshot<SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable>: Sendable
where Item.ID: RowIdentifier {
    /// The rows as identifiers and references.
    public let core: UntypedIndexedSnapshot
    /// The snapshot that is indexed.
    public let snapshot: ListSnapshot<SectionID, Item>

    init(_ snapshot: ListSnapshot<SectionID, Item>) {
        self.snapshot = snapshot
        core = UntypedIndexedSnapshot(snapshot.core)
    }
}

extension ListSnapshot {
    /// The snapshot with an index of its ids.
    ///
    /// - Complexity: O(n).
    public func indexed() -> IndexedListSnapshot<SectionID, Item> { IndexedListSnapshot(self) }
}

// MARK: - Sections and rows

extension IndexedListSnapshot {
    /// How many sections there are.
    public var sectionCount: Int { core.sectionCount }
    /// How many rows there are in all sections.
    public var itemCount: Int { core.itemCount }

    /// The ids of all sections, in order.
    public var sectionIDs: [SectionID] {
        core.sectionIDs.map { section($0) }
    }

    /// The ids of all rows, in order.
    public var itemIDs: [Item.ID] {
        core.itemIDs.map { item($0) }
    }

    /// The ids of the rows of a section, in order.
    ///
    /// - Throws: ``ListError/unknownSection(_:)``.
    public func itemIDs(inSection id: SectionID) throws -> [Item.ID] {
        try core.itemIDs(inSection: id.untypedID).map { item($0) }
    }

    /// How many rows a section has.
    ///
    /// - Throws: ``ListError/unknownSection(_:)``.
    public func itemCount(inSection id: SectionID) throws -> Int {
        try core.itemCount(inSection: id.untypedID)
    }

    /// The index path of the row of an id, or nil if there is none.
    public func indexPath(of id: Item.ID) -> ListIndexPath? { core.indexPath(of: id.untypedID) }

    /// The index of a section, or nil if there is none.
    public func indexOfSection(_ id: SectionID) -> Int? { core.indexOfSection(id.untypedID) }

    /// How many rows are before a row in all sections, or nil if there is no such row.
    public func offset(of id: Item.ID) -> Int? { core.offset(of: id.untypedID) }

    /// The id of the row at an index path, or nil if there is none.
    public func itemID(at path: ListIndexPath) -> Item.ID? { snapshot.row(at: path)?.id }

    /// The id of the section at an index, or nil if there is none.
    public func sectionID(at index: Int) -> SectionID? {
        core.sectionID(at: index).map { section($0) }
    }

    /// The section that a row is in, or nil if there is no such row.
    public func sectionID(containing id: Item.ID) -> SectionID? {
        core.sectionID(containing: id.untypedID).map { section($0) }
    }

    /// The row of an id, or nil if there is none.
    public func row(_ id: Item.ID) -> ListRow<Item>? {
        core.row(id.untypedID).map { ListRow(core: $0, reader: snapshot.reader) }
    }

    private func item(_ id: UntypedID) -> Item.ID { Item.ID(untypedID: id) }
    private func section(_ id: UntypedID) -> SectionID { snapshot.sectionID(id) }
}

// MARK: - Outlines

extension IndexedListSnapshot {
    /// How many ancestors a row has. See ``RowLookup/level(of:)``.
    public func level(of id: Item.ID) throws -> Int { try core.level(of: id.untypedID) }

    /// The parent of a row; nil for a root. See ``RowLookup/parent(of:)``.
    public func parent(of id: Item.ID) throws -> Item.ID? {
        try core.parent(of: id.untypedID).map { item($0) }
    }

    /// The rows directly below a row. See ``RowLookup/children(of:)``.
    public func children(of id: Item.ID) throws -> [Item.ID] {
        try core.children(of: id.untypedID).map { item($0) }
    }

    /// A row and all rows below it. See ``RowLookup/subtree(of:)``.
    public func subtree(of id: Item.ID) throws -> [Item.ID] {
        try core.subtree(of: id.untypedID).map { item($0) }
    }

    /// Whether the children of a row are shown, if it has any. See ``RowLookup/isExpanded(_:)``.
    public func isExpanded(_ id: Item.ID) throws -> Bool { try core.isExpanded(id.untypedID) }

    /// Whether no ancestor of a row is collapsed. See ``RowLookup/isVisible(_:)``.
    public func isVisible(_ id: Item.ID) throws -> Bool { try core.isVisible(id.untypedID) }

    /// The rows of a section that have no parent. See ``RowLookup/rootItems(inSection:)``.
    public func rootItems(inSection id: SectionID) throws -> [Item.ID] {
        try core.rootItems(inSection: id.untypedID).map { item($0) }
    }

    /// The rows of a section that are visible. See ``RowLookup/visibleItems(inSection:)``.
    public func visibleItems(inSection id: SectionID) throws -> [Item.ID] {
        try core.visibleItems(inSection: id.untypedID).map { item($0) }
    }
}
