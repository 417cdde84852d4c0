// A list view without sections that is told one change after another, without a screen.

import ListModel

/// A strict list view without sections, such as NSTableView or RecyclerView.
///
/// ```swift
/// var list = SequentialListSimulator(showing: before.rows(in: .rows))
/// let steps = Transition(from: before, to: after).steps(layout: .rows)
/// #expect(list.play(steps) == nil)
/// #expect(list.shows(after.rows(in: .rows)))
/// ```
public struct SequentialListSimulator: Sendable {
    /// What is shown.
    public private(set) var rows: [SequenceRow]

    /// A view that shows these rows.
    public init(showing rows: LaidOutRows) {
        self.init(rows: Array(rows))
    }

    init(rows: [SequenceRow]) {
        self.rows = rows
    }

    /// Plays a step.
    ///
    /// - Parameter new: the rows that the steps lead to.
    /// - Returns: why the view rejects it; nil if it does not. A step that is rejected is not played.
    public mutating func play(_ step: RowOperation, towards new: LaidOutRows) -> String? {
        switch step {
        case .remove(let offset):
            guard rows.indices.contains(offset) else { return "\(step): there are \(rows.count) rows" }
            rows.remove(at: offset)
        case .insert(let offset, let row):
            guard (0...rows.count).contains(offset) else { return "\(step): there are \(rows.count) rows" }
            guard new.indices.contains(row) else { return "\(step): there are \(new.count) new rows" }
            rows.insert(new[row], at: offset)
        case .move(let from, let to):
            guard rows.indices.contains(from), rows.indices.contains(to) else {
                return "\(step): there are \(rows.count) rows"
            }
            guard from != to else { return "\(step): a move that moves nothing" }
            rows.insert(rows.remove(at: from), at: to)
        case .update(let offset):
            guard rows.indices.contains(offset), new.indices.contains(offset) else {
                return "\(step): there are \(rows.count) rows"
            }
            guard rows[offset].identity == new[offset].identity else {
                return "\(step): the row is \(rows[offset].identity), and should be \(new[offset].identity)"
            }
            rows[offset] = new[offset]
        }
        return nil
    }

    /// Plays steps, or reloads.
    ///
    /// - Returns: why the view rejects one, and which; nil if it does not. Then nothing after that step is played.
    public mutating func play(_ steps: RowOperations) -> String? {
        if steps.isReload {
            rows = Array(steps.new)
            return steps.steps.isEmpty ? nil : "a reload with steps"
        }
        for (index, step) in steps.steps.enumerated() {
            if let message = play(step, towards: steps.new) { return "step \(index): \(message)" }
        }
        return nil
    }

    /// Whether the view shows these rows: ids, checkmarks, contents, titles.
    public func shows(_ rows: LaidOutRows) -> Bool { self.rows.elementsEqual(rows) }
}
