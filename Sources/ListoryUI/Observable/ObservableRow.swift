// A row with an id that SwiftUI tells it apart by.

import ListModel
import Listory

/// A row of an observable list.
public struct ObservableRow<Source: ListSource>: Identifiable {
    /// The row as it was when it was shown.
    public let row: ListRow<Source.Item>

    /// The identity of the row.
    public var id: Identifier { row.core.id }
    /// Whether it has a checkmark.
    public var isChecked: Bool { row.isChecked }
    /// How deep it stands in an outline.
    public var depth: Int { row.depth }
    /// The item, read and decoded.
    ///
    /// - Throws: an error of the log, or of the decoder.
    public var item: Source.Item {
        get throws { try row.item }
    }
}
