// How a command ends, as a number that scripts can rely on.
//
// Always holds: every error has exactly one of these; the numbers never change their meaning.

/// The exit codes of the tool.
public enum ExitStatus: Int32, CaseIterable, Sendable {
    /// The command did what it was asked.
    case success = 0
    /// The command was refused: nothing to undo, an unknown or dropped version, a store that is in use,
    /// input that is not what was expected.
    case refused = 1
    /// The command line could not be understood.
    case usage = 2
    /// The store is missing, is something else, or was written by a newer version.
    case unusable = 3
    /// The store is damaged.
    case damaged = 4
    /// Reading or writing failed.
    case inputOutput = 5
    /// `exec`: a line was rejected, or the input ended inside a group.
    case rejected = 6
    /// Rows are not as an undo, a redo or the like expects them: somebody else changed them.
    case conflicts = 7

    /// What the number means, for the help.
    public var meaning: String {
        switch self {
        case .success: "done"
        case .refused: "refused: nothing to undo, no such version, store in use, unexpected input"
        case .usage: "the command line could not be understood"
        case .unusable: "the store is missing, foreign, or of a newer version"
        case .damaged: "the store is damaged"
        case .inputOutput: "reading or writing failed"
        case .rejected: "exec: a line was rejected, or a group did not end"
        case .conflicts: "conflicts: rows were changed since by somebody else"
        }
    }
}
