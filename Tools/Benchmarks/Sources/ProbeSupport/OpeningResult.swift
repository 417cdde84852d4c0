// What a process sees that opens a long list: how long until its first screen is there, and until the first edit is made.

/// A store was opened, the first rows were read with their contents, and one row was toggled by its id.
public struct OpeningResult: Codable, Sendable {
    /// The seconds from the start of `main` to the last of the first rows.
    public let firstRows: Double
    /// When that was, by `MonotonicClock`.
    public let readyAt: Double
    /// The seconds that the first edit took.
    public let firstEdit: Double
    /// What was resident after both; nil where the kernel does not say.
    public let residentBytes: Int?

    public init(firstRows: Double, readyAt: Double, firstEdit: Double, residentBytes: Int?) {
        self.firstRows = firstRows
        self.readyAt = readyAt
        self.firstEdit = firstEdit
        self.residentBytes = residentBytes
    }
}
