// A list view with sections, without a screen.
//
// Always holds: after the same calls, it shows the same cells as a view: rows that stay or move keep their cell and its
// old content, until they are reconfigured.

import ListModel

/// A strict list view without a screen: it accepts and rejects batches of updates as UITableView and UICollectionView do.
///
/// ```swift
/// var table = TableSimulator(showing: before)
/// for batch in ListTransition(from: before, to: after).batches() {
///     #expect(table.play(batch) == .accepted)
/// }
/// #expect(table.shows(after))
/// ```
public struct TableSimulator: Sendable {
    /// A section as it is shown.
    public struct Section: Equatable, Sendable {
        /// The identity of the section.
        public var id: UntypedID
        /// The title in its header.
        public var title: String
        /// The contents of its cells, in order.
        public var items: [UntypedRow]
    }

    /// The sections that are shown.
    public private(set) var sections: [Section]

    /// A view that shows a snapshot.
    public init(showing snapshot: UntypedSnapshot) {
        sections = Self.sections(of: snapshot)
    }

    private static func sections(of snapshot: UntypedSnapshot) -> [Section] {
        var sections: [Section] = []
        for section in snapshot.sections {
            sections.append(Section(id: section.id, title: section.title, items: Array(section.items)))
        }
        return sections
    }

    /// Plays a batch; one that is not accepted is not played.
    ///
    /// - Complexity: O(n).
    public mutating func play(_ batch: UpdateBatch) -> TableVerdict {
        if batch.isReload {
            sections = Self.sections(of: batch.snapshot)
            return batch.changes.isEmpty ? .accepted : .rejected("a reload with changes")
        }
        return perform(batch.operations, giving: batch.snapshot)
    }

    /// Plays the calls of one batch; one that is not accepted is not played.
    ///
    /// - Parameters:
    ///   - operations: the calls, in any order.
    ///   - snapshot: the rows with which the data source answers then.
    /// - Returns: the verdict; ``TableVerdict/wrongRows(_:)`` if the ids that are then shown are not those of the snapshot.
    /// - Complexity: O(n).
    public mutating func perform(_ operations: [TableOperation], giving snapshot: UntypedSnapshot) -> TableVerdict {
        perform(operations, giving: Self.sections(of: snapshot))
    }

    private mutating func perform(_ operations: [TableOperation], giving target: [Section]) -> TableVerdict {
        let batch = TableBatch(operations)
        let verdict = TableRules(batch, before: sections.map(\.items.count), after: target.map(\.items.count)).verdict
        guard verdict.isAccepted else { return verdict }
        let player = TablePlayer(batch)
        let rows = player.rows(sections.map(\.items), target.map(\.items))
        let headers = player.headers(sections.map { ($0.id, $0.title) }, target.map { ($0.id, $0.title) })
        let result = zip(headers, rows).map { Section(id: $0.0, title: $0.1, items: $1) }
        if let difference = Self.difference(result, target) { return .wrongRows(difference) }
        sections = result
        return .accepted
    }

    /// The first id at a wrong position.
    private static func difference(_ shown: [Section], _ target: [Section]) -> String? {
        for index in 0..<min(shown.count, target.count) {
            let (shown, target) = (shown[index], target[index])
            if shown.id != target.id { return "section \(index) is \(shown.id), and should be \(target.id)" }
            for row in 0..<min(shown.items.count, target.items.count) {
                let (shown, target) = (shown.items[row].id, target.items[row].id)
                if shown == target { continue }
                return "row \(ListIndexPath(section: index, item: row)) is \(shown), and should be \(target)"
            }
        }
        return nil
    }

    /// Whether the view shows a snapshot: rows, checkmarks, contents, titles.
    ///
    /// - Complexity: O(n).
    public func shows(_ snapshot: UntypedSnapshot) -> Bool { sections == Self.sections(of: snapshot) }

    /// Plays the batches of a transition, and checks that its new rows are shown then.
    ///
    /// - Returns: why they are not; nil if they are.
    static func failure(of transition: ListTransition) -> String? {
        var table = TableSimulator(showing: transition.old)
        // Most transitions have one batch, which leads to the new rows; these are read once.
        let new = sections(of: transition.new)
        let batches = transition.batches()
        for (index, batch) in batches.enumerated() {
            let isNew = batch.snapshot.stateHash == transition.new.stateHash
            let target = isNew ? new : sections(of: batch.snapshot)
            let verdict = batch.isReload ? table.play(batch) : table.perform(batch.operations, giving: target)
            if verdict.isAccepted { continue }
            return "\(verdict) in batch \(index + 1) of \(batches.count), \(batch.operations)"
        }
        return table.sections == new ? nil : "the rows are others than those of the new snapshot"
    }

    // MARK: Without rows

    /// The verdict of a view that shows sections of these sizes on the calls of one batch.
    ///
    /// ```swift
    /// let verdict = TableSimulator.verdict(of: [.deleteItem(path), .reloadItem(path)], before: [3], after: [2])
    /// ```
    ///
    /// - Parameters:
    ///   - operations: the calls, in any order.
    ///   - before: how many rows each section has before the batch.
    ///   - after: how many rows each section has after the batch.
    public static func verdict(of operations: [TableOperation], before: [Int], after: [Int]) -> TableVerdict {
        TableRules(TableBatch(operations), before: before, after: after).verdict
    }

    /// The verdict of a view that shows rows of these ids on the calls of one batch; it also compares the rows that are
    /// shown then.
    public static func verdict<ID: Hashable>(
        of operations: [TableOperation], before: [[ID]], after: [[ID]]
    ) -> TableVerdict {
        let batch = TableBatch(operations)
        let verdict = TableRules(batch, before: before.map(\.count), after: after.map(\.count)).verdict
        guard verdict.isAccepted else { return verdict }
        let shown = TablePlayer(batch).rows(before, after)
        for (index, (shown, target)) in zip(shown, after).enumerated() {
            for (row, (shown, target)) in zip(shown, target).enumerated() where shown != target {
                return .wrongRows(
                    "row \(ListIndexPath(section: index, item: row)) is \(shown), and should be \(target)")
            }
        }
        return .accepted
    }
}
