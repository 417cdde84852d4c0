// Bytes that are not JSON. Always holds: it says what is wrong with them.

/// Bytes that are not JSON.
public struct JSONSyntaxError: Error, Equatable, CustomStringConvertible {
    /// What is wrong with them, and where.
    public let description: String
}
