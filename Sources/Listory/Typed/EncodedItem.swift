// Items that are encoded before the edit that stores them, without locking the store.
//
// Always holds: an encoded item has the id of its item and the bytes of its store's coder.

import ListModel

/// An item with its content as bytes, ready to be stored.
///
/// Encoding takes longer than everything else in an edit, and an edit holds the store's lock. Encode before a bulk
/// edit:
///
/// ```swift
/// let rows = try store.encoded(tasks)                            // on all cores; the store goes on meanwhile
/// try store.edit("Import") { try $0.insert(rows, at: .end(of: .today)) }
/// ```
public struct EncodedItem<Item: Identifiable>: Sendable where Item.ID: RowIdentifier {
    let row: NewRow

    /// Whether the row gets a checkmark when it is inserted.
    public var isChecked: Bool { row.isChecked }
}

extension ListStore {
    /// Encodes an item, without locking the store.
    ///
    /// - Parameters:
    ///   - item: the item.
    ///   - isChecked: whether its row gets a checkmark when it is inserted.
    /// - Throws: an error of the encoder.
    public func encoded(_ item: Item, isChecked: Bool = false) throws -> EncodedItem<Item> {
        EncodedItem(row: NewRow(id: item.id.untypedID, isChecked: isChecked, content: try coder.content(of: item)))
    }

    /// Encodes items on all cores, without locking the store.
    ///
    /// - Parameter items: items whose rows get no checkmark.
    /// - Returns: them, in the same order.
    /// - Throws: the error of the encoder for the first item that it cannot encode.
    public func encoded(_ items: [Item]) throws -> [EncodedItem<Item>] {
        try items.concurrentMap(partSize: 1_024) { try encoded($0) }
    }
}

/// A section of a reload whose items were encoded before.
public struct EncodedSection<SectionID: SectionIdentifier, Item: Identifiable>: Sendable
where Item.ID: RowIdentifier {
    /// The identity of the section.
    public var id: SectionID
    /// The title in its header.
    public var title: String
    /// Its rows.
    public var items: [EncodedItem<Item>]

    /// A section of these rows.
    public init(id: SectionID, title: String = "", items: [EncodedItem<Item>]) {
        self.id = id
        self.title = title
        self.items = items
    }
}

extension ListEdit {
    /// Inserts a row. See ``UntypedEditor/insert(_:at:)-(NewRow,_)``.
    public func insert(_ item: EncodedItem<Item>, at destination: Destination) throws {
        try withEditor(at: destination) { try $0.insert(item.row, at: $1) }
    }

    /// Inserts a run of rows as one event. See ``UntypedEditor/insert(_:at:)-([NewRow],_)``.
    public func insert(_ items: [EncodedItem<Item>], at destination: Destination) throws {
        try withEditor(at: destination, rows: items.count) { try $0.insert(items.map(\.row), at: $1) }
    }

    /// Updates the row of the item's id. The checkmark does not change. If the item equals the present one, nothing
    /// changes.
    public func update(_ item: EncodedItem<Item>) throws {
        try withEditor { try $0.update(item.row.id, content: item.row.content, coder) }
    }

    /// Inserts a section, with rows, as one event.
    // So that an empty array literal is one of items.
    @_disfavoredOverload
    public func insertSection(
        _ id: SectionID, title: String = "", items: [EncodedItem<Item>], at place: SectionPlace = .end
    ) throws {
        let section = NewSection(id: id.untypedID, title: title, items: items.map(\.row))
        try withEditor(rows: items.count) { try $0.insertSection(section, at: place.untyped) }
    }

    /// Replaces all sections and rows, as one event. Rows and sections keep their identity by id.
    public func reload(_ sections: [EncodedSection<SectionID, Item>]) throws {
        let new = sections.map { NewSection(id: $0.id.untypedID, title: $0.title, items: $0.items.map(\.row)) }
        try withEditor(rows: .max) { try $0.reload(new) }
    }
}
