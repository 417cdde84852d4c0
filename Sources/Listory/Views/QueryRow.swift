// The row that the functions of a query receive: decoded once, and only if a function reads the item.

import ListModel

/// The row that a function of a query receives.
///
/// It is valid only during the call; do not keep it.
public final class QueryRow<Item: Codable & Identifiable & Sendable> where Item.ID: RowIdentifier {
    /// The row as an identifier and a reference.
    public let core: UntypedRow
    private let reader: RowReader<Item>
    private var decoded: Item??

    init(_ core: UntypedRow, _ reader: RowReader<Item>) {
        self.core = core
        self.reader = reader
    }

    /// The identity of the row.
    public var id: Item.ID { Item.ID(untypedID: core.id) }

    /// Whether the row has a checkmark.
    public var isChecked: Bool { core.isChecked }

    /// The item, read from the log and decoded once; nil if it cannot be decoded, was erased, or lost before a salvage.
    ///
    /// - Throws: an error of the log. Then the view stays as it is.
    public var item: Item? {
        get throws {
            try door {
                if let decoded { return decoded }
                var item: Item?
                do {
                    item = try reader.coder.item(of: core, in: reader.source)
                } catch is ContentError {
                } catch ListError.erasedContent {
                    // Nobody can read it ever again, so it must not stop the view.
                } catch ListError.droppedVersion {
                    // It was lost before the store was salvaged.
                }
                decoded = .some(item)
                return item
            }
        }
    }
}
