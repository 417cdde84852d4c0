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
    /// The newest step is undone.
    case undo = "Undo"
    /// The next step is redone.
    case redo = "Redo"
    /// One commit is taken back.
    case revert = "Revert"
    /// The rows of a version are put back.
    case restore = "Restore"
    /// The newest rows are looked at.
    case read = "Show"
}
