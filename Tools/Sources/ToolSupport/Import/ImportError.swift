// Input that is not what its format says. Always holds: it says where, what was expected and what was found.

/// An input that could not be imported. The store is as it was before.
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
