// An error of the tool itself. Always holds: it knows how the command ends.

/// A command that could not go on, for a reason of the tool's own.
public struct ToolError: Error, CustomStringConvertible, Sendable {
    /// How the command ends.
    public let status: ExitStatus
    /// What is wrong; empty if everything was said already.
    public let description: String

    /// An error.
    public init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }
}
