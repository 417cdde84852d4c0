// The edits of a typed list, inside one commit.
//
// Always holds: it is valid until the closure that received it returns, and only on that task.

import ListModel

/// Makes the edits of one commit. ``ListStore/edit(_:origin:durability:_:)`` passes it to its closure; after the
/// closure has returned, every function throws ``StoreError/editEnded``.
public final class ListEdit<SectionID: IdentifierConvertible, Item: Codable & Identifiable & Sendable>
where Item.ID: IdentifierConvertible {
    /// The rows that an edit changes.
    public enum Selection {
        /// The row of an id.
        case item(Item.ID)
        /// The rows of these ids, in the order of the list.
        case items([Item.ID])
        /// The row at an index path.
        case at(ListIndexPath)
        /// `count` rows, the first of them at the path.
        case run(ListIndexPath, count: Int)
    }

    /// Where rows are inserted or moved to. For a move, an index counts the rows without those that move.
    public enum Destination {
        /// At an index path.
        case at(ListIndexPath)
        /// At an index in a section.
        case section(SectionID, at: Int)
        /// After the last row of a section.
        case end(of: SectionID)
        /// Directly before a row.
        case before(Item.ID)
        /// Directly after a row.
        case after(Item.ID)
    }

    /// Where a section is inserted or moved to. For a move, an index counts the sections without the one that moves.
    public enum SectionPlace {
        /// At an index.
        case at(Int)
        /// After the last section.
        case end
        /// Directly before a section.
        case before(SectionID)
        /// Directly after a section.
        case after(SectionID)
    }

    private var editor: UnsafeMutablePointer<ListEditor>?
    let coder: ContentCoder<Item>

    init(_ editor: UnsafeMutablePointer<ListEditor>, _ coder: ContentCoder<Item>) {
        self.editor = editor
        self.coder = coder
    }

    /// Invalidates the edit when its closure has returned.
    func end() { editor = nil }

    func withEditor<Result>(_ body: (inout ListEditor) throws -> Result) throws -> Result {
        guard let editor else { throw StoreError.editEnded }
        // SAFETY: `ListStore.edit` sets the pointer back to nil before the editor it points to goes away.
        return try body(&editor.pointee)
    }

    private func newItem(_ item: Item, isChecked: Bool) throws -> NewItem {
        NewItem(id: item.id.identifier, isChecked: isChecked, content: try coder.encode(item))
    }
}

// MARK: - Rows

extension ListEdit {
    /// The present item of an id, or nil if there is none.
    public func item(_ id: Item.ID) throws -> Item? {
        try withEditor { editor in
            guard let item = editor.state.item(id.identifier) else { return nil }
            return try editor.withContent(of: item.content) { try coder.item($0, of: item.id) }
        }
    }

    /// The present position of the row of an id, or nil if there is none.
    ///
    /// - Throws: ``StoreError/editEnded``.
    public func indexPath(of id: Item.ID) throws -> ListIndexPath? {
        try withEditor { $0.state.indexPath(of: id.identifier) }
    }

    /// Inserts a row. See ``ListEditor/insert(_:at:)``.
    public func insert(_ item: Item, isChecked: Bool = false, at destination: Destination) throws {
        let new = try newItem(item, isChecked: isChecked)
        try withEditor { try $0.insert(new, at: destination.untyped) }
    }

    /// Inserts a run of rows, unchecked, as one event. See ``ListEditor/insert(_:at:)``.
    public func insert(_ items: [Item], at destination: Destination) throws {
        let new = try items.map { try newItem($0, isChecked: false) }
        try withEditor { try $0.insert(new, at: destination.untyped) }
    }

    /// Deletes rows. In an outline the rows below them stay, and may get a collapsed parent; ``deleteSubtrees(_:)`` deletes
    /// them as well. See ``ListEditor/delete(_:)``.
    public func delete(_ selection: Selection) throws {
        try withEditor { try $0.delete(selection.untyped) }
    }

    /// Deletes the row of an id, without the rows below it in an outline.
    public func delete(_ id: Item.ID) throws { try delete(.item(id)) }

    /// Moves rows. See ``ListEditor/move(_:to:)``.
    public func move(_ selection: Selection, to destination: Destination) throws {
        try withEditor { try $0.move(selection.untyped, to: destination.untyped) }
    }

    /// Moves the row of an id.
    public func move(_ id: Item.ID, to destination: Destination) throws { try move(.item(id), to: destination) }

    /// Toggles checkmarks.
    public func toggle(_ selection: Selection) throws {
        try withEditor { try $0.toggle(selection.untyped) }
    }

    /// Sets the checkmark of the row of an id if it is not set, and clears it if it is.
    public func toggle(_ id: Item.ID) throws { try toggle(.item(id)) }

    /// Sets or clears checkmarks.
    public func setChecked(_ isChecked: Bool, _ selection: Selection) throws {
        try withEditor { try $0.setChecked(isChecked, selection.untyped) }
    }

