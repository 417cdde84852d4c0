// Tests derived views, one promise at a time.

@testable import ListModel
import Synchronization
import TestSupport
import Testing

@Suite("Derived views")
struct DerivedViewTests {
    /// Records the rows for which a view calls the query's functions.
    private final class Asked: Sendable {
        private let ids = Mutex<[UntypedID]>([])

        func note(_ id: UntypedID) { ids.withLock { $0.append(id) } }

        /// The rows since the last call.
        func take() -> [UntypedID] {
            ids.withLock { ids in
                defer { ids = [] }
                return ids
            }
        }
    }

    private struct Unplaceable: Error, Equatable {
        let id: UntypedID
    }

    /// Makes a function of a query fail for chosen rows.
    private final class Faults: Sendable {
        private let failing = Mutex<Set<UntypedID>>([])

        func set(_ ids: Set<UntypedID>) { failing.withLock { $0 = ids } }

        func check(_ id: UntypedID) throws {
            if failing.withLock({ $0.contains(id) }) { throw Unplaceable(id: id) }
        }
    }

    private static func unchecked(_ item: UntypedRow) -> RowPlacement? { item.isChecked ? nil : RowPlacement() }

    // MARK: What is asked

    @Test("The query's functions are called once for an edited row, and for no other row")
    func onlyEditedRowsAreAsked() throws {
        let asked = Asked()
        let arrangement = Arrangement(descending: [true]) { item in
            asked.note(item.id)
            return RowPlacement(key: .integer(Int64(item.content.length)))
        }
        var list = try MemoryList([Array(0..<500), Array(500..<1_000)], limits: TreeLimits())
        var view = try DerivedView([.arrange(arrangement), .first(100)], of: list.snapshot())
        #expect(asked.take().count == 1_000)
        func asks(_ body: (inout UntypedEditor) throws -> Void) throws -> [UntypedID] {
            try list.commit("edit", body)
            try view.advance(to: list.snapshot())
            return asked.take()
        }
        #expect(try asks { try $0.toggle(.item(7)) } == [7])
        #expect(try asks { try $0.update(8, content: [1, 2, 3]) } == [8])
        #expect(view.snapshot.item(at: ListIndexPath(0, 0))?.id == 8)
        #expect(try asks { try $0.insert(NewRow(2_000), at: .before(300)) } == [2_000])
        #expect(try asks { try $0.move(.item(9), to: .end(ofSection: "s1")) } == [])
        #expect(try asks { try $0.delete(.item(10)) } == [])
        #expect(try asks { try $0.moveSection(.at(0), to: .end) } == [])
        #expect(try asks { try $0.renameSection(.at(0), to: "other") } == [])
        // For a row that is moved and changed, the functions are called, because it changed.
        #expect(
            try asks { editor in
                try editor.move(.item(11), to: .end(ofSection: "s1"))
                try editor.update(11, content: [])
            } == [11])
        try list.undo()
        try view.advance(to: list.snapshot())
        #expect(asked.take() == [11])
        // Only the stages above the first one change: no function is called.
        try view.replaceStage(at: 1, with: .first(3))
        #expect(asked.take() == [] && view.snapshot.itemCount == 3)
    }

    @Test("If most rows change, the view is rebuilt, and the functions are called only for those rows")
    func rebuildingAsksOnlyChangedRows() throws {
        let asked = Asked()
        let arrangement = Arrangement { item in
            asked.note(item.id)
            return Self.unchecked(item)
        }
        var list = try MemoryList([Array(0..<2_000)], limits: TreeLimits())
        var view = try DerivedView([.arrange(arrangement)], of: list.snapshot())
        _ = asked.take()
        let half = (0..<1_000).map { UntypedID.integer($0) }
        try list.commit { try $0.setChecked(true, for: .items(half)) }
        let changes = try view.advance(to: list.snapshot()).changeset
        #expect(Set(asked.take()) == Set(half) && changes.items.deleted.count == 1_000)
        #expect(view.snapshot.itemCount == 1_000)
        try view.checkInvariants()
    }

    // MARK: Keys of any type

    private enum Rank: Int, Comparable {
        case low, middle, high
        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    private struct Reversed<Key: Comparable & Sendable>: Comparable, Sendable {
        let key: Key
        static func < (left: Self, right: Self) -> Bool { right.key < left.key }
    }

    private static func rank(_ item: UntypedRow) -> Rank { [.high, .low, .middle][Int(item.content.length)] }

    private static func ranked() throws -> MemoryList {
        var list = try MemoryList([[0, 1, 2, 3, 4, 5]])
        try list.commit { editor in
            for id in 0..<6 { try editor.update(.integer(Int64(id)), content: Array(repeating: 1, count: id % 3)) }
        }
        return list
    }

    @Test("The order of groups is reversed, although only the type of their keys differs")
    func reversedGroups() throws {
        func arrangement(_ order: @escaping @Sendable (Rank) -> QueryKey) -> QueryStage {
            .arrange(
                Arrangement(sections: .groups) { item in
                    let rank = Self.rank(item)
                    let id = UntypedID.integer(Int64(rank.rawValue))
                    return RowPlacement(group: QueryGroup(id: id, title: "", order: order(rank)))
                })
        }
        var list = try Self.ranked()
        var view = try DerivedView([arrangement { QueryKey($0) }], of: list.snapshot())
        #expect(view.snapshot.ids == [[1, 4], [2, 5], [0, 3]])
        try view.replaceStages([arrangement { QueryKey(Reversed(key: $0)) }])
        #expect(view.snapshot.ids == [[0, 3], [2, 5], [1, 4]])
        try view.checkInvariants()
    }

    @Test("Rows are sorted again by keys of another type")
    func otherKeyType() throws {
        func arrangement(_ key: @escaping @Sendable (UntypedRow) -> QueryKey) -> QueryStage {
            .arrange(Arrangement(descending: [false]) { RowPlacement(key: key($0)) })
        }
        var list = try Self.ranked()
        var view = try DerivedView([arrangement { QueryKey(Self.rank($0)) }], of: list.snapshot())
        #expect(view.snapshot.ids == [[1, 4, 2, 5, 0, 3]])
        try view.replaceStages([arrangement { QueryKey(UInt($0.content.length)) }])
        #expect(view.snapshot.ids == [[0, 3, 1, 4, 2, 5]])
        try view.checkInvariants()
    }

    @Test("Keys of two types have an order, and numbers of all sizes are compared as numbers")
    func keysOfSeveralTypes() throws {
        let keys = [
            QueryKey(Rank.low), QueryKey(UInt(1)), QueryKey(Reversed(key: Rank.low)), QueryKey(Float(2)), QueryKey(3),
        ]
        for (index, left) in keys.enumerated() {
            for (other, right) in keys.enumerated() {
                let result = left.compare(right, descending: [])
                #expect((result == 0) == (index == other))
                #expect((result < 0) == (right.compare(left, descending: []) > 0))
            }
        }
        #expect(QueryKey(Float(0.5)).compare(QueryKey(0.5), descending: []) == 0)
        #expect(QueryKey(Float(0.5)).compare(QueryKey(0.75), descending: []) < 0)
    }

    // MARK: Errors

    @Test("If a function throws, the error names the row, the view does not change, and the next attempt catches up")
    func ruleThatThrows() throws {
        let faults = Faults()
        let arrangement = Arrangement { item in
            try faults.check(item.id)
            return Self.unchecked(item)
        }
        var list = try MemoryList([[1, 2, 3], [4, 5, 6]])
        let first = list.snapshot()
        var view = try DerivedView([.arrange(arrangement), .first(4)], of: first)
        let shown = view.snapshot
        try list.commit { editor in
            try editor.toggle(.item(1))
            try editor.insert(NewRow(9), at: .before(5))
        }
        faults.set([9])
        for _ in 0..<2 {
            let error = #expect(throws: QueryError.self) { try view.advance(to: list.snapshot()) }
            #expect(error?.id == 9 && error?.path == ListIndexPath(1, 1) && error?.stage == 0)
            #expect(error?.version == Version(2) && error?.cause as? Unplaceable == Unplaceable(id: 9))
            #expect(error?.description.contains("row 9 at [1, 1] of version 2") == true)
            #expect(view.snapshot.ids == [[1, 2, 3], [4]] && Changeset(from: shown, to: view.snapshot).isEmpty)
            #expect(view.source.version == first.version)
            try view.checkInvariants()
        }
        // More edits are made before the function works again; none is lost.
        try list.commit { try $0.delete(.item(4)) }
        #expect(throws: QueryError.self) { try view.advance(to: list.snapshot()) }
        faults.set([])
        let changes = try view.advance(to: list.snapshot()).changeset
        #expect(view.snapshot.ids == [[2, 3], [9, 5]])
        #expect(changes.items.deleted == [ListIndexPath(0, 0), ListIndexPath(1, 0)])
        #expect(changes.items.inserted == [ListIndexPath(1, 0), ListIndexPath(1, 1)])
        try view.checkInvariants()
    }

    @Test("If a function throws when a view is made or changed, that throws, and the view does not change")
    func viewThatCannotBeMade() throws {
        let faults = Faults()
        faults.set([5])
        let arrangement = Arrangement { item in
            try faults.check(item.id)
            return RowPlacement(key: .integer(-1))
        }
        var list = try MemoryList([[1, 2, 3], [4, 5, 6]])
        let source = list.snapshot()
        let error = #expect(throws: QueryError.self) {
            try DerivedView([.first(9), .arrange(arrangement)], of: source)
        }
        #expect(error?.id == 5 && error?.path == ListIndexPath(1, 1) && error?.stage == 1)
        var view = try DerivedView([.arrange(Arrangement { Self.unchecked($0) }), .first(4)], of: source)
        #expect(throws: QueryError.self) { try view.replaceStage(at: 0, with: .arrange(arrangement)) }
        #expect(throws: QueryError.self) { try view.replaceStages([.arrange(arrangement)]) }
        #expect(view.snapshot.ids == [[1, 2, 3], [4]])
        try list.commit { try $0.toggle(.item(2)) }
        try view.advance(to: list.snapshot())
        #expect(view.snapshot.ids == [[1, 3], [4, 5]])
    }

    @Test("If a stage above throws, the stages below have not changed either")
    func upperStageThatThrows() throws {
        let faults = Faults()
        let upper = Arrangement(sections: .one(QueryGroup(id: "all", title: "", order: .absent))) { item in
            try faults.check(item.id)
            return RowPlacement()
        }
        var list = try MemoryList([[1, 2, 3], [4, 5, 6]])
        let lower = Arrangement { Self.unchecked($0) }
        var view = try DerivedView([.arrange(lower), .first(4), .arrange(upper)], of: list.snapshot())
        faults.set([5])
        try list.commit { try $0.toggle(.item(2)) }
        let error = #expect(throws: QueryError.self) { try view.advance(to: list.snapshot()) }
        #expect(error?.id == 5 && error?.stage == 2)
        #expect(view.snapshot.ids == [[1, 2, 3, 4]])
        try view.checkInvariants()
        #expect(throws: QueryError.self) { try view.replaceStage(at: 1, with: .first(5)) }
        #expect(view.snapshot.ids == [[1, 2, 3, 4]])
        faults.set([])
        try view.advance(to: list.snapshot())
        #expect(view.snapshot.ids == [[1, 3, 4, 5]])
    }

    // MARK: What is shown

    @Test("Rows of a view are those of the list: id, checkmark and reference to the content")
    func rowsAreThoseOfTheList() throws {
        var list = try MemoryList([[3, 1, 2]])
        try list.commit { try $0.toggle(.item(1)) }
        let source = list.snapshot()
        let view = try DerivedView(
            [.arrange(Arrangement { RowPlacement(key: .integer($0.content.length == 1 ? 0 : 1)) })], of: source)
        for (left, right) in zip(source.sections[0].items, view.snapshot.sections[0].items) {
            #expect(left == right && left.content == right.content && left.isChecked == right.isChecked)
        }
        #expect(view.snapshot.version == source.version && view.snapshot.stateHash == source.stateHash)
    }

    @Test("Groups appear with their first row and disappear with their last, in the order of their keys")
    func groupsComeAndGo() throws {
        let byTens = Arrangement(sections: .groups) { item in
            guard case .integer(let number) = item.id else { return nil }
            let tens = number / 10
            return RowPlacement(group: QueryGroup(id: .integer(tens), title: "\(tens)0s", order: .integer(-tens)))
        }
        var list = try MemoryList([[11, 31, 12], [32]])
        var view = try DerivedView([.arrange(byTens)], of: list.snapshot())
        #expect(view.snapshot.sections.map(\.title) == ["30s", "10s"])
        #expect(view.snapshot.ids == [[31, 32], [11, 12]])
        try list.commit { try $0.insert(NewRow(21), at: .before(11)) }
        var changes = try view.advance(to: list.snapshot()).changeset
        #expect(changes.sections.inserted == [1] && changes.items.inserted == [ListIndexPath(1, 0)])
        try list.commit { try $0.delete(.items([31, 32])) }
        changes = try view.advance(to: list.snapshot()).changeset
        #expect(changes.sections.deleted == [0] && view.snapshot.sections.map(\.title) == ["20s", "10s"])
    }

    @Test("Rows of equal keys keep the order of the list, also after rows and sections moved")
    func tiesFollowTheList() throws {
        let all = QueryGroup(id: "all", title: "", order: .absent)
        let checkedLast = Arrangement(sections: .one(all)) { RowPlacement(key: .integer($0.isChecked ? 1 : 0)) }
        var list = try MemoryList([[1, 2, 3], [4, 5, 6]])
        var view = try DerivedView([.arrange(checkedLast)], of: list.snapshot())
        func rows(_ body: (inout UntypedEditor) throws -> Void) throws -> [UntypedID] {
            try list.commit("edit", body)
            try view.advance(to: list.snapshot())
            try view.checkInvariants()
            return view.snapshot.ids[0]
        }
        #expect(try rows { try $0.toggle(.items([2, 5])) } == [1, 3, 4, 6, 2, 5])
        #expect(try rows { try $0.moveSection(.at(1), to: .at(0)) } == [4, 6, 1, 3, 5, 2])
        #expect(try rows { try $0.move(.item(2), to: .before(4)) } == [4, 6, 1, 3, 2, 5])
        #expect(try rows { try $0.toggle(.item(6)) } == [4, 1, 3, 2, 5, 6])
        #expect(try rows { try $0.deleteSection(.at(0)) } == [1, 3])
    }

    @Test("Sections without rows can be left out, and appear again at their places")
    func emptySections() throws {
        let hiding = Arrangement(hidesEmptySections: true) { Self.unchecked($0) }
        var list = try MemoryList([[1], [2], [3]])
        var view = try DerivedView([.arrange(hiding)], of: list.snapshot())
        try list.commit { try $0.toggle(.items([1, 2])) }
        #expect(try view.advance(to: list.snapshot()).changeset.sections.deleted == [0, 1])
        try list.commit { editor in
            try editor.renameSection(.at(1), to: "second")
            try editor.toggle(.item(2))
        }
        try view.advance(to: list.snapshot())
        #expect(view.snapshot.sections.map(\.title) == ["second", "s2"] && view.snapshot.ids == [[2], [3]])
    }

    /// A value whose `<` is not an order.
    private struct Unordered: Comparable, Sendable {
        let number: Int
        static func < (left: Unordered, right: Unordered) -> Bool { (left.number &* 31 ^ right.number) % 3 != 0 }
    }

    @Test("If `<` of the keys is not an order, no row is lost", arguments: 1...12 as ClosedRange<UInt64>)
    func keysWithoutOrder(seed: UInt64) throws {
        let unordered = Arrangement(sections: .groups) { item in
            let number = Int(truncatingIfNeeded: item.id.hash64)
            let group = number & 7
            return RowPlacement(
                key: QueryKey(Unordered(number: number)),
                group: QueryGroup(id: .integer(Int64(group)), title: "", order: QueryKey(Unordered(number: group))))
        }
        var edits = RandomEdits(seed: seed, targetCount: 80)
        var list = MemoryList(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        var reference = ReferenceList()
        var view = try DerivedView([.arrange(unordered)], of: list.snapshot())
        for _ in 0..<150 {
            let operation = edits.next(reference)
            guard (try? reference.apply(operation)) != nil else { continue }
            try list.commit { try $0.apply(operation) }
            try view.advance(to: list.snapshot())
            let shown = Set(view.snapshot.ids.joined())
            #expect(shown == Set(list.snapshot().ids.joined()), "seed \(seed)")
            #expect(view.snapshot.itemCount == shown.count, "seed \(seed)")
        }
    }

    @Test("Showing the past in a copy of a view does not change the view")
    func copies() throws {
        var list = try MemoryList([Array(0..<100)])
        let first = list.snapshot()
        var view = try DerivedView([.arrange(Arrangement { Self.unchecked($0) })], of: first)
        try list.commit { try $0.setChecked(true, for: .run(ListIndexPath(0, 10), count: 50)) }
        try view.advance(to: list.snapshot())
        var copy = view
        try copy.advance(to: first)
        #expect(copy.snapshot.itemCount == 100 && view.snapshot.itemCount == 50)
        try view.checkInvariants()
        try copy.checkInvariants()
        try list.undo()
        let changes = try view.advance(to: list.snapshot()).changeset
        #expect(changes.items.inserted.count == 50 && view.snapshot.stateHash == copy.snapshot.stateHash)
    }

    @Test("A row whose content was erased is placed again when an equal content is written, and when that is undone")
    func writtenAgain() throws {
        var list = try MemoryList([[1, 2]])
        let content = list.snapshot().sections[0].items[0].content
        // As an undo does after the content was erased.
        let erased = ListEvent.itemUpdated(at: ListIndexPath(0, 0), 1, old: content, new: content.erased)
        try list.commit { try $0.append(erased) }
        let readable = Arrangement { $0.content.isErased ? nil : RowPlacement() }
        var view = try DerivedView([.arrange(readable)], of: list.snapshot())
        var outline = try DerivedView([.visibleRows], of: list.snapshot())
        #expect(view.snapshot.ids == [[2]])
        let hash = list.snapshot().stateHash
        try list.commit { try $0.update(1, content: [1]) }
        #expect(list.snapshot().stateHash == hash)
        let changes = try view.advance(to: list.snapshot()).changeset
        #expect(view.snapshot.ids == [[1, 2]] && changes.items.inserted == [ListIndexPath(0, 0)])
        let shown = try outline.advance(to: list.snapshot()).changeset
        #expect(shown.items.updated == [ListIndexPath(0, 0)])
        #expect(!outline.snapshot.sections[0].items[0].content.isErased)
        try list.undo()
        try view.advance(to: list.snapshot())
        #expect(view.snapshot.ids == [[2]])
    }

    @Test("A view of a view is a view")
    func viewOfView() throws {
        var list = try MemoryList([[1, 2, 3], [4, 5, 6]])
        var lower = try DerivedView([.arrange(Arrangement { Self.unchecked($0) })], of: list.snapshot())
        let one = Arrangement(sections: .one(QueryGroup(id: 0, title: "", order: .absent))) { _ in RowPlacement() }
        var upper = try DerivedView([.arrange(one)], of: lower.snapshot)
        try list.commit { try $0.toggle(.item(5)) }
        let changes = try upper.advance(lower.advance(to: list.snapshot())).changeset
        #expect(changes.items.deleted == [ListIndexPath(0, 4)] && upper.snapshot.ids == [[1, 2, 3, 4, 6]])
    }
}
