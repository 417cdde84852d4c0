// What a user does with rows.

/// What a gesture does.
public enum ListAction: String, Hashable, Sendable {
    /// Rows are inserted.
    case insert = "Add"
    /// Rows are deleted.
    case delete = "Delete"
    /// Rows are moved.
    case move = "Move"
    /// The checkmark is set.
    case check = "Check"
    /// The checkmark is cleared.
    case uncheck = "Uncheck"
    /// The content of a row is changed.
    case edit = "Rename"
    /// The children of a row are hidden.
    case collapse = "Collapse"
    /// The children of a row are shown.
    case expand = "Expand"
    /// Rows are put below the siblings before them.
    case indent = "Indent"
    /// Rows are put beside their parents.
    case outdent = "Outdent"
    /// The newest commit is reverted.
    case undo = "Undo"
    /// The newest undo is taken back.
    case redo = "Redo"
    /// The newest rows are looked at.
    case read = "Show"
}
