// What the tree asks of the things it holds: rows in the tree of a section, sections in the tree of a list.

/// An element of a ``PersistentTree``.
protocol TreeElement: Sendable {
    /// By what the element is found, unique in all trees that share one ``Locator``.
    var id: Identifier { get }

    /// The hash of the element as a residue, or ``SequenceHash/unsealed`` while something below it has changed.
    var hash: UInt64 { get }

    /// Brings `hash` up to date.
    mutating func seal()

    /// Whether an element of the same id in another version has changed neither in itself nor below.
    func isUnchanged(in other: Self) -> Bool
}

extension ListItem: TreeElement {
    /// Nothing to do: a row's hash is kept with every change.
    @inline(__always)
    mutating func seal() {}

    @inline(__always)
    func isUnchanged(in other: ListItem) -> Bool { hasSameState(as: other) }
}
