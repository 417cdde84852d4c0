// The requirements of tree elements: rows in the tree of a section, sections in the tree of a list.

/// An element of a ``PersistentTree``.
protocol TreeElement: Sendable {
    /// The id of the element, unique in all trees that share one ``Locator``.
    var id: UntypedID { get }

    /// Whether elements of this type can be plain: bytes without references.
    static var canBePlain: Bool { get }

    /// Whether this element is plain.
    var isPlain: Bool { get }

    /// The hash of the element as a residue, or ``SequenceHash/unsealed`` if something below it has changed since it
    /// was sealed.
    var hash: UInt64 { get }

    /// The depth of the element in an outline, less than `TreeDepth.none`; 0 without outlines.
    var outlineDepth: UInt8 { get }

    /// Brings `hash` up to date.
    mutating func seal()

    /// Whether an element of the same id in another version is equal, including everything below it.
    func isUnchanged(in other: Self) -> Bool

    /// Calls `body` with each hash by which a locator finds the element: the hash of its id, and others if it has more
    /// keys.
    func forEachKey(_ hashing: IdentifierHashing, _ body: (UInt64) throws -> Void) rethrows

    /// How many such hashes an element has.
    static var keyCount: Int { get }

    /// The cache of nodes with such elements.
    static func cache(of pool: NodePool) -> NodeCache<Self>

    /// Writes the elements of a leaf for storage.
    ///
    /// - Parameter contentOf: returns the content of a row if it is stored instead of its hash.
    static func encode(
        _ elements: UnsafeBufferPointer<Self>, into writer: inout ByteWriter,
        contentOf: (ContentReference) -> [UInt8]?)

    /// Reads the elements of a stored leaf.
    ///
    /// - Parameters:
    ///   - hasDepths: whether a lowest depth follows each element.
    ///   - elements: room for `count` elements.
    /// - Returns: the number of initialised elements: all of them or, on damage, as many as were readable.
    static func decode(
        _ reader: inout NodeReader, count: Int, hasDepths: Bool, into elements: UnsafeMutablePointer<Self>
    ) -> Int

    /// Whether the lowest depth of the rows below one of the elements is above 0.
    static func haveDepthsBelow(_ elements: UnsafeBufferPointer<Self>) -> Bool

    /// Whether nodes of such elements are stored as patches.
    static var canBePatched: Bool { get }

    /// Reads an element of a patch; nil if it makes no sense.
    ///
    /// - Parameter old: the element that it replaces, if any.
    static func decode(_ reader: inout NodeReader, replacing old: Self?, _ context: inout PatchContext) -> Self?

    /// A placeholder for an element that cannot be read.
    static func unreadable() -> Self
}

extension TreeElement {
    static var canBePatched: Bool { false }

    static func decode(_ reader: inout NodeReader, replacing old: Self?, _ context: inout PatchContext) -> Self? { nil }
}

/// Depths in the summaries of a tree.
enum TreeDepth {
    /// The lowest depth of an empty sequence: greater than every depth.
    static let none = UInt8.max
}

extension UntypedRow: TreeElement {
    static var canBePlain: Bool { true }

    @inline(__always)
    var isPlain: Bool {
        if case .string = id { return false }
        return true
    }

    @inline(__always)
    var outlineDepth: UInt8 { outline &>> 1 }

    /// Does nothing, because every change of a row updates its hash.
    @inline(__always)
    mutating func seal() {}

    /// A row whose content was erased changes if an equal one is written again: it can be read then.
    @inline(__always)
    func isUnchanged(in other: UntypedRow) -> Bool { hasSameState(as: other) && isErased == other.isErased }

    @inline(__always)
    func forEachKey(_ hashing: IdentifierHashing, _ body: (UInt64) throws -> Void) rethrows {
        try body(hashing.hash(of: id))
    }

    static var keyCount: Int { 1 }

    static func cache(of pool: NodePool) -> NodeCache<UntypedRow> { pool.items }
}

/// An element of a tree that lives in memory only.
protocol MemoryElement: TreeElement {}

extension MemoryElement {
    var id: UntypedID { .integer(0) }
    static var canBePlain: Bool { false }
    var isPlain: Bool { false }
    /// Always unsealed, so that no edit computes a hash.
    var hash: UInt64 { SequenceHash.unsealed }
    var outlineDepth: UInt8 { 0 }
    mutating func seal() {}
    func isUnchanged(in other: Self) -> Bool { false }
    func forEachKey(_ hashing: IdentifierHashing, _ body: (UInt64) throws -> Void) rethrows {}
    static var keyCount: Int { 0 }

    static func cache(of pool: NodePool) -> NodeCache<Self> { preconditionFailure("such nodes are never stored") }

    static func encode(
        _ elements: UnsafeBufferPointer<Self>, into writer: inout ByteWriter,
        contentOf: (ContentReference) -> [UInt8]?
    ) {
        preconditionFailure("such nodes are never stored")
    }

    static func decode(
        _ reader: inout NodeReader, count: Int, hasDepths: Bool, into elements: UnsafeMutablePointer<Self>
    ) -> Int {
        preconditionFailure("such nodes are never stored")
    }

    static func haveDepthsBelow(_ elements: UnsafeBufferPointer<Self>) -> Bool { false }

    static func unreadable() -> Self { preconditionFailure("such nodes are never stored") }
}
