// The edits of a log of a given length. Always holds: the list has as many rows at the end as at the beginning, if the
// number of edits is a multiple of four.

import BenchSupport

/// The edits of a short list that make its log long.
enum LoggedEdits {
    /// How many rows the list has, whatever the length of its log.
    static let rowCount = 1_000
    /// A multiple of the number of kinds, so that the number of rows stays the same.
    private static let chunkSize = 1_000

    /// Calls `body` with each edit: insertions, deletions, toggles and updates in turn.
    static func forEach(_ count: Int, _ body: (PlannedEdit) throws -> Void) throws {
        var planner = EditPlanner(rowCount: rowCount, seed: 5)
        for start in stride(from: 0, to: count, by: chunkSize) {
            for edit in planner.mixedEdits(min(chunkSize, count - start), [.insert, .delete, .toggle, .update]) {
                try body(edit)
            }
        }
    }
}
