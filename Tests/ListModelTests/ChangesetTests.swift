// Tests changesets, one property at a time, in lists that are large enough to share subtrees.

@testable import ListModel
import TestSupport
import Testing

@Suite("Changeset")
struct ChangesetTests {
    private typealias Move = Changeset.Move<ListIndexPath>

    /// The changes that `body` makes to a list of sections of these rows, checked to lead to the new rows.
    private func changes(
        _ rows: [[Int]], limits: TreeLimits = TreeLimits(), sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (inout UntypedEditor) throws -> Void
    ) throws -> Changeset {
        var list = try MemoryList(rows, limits: limits)
        let (old, before) = (list.snapshot(), try list.contents())
        try list.commit("edit", body)
        let (new, after) = (list.snapshot(), try list.contents())
        let changes = Changeset(from: old, to: new)
        #expect(changes.applied(to: before, giving: after) == after, sourceLocation: sourceLocation)
        let back = Changeset(from: new, to: old)
        #expect(back.applied(to: after, giving: before) == before, sourceLocation: sourceLocation)
        #expect(back.items.moved.count == changes.items.moved.count, sourceLocation: sourceLocation)
        return changes
    }

    private static func range(_ section: Int, _ items: Range<Int>) -> [ListIndexPath] {
        items.map { ListIndexPath(section, $0) }
    }

    // MARK: Moves

    @Test("If 25 of 10,000 rows are moved, the changeset has at most 25 moves", arguments: 1...6 as ClosedRange<UInt64>)
    func fewRandomMoves(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var moved: Set<UntypedID> = []
        let changes = try changes([Array(0..<10_000)]) { editor in
            for _ in 0..<25 {
                let id = UntypedID.integer(Int64.random(in: 0..<10_000, using: &generator))
                moved.insert(id)
                try editor.move(.item(id), to: .section("s0", at: Int.random(in: 0..<10_000, using: &generator)))
            }
        }
        #expect(changes.items.moved.count <= moved.count && !changes.items.moved.isEmpty, "seed \(seed)")
        #expect(changes.items.deleted.isEmpty && changes.items.inserted.isEmpty, "seed \(seed)")
        #expect(changes.items.updated.isEmpty && changes.sections.isEmpty, "seed \(seed)")
    }

