// Plans edits of a list whose rows have the ids 0, 1, 2 … in any order, all in its first section.
//
// Always holds: the edits of one plan can be made one after another; the same calls on the same planner give the same
// edits.

import ListModel
import TestSupport

/// Plans edits at random places.
public struct EditPlanner: Sendable {
    /// How many rows the list has whenever a plan begins.
    private let rowCount: Int
    private var generator: SeededGenerator
    /// A number that no id and no content has used yet.
    private var fresh: Int64

    /// A planner for a list of rows with the ids from 0 up to `rowCount`.
    public init(rowCount: Int, seed: UInt64) {
        self.rowCount = rowCount
        generator = SeededGenerator(seed: seed)
        fresh = Int64(rowCount)
    }

    /// Edits of one kind at random places.
    public mutating func edits(_ count: Int, _ kind: EditKind, by address: EditAddress) -> [PlannedEdit] {
        let deleted = kind == .delete && address == .id ? distinctIDs(count) : []
        return (0..<count).map { done in
            switch kind {
            case .insert:
                .insert(newItem(), address == .path ? .at(path(below: rowCount + done + 1)) : .after(id()))
            case .delete: .delete(address == .path ? .at(path(below: rowCount - done)) : .item(deleted[done]))
            case .move: move(by: address)
            case .toggle: .toggle(address == .path ? .at(path(below: rowCount)) : .item(id()))
            case .update:
                address == .path
                    ? .updateRow(path(below: rowCount), content: content())
                    : .updateItem(id(), content: content())
            }
        }
    }

    /// Edits of these kinds in turn, by index path.
    public mutating func mixedEdits(_ count: Int, _ kinds: [EditKind] = EditKind.allCases) -> [PlannedEdit] {
        var rows = rowCount
        return (0..<count).map { index in
            switch kinds[index % kinds.count] {
            case .insert:
                rows += 1
                return .insert(newItem(), .at(path(below: rows)))
            case .delete:
                rows -= 1
                return .delete(.at(path(below: rows + 1)))
            case .move: return .move(.at(path(below: rows)), .at(path(below: rows)))
            case .toggle: return .toggle(.at(path(below: rows)))
            case .update: return .updateRow(path(below: rows), content: content())
            }
        }
    }

    /// Edits like typing a text with a row for each character: insertions at a cursor, sometimes a deletion before it,
    /// and sometimes a jump of the cursor.
    public mutating func typing(_ count: Int) -> [PlannedEdit] {
        var rows = rowCount
        var cursor = generator.below(rows + 1)
        return (0..<count).map { _ in
            let choice = generator.below(1_000)
            if choice < 10 { cursor = generator.below(rows + 1) }
            if choice >= 850 && cursor > 0 {
                cursor -= 1
                rows -= 1
                return .delete(.at(ListIndexPath(section: 0, item: cursor)))
            }
            let place = ListIndexPath(section: 0, item: cursor)
            cursor += 1
            rows += 1
            return .insert(NewRow(id: freshID(), content: Array("x".utf8)), .at(place))
        }
    }

    private mutating func move(by address: EditAddress) -> PlannedEdit {
        if address == .path { return .move(.at(path(below: rowCount)), .at(path(below: rowCount))) }
        let moved = generator.below(rowCount)
        let other = generator.below(rowCount - 1)
        return .move(.item(.integer(Int64(moved))), .before(.integer(Int64(other < moved ? other : other + 1))))
    }

    private mutating func path(below bound: Int) -> ListIndexPath {
        ListIndexPath(section: 0, item: generator.below(bound))
    }

    private mutating func id() -> UntypedID { .integer(Int64(generator.below(rowCount))) }

    private mutating func distinctIDs(_ count: Int) -> [UntypedID] {
        var seen = Set<Int>()
        while seen.count < count { seen.insert(generator.below(rowCount)) }
        return seen.sorted().shuffled(using: &generator).map { .integer(Int64($0)) }
    }

    private mutating func freshID() -> UntypedID {
        fresh += 1
        return .integer(fresh - 1)
    }

    private mutating func newItem() -> NewRow {
        let id = freshID()
        return NewRow(id: id, content: Array(#"{"title":"Milk \#(fresh)"}"#.utf8))
    }

    private mutating func content() -> [UInt8] {
        fresh += 1
        return Array(#"{"title":"Bread \#(fresh)"}"#.utf8)
    }
}
