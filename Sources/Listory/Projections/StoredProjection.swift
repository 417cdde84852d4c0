// What is said of the stored states of projections.

import ListModel

/// A state of a projection that is stored in the file, so that it need not be folded from the beginning.
public struct StoredProjection: Hashable, Sendable {
    /// The name of the projection.
    public let name: String
    /// The version of the projection's rules.
    public let rules: Int
    /// The version of the list up to which it is folded.
    public let version: Version
    /// The version from which on it has received the events; ``Version/empty`` if it has received all.
    public let beginning: Version
    /// The size of the state, in bytes.
    public let byteCount: Int

    init(_ row: ProjectionRow, name: String) {
        (self.name, rules) = (name, Int(row.rules))
        (version, beginning, byteCount) = (row.version, row.beginning, row.state.count)
    }
}
