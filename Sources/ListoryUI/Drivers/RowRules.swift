// What a user may do with which row.

import Listory

/// What a user may do with rows. By default all rows may be deleted, moved and checked.
///
/// The rules apply to gestures: swipes, drags, taps, the delete key. ``ListDriver/delete(_:)-([Identifier])`` and the other
/// methods that take ids do not ask them; an app's own commands may do what a gesture may not.
public struct RowRules<Item: Codable & Identifiable & Sendable> where Item.ID: IdentifierConvertible {
    /// What editing mode and a swipe offer for a row.
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

/// What editing mode offers for a row.
public enum RowEditing: Hashable, Sendable {
    /// Nothing.
    case none
    /// Deleting it, also by a swipe.
    case delete
    /// Inserting another row after it.
    case insert
}
