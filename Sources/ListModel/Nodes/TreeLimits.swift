// How wide the nodes of a tree are. Injected, so that tests reach splits and merges with a handful of rows.

/// The widths of tree nodes.
///
/// The default suits rows of 40 bytes: a leaf of 1.3 KB is copied in a fraction of a microsecond, and three levels of
/// inner nodes reach beyond a million rows.
package struct TreeLimits: Hashable, Sendable {
    /// How many rows a leaf holds at most, at least 4.
    package let leafCapacity: Int
    /// How many children an inner node holds at most, at least 4.
    package let innerCapacity: Int
    /// How many rows and sections a list has at most: as `Limits` says, but in tests.
    package var rows = Limits.rows
    package var sections = Limits.sections

    /// Limits of other than the default widths.
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

    /// How many elements or children a node at `height` holds at most.
    @inline(__always)
    func capacity(height: Int) -> Int { height == 0 ? leafCapacity : innerCapacity }

    /// Below how many elements or children a node at `height` is merged with a sibling or filled from it.
    @inline(__always)
    func minimum(height: Int) -> Int { max(2, capacity(height: height) / 4) }
}
