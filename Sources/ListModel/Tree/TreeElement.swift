// What the tree asks of the things it holds: rows in the tree of a section, sections in the tree of a list.

/// An element of a ``PersistentTree``.
protocol TreeElement: Sendable {
    /// By what the element is found, unique in all trees that share one ``Locator``.
    var id: Identifier { get }

    /// The hash of the element as a residue, or ``SequenceHash/unsealed`` while something below it has changed.
    var hash: UInt64 { get }

    /// Brings `hash` up to date.
    mutating func seal()
}

extension ListItem: TreeElement {
    /// Nothing to do: a row's hash is kept with every change.
    @inline(__always)
    mutating func seal() {}
}
