// Makes the lists that are measured: half of the rows at once, the other half one by one at random places, so that the
// nodes of the tree are filled as in a list that was edited for a while.
//
// Always holds: the list has one section, and its rows have the ids from 0 up to `rowCount`, in a random order.

import ListModel
import TestSupport

/// Makes a list of a size.
public struct ListRecipe: Sendable {
    /// The id of the only section.
    public static let section: UntypedID = "today"

    public let rowCount: Int

    /// The recipe for a number of rows.
    public init(rowCount: Int) { self.rowCount = rowCount }

    /// Calls `body` with the edits of each commit that makes the list.
    public func forEachCommit(_ body: ((inout UntypedEditor) throws -> Void) throws -> Void) throws {
        var generator = SeededGenerator(seed: 1)
        var ids = Array(0..<rowCount)
        ids.shuffle(using: &generator)
        let items = ids.map { NewRow(id: .integer(Int64($0)), content: Array(#"{"title":"Milk \#($0)"}"#.utf8)) }
        let half = rowCount / 2
        try body { editor in
            try editor.insertSection(
                NewSection(id: ListRecipe.section, title: "Today", items: Array(items[..<half])))
        }
        for start in stride(from: half, to: rowCount, by: 10_000) {
            let chunk = start..<min(start + 10_000, rowCount)
            let places = chunk.map { generator.below($0 + 1) }
            try body { editor in
                for (index, place) in zip(chunk, places) {
                    try editor.insert(items[index], at: .at(ListIndexPath(section: 0, item: place)))
                }
            }
        }
    }
}
