// An error of the tool itself. Always holds: it has the exit code of the command.

/// An error of a command that is not an error of the library.
public struct ToolError: Error, CustomStringConvertible, Sendable {
    /// The exit code.
    public let status: ExitStatus
    /// A stable name of the kind of error, for programs.
    public let code: String
    /// What is wrong; empty if it was printed already.
    public let description: String

    /// An error.
    ///
    /// - Parameter code: what the library calls the same error; nil for the name of the status.
    public init(_ status: ExitStatus, _ description: String, code: String? = nil) {
        self.status = status
        self.code = code ?? "\(status)"
        self.description = description
    }

    /// Whether the reader of the output has gone.
    var isBrokenPipe: Bool { status == .inputOutput && description.isEmpty }
}
