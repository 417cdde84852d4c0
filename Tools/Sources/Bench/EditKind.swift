// What the planned edits are about.

/// What an edit does.
enum EditKind: String, CaseIterable {
    case insert
    case delete
    case move
    case toggle
    case update
}

/// How an edit names its row and its place.
enum EditAddress: String, CaseIterable {
    case path
    case id
}
