// What a list takes in memory when all of it is there, beside an array of the same ids and references.

/// All rows of a store were loaded, and then put into an array.
public struct MemoryResult: Codable, Sendable {
    /// What the process took after the rows were loaded that it did not before.
    public let listBytes: Int
    /// The same without what was freed meanwhile and can go back to the system.
    public let trimmedListBytes: Int
    /// What the array took.
    public let arrayBytes: Int
    /// What an array of the library's own rows would take, which also have their checkmarks.
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
