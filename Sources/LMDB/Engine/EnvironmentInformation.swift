// LMDB's figures about an environment, and about one of its trees.
//
// Always holds: these are plain values of the moment at which they were read.

/// The state of an environment.
public struct EnvironmentInformation: Sendable, Equatable {
    /// The size of the map, in bytes.
    public let mapSize: Int
    /// The number of the last page in use.
    public let lastPage: Int
    /// The number of the last committed write transaction.
    public let lastTransaction: Int
    /// How many readers fit in the reader table.
    public let maximumReaders: Int
    /// How many slots of the reader table were in use at once, at most.
    public let readers: Int
}

/// The shape of one database's tree.
public struct Statistics: Sendable, Equatable {
    /// The size of a page, in bytes; fixed when the file was made.
    public let pageSize: Int
    /// The height of the tree; 0 when it is empty.
    public let depth: Int
    /// Pages that hold keys and children.
    public let branchPages: Int
    /// Pages that hold entries.
    public let leafPages: Int
    /// Pages that hold values too large for a leaf.
    public let overflowPages: Int
    /// Entries.
    public let entries: Int
}
