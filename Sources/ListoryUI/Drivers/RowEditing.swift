// What the editing mode of a table offers for a row.

/// What is offered for a row while a table is edited.
public enum RowEditing: Hashable, Sendable {
    /// Nothing.
    case none
    /// Deleting it, by a swipe as well.
    case delete
    /// Inserting another one after it.
    case insert
}
