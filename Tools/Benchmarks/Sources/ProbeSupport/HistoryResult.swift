// The memory of an open store with its history.

/// A store was opened, and a step was undone and redone.
public struct HistoryResult: Codable, Sendable {
    /// The private memory of the store and its history.
    public let bytes: Int

    public init(bytes: Int) { self.bytes = bytes }
}
