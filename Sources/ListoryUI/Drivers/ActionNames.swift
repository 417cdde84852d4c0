// How commits are called in a menu: "Delete Milk".
//
// Always holds: a name says what is done and to which row, as it was called before; an edit that goes on, like typing,
// keeps the name that it began with, so that its commits can be taken for one.

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
