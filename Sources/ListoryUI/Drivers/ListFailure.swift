// A gesture that could not be committed. Always holds: the rows on screen are, or will be, what the store says.

/// What a user did that failed, and why.
public struct ListFailure: Error, CustomStringConvertible {
    /// What was to be done.
    public let action: ListAction
    /// The name of the commit that was to be made: "Move Milk".
    public let name: String
    /// Why it was not.
    public let cause: any Error

    public var description: String { "\(name): \(cause)" }
}
