// Every limit of the model: what is counted, and what happens when the limit is reached.
//
// Most limits follow from the width of a field in memory or in a file. Each limit is checked before anything is
// changed, or cannot be reached because another limit is checked. Constants that only save memory or time, for example
// the size of a cache, are no limits and are defined where they are used. The limits of LMDB are in the module `LMDB`;
// the limits that a user can choose are in `StoreOptions` and `TreeLimits`.

/// How large a list, its commits and its nodes can be.
package enum Limits {
    // MARK: The list

    /// The most rows of a list. An event that would exceed it throws ``ListError/limitReached(what:limit:)``.
    ///
    /// A node has 32 bits for the number of rows below it. The limit is lower, so that there are enough node numbers.
    package static let rows = 1 << 30

    /// The most sections of a list. An event that would exceed it throws ``ListError/limitReached(what:limit:)``.
    package static let sections = 1 << 28

    /// Section numbers are below this: 31 bits. A number is not used again. When none is left, all sections get new
    /// numbers, which takes as long as a reload.
    package static let sectionNumbers: UInt32 = 1 << 31

    /// The greatest depth of a row in an outline: 6 bits. An edit that would exceed it throws
    /// ``ListError/depthOutOfRange(_:depth:)``. A record or a node with a greater depth is damaged.
    package static let depth = 63

    // MARK: The log

    /// Versions are below this, because a row stores its version in 48 bits. A commit that would get a greater version
    /// throws ``ListError/limitReached(what:limit:)`` and is cancelled. A record with a greater version is damaged
    /// (`RecordError`), and so is a checkpoint.
    package static let versions: UInt64 = 1 << 48

    /// The most bytes of a record, and the most events of a record: 32 bits. A commit that would exceed it throws
    /// ``ListError/commitTooLarge(bytes:)`` and is cancelled.
    ///
    /// Contents, names, titles and identifiers are part of the record and have no limit of their own.
    package static let recordBytes = Int(UInt32.max)

    /// Counts of events and of bytes of a whole log, and the work of replaying it, are below this: so their sums and differences fit into
    /// 64 bits. A stored count that is greater is damaged.
    package static let totals: UInt64 = 1 << 62

    // MARK: Nodes

    /// The most elements or children of a node. Greater `TreeLimits` violate a precondition; a stored node with more is
    /// damaged (`NodeError`).
    package static let nodeElements = 1 << 16

    /// Heights of nodes are below this. A stored node of a greater height is damaged (`NodeError`). Trees do not grow
    /// so high, because every node has at least two children, except on the right edge.
    package static let nodeHeights = 32

    /// Stored numbers of nodes are below this, because a child keeps its stored number in 48 bits. A checkpoint that
    /// would need more throws `NodeError`, and the list continues from its log. A checkpoint with a greater number is
    /// damaged.
    package static let storedNumbers: UInt64 = 1 << 48

    /// Node numbers are below this: 31 bits, and the greatest value is `noPlaceNumber`. A number is used again when its
    /// node is gone. Numbers do not run out, because a list has at most one node for each row and two for each section.
    package static let placeNumbers: UInt32 = noPlaceNumber

    /// The node number of placeholders for nodes that cannot be read. No node of a tree has it.
    package static let noPlaceNumber: UInt32 = (1 << 31) - 1

    /// The most entries of a chunk of an earlier release's index without a bit for each entry: two for each element of a
    /// leaf. A chunk with more entries must have a bit for each; otherwise it is damaged (`NodeError`) and read as empty, so
    /// that damaged bytes cannot request much memory.
    package static let equalEntries = 2 * nodeElements
}

/// The limits of a packed block. They bound the work that damaged bytes can request.
///
/// Records that exceed a limit are not packed. A block that exceeds one is damaged (`RecordError`).
enum PackedLimits {
    /// The format of a block that this library reads and writes.
    static let currentFormat: UInt8 = 4
    /// The most commits of a block.
    static let commitCount = 65_536
    /// The most bytes of one record.
    static let recordBytes = 1 << 20
    /// The most bytes of all records of a block.
    static let totalBytes = 1 << 23
    /// Versions are below this.
    static let versions = Limits.versions
    /// A chunk of contents ends with the commit with which it has so many bytes, or is of so many commits.
    static let chunkBytes = 8_192
    static let chunkCommits = 1_024

    /// The most bytes of a part of a block whose records have some bytes. A difference of two numbers takes one byte more than the
    /// longer of them at most, so all fields together take less than three times the bytes that they have in records.
    static func partBytes(_ recordBytes: Int) -> Int { 3 * recordBytes + 1_024 }
}
