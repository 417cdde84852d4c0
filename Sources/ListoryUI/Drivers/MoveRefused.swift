// Why a row was not moved although everything about the move was right.

/// A row was moved whose place follows from what it holds.
public struct MoveRefused: Error, Hashable, CustomStringConvertible {
    public var description: String { "rows that are sorted or grouped by what they hold cannot be moved" }
}
