// The memory of a list with all its rows, and of an array of the same ids and references.

/// All rows of a store were loaded, and then put into an array.
public struct MemoryResult: Codable, Sendable {
    /// By how much the memory of the process grew by loading the rows.
    public let listBytes: Int
    /// The same, less memory that was freed meanwhile and can be returned to the system.
    public let trimmedListBytes: Int
    /// The memory of the array.
    public let arrayBytes: Int
    /// The size of an array of the library's rows, which also have checkmarks.
    public let itemArrayBytes: Int
    /// How many rows there are.
    public let rowCount: Int

    public init(listBytes: Int, trimmedListBytes: Int, arrayBytes: Int, itemArrayBytes: Int, rowCount: Int) {
        self.listBytes = listBytes
        self.trimmedListBytes = trimmedListBytes
        self.arrayBytes = arrayBytes
        self.itemArrayBytes = itemArrayBytes
        self.rowCount = rowCount
    }
}
