// The kinds of gestures, and the names of their commits for menus: "Delete Milk".
//
// Always holds: a name says what is done and with which row, by the title of the row before the edit. Only commits of one name are
// coalesced, so who types passes the name of the first edit for those that continue it.

/// The kind of a gesture.
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
    /// Rows become children of the siblings before them.
    case indent = "Indent"
    /// Rows become siblings of their parents.
    case outdent = "Outdent"
    /// The newest step is undone.
    case undo = "Undo"
    /// The next step is redone.
    case redo = "Redo"
    /// One commit is taken back.
    case revert = "Revert"
    /// The rows of a version are restored.
    case restore = "Restore"
    /// The newest rows are read.
    case read = "Show"
}

/// How commits are named.
///
/// ```swift
/// var names = ActionNames<Todo> { $0.title }
/// names.phrase = { action, rows in String(localized: "\(action.rawValue) \(rows)") }
/// ```
public struct ActionNames<Item> {
    /// The user's name of a row.
    public var row: (Item) -> String
    /// The name of several rows.
    public var rows: (Int) -> String = { "\($0) Rows" }
    /// The name of a commit, from the action and the name of the rows.
    public var phrase: (ListAction, String) -> String = { "\($0.rawValue) \($1)" }

    /// Names in English.
    ///
    /// - Parameter row: returns the user's name of a row.
    public init(row: @escaping (Item) -> String) {
        self.row = row
    }
}