    @Test("If a long run is moved across a short one, the short one moves in the changeset")
    func shortRunMoves() throws {
        let changes = try changes([Array(0..<10_000)]) { editor in
            try editor.move(.run(ListIndexPath(0, 1_000), count: 4_000), to: .at(ListIndexPath(0, 1_003)))
        }
        // Rows 5,000 to 5,002 are before row 1,000 now.
        #expect(
            changes.items.moved
                == (0..<3).map {
                    Move(from: ListIndexPath(0, 5_000 + $0), to: ListIndexPath(0, 1_000 + $0))
                })
    }

    @Test("If a run moves far, exactly its rows move", arguments: [1, 31, 32, 33, 200, 1_000])
    func runMoves(count: Int) throws {
        let changes = try changes([Array(0..<10_000)]) { editor in
            try editor.move(.run(ListIndexPath(0, 2_000), count: count), to: .at(ListIndexPath(0, 7_000)))
        }
        #expect(
            changes.items.moved
                == (0..<count).map {
                    Move(from: ListIndexPath(0, 2_000 + $0), to: ListIndexPath(0, 7_000 + $0))
                })
    }

    @Test(
        "If two parts change places, the smaller one moves, including shared subtrees",
        arguments: [
            100, 3_200, 4_096, 5_904, 7_777, 9_990,
        ])
    func partsChangePlaces(first: Int) throws {
        let changes = try changes([Array(0..<10_000)]) { editor in
            try editor.move(.run(ListIndexPath(0, 0), count: first), to: .end(ofSection: "s0"))
        }
        #expect(changes.items.moved.count == min(first, 10_000 - first))
    }

    @Test("If it is known what may have moved, nothing else moves", arguments: 1...20 as ClosedRange<UInt64>)
    func knownMoves(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let count = Int.random(in: 2...40, using: &generator)
            var list = try MemoryList(
                [Array(0..<count)], limits: generator.oneIn(2) ? RandomEditTests.narrow : TreeLimits())
            let (old, before) = (list.snapshot(), try list.contents())
            let movable = Set((0..<count).map { UntypedID.integer(Int64($0)) }.filter { _ in generator.oneIn(3) })
            try list.commit("edit") { editor in
                for id in movable.shuffled(using: &generator) {
                    try editor.move(.item(id), to: .section("s0", at: Int.random(in: 0..<count, using: &generator)))
                }
            }
            let (new, after) = (list.snapshot(), try list.contents())
            let changes = Changeset.withOrigins(from: old, to: new, moving: .init(items: movable)).0
            #expect(changes.applied(to: before, giving: after) == after, "seed \(seed)")
            #expect(movable.isSuperset(of: changes.items.moved.map { new.item(at: $0.to)!.id }), "seed \(seed)")
        }
    }

    @Test("A row that changes its section is a move and keeps its identity")
    func moveAcrossSections() throws {
        let changes = try changes([[1, 2, 3], [4, 5]]) { editor in
            try editor.move(.item(2), to: .after(4))
            try editor.move(.item(5), to: .before(1))
            try editor.toggle(.item(2))
        }
        #expect(
            changes.items.moved == [
                Move(from: ListIndexPath(1, 1), to: ListIndexPath(0, 0)),
                Move(from: ListIndexPath(0, 1), to: ListIndexPath(1, 1)),
            ])
        #expect(changes.items.updated == [ListIndexPath(1, 1)])
        #expect(changes.items.deleted.isEmpty && changes.items.inserted.isEmpty)
    }

    @Test("No increasing subsequence is heavier than the heaviest one, by trying all", arguments: 1...40)
    func heaviestSubsequence(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for count in 0...9 {
            let ranks = (0..<count).shuffled(using: &generator)
            let weights = ranks.map { _ in Int.random(in: 1...(generator.oneIn(2) ? 3 : 500), using: &generator) }
            var best = 0
            for subset in 0..<(1 << count) {
                let chosen = (0..<count).filter { subset >> $0 & 1 == 1 }
                let isIncreasing = zip(chosen, chosen.dropFirst()).allSatisfy { ranks[$0] < ranks[$1] }
                if isIncreasing { best = max(best, chosen.reduce(0) { $0 + weights[$1] }) }
            }
            let found = IncreasingSubsequence.heaviest(ranks: ranks, weights: weights)
            #expect(found.reduce(0) { $0 + weights[$1] } == best, "seed \(seed): \(ranks), \(weights)")
            #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 && ranks[$0] < ranks[$1] }, "seed \(seed)")
        }
    }

    // MARK: Sections

    @Test("The rows of inserted and deleted sections are listed")
    func rowsOfSections() throws {
        let deleted = try changes([[1, 2], [3, 4, 5], [6]]) { try $0.deleteSection(.at(1)) }
        #expect(deleted.sections.deleted == [1] && deleted.items.deleted == Self.range(1, 0..<3))
        let inserted = try changes([[1, 2]]) { try $0.insertSection(NewSection(7, [3, 4]), at: .at(0)) }
        #expect(inserted.sections.inserted == [0] && inserted.items.inserted == Self.range(0, 0..<2))
        for changes in [deleted, inserted] {
            #expect(changes.sections.moved.isEmpty && changes.items.moved.isEmpty && changes.items.updated.isEmpty)
        }
    }

    @Test("The rows of a section that moves are listed only where they changed")
    func rowsOfMovedSections() throws {
        let moved = try changes([Array(0..<50), [60], [70]]) { try $0.moveSection(.at(0), to: .end) }
        #expect(moved.sections.moved == [Changeset.Move(from: 0, to: 2)])
        #expect(moved.items.isEmpty && moved.sections.updated.isEmpty)
        let changed = try changes([Array(0..<50), [60], [70]]) { editor in
            try editor.moveSection(.at(0), to: .end)
            try editor.toggle(.item(7))
            try editor.delete(.item(3))
            try editor.renameSection(.at(2), to: "other")
        }
        #expect(changed.sections.moved == [Changeset.Move(from: 0, to: 2)] && changed.sections.updated == [2])
        #expect(changed.items.updated == [ListIndexPath(2, 6)])
        #expect(changed.items.deleted == [ListIndexPath(0, 3)])
        #expect(changed.items.moved.isEmpty && changed.items.inserted.isEmpty)
    }

    @Test("A row that leaves a section before it is deleted moves, and so does one into a new section")
    func rowsSurviveTheirSection() throws {
        let changes = try changes([[1, 2], [3]]) { editor in
            try editor.insertSection(NewSection(7), at: .at(0))
            try editor.move(.item(1), to: .end(ofSection: "s7"))
            try editor.move(.item(2), to: .before(3))
            try editor.deleteSection(.section("s0"))
        }
        #expect(changes.sections.deleted == [0] && changes.sections.inserted == [0])
        #expect(
            changes.items.moved == [
                Move(from: ListIndexPath(0, 0), to: ListIndexPath(0, 0)),
                Move(from: ListIndexPath(0, 1), to: ListIndexPath(1, 0)),
            ])
        #expect(changes.items.deleted.isEmpty && changes.items.inserted.isEmpty)
    }

    @Test("For many sections in another order, as few as possible move")
    func manySections() throws {
        let moved = try changes((0..<200).map { [$0] }) { editor in
            try editor.moveSection(.at(10), to: .at(150))
            try editor.moveSection(.section("s77"), to: .before("s3"))
        }
        #expect(moved.sections.moved == [Changeset.Move(from: 77, to: 3), Changeset.Move(from: 10, to: 150)])
        #expect(moved.items.isEmpty)
        let renamed = try changes((0..<200).map { [$0] }) { try $0.renameSection(.at(123), to: "caf\u{E9}") }
        #expect(renamed.sections.updated == [123] && renamed.items.isEmpty && renamed.sections.moved.isEmpty)
    }

    // MARK: Updates

    @Test("Rows with another checkmark or another content are updated, and only those")
    func updates() throws {
        let changes = try changes([Array(0..<1_000)]) { editor in
            try editor.toggle(.item(3))
            try editor.update(500, content: [0xEE, 0xEE])
            try editor.setChecked(true, for: .item(999))
            // Toggling twice is no change.
            try editor.toggle(.item(7))
            try editor.toggle(.item(7))
            try editor.update(8, content: [0xEE])
            try editor.update(8, content: [8])
        }
        #expect(changes.items.updated == [3, 500, 999].map { ListIndexPath(0, $0) })
        #expect(changes.sections.isEmpty && changes.items.moved.isEmpty)
        #expect(changes.items.deleted.isEmpty && changes.items.inserted.isEmpty)
    }

    @Test("A title that looks the same but has other bytes is an update")
    func titleByBytes() throws {
        let changes = try changes([[1]]) { editor in
            try editor.renameSection(.at(0), to: "caf\u{E9}")
        }
        #expect(changes.sections.updated == [0])
        var list = MemoryList()
        try list.commit { try $0.insertSection(NewSection(id: 1, title: "caf\u{E9}")) }
        let old = list.snapshot()
        try list.commit { try $0.renameSection(.at(0), to: "cafe\u{301}") }
        #expect(Changeset(from: old, to: list.snapshot()).sections.updated == [0])
    }

    // MARK: Snapshots that share nothing

    @Test("Snapshots of two stores are compared by identity and content")
    func unrelatedSnapshots() throws {
        var left = try MemoryList([[1, 2, 3], [4, 5]])
        var right = try MemoryList([[3, 1, 6], [], [4, 5, 2]], limits: TreeLimits())
        let (old, new) = (left.snapshot(), right.snapshot())
        let changes = Changeset(from: old, to: new)
        let (before, after) = (try left.contents(), try right.contents())
        #expect(changes.applied(to: before, giving: after) == after)
        #expect(changes.sections.inserted == [2])
        #expect(changes.items.inserted == [ListIndexPath(0, 2)] && changes.items.deleted.isEmpty)
        #expect(changes.items.moved.count == 4 && changes.items.updated.isEmpty)
        #expect(Changeset(from: old, to: old).isEmpty)
        #expect(Changeset(from: .empty, to: .empty).isEmpty)
        var same = try MemoryList([[1, 2, 3], [4, 5]], limits: TreeLimits())
        #expect(Changeset(from: old, to: same.snapshot()).isEmpty)
    }

    @Test(
        "Of many leaves that are all different, which are not compared all at once, no row is lost", arguments: 1...30)
    func manyLeaves(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var rows = Array(0..<Int.random(in: 0...1_500, using: &generator))
        let (old, before) = try unshared(rows, of: 0)
        // In long stretches, there are rows of one list only, so that the leaves of one end before those of the other.
        for _ in 0..<Int.random(in: 0...4, using: &generator) where !rows.isEmpty {
            let end = min(rows.count, Int.random(in: 0...700, using: &generator))
            rows.removeSubrange(Int.random(in: 0...end, using: &generator)..<end)
        }
        let densities = [1, 3, 40]
        let density = densities[seed % 3]
        for number in 0..<rows.count / density + 1 {
            let place = Int.random(in: 0...rows.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: rows.insert(10_000 + number, at: place)
            case 1 where !rows.isEmpty: rows.insert(rows.remove(at: place % rows.count), at: place % rows.count)
            default: if place < rows.count { rows.remove(at: place) }
            }
        }
        let (new, after) = try unshared(rows, of: seed % 2)
        for (old, new, before, after) in [(old, new, before, after), (new, old, after, before)] {
            let changes = Changeset(from: old, to: new)
            #expect(changes.applied(to: before, giving: after) == after, "seed \(seed)")
            #expect(MinimalMoves.problem(changes, from: before, to: after) == nil, "seed \(seed)")
            #expect(
                changes.items.updated.isEmpty == (seed % 2 == 0 || rows.allSatisfy { $0 >= 10_000 }), "seed \(seed)")
        }
    }

    @Test("Many rows that are inserted or deleted in one place leave all others in step, however many leaves there are")
    func longCommonEnd() throws {
        let (short, _) = try unshared(Array(0..<3_000), of: 0)
        for place in [0, 1_000, 3_000] {
            let (long, _) = try unshared(Array(0..<place) + Array(9_000..<9_400) + Array(place..<3_000), of: 1)
            for (old, new) in [(short, long), (long, short)] {
                let difference = TreeDifference(
                    from: old.tree[0].items(old.tree.pool), to: new.tree[0].items(new.tree.pool))
                #expect(difference.changed.count == 3_000, "at \(place)")
                #expect(difference.old.count { $0.element != nil } + difference.new.count { $0.element != nil } == 400)
            }
        }
    }

    /// A list of narrow nodes that shares none with others. Lists of another kind have other contents.
    private func unshared(_ rows: [Int], of kind: Int) throws -> (UntypedSnapshot, ReferenceList) {
        var list = try MemoryList([rows], limits: RandomEditTests.narrow)
        if kind > 0 {
            try list.commit { editor in for row in rows { try editor.toggle(.item(.integer(Int64(row)))) } }
        }
        return (list.snapshot(), try list.contents())
    }

    @Test("From the empty list everything is inserted, to the empty list everything is deleted")
    func fromAndToNothing() throws {
        var list = try MemoryList([[1, 2], [], [3]])
        let fill = Changeset(from: .empty, to: list.snapshot())
        #expect(fill.sections.inserted == [0, 1, 2])
        #expect(fill.items.inserted == [ListIndexPath(0, 0), ListIndexPath(0, 1), ListIndexPath(2, 0)])
        let clear = Changeset(from: list.snapshot(), to: .empty)
        #expect(clear.sections.deleted == fill.sections.inserted && clear.items.deleted == fill.items.inserted)
    }

    @Test("A reload that brings the same rows back changes only what differs")
    func reloadOfMostlyTheSame() throws {
        let changes = try changes([Array(0..<1_000)]) { editor in
            var rows = (0..<1_000).map { NewRow($0) }
            rows[10].content = [0xFF, 0xFF]
            rows.remove(at: 500)
            rows.append(rows.remove(at: 700))
            try editor.reload([NewSection(id: "s0", title: "s0", items: rows)])
        }
        #expect(changes.items.updated == [ListIndexPath(0, 10)])
        #expect(changes.items.deleted == [ListIndexPath(0, 500)])
        #expect(changes.items.moved == [Move(from: ListIndexPath(0, 701), to: ListIndexPath(0, 998))])
        #expect(changes.items.inserted.isEmpty && changes.sections.isEmpty)
    }

    // MARK: Damage

    @Test("Rows and sections that cannot be read have the same id, and none of them is lost", arguments: 1...200)
    func equalIDs(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        func list() throws -> UntypedSnapshot {
            var state = ListState(NodePool(limits: RandomEditTests.narrow), isTracking: false)
            for number in 0..<Int.random(in: 0...4, using: &generator) {
                let items = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                    let number = Int64.random(in: 0...60, using: &generator)
                    let content = ContentReference(version: Version(1), offset: 0, length: 0, hash: UInt64(number % 3))
                    let id: UntypedID = number % 3 == 0 ? "unreadable" : .integer(number)
                    return UntypedRow(id: id, isChecked: false, content: content)
                }
                let id: UntypedID = generator.oneIn(2) ? "unreadable" : .integer(Int64(number))
                try state.apply(.sectionInserted(at: number, ListSection(id: id, title: "", items: items)))
            }
            return state.snapshot()
        }
        let (old, new) = (try list(), try list())
        let rows = { (snapshot: UntypedSnapshot) in
            snapshot.sections.map { (header: $0.id, items: Array($0.items)) }
        }
        let found = Changeset(from: old, to: new).applied(
            to: rows(old), header: { new.sections[$0].id }, item: { new.item(at: $0)! })
        #expect(found.map(\.header) == new.sections.map(\.id), "seed \(seed)")
        #expect(found.map(\.items) == new.sections.map { Array($0.items) }, "seed \(seed)")
    }
}
