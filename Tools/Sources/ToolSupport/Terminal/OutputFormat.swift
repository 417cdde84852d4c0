// The formats of results. Always holds: text is for people and may change; JSON is for programs, and members are only
// added.

/// How a command prints its result.
public enum OutputFormat: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// For programs.
    case json
}
