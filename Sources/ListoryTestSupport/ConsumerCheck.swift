// A transition through every kind of list view at once.

import ListModel

/// A list view rejected a transition, or shows something else afterwards: a fault of whoever made it.
public struct ConsumerFailure: Error, Equatable, CustomStringConvertible {
    /// Which view it was, and of which layout.
    public let consumer: String
    /// What it said.
    public let message: String

    public var description: String { "\(consumer): \(message)" }
}

extension Transition {
    /// Plays the transition through every simulator: batches, and steps, splices and the standard library's difference in
    /// every layout.
    ///
    /// ```swift
    /// @Test func everyViewShowsTheFilteredList() throws {
    ///     try Transition(from: before, to: after).checkConsumers()
    /// }
    /// ```
    ///
    /// - Throws: ``ConsumerFailure`` for the first view that rejects it, is hurt by it, or then shows something else.
    /// - Complexity: O(n).
    public func checkConsumers() throws(ConsumerFailure) {
        try checkBatches()
        for layout in RowLayout.allCases {
            let name = layout == .rows ? "rows" : "rows with headers"
            try check("steps of \(name)", stepFailure(layout))
            try check("splices of \(name)", spliceFailure(layout))
            try check("difference of \(name)", differenceFailure(layout))
        }
    }

    private func check(_ consumer: String, _ message: String?) throws(ConsumerFailure) {
        if let message { throw ConsumerFailure(consumer: consumer, message: message) }
    }

    private func checkBatches() throws(ConsumerFailure) {
        var table = TableSimulator(showing: old)
        let batches = batches()
        for (index, batch) in batches.enumerated() {
            let verdict = table.play(batch)
            if !verdict.isAccepted {
                try check("batch \(index + 1) of \(batches.count)", "\(verdict) in \(batch.operations)")
            }
        }
        if !table.shows(new) { try check("batches", "the rows are others than those of the new snapshot") }
    }

    private func stepFailure(_ layout: RowLayout) -> String? {
        let steps = steps(layout: layout)
        var list = SequentialListSimulator(showing: steps.old)
        return list.play(steps) ?? (list.shows(steps.new) ? nil : "other rows at the end, after \(steps.steps)")
    }

    private func spliceFailure(_ layout: RowLayout) -> String? {
        let splices = splices(layout: layout)
        var list = SpliceListSimulator(showing: splices.old)
        return list.play(splices) ?? (list.shows(splices.new) ? nil : "other rows at the end, after \(splices.splices)")
    }

    private func differenceFailure(_ layout: RowLayout) -> String? {
        let (before, after) = (old.rows(in: layout).map(\.identity), new.rows(in: layout).map(\.identity))
        guard let result = before.applying(collectionDifference(layout: layout)) else { return "it cannot be applied" }
        return result == after ? nil : "other rows at the end"
    }
}
