// A row as the functions of a query see it: decoded once, and only if one of them looks at the item.

import ListModel

/// A row that a query asks about.
///
/// It belongs to the call it is given to; do not keep it.
public final class ViewRow<Item: Codable & Identifiable & Sendable> where Item.ID: IdentifierConvertible {
    /// The row as an identifier and a reference.
    public let core: ListItem
    private let reader: RowReader<Item>
    private var decoded: Item?

    init(_ core: ListItem, _ reader: RowReader<Item>) {
        self.core = core
        self.reader = reader
    }

    /// The identity of the row.
    ///
    /// - Throws: ``ListError/unreadable(what:expected:found:)`` if it is none of the app's.
    public var id: Item.ID {
        get throws { try Item.ID.reading(core.id, "identifier of a row") }
    }

    /// Whether the row has a checkmark.
    public var isChecked: Bool { core.isChecked }

    /// The item, read from the log and decoded; once, however often it is asked for.
    ///
    /// - Throws: an error of the log, or of the decoder.
    public var item: Item {
        get throws {
            if let decoded { return decoded }
            let item = try reader.coder.item(of: core, in: reader.source)
            decoded = item
            return item
        }
    }
}
