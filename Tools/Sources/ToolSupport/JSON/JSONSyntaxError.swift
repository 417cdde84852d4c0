// The error of bytes that are not JSON. Always holds: it says what is wrong and where.

/// Bytes that are not JSON.
public struct JSONSyntaxError: Error, Equatable, CustomStringConvertible {
    /// What is wrong with them, and where.
    public let description: String
}
