// A list view without sections and without a screen that receives one change after another.

import ListModel

/// A strict list view without sections, such as NSTableView or RecyclerView.
///
/// ```swift
/// var list = SequentialListSimulator(showing: before.rows(in: .rows))
/// let operations = ListTransition(from: before, to: after).operations(layout: .rows)
/// #expect(list.play(operations) == nil)
/// #expect(list.shows(after.rows(in: .rows)))
/// ```
public struct SequentialListSimulator: Sendable {
    /// The rows that are shown.
    public private(set) var rows: [SequenceRow]

    /// A view that shows these rows.
    public init(showing rows: LaidOutRows) {
        self.init(rows: Array(rows))
    }

    init(rows: [SequenceRow]) {
        self.rows = rows
    }

    /// Plays an operation.
    ///
    /// - Parameter new: the rows that the operations lead to.
    /// - Returns: why the view rejects it; nil if it accepts it. A rejected operation is not played.
    public mutating func play(_ operation: RowOperation, towards new: LaidOutRows) -> String? {
        switch operation {
        case .remove(let offset):
            guard rows.indices.contains(offset) else { return "\(operation): there are \(rows.count) rows" }
            rows.remove(at: offset)
        case .insert(let offset, let row):
            guard (0...rows.count).contains(offset) else { return "\(operation): there are \(rows.count) rows" }
            guard new.indices.contains(row) else { return "\(operation): there are \(new.count) new rows" }
            rows.insert(new[row], at: offset)
        case .move(let from, let to):
            guard rows.indices.contains(from), rows.indices.contains(to) else {
                return "\(operation): there are \(rows.count) rows"
            }
            guard from != to else { return "\(operation): a move that moves nothing" }
            rows.insert(rows.remove(at: from), at: to)
        case .update(let offset):
            guard rows.indices.contains(offset), new.indices.contains(offset) else {
                return "\(operation): there are \(rows.count) rows"
            }
            guard rows[offset].identity == new[offset].identity else {
                return "\(operation): the row is \(rows[offset].identity), and should be \(new[offset].identity)"
            }
            rows[offset] = new[offset]
        }
        return nil
    }

    /// Plays operations, or reloads.
    ///
    /// - Returns: why the view rejects one, and which; nil if it accepts all. After a rejected operation, no more are
    ///   played.
    public mutating func play(_ operations: RowOperations) -> String? {
        if operations.isReload {
            rows = Array(operations.new)
            return operations.operations.isEmpty ? nil : "a reload with operations"
        }
        for (index, operation) in operations.operations.enumerated() {
            if let message = play(operation, towards: operations.new) { return "operation \(index): \(message)" }
        }
        return nil
    }

    /// Whether the view shows these rows: ids, checkmarks, contents, titles.
    public func shows(_ rows: LaidOutRows) -> Bool { self.rows.elementsEqual(rows) }
}
