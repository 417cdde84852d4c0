// What an open store takes in memory, with its history.

/// A store was opened, and a step was undone and redone.
public struct HistoryResult: Codable, Sendable {
    /// The memory of the process alone that the store and its history take.
    public let bytes: Int

    public init(bytes: Int) { self.bytes = bytes }
}
