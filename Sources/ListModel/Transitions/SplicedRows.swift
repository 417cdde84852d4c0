// What a GListModel answers with between two splices.
//
// Always holds: before `boundary` the rows are those of the new snapshot, from there on the rest of the old one.

/// The rows of a model that is led from one snapshot to another by splices.
///
/// A `GListModel` must have changed by the time it emits `items-changed`, and only as far as that says:
///
/// ```swift
/// var rows = SplicedRows(transition.splices(layout: .rows))
/// while let splice = rows.advance() {
///     model.emitItemsChanged(splice.position, splice.removed, splice.added)   // reads `rows.count` and `rows[offset]`
/// }
/// ```
public struct SplicedRows: RandomAccessCollection, Sendable {
    private let splices: RowSplices
    /// How many splices were played.
    public private(set) var playedCount = 0
    /// Up to which offset the rows are new.
    private var boundary = 0
    /// The offset in the old rows of the one at the boundary.
    private var rest = 0

    /// The rows before the first splice.
    public init(_ splices: RowSplices) {
        self.splices = splices
    }

    /// Plays the next splice.
    ///
    /// - Returns: the splice, which the model now has to announce; nil if there is none left, and all rows are new.
    public mutating func advance() -> Splice? {
        guard playedCount < splices.splices.count else {
            boundary = splices.new.count
            rest = splices.old.count
            return nil
        }
        let splice = splices.splices[playedCount]
        playedCount += 1
        rest += splice.position - boundary + splice.removed
        boundary = splice.position + splice.added
        return splice
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    /// How many rows there are at the moment.
    public var count: Int { boundary + splices.old.count - rest }

    /// The row at an offset.
    ///
    /// - Complexity: O(log n).
    public subscript(offset: Int) -> SequenceRow {
        offset < boundary ? splices.new[offset] : splices.old[rest + offset - boundary]
    }
}
