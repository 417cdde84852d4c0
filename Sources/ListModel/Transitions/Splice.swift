// One change of a model without moves.

/// Neighbouring rows are replaced by others: the `items-changed` of a GListModel.
public struct Splice: Hashable, Sendable {
    /// The offset of the first row that is replaced, after all splices before this one.
    public var position: Int
    /// How many rows are removed there.
    public var removed: Int
    /// How many rows are added in their place.
    public var added: Int

    /// A splice.
    public init(position: Int, removed: Int, added: Int) {
        self.position = position
        self.removed = removed
        self.added = added
    }
}