    /// Sets or clears the checkmark of the row of an id.
    public func setChecked(_ isChecked: Bool, _ id: Item.ID) throws { try setChecked(isChecked, .item(id)) }

    /// Updates the row of the item's id. If the item is the present one, nothing happens.
    public func update(_ item: Item) throws {
        let content = try coder.encode(item)
        try withEditor { try $0.update(item.id.identifier, content: content, coder) }
    }

    /// Attaches a value to the commit. See ``ListEditor/annotate(_:_:)``.
    public func annotate(_ name: String, _ value: [UInt8]) throws {
        try withEditor { $0.annotate(name, value) }
    }

    /// Attaches the selections before and after the edit. See ``ListEditor/attachSelection(before:after:)``.
    public func attachSelection(before: [UInt8], after: [UInt8]) throws {
        try withEditor { $0.attachSelection(before: before, after: after) }
    }
}

// MARK: - Sections

extension ListEdit {
    /// Inserts a section, with rows, as one event.
    public func insertSection(
        _ id: SectionID, title: String = "", items: [Item] = [], at place: SectionPlace = .end
    ) throws {
        let section = NewSection(
            id: id.identifier, title: title, items: try items.map { try newItem($0, isChecked: false) })
        try withEditor { try $0.insertSection(section, at: place.untyped) }
    }

    /// Deletes a section with its rows.
    public func deleteSection(_ id: SectionID) throws {
        try withEditor { try $0.deleteSection(.section(id.identifier)) }
    }

    /// Moves a section with its rows.
    public func moveSection(_ id: SectionID, to place: SectionPlace) throws {
        try withEditor { try $0.moveSection(.section(id.identifier), to: place.untyped) }
    }

    /// Renames a section.
    public func renameSection(_ id: SectionID, to title: String) throws {
        try withEditor { try $0.renameSection(.section(id.identifier), to: title) }
    }

    /// A row of a reload, or of the wanted rows.
    public struct Row {
        /// The item, whose id is that of the row.
        public var item: Item
        /// Whether it has a checkmark.
        public var isChecked: Bool
        /// Its depth in an outline; in an insertion at a place in an outline, the depth relative to that place.
        public var depth: Int
        /// Whether its children are hidden.
        public var isCollapsed: Bool

        /// A row of this item.
        public init(_ item: Item, isChecked: Bool = false, depth: Int = 0, isCollapsed: Bool = false) {
            self.item = item
            self.isChecked = isChecked
            self.depth = depth
            self.isCollapsed = isCollapsed
        }
    }

    /// A section of a reload, or of the wanted rows.
    public struct ReloadedSection {
        /// The identity of the section.
        public var id: SectionID
        /// The title in its header.
        public var title: String
        /// Its rows.
        public var rows: [Row]

        /// A section of these rows.
        public init(id: SectionID, title: String = "", rows: [Row]) {
            self.id = id
            self.title = title
            self.rows = rows
        }

        /// A section of these rows, each with its checkmark.
        public init(id: SectionID, title: String = "", rows: [(item: Item, isChecked: Bool)]) {
            self.init(id: id, title: title, rows: rows.map { Row($0.item, isChecked: $0.isChecked) })
        }
    }

    /// Replaces everything, as one event. Rows and sections of the same id stay the same ones.
    public func reload(_ sections: [ReloadedSection]) throws {
        let new = try sections.map { try newSection($0) }
        try withEditor { try $0.reload(new) }
    }

    func newSection(_ section: ReloadedSection) throws -> NewSection {
        NewSection(
            id: section.id.identifier, title: section.title, items: try section.rows.map { try newItem($0) })
    }

    func newItem(_ row: Row) throws -> NewItem {
        NewItem(
            id: row.item.id.identifier, isChecked: row.isChecked, content: try coder.encode(row.item),
            depth: row.depth, isCollapsed: row.isCollapsed)
    }
}

// MARK: - Translation

extension ListEdit.Selection {
    var untyped: ItemSelection {
        switch self {
        case .item(let id): .item(id.identifier)
        case .items(let ids): .items(ids.map(\.identifier))
        case .at(let path): .at(path)
        case .run(let path, let count): .run(path, count: count)
        }
    }
}

extension ListEdit.Destination {
    var untyped: ItemDestination {
        switch self {
        case .at(let path): .at(path)
        case .section(let id, let index): .section(id.identifier, at: index)
        case .end(let id): .end(ofSection: id.identifier)
        case .before(let id): .before(id.identifier)
        case .after(let id): .after(id.identifier)
        }
    }
}

extension ListEdit.SectionPlace {
    var untyped: SectionDestination {
        switch self {
        case .at(let index): .at(index)
        case .end: .end
        case .before(let id): .before(id.identifier)
        case .after(let id): .after(id.identifier)
        }
    }
}
