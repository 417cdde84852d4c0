// The widths of tree nodes, and other limits. They are configurable, so that tests reach splits and merges with a handful of rows.

/// The widths of tree nodes, and other limits.
///
/// The default suits rows of 40 bytes: a leaf of 1.3 KB is copied in a fraction of a microsecond, and three levels of
/// inner nodes reach beyond a million rows.
package struct TreeLimits: Hashable, Sendable {
    /// The most rows of a leaf; at least 4.
    package let leafCapacity: Int
    /// The most children of an inner node; at least 4.
    package let innerCapacity: Int
    /// The most rows and sections of a list: those of `Limits`, except in tests.
    package var rows = Limits.rows
    package var sections = Limits.sections
    /// The bits of the fingerprint of an id in a new index, 26 to 32. A compromise: few bits keep the index small in a file; with 30 bits
    /// and ten million ids, one new id in a hundred has the fingerprint of another one, and is looked for in its leaf.
    package var fingerprintBits = 30
    /// Whether a new index has families of integers: `IdentifierHashing`. That of an earlier release has none.
    package var hasFamilies = true

    /// Limits with other widths than the default.
    ///
    /// - Parameters:
    ///   - leafCapacity: rows in a leaf, 4 to 65,536.
    ///   - innerCapacity: children of an inner node, 4 to 65,536.
    package init(leafCapacity: Int = 32, innerCapacity: Int = 32) {
        precondition(leafCapacity >= 4 && innerCapacity >= 4, "a node holds at least 4 elements or children")
        precondition(
            max(leafCapacity, innerCapacity) <= Limits.nodeElements, "a node holds at most 65,536 of them")
        self.leafCapacity = leafCapacity
        self.innerCapacity = innerCapacity
    }

    /// The most elements or children of a node at `height`.
    @inline(__always)
    func capacity(height: Int) -> Int { height == 0 ? leafCapacity : innerCapacity }

    /// The fewest elements or children of a node at `height`. A node with fewer is merged with a sibling or refilled
    /// from it.
    @inline(__always)
    func minimum(height: Int) -> Int { max(2, capacity(height: height) / 4) }
}
