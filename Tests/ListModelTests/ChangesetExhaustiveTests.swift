// Tests changesets over all small lists: every pair of edits of every list of up to four rows in up to two sections.
//
// Lists differ only in how many rows each section has, because the numbers of the rows make no difference.

@testable import ListModel
import TestSupport
import Testing

@Suite("Changesets of all small lists")
struct ChangesetExhaustiveTests {
    /// How many rows each section has: 21 lists.
    private static let shapes: [[Int]] =
        [[]]
        + (0...4).map { [$0] }
        + (0...4).flatMap { first in (0...4 - first).map { [first, $0] } }

    @Test("After any two edits the changeset leads to the new rows, with as few moves as possible", arguments: shapes)
    func everyPairOfEdits(shape: [Int]) throws {
        var next = 0
        let rows = shape.map { count in
            (0..<count).map { _ in
                next += 1; return next
            }
        }
        var list = try MemoryList(rows)
        let (old, reference) = (list.snapshot(), try list.contents())
        for first in Self.edits(of: reference, number: 1) {
            var middle = reference
            try middle.apply(first)
            for second in Self.edits(of: middle, number: 2) {
                var expected = middle
                try expected.apply(second)
                try list.editor.begin(CommitDraft(name: "", time: Timestamp(microseconds: 0)))
                try list.editor.apply(first)
                try list.editor.apply(second)
                let new = list.editor.snapshot()
                list.editor.cancel()
                let comment: Comment = "\(rows): \(first), then \(second)"
                try #require(new.ids == expected.sections.map { $0.items.map(\.id) }, comment)
                try check(Changeset(from: old, to: new), from: reference, to: expected, comment)
                try check(Changeset(from: new, to: old), from: expected, to: reference, comment)
            }
        }
        #expect(list.snapshot().stateHash == old.stateHash)
        try list.editor.checkInvariants()
    }

    private func check(
        _ changes: Changeset, from old: ReferenceList, to new: ReferenceList, _ comment: Comment
    ) throws {
        try #require(changes.applied(to: old, giving: new) == new, comment)
        try #require(changes.isEmpty == (old == new), comment)
        try #require(changes.sections.moved.count == Self.fewestSectionMoves(old, new), comment)
        try #require(changes.items.moved.count == Self.fewestItemMoves(old, new), comment)
        let (before, after) = (Self.itemsByID(old), Self.itemsByID(new))
        try #require(changes.items.deleted == old.paths.filter { after[old.item(at: $0).id] == nil }, comment)
        try #require(changes.items.inserted == new.paths.filter { before[new.item(at: $0).id] == nil }, comment)
        try #require(
            changes.items.updated
                == new.paths.filter { path in
                    let item = new.item(at: path)
                    return before[item.id].map { $0 != item } ?? false
                }, comment)
        try #require(changes.items.moved == changes.items.moved.sorted { $0.to < $1.to }, comment)
        for move in changes.items.moved {
            try #require(old.item(at: move.from).id == new.item(at: move.to).id, comment)
        }
    }

    // MARK: What a changeset should be

    private static func itemsByID(_ list: ReferenceList) -> [UntypedID: ReferenceItem] {
        Dictionary(uniqueKeysWithValues: list.sections.flatMap(\.items).map { ($0.id, $0) })
    }

    private static func fewestSectionMoves(_ old: ReferenceList, _ new: ReferenceList) -> Int {
        fewestMoves(from: old.sections.map(\.id), to: new.sections.map(\.id))
    }

    /// The number of rows that changed sections, and of rows within each section that cannot stay.
    private static func fewestItemMoves(_ old: ReferenceList, _ new: ReferenceList) -> Int {
        var moves = 0
        for section in new.sections {
            let before = old.sections.first { $0.id == section.id }?.items.map(\.id) ?? []
            let arrived = section.items.filter { item in !before.contains(item.id) && old.path(of: item.id) != nil }
            moves += arrived.count + fewestMoves(from: before, to: section.items.map(\.id))
        }
        return moves
    }

    /// Tries every set of elements that might stay.
    private static func fewestMoves(from old: [UntypedID], to new: [UntypedID]) -> Int {
        let positions = new.compactMap { old.firstIndex(of: $0) }
        var longest = 0
        for subset in 0..<(1 << positions.count) where subset.nonzeroBitCount > longest {
            let staying = positions.indices.filter { subset >> $0 & 1 == 1 }.map { positions[$0] }
            if zip(staying, staying.dropFirst()).allSatisfy({ $0 < $1 }) { longest = staying.count }
        }
        return positions.count - longest
    }

    // MARK: Every edit of a list

    /// Every way to change a list by one edit; `number` keeps new ids apart.
    private static func edits(of list: ReferenceList, number: Int) -> [EditOperation] {
        var edits: [EditOperation] = []
        let sections = list.sections.indices
        let places = sections.flatMap { section in
            (0...list.sections[section].items.count).map { ListIndexPath(section, $0) }
        }
        for place in places { edits.append(.insert([NewRow(100 + number)], .at(place))) }
        for path in list.paths {
            let item = list.item(at: path)
            edits += [.delete(.at(path)), .toggle(.at(path)), .update(item.id, [item.content[0] ^ 0x80])]
            edits.append(.changeDepth(.at(path), by: 1))
            let end = ListIndexPath(path.section, list.sections[path.section].items.count)
            for place in places where place != end { edits.append(.move(.at(path), .at(place))) }
        }
        let section = NewSection(10 + number, [110 + number])
        for index in 0...sections.count { edits.append(.insertSection(section, .at(index))) }
        for index in sections {
            edits += [.deleteSection(.at(index)), .renameSection(.at(index), "title \(number)")]
            for target in sections { edits.append(.moveSection(.at(index), .at(target))) }
        }
        return edits
    }
}
