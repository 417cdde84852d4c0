// The arguments of a measuring process, in a fixed order, because the time and memory of a parser of options would be
// measured too.
//
// Always holds: `arguments` and `init` agree; no part of this module needs Foundation.

/// A measurement in a fresh process.
public enum Probe: Equatable, Sendable {
    /// Opens a store, reads the first rows, and toggles the row of an id: an `OpeningResult`.
    case opening(path: String, id: Int64)
    /// Loads all rows of a store that has no checkpoints: a `MemoryResult`.
    case memory(path: String)
    /// Opens a store, and undoes and redoes a step: a `HistoryResult`.
    case history(path: String)
    /// Opens a store that another process edits, and waits for updates, as many as are asked for: a `NeighbourResult`.
    case neighbour(path: String, updateCount: Int)
    /// Runs a program, and discards what it prints: a `CommandResult`.
    case command(program: String, arguments: [String])

    /// The name of the program.
    public static let program = "bench-probe"

    /// Parses the arguments, without the name of the program; nil if they are not valid.
    public init?(_ arguments: some Collection<String>) {
        let words = Array(arguments)
        switch (words.first, words.count) {
        case ("opening", 3):
            guard let id = Int64(words[2]) else { return nil }
            self = .opening(path: words[1], id: id)
        case ("memory", 2): self = .memory(path: words[1])
        case ("history", 2): self = .history(path: words[1])
        case ("neighbour", 3):
            guard let count = Int(words[2]), count > 0 else { return nil }
            self = .neighbour(path: words[1], updateCount: count)
        case ("command", 2...): self = .command(program: words[1], arguments: Array(words[2...]))
        default: return nil
        }
    }

    /// The arguments of the measurement, without the name of the program.
    public var arguments: [String] {
        switch self {
        case .opening(let path, let id): ["opening", path, String(id)]
        case .memory(let path): ["memory", path]
        case .history(let path): ["history", path]
        case .neighbour(let path, let count): ["neighbour", path, String(count)]
        case .command(let program, let arguments): ["command", program] + arguments
        }
    }
}
