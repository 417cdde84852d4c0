// One change of a model without moves.

/// A replacement of consecutive rows by others: the `items-changed` signal of a `GListModel`.
public struct Splice: Hashable, Sendable {
    /// The offset of the first replaced row, after all splices before this one.
    public var position: Int
    /// The number of rows that are removed there.
    public var removed: Int
    /// The number of rows that are inserted in their place.
    public var added: Int

    /// A splice.
    public init(position: Int, removed: Int, added: Int) {
        self.position = position
        self.removed = removed
        self.added = added
    }
}
