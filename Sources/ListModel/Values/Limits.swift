// How large things can be: every limit of the model, what is counted, and what happens at it.
//
// Most follow from the width of a field, in memory or in a file. Each is checked before anything is changed, or is out of reach
// because another one is checked. What only saves memory or time, as the size of a cache, is no limit and stands where it
// is used; what LMDB limits stands in the module `LMDB`, and what can be chosen in `StoreOptions` and `TreeLimits`.

/// How large a list, its commits and its nodes can be.
package enum Limits {
    // MARK: The list

    /// Rows of a list. An event that would lead beyond throws ``ListError/limitReached(what:limit:)``.
    ///
    /// A node has 32 bits for the number of rows below it. This is less, so that all nodes have place numbers.
    package static let rows = 1 << 30

    /// Sections of a list. An event that would lead beyond throws ``ListError/limitReached(what:limit:)``.
    package static let sections = 1 << 28

    /// Numbers of sections, of which each is given once, in 31 bits. When none is left, all sections get new ones, in the time of
    /// a reload.
    package static let sectionNumbers: UInt32 = 1 << 31

    /// The depth of a row in an outline: 6 bits. An edit that would lead beyond throws
    /// ``ListError/depthOutOfRange(_:depth:)``; a record or a node that says more is damaged.
    package static let depth = 63

    // MARK: The log

    /// Versions, which a row keeps in 48 bits: the greatest is one less. The commit that would have a greater one throws
    /// ``ListError/limitReached(what:limit:)`` and is cancelled; a record of one is damaged (`RecordError`), and so is a checkpoint.
    package static let versions: UInt64 = 1 << 48

    /// Bytes of a record, and events of one: 32 bits. A commit that would have more throws
    /// ``ListError/commitTooLarge(bytes:)`` and is cancelled.
    ///
    /// Contents, names, titles and identifiers lie in the record and have no limit of their own: they end where it does.
    package static let recordBytes = Int(UInt32.max)

    // MARK: Nodes

    /// Elements or children of a node. `TreeLimits` of more are misuse; a stored node of more is damaged (`NodeError`).
    package static let nodeElements = 1 << 16

    /// Heights of nodes are below this. A stored node of a greater one is damaged (`NodeError`). Trees do not grow so high: a
    /// node has at least two children, but for those on the right edge.
    package static let nodeHeights = 32

    /// Numbers under which nodes are stored are below this, as a child keeps them in 48 bits. A checkpoint that would need more
    /// throws `NodeError`, and the list goes on from its log; a checkpoint that says more is damaged.
    package static let storedNumbers: UInt64 = 1 << 48

    /// Place numbers of nodes are below this: 31 bits, of which the greatest number stands for no place. They are used again when
    /// a node is gone. They do not run out: a list has at most as many nodes as rows, and two for each section.
    package static let placeNumbers: UInt32 = noPlaceNumber

    /// The place number of what stands in for nodes that cannot be read. No node of a tree has it.
    package static let noPlaceNumber: UInt32 = (1 << 31) - 1

    /// Entries of a page of the index that are all the same: two for each element of a leaf. A page of more entries than this has
    /// to have a bit for each, or is damaged (`NodeError`) and then empty, so that damage is bounded by the bytes that are read.
    /// A page that is written has no limit.
    package static let equalEntries = 2 * nodeElements
}

/// The limits of a packed block, which bound the work that damaged bytes can request.
///
/// Records that do not fit are left as they are; a block that says more is damaged (`RecordError`).
enum PackedLimits {
    /// The format of a block that this library reads and writes.
    static let currentFormat: UInt8 = 2
    /// The most commits of a block.
    static let commitCount = 65_536
    /// The most bytes of one record.
    static let recordBytes = 1 << 20
    /// The most bytes of all records of a block.
    static let totalBytes = 1 << 23
    /// Versions are less.
    static let versions = Limits.versions
    /// The most affixes of a block.
    static let frameCount = 4
    /// The most bytes of a prefix or a suffix.
    static let frameBytes = 255
}
