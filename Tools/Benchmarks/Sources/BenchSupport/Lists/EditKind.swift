// The kinds of planned edits.

/// The kind of an edit.
public enum EditKind: String, CaseIterable, Sendable {
    case insert
    case delete
    case move
    case toggle
    case update
}

/// How an edit names its row and its place.
public enum EditAddress: String, CaseIterable, Sendable {
    case path
    case id
}
