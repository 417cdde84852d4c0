// The rows of a `GListModel` between two splices.
//
// Always holds: the rows before `boundary` are those of the new snapshot; from there on they are the rest of the old
// one.

/// The rows of a model that changes from one snapshot to another, splice by splice.
///
/// When a `GListModel` emits `items-changed`, it must have made exactly the change of that signal:
///
/// ```swift
/// var rows = SplicedRows(transition.splices(layout: .rows))
/// while let splice = rows.advance() {
///     model.emitItemsChanged(splice.position, splice.removed, splice.added)   // reads `rows.count` and `rows[offset]`
/// }
/// ```
public struct SplicedRows: RandomAccessCollection, Sendable {
    private let splices: RowSplices
    /// The number of splices that were applied.
    public private(set) var playedCount = 0
    /// The offset at which the new rows end and the old ones begin.
    private var boundary = 0
    /// The offset of the row at the boundary, in the old rows.
    private var rest = 0

    /// The rows before the first splice.
    public init(_ splices: RowSplices) {
        self.splices = splices
    }

    /// Applies the next splice.
    ///
    /// - Returns: the splice, which the model must now announce; nil if none is left, and all rows are new.
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

    /// The present number of rows.
    public var count: Int { boundary + splices.old.count - rest }

    /// The row at an offset.
    ///
    /// - Complexity: O(log n).
    public subscript(offset: Int) -> SequenceRow {
        offset < boundary ? splices.new[offset] : splices.old[rest + offset - boundary]
    }
}
