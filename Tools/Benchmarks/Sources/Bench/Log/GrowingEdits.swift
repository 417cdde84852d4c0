// The edits of the replayed logs. Always holds: the same numbers give the same edits.

import BenchSupport
import ListModel
import TestSupport

/// Mixed edits by index path that let a list grow to a size and then keep it there.
struct GrowingEdits {
    private var generator = SeededGenerator(seed: 2)
    private var rows = 0
    private var nextID: Int64 = 0
    /// How many of a thousand edits insert a row. They exceed the deletions so that the list ends at its size.
    private let insertions: Int
    private let deletions = 100

    init(eventCount: Int, rowCount: Int) {
        insertions = deletions + rowCount * 1_000 / eventCount
    }

    mutating func next() -> PlannedEdit {
        let choice = generator.below(1_000)
        if choice < insertions || rows < 10 {
            rows += 1
            nextID += 1
            let item = NewRow(id: .integer(nextID), content: Array(#"{"title":"Milk \#(nextID)"}"#.utf8))
            return .insert(item, .at(ListIndexPath(section: 0, item: generator.below(rows))))
        }
        let path = ListIndexPath(section: 0, item: generator.below(rows))
        if choice < insertions + deletions {
            rows -= 1
            return .delete(.at(path))
        }
        switch choice % 4 {
        case 0: return .move(.at(path), .at(ListIndexPath(section: 0, item: generator.below(rows))))
        case 1: return .updateRow(path, content: Array(#"{"title":"Bread \#(choice)"}"#.utf8))
        default: return .toggle(.at(path))
        }
    }
}
