// Plays a transition through every kind of list view at once.

import ListModel

/// A list view rejected a transition, or shows wrong rows afterwards: a fault of the transition.
public struct ConsumerFailure: Error, Equatable, CustomStringConvertible {
    /// The name of the view, and its layout.
    public let consumer: String
    /// The message of the view.
    public let message: String

    public var description: String { "\(consumer): \(message)" }
}

extension ListTransition {
    /// Plays the transition through every simulator: batches, and operations, splices and the standard library's difference in
    /// every layout.
    ///
    /// ```swift
    /// @Test func everyViewShowsTheFilteredList() throws {
    ///     try ListTransition(from: before, to: after).checkConsumers()
    /// }
    /// ```
    ///
    /// - Throws: ``ConsumerFailure`` for the first view that rejects it, is corrupted by it, or then shows wrong rows.
    /// - Complexity: O(n).
    public func checkConsumers() throws(ConsumerFailure) {
        try check("batches", TableSimulator.failure(of: self))
        for layout in RowLayout.allCases {
            let name = layout == .rows ? "rows" : "rows with headers"
            let changes = SequenceChanges(self, layout: layout)
            // Read once, and then compared as arrays.
            let before = Array(old.rows(in: layout))
            let after = Array(new.rows(in: layout))
            try check("operations of \(name)", Self.failure(of: changes.operations, before, after))
            try check("splices of \(name)", Self.failure(of: changes.splices, before, after))
            try check("difference of \(name)", Self.failure(of: changes.difference, before, after))
        }
    }

    private func check(_ consumer: String, _ message: String?) throws(ConsumerFailure) {
        if let message { throw ConsumerFailure(consumer: consumer, message: message) }
    }

    private static func failure(of operations: RowOperations, _ before: [SequenceRow], _ after: [SequenceRow])
        -> String?
    {
        var list = SequentialListSimulator(rows: before)
        return list.play(operations)
            ?? (list.rows == after ? nil : "other rows at the end, after \(operations.operations)")
    }

    private static func failure(of splices: RowSplices, _ before: [SequenceRow], _ after: [SequenceRow]) -> String? {
        var list = SpliceListSimulator(rows: before)
        return list.play(splices) ?? (list.rows == after ? nil : "other rows at the end, after \(splices.splices)")
    }

    private static func failure(
        of difference: CollectionDifference<RowIdentity>, _ before: [SequenceRow], _ after: [SequenceRow]
    ) -> String? {
        guard let result = before.map(\.identity).applying(difference) else { return "it cannot be applied" }
        return result == after.map(\.identity) ? nil : "other rows at the end"
    }
}
