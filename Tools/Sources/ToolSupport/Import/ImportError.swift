// The error of an input that does not fit its format. Always holds: it says where, what was expected and what was
// found.

/// An input that could not be imported. The store is unchanged.
public struct ImportError: Error, Equatable, CustomStringConvertible, Sendable {
    /// What is wrong, and where.
    public let description: String

    /// An error.
    public init(_ description: String) {
        self.description = description
    }

    /// An error in a line.
    public init(line: Int, expected: String, found: String) {
        description = "line \(line): expected \(expected), found \(found)"
    }
}
