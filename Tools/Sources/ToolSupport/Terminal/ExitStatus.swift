// The exit codes of commands, for scripts.
//
// Always holds: every error has exactly one of these; the numbers never change their meaning.

/// The exit codes of the tool.
public enum ExitStatus: Int32, CaseIterable, Sendable {
    /// The command succeeded.
    case success = 0
    /// The command was refused: nothing to undo, an unknown or dropped version, a store that is in use,
    /// input that is not what was expected.
    case refused = 1
    /// The command line could not be understood.
    case usage = 2
    /// The store is missing, is a file of another format, or was written by a newer release.
    case unusable = 3
    /// The store is damaged, or the shared log of `sync`.
    case damaged = 4
    /// Reading or writing failed.
    case inputOutput = 5
    /// `exec`: a line was rejected, or the input ended inside a group.
    case rejected = 6
    /// An undo, redo, go or revert has conflicts with edits of others.
    case conflicts = 7
    /// `salvage`: a new store was written, but some commits or rows are lost or are in other files.
    case lost = 8

    /// The meaning of the number, for the help.
    public var meaning: String {
        switch self {
        case .success: "done"
        case .refused: "refused: nothing to undo, no such version, store in use, unexpected input"
        case .usage: "the command line could not be understood"
        case .unusable: "the store is missing, foreign, or of a newer version"
        case .damaged: "the store is damaged; sync: or the shared log is"
        case .inputOutput: "reading or writing failed"
        case .rejected: "exec: a line was rejected, or a group did not end"
        case .conflicts: "conflicts: rows were changed since by somebody else"
        case .lost: "salvage: a new store was written, but something is lost or in another file"
        }
    }
}
