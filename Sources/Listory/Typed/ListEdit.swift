// The edits of a typed list, inside one commit. `ListEdit+Reading.swift` has what it reads.
//
// Always holds: it is valid until the closure that received it returns, and only on that thread.

import ListModel

/// Makes the edits of one commit, and reads the list as it is after those that were made so far.
///
/// ``ListStore/edit(_:origin:tracking:isDiscardable:durability:_:)-1rwu6`` passes it to its closure; after the closure has
/// returned, every function throws ``ListError/editEnded``.
public final class ListEdit<SectionID: SectionIdentifier, Item: Codable & Identifiable & Sendable>
where Item.ID: RowIdentifier {
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
        /// Before the first row of a section. If there is no such section, it is made, at the end and without a title.
        case start(of: SectionID)
        /// After the last row of a section. If there is no such section, it is made, at the end and without a title.
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

    private var turn: EditTurn?
    private let store: any CommitSource
    /// Made for the first row that is read.
    private var contents: EditContents?
    let coder: ContentCoder<Item>

    init(_ turn: EditTurn, _ store: any CommitSource, _ coder: ContentCoder<Item>) {
        (self.turn, self.store, self.coder) = (turn, store, coder)
    }

    /// Invalidates the edit when its closure has returned.
    ///
    /// - Returns: the contents of the rows that were read, if there are any.
    func end() -> EditContents? {
        turn = nil
        contents?.end()
        return contents
    }

    /// Calls `body` with the editor. Functions of the app are not called in it, because readers wait meanwhile.
    ///
    /// - Parameter rows: about how many rows it changes at once.
    func withEditor<Result>(rows: Int = 1, _ body: (inout UntypedEditor) throws -> Result) throws(ListError) -> Result {
        guard let turn else { throw ListError.editEnded }
        return try door { try turn.withEditor(rows: rows, body) }
    }

    /// Calls `body` with the editor and with what the rows that it reads need.
    func withReader<Result>(_ body: (inout UntypedEditor, RowReader<Item>) throws -> Result) throws(ListError) -> Result
    {
        guard let turn else { throw ListError.editEnded }
        return try withEditor { editor in
            let contents = self.contents ?? EditContents(turn, store, makes: editor.state.version.next)
            self.contents = contents
            return try body(&editor, RowReader(source: contents, coder: coder))
        }
    }

    /// Calls `body` with a destination, whose section is made before if it is to be. If `body` throws, it is not.
    func withEditor(
        at destination: Destination, rows: Int = 1, _ body: (inout UntypedEditor, ItemDestination) throws -> Void
    ) throws(ListError) {
        try withEditor(rows: rows) { editor in
            switch destination {
            case .start(let id), .end(let id):
                if editor.state.indexOfSection(id.untypedID) != nil { fallthrough }
                try editor.atomically { editor in
                    try editor.insertSection(NewSection(id: id.untypedID))
                    try body(&editor, destination.untyped)
                }
            default: try body(&editor, destination.untyped)
            }
        }
    }

    private func newItem(_ item: Item, isChecked: Bool) throws(ListError) -> NewRow {
        NewRow(id: item.id.untypedID, isChecked: isChecked, content: try coder.content(of: item))
    }
}

// MARK: - Rows

extension ListEdit {
    /// Inserts a row. See ``UntypedEditor/insert(_:at:)-(NewRow,_)``.
    ///
    /// - Returns: the item, for its id.
    @discardableResult
    public func insert(_ item: Item, isChecked: Bool = false, at destination: Destination) throws -> Item {
        let new = try newItem(item, isChecked: isChecked)
        try withEditor(at: destination) { try $0.insert(new, at: $1) }
        return item
    }

    /// Inserts a run of rows, unchecked, as one event. See ``UntypedEditor/insert(_:at:)-([NewRow],_)``.
    public func insert(_ items: [Item], at destination: Destination) throws {
        let new = try items.map { try newItem($0, isChecked: false) }
        try withEditor(at: destination, rows: new.count) { try $0.insert(new, at: $1) }
    }

    /// Deletes rows. In an outline the rows below them stay, and may get a collapsed parent; ``deleteSubtrees(_:)`` deletes
    /// them as well. See ``UntypedEditor/delete(_:)``.
    public func delete(_ selection: Selection) throws {
        try withEditor { try $0.delete(selection.untyped) }
    }

    /// Deletes the row of an id, without the rows below it in an outline.
    public func delete(_ id: Item.ID) throws { try delete(.item(id)) }

    /// Deletes all rows for which a function returns true, as one undo step with the rest of the edit.
    ///
    /// ```swift
    /// try store.edit("Clear Completed") { try $0.delete { $0.isChecked } }
    /// ```
    ///
    /// - Returns: how many.
    /// - Throws: what `isDeleted` throws; then nothing is deleted.
    /// - Complexity: O(n), and O(k log n) for k rows that are deleted.
    @discardableResult
    public func delete(where isDeleted: (ListRow<Item>) throws -> Bool) throws -> Int {
        let ids = try rows.filter(isDeleted).map(\.core.id)
        try withEditor(rows: ids.count) { try $0.delete(.items(ids)) }
        return ids.count
    }

