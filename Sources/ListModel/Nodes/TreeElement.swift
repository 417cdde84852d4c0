// What the tree asks of the things it holds: rows in the tree of a section, sections in the tree of a list.

/// An element of a ``PersistentTree``.
protocol TreeElement: Sendable {
    /// By what the element is found, unique in all trees that share one ``Locator``.
    var id: Identifier { get }

    /// Whether elements of this type can be bytes without references.
    static var canBePlain: Bool { get }

    /// Whether this one is.
    var isPlain: Bool { get }

    /// The hash of the element as a residue, or ``SequenceHash/unsealed`` while something below it has changed.
    var hash: UInt64 { get }

    /// How deep the element stands in an outline, below `TreeDepth.none`; 0 where there are no outlines.
    var outlineDepth: UInt8 { get }

    /// Brings `hash` up to date.
    mutating func seal()

    /// Whether an element of the same id in another version has changed neither in itself nor below.
    func isUnchanged(in other: Self) -> Bool

    /// Calls `body` with each hash by which a locator of a salt finds the element: that of its id, and perhaps others.
    func forEachKey(salt: UInt64, _ body: (UInt64) throws -> Void) rethrows

    /// The nodes of such elements that are in memory because somebody looked at them.
    static func cache(of store: NodeStore) -> NodeCache<Self>

    /// Writes the elements of a leaf for storage.
    ///
    /// - Parameter contentOf: the content of a row, if it is to be stored in the place of its hash.
    static func encode(
        _ elements: UnsafeBufferPointer<Self>, into writer: inout ByteWriter,
        contentOf: (ContentReference) -> [UInt8]?)

    /// Reads the elements of a stored leaf.
    ///
    /// - Parameters:
    ///   - hasDepths: whether a lowest depth follows each element.
    ///   - elements: room for `count` elements.
    /// - Returns: how many are initialised: all of them or, on damage, as many as were readable.
    static func decode(
        _ reader: inout NodeReader, count: Int, hasDepths: Bool, into elements: UnsafeMutablePointer<Self>
    ) -> Int

    /// Whether one of the elements has rows below it, all of which are deeper than 0.
    static func haveDepthsBelow(_ elements: UnsafeBufferPointer<Self>) -> Bool

    /// What stands in the place of an element that cannot be read.
    static func unreadable() -> Self
}

/// Depths as the tree keeps them.
enum TreeDepth {
    /// The lowest depth of no elements: deeper than any.
    static let none = UInt8.max
}

extension ListItem: TreeElement {
    static var canBePlain: Bool { true }

    @inline(__always)
    var isPlain: Bool {
        if case .string = id { return false }
        return true
    }

    @inline(__always)
    var outlineDepth: UInt8 { outline &>> 1 }

    /// Nothing to do: a row's hash is kept with every change.
    @inline(__always)
    mutating func seal() {}

    @inline(__always)
    func isUnchanged(in other: ListItem) -> Bool { hasSameState(as: other) }

    @inline(__always)
    func forEachKey(salt: UInt64, _ body: (UInt64) throws -> Void) rethrows { try body(id.hash64(salt: salt)) }

    static func cache(of store: NodeStore) -> NodeCache<ListItem> { store.items }
}
