// An error of the tool itself. Always holds: it has the exit code of the command.

/// An error of a command that is not an error of the library.
public struct ToolError: Error, CustomStringConvertible, Sendable {
    /// The exit code.
    public let status: ExitStatus
    /// What is wrong; empty if it was printed already.
    public let description: String

    /// An error.
    public init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    /// Whether the reader of the output has gone.
    var isBrokenPipe: Bool { status == .inputOutput && description.isEmpty }
}