    /// Moves rows. See ``UntypedEditor/move(_:to:)``.
    public func move(_ selection: Selection, to destination: Destination) throws {
        try withEditor(at: destination) { try $0.move(selection.untyped, to: $1) }
    }

    /// Moves the row of an id.
    public func move(_ id: Item.ID, to destination: Destination) throws {
        try move(.item(id), to: destination)
    }

    /// Toggles checkmarks.
    public func toggle(_ selection: Selection) throws {
        try withEditor { try $0.toggle(selection.untyped) }
    }

    /// Sets the checkmark of the row of an id if it is not set, and clears it if it is.
    public func toggle(_ id: Item.ID) throws { try toggle(.item(id)) }

    /// Sets or clears checkmarks.
    public func setChecked(_ isChecked: Bool, for selection: Selection) throws {
        try withEditor { try $0.setChecked(isChecked, for: selection.untyped) }
    }

    /// Sets or clears the checkmark of the row of an id.
    public func setChecked(_ isChecked: Bool, for id: Item.ID) throws {
        try setChecked(isChecked, for: .item(id))
    }

    /// Updates the row of the item's id. If the item is the present one, nothing happens.
    public func update(_ item: Item) throws {
        let content = try coder.content(of: item)
        try withEditor { try $0.update(item.id.untypedID, content: content, coder) }
    }

    /// Changes the item of a row. If it is the same afterwards, nothing happens.
    ///
    /// ```swift
    /// try store.edit("Rename") { try $0.update(id) { $0.title = "Bread" } }
    /// ```
    ///
    /// - Parameters:
    ///   - id: the row.
    ///   - change: receives the present item.
    /// - Returns: what `change` returns.
    /// - Throws: ``ListError/unknownItem(_:)``; ``ListError/identityChanged(from:to:)`` if `change` gives the item another
    ///   id; an error of the decoder; what `change` throws. Then the row stays as it is.
    /// - Complexity: O(log n), plus decoding and encoding.
    @discardableResult
    public func update<Result>(_ id: Item.ID, _ change: (inout Item) throws -> Result) throws -> Result {
        guard var item = try item(id) else { throw ListError.unknownItem(id.untypedID) }
        let result = try change(&item)
        guard item.id == id else { throw ListError.identityChanged(from: id.untypedID, to: item.id.untypedID) }
        try update(item)
        return result
    }

    /// Attaches a value to the commit. See ``UntypedEditor/annotate(_:with:)``.
    public func annotate(_ name: String, with value: [UInt8]) throws {
        try withEditor { $0.annotate(name, with: value) }
    }

    /// Attaches the selections before and after the edit. See ``UntypedEditor/attachSelection(before:after:)``.
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
            id: id.untypedID, title: title, items: try items.map { try newItem($0, isChecked: false) })
        try withEditor(rows: section.items.count) { try $0.insertSection(section, at: place.untyped) }
    }

    /// Deletes a section with its rows.
    public func deleteSection(_ id: SectionID) throws {
        try withEditor(rows: .max) { try $0.deleteSection(.section(id.untypedID)) }
    }

    /// Moves a section with its rows.
    public func moveSection(_ id: SectionID, to place: SectionPlace) throws {
        try withEditor { try $0.moveSection(.section(id.untypedID), to: place.untyped) }
    }

    /// Renames a section.
    public func renameSection(_ id: SectionID, to title: String) throws {
        try withEditor { try $0.renameSection(.section(id.untypedID), to: title) }
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
        let new = try sections.map(newSection)
        try withEditor(rows: .max) { try $0.reload(new) }
    }

    func newSection(_ section: ReloadedSection) throws(ListError) -> NewSection {
        NewSection(
            id: section.id.untypedID, title: section.title, items: try section.rows.map(newItem))
    }

    func newItem(_ row: Row) throws(ListError) -> NewRow {
        NewRow(
            id: row.item.id.untypedID, isChecked: row.isChecked, content: try coder.content(of: row.item),
            depth: row.depth, isCollapsed: row.isCollapsed)
    }
}

// MARK: - Translation

extension ListEdit.Selection {
    var untyped: ItemSelection {
        switch self {
        case .item(let id): .item(id.untypedID)
        case .items(let ids): .items(ids.map(\.untypedID))
        case .at(let path): .at(path)
        case .run(let path, let count): .run(path, count: count)
        }
    }
}

extension ListEdit.Destination {
    var untyped: ItemDestination {
        switch self {
        case .at(let path): .at(path)
        case .section(let id, let index): .section(id.untypedID, at: index)
        case .start(let id): .section(id.untypedID, at: 0)
        case .end(let id): .end(ofSection: id.untypedID)
        case .before(let id): .before(id.untypedID)
        case .after(let id): .after(id.untypedID)
        }
    }
}

extension ListEdit.SectionPlace {
    var untyped: SectionDestination {
        switch self {
        case .at(let index): .at(index)
        case .end: .end
        case .before(let id): .before(id.untypedID)
        case .after(let id): .after(id.untypedID)
        }
    }
}
