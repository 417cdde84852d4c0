// A gesture that could not be committed, and why.
//
// Always holds: after a failure, the screen shows the rows of the store again.

import ListModel

/// A gesture that failed, and why.
public struct ListFailure: Error, CustomStringConvertible {
    /// The kind of gesture.
    public let action: ListAction
    /// The name of the commit that was not made: "Move Milk".
    public let name: String
    /// Why it was not made.
    public let cause: any Error

    public var description: String { "\(name): \(cause)" }
}

/// A row was moved in a view that sorts or groups its rows by their content.
public struct MoveRefused: Error, Hashable, CustomStringConvertible {
    public var description: String { "rows that are sorted or grouped by their content cannot be moved" }
}

/// A gesture that the ``RowRules`` of the list do not allow for a row.
public struct RowProtected: Error, Hashable, CustomStringConvertible {
    /// The kind of gesture.
    public let action: ListAction
    /// The row.
    public let id: UntypedID

    public var description: String { "the rules of the list do not allow \"\(action.rawValue)\" for row \(id)" }
}

/// A row was edited while a version of the past was shown.
public struct PastShown: Error, Hashable, CustomStringConvertible {
    /// The version that is shown.
    public let version: Version

    public var description: String { "version \(version) is shown: end the preview, or restore it" }
}
