// The times of a process that opens a long list: until it has read the first screen, and of the first edit.

/// A store was opened, the first rows were read with their contents, and one row was toggled by its id.
public struct OpeningResult: Codable, Sendable {
    /// The seconds from the start of `main` to the last of the first rows.
    public let firstRows: Double
    /// When that was, by `MonotonicClock`.
    public let readyAt: Double
    /// The seconds that the first edit took.
    public let firstEdit: Double
    /// The resident memory after both; nil if the kernel does not report it.
    public let residentBytes: Int?

    public init(firstRows: Double, readyAt: Double, firstEdit: Double, residentBytes: Int?) {
        self.firstRows = firstRows
        self.readyAt = readyAt
        self.firstEdit = firstEdit
        self.residentBytes = residentBytes
    }
}
