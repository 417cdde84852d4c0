// The rules for gestures: what a user may do with which row.

import Listory

/// The rules of a list. By default all rows may be deleted, moved and checked.
///
/// The rules apply to gestures: swipes, drags, taps, the delete key. ``ListDriver/delete(_:)-([UntypedID])`` and the
/// other methods that take ids do not check them, so the app's own commands can do more than gestures.
public struct RowRules<Item: Codable & Identifiable & Sendable> where Item.ID: RowIdentifier {
    /// The action of editing mode and of a swipe for a row.
    public var editing: (ListRow<Item>) -> RowEditing = { _ in .delete }
    /// Whether a row may be moved, if the rows keep the order of the list.
    public var canMove: (ListRow<Item>) -> Bool = { _ in true }
    /// Whether a row may be moved into a section; the second argument is its index.
    public var canMoveInto: (ListRow<Item>, Int) -> Bool = { _, _ in true }
    /// Whether a tap sets or clears the checkmark of a row.
    public var togglesOnTap: (ListRow<Item>) -> Bool = { _ in true }

    /// All rows may be deleted, moved and checked.
    public init() {}
}

/// The control of editing mode for a row.
public enum RowEditing: Hashable, Sendable {
    /// Nothing.
    case none
    /// Deleting it, also by a swipe.
    case delete
    /// Inserting another row after it.
    case insert
}
