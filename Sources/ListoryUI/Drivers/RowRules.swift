// What a user may do with which row.

import Listory

/// What a user may do with rows. By default all rows may be deleted, moved and checked.
public struct RowRules<Item: Codable & Identifiable & Sendable> where Item.ID: IdentifierConvertible {
    /// What is offered for a row.
    public var editing: (ListRow<Item>) -> RowEditing = { _ in .delete }
    /// Whether a row may be moved, if the rows have an order of their own.
    public var canMove: (ListRow<Item>) -> Bool = { _ in true }
    /// Whether a row may be moved into a section; the second argument is its index.
    public var canMoveInto: (ListRow<Item>, Int) -> Bool = { _, _ in true }
    /// Whether a tap sets or clears the checkmark of a row.
    public var togglesOnTap: (ListRow<Item>) -> Bool = { _ in true }

    /// All rows may be deleted, moved and checked.
    public init() {}
}
