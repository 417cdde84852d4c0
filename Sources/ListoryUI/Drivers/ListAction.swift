// What a user does with rows, and how it is called in a menu: "Delete Milk".
//
// Always holds: a name says what is done and to which row as it is called before; an edit that goes on (typing) keeps
// the name it began with, so that its commits can be taken for one.

import Listory

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
    /// The newest commit is reverted.
    case undo = "Undo"
    /// The newest undo is taken back.
    case redo = "Redo"
    /// The newest rows are looked at.
    case read = "Show"
}

/// How commits are named.
///
/// ```swift
/// var names = ActionNames<Todo> { $0.title }
/// names.phrase = { action, rows in String(localized: "\(action.rawValue) \(rows)") }
/// ```
public struct ActionNames<Item> {
    /// What a user calls a row.
    public var row: (Item) -> String
    /// What several rows are called.
    public var rows: (Int) -> String = { "\($0) Rows" }
    /// The name of a commit, from what is done and what the rows are called.
    public var phrase: (ListAction, String) -> String = { "\($0.rawValue) \($1)" }

    /// Names in English.
    ///
    /// - Parameter row: what a user calls a row.
    public init(row: @escaping (Item) -> String) {
        self.row = row
    }
}
