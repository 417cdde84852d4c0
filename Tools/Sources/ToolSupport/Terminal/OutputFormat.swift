// How results look. Always holds: text is for people and may change; JSON is for programs and only gains members.

/// How a command prints its result.
public enum OutputFormat: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// For programs.
    case json
}
