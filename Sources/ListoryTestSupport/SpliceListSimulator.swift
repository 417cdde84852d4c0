// A list view over a model that announces splices, without a screen.

import ListModel

/// A strict list view over a GListModel: it keeps the rows that it has read, and asks the model for the rows that a
/// splice adds.
///
/// ```swift
/// var list = SpliceListSimulator(showing: before.rows(in: .rows))
/// let splices = ListTransition(from: before, to: after).splices(layout: .rows)
/// #expect(list.play(splices) == nil)
/// #expect(list.shows(after.rows(in: .rows)))
/// ```
public struct SpliceListSimulator: Sendable {
    /// The rows that are shown.
    public private(set) var rows: [SequenceRow]

    /// A view that shows these rows.
    public init(showing rows: LaidOutRows) {
        self.init(rows: Array(rows))
    }

    init(rows: [SequenceRow]) {
        self.rows = rows
    }

    /// Receives a splice, and asks the model for the added rows, for the rows beside them, and for the first and the
    /// last row.
    ///
    /// - Parameter model: the rows of the model at this moment: this splice must have been made, and no later one.
    /// - Returns: why the view rejects it; nil if it accepts it.
    public mutating func itemsChanged(
        _ splice: Splice, in model: some RandomAccessCollection<SequenceRow>
    ) -> String? {
        guard splice.position >= 0, splice.removed >= 0, splice.added >= 0,
            splice.position <= rows.count, splice.removed <= rows.count - splice.position
        else { return "\(splice): there are \(rows.count) rows" }
        let count = rows.count - splice.removed + splice.added
        guard model.count == count else {
            return "\(splice): the model has \(model.count) rows, and should have \(count)"
        }
        let start = model.index(model.startIndex, offsetBy: splice.position)
        let added = model[start..<model.index(start, offsetBy: splice.added)]
        rows.replaceSubrange(splice.position..<splice.position + splice.removed, with: added)
        let end = splice.position + splice.added
        for offset in [0, splice.position - 1, end, end + 1, count - 1] where rows.indices.contains(offset) {
            let row = model[model.index(model.startIndex, offsetBy: offset)]
            guard rows[offset].identity != row.identity else { continue }
            return "\(splice): row \(offset) is shown as \(rows[offset].identity), and the model says \(row.identity)"
        }
        return nil
    }

    /// Receives a change of a row's content.
    public mutating func rowChanged(at offset: Int, to row: SequenceRow) -> String? {
        guard rows.indices.contains(offset) else { return "row \(offset) changed: there are \(rows.count) rows" }
        guard rows[offset].identity == row.identity else {
            return "row \(offset) changed: it is \(rows[offset].identity), and not \(row.identity)"
        }
        rows[offset] = row
        return nil
    }

    /// Receives all splices of a transition, and the rows whose content changed.
    ///
    /// - Returns: why the view rejects one, and which; nil if it accepts all.
    public mutating func play(_ splices: RowSplices) -> String? {
        var model = SplicedRows(splices)
        var end = -1
        while let splice = model.advance() {
            if splice.removed == 0 && splice.added == 0 { return "\(splice): nothing changes" }
            if splice.position <= end { return "\(splice): touches the one before" }
            if let message = itemsChanged(splice, in: model) { return message }
            end = splice.position + splice.added
        }
        if model.count != splices.new.count { return "the model has \(model.count) rows at the end" }
        for offset in splices.updated {
            if let message = rowChanged(at: offset, to: splices.new[offset]) { return message }
        }
        return nil
    }

    /// Whether the view shows these rows: ids, checkmarks, contents, titles.
    public func shows(_ rows: LaidOutRows) -> Bool { self.rows.elementsEqual(rows) }
}
