// Tests all transitions between small lists: every view accepts them, with as few batches and moves as possible.
//
// The fewest batches are found by trying. Every choice of the sections and rows that stay is played on the simulator;
// for two batches, every possible list in between is tried.

import ListModel
import ListoryTestSupport
import TestSupport
import Testing

/// A list of ids.
private struct SmallList: Hashable {
    var sections: [(id: Int, rows: [Int])] = []

    static func == (left: SmallList, right: SmallList) -> Bool {
        left.sections.elementsEqual(right.sections) { $0.id == $1.id && $0.rows == $1.rows }
    }

    func hash(into hasher: inout Hasher) {
        for section in sections { hasher.combine(section.id); hasher.combine(section.rows) }
    }

    var newSections: [NewSection] {
        sections.map { section in
            NewSection(
                id: .integer(Int64(section.id)), title: "",
                items: section.rows.map { NewRow(id: .integer(Int64($0)), content: []) })
        }
    }
}

@Suite("All small lists")
struct SmallListTests {
    /// Every order of every subset.
    private static func arrangements(_ elements: [Int]) -> [[Int]] {
        [[]]
            + elements.flatMap { first in
                arrangements(elements.filter { $0 != first }).map { [first] + $0 }
            }
    }

    /// Every list of some of these sections with some of these rows.
    private static func lists(sections: [Int], rows: [Int]) -> [SmallList] {
        arrangements(sections).flatMap { ids -> [SmallList] in
            rows.reduce([SmallList(sections: ids.map { ($0, []) })]) { lists, row in
                lists
                    + lists.flatMap { list in
                        list.sections.indices.flatMap { section in
                            (0...list.sections[section].rows.count).map { place in
                                var list = list
                                list.sections[section].rows.insert(row, at: place)
                                return list
                            }
                        }
                    }
            }
        }
    }

    private static func snapshots(_ lists: [SmallList]) throws -> [UntypedSnapshot] {
        var memory = MemoryList(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        return try lists.map { list in
            try memory.editor.begin(CommitDraft(name: "", time: Timestamp(microseconds: 0)))
            try memory.editor.reload(list.newSections)
            if let commit = try memory.editor.finish() { memory.log.append(commit) }
            return memory.snapshot()
        }
    }

    /// For each largest set of elements that can stay, the moves of the others.
    private static func fewestMoves(_ old: [Int], _ new: [Int]) -> [[(from: Int, to: Int)]] {
        let common = new.indices.compactMap { to in old.firstIndex(of: new[to]).map { (from: $0, to: to) } }
        var best: [[(from: Int, to: Int)]] = []
        var fewest = Int.max
        for subset in 0..<(1 << common.count) {
            let moved = subset.nonzeroBitCount
            if moved > fewest { continue }
            let staying = common.indices.filter { subset >> $0 & 1 == 0 }.map { common[$0].from }
            guard zip(staying, staying.dropFirst()).allSatisfy({ $0 < $1 }) else { continue }
            if moved < fewest { (fewest, best) = (moved, []) }
            best.append(common.indices.filter { subset >> $0 & 1 == 1 }.map { common[$0] })
        }
        return best
    }

    /// How many rows and sections must move, and whether one batch can do it.
    private struct Way {
        var moves = 0
        var isOneBatch = false
    }

    private static func way(_ old: SmallList, _ new: SmallList) -> Way {
        var way = Way()
        let (oldIDs, newIDs) = (old.sections.map(\.id), new.sections.map(\.id))
        var operations: [TableOperation] = []
        for (index, id) in oldIDs.enumerated() where !newIDs.contains(id) { operations.append(.deleteSection(index)) }
        for (index, id) in newIDs.enumerated() where !oldIDs.contains(id) { operations.append(.insertSection(index)) }
        let oldRows = Dictionary(
            uniqueKeysWithValues: old.sections.indices.flatMap { section in
                old.sections[section].rows.enumerated().map { ($1, ListIndexPath(section: section, item: $0)) }
            })
        let newRows = Dictionary(
            uniqueKeysWithValues: new.sections.indices.flatMap { section in
                new.sections[section].rows.enumerated().map { ($1, ListIndexPath(section: section, item: $0)) }
            })
        for (row, path) in oldRows where newRows[row] == nil && newIDs.contains(oldIDs[path.section]) {
            operations.append(.deleteItem(path))
        }
        for (row, path) in newRows {
            guard let from = oldRows[row] else {
                if oldIDs.contains(newIDs[path.section]) { operations.append(.insertItem(path)) }
                continue
            }
            guard oldIDs[from.section] != newIDs[path.section] else { continue }
            operations.append(.moveItem(from: from, to: path))
            way.moves += 1
        }
        var choices = fewestMoves(oldIDs, newIDs).map {
            $0.map { TableOperation.moveSection(from: $0.from, to: $0.to) }
        }
        for (newIndex, section) in new.sections.enumerated() {
            guard let oldIndex = oldIDs.firstIndex(of: section.id) else { continue }
            let moves = fewestMoves(old.sections[oldIndex].rows, section.rows).map { moves in
                moves.map {
                    TableOperation.moveItem(
                        from: ListIndexPath(section: oldIndex, item: $0.from),
                        to: ListIndexPath(section: newIndex, item: $0.to))
                }
            }
            choices = choices.flatMap { choice in moves.map { choice + $0 } }
        }
        way.moves += choices[0].count
        way.isOneBatch = choices.contains { choice in
            TableSimulator.verdict(
                of: operations + choice, before: old.sections.map(\.rows), after: new.sections.map(\.rows)
            ).isAccepted
        }
        return way
    }

    private static func structuralBatches(_ transition: ListTransition, _ comment: Comment) throws -> Int {
        try transition.checkConsumers()
        let batches = transition.batches()
        let moves = batches.reduce(0) { $0 + $1.changes.sections.moved.count + $1.changes.items.moved.count }
        let changes = transition.changeset
        try #require(moves == changes.sections.moved.count + changes.items.moved.count, comment)
        return batches.count
    }

    /// Three batches may be one too many if some rows would have to move in the first, and others in the second: then each
    /// of them moves out of a section that is deleted, or into one that is inserted, and none does both.
    @Test(
        "Between lists of up to two sections and three rows, or three and two, no transition has a batch too many",
        arguments: [[2, 2], [3, 1]] + (Soak.isEnabled ? [[3, 2], [2, 3]] : []))
    func fewestBatches(size: [Int]) throws {
        let lists = Self.lists(sections: Array(0..<size[0]), rows: Array(0..<size[1]))
        let snapshots = try Self.snapshots(lists)
        let ways = lists.map { old in lists.map { Self.way(old, $0) } }
        var counts = [Int](repeating: 0, count: 5)
        for old in lists.indices {
            for new in lists.indices {
                let comment: Comment = "\(lists[old].sections) to \(lists[new].sections)"
                let transition = ListTransition(from: snapshots[old], to: snapshots[new])
                let count = try Self.structuralBatches(transition, comment)
                let way = ways[old][new]
                try #require(
                    transition.changeset.sections.moved.count + transition.changeset.items.moved.count == way.moves,
                    comment)
                counts[count] += 1
                switch count {
                case 0: try #require(old == new, comment)
                case 1: try #require(way.isOneBatch, comment)
                case 2: try #require(!way.isOneBatch, comment)
                default:
                    let middle = lists.indices.first { middle in
                        ways[old][middle].isOneBatch && ways[middle][new].isOneBatch
                            && ways[old][middle].moves + ways[middle][new].moves == way.moves
                            && min(ways[old][middle].moves, ways[middle][new].moves) == 0
                            && Self.keeps(lists[old], lists[middle], lists[new])
                    }
                    try #require(middle == nil, "\(comment), by \(middle.map { "\(lists[$0].sections)" } ?? "")")
                }
            }
        }
        #expect(counts[0] == lists.count && counts[1] > 0 && counts[2] > 0 && counts[3] > 0 && counts[4] == 0)
    }

    /// Whether a list between two others has all elements that both have, and none that neither has.
    private static func keeps(_ old: SmallList, _ middle: SmallList, _ new: SmallList) -> Bool {
        func ids(_ list: SmallList) -> (Set<Int>, Set<Int>) {
            (Set(list.sections.map(\.id)), Set(list.sections.flatMap(\.rows)))
        }
        let (old, middle, new) = (ids(old), ids(middle), ids(new))
        return middle.0.isSuperset(of: old.0.intersection(new.0)) && middle.1.isSuperset(of: old.1.intersection(new.1))
            && middle.0.isSubset(of: old.0.union(new.0)) && middle.1.isSubset(of: old.1.union(new.1))
    }

    @Test("From five sections to any order of some of them and two new ones, every view shows the new order")
    func sectionsAlone() throws {
        let orders = Self.arrangements(Array(0..<7)).map { SmallList(sections: $0.map { ($0, []) }) }
        let first = SmallList(sections: (0..<5).map { ($0, []) })
        let all = try Self.snapshots([first] + orders)
        for (order, new) in zip(orders, all.dropFirst()) {
            do {
                try ListTransition(from: all[0], to: new).checkConsumers()
                try ListTransition(from: new, to: all[0]).checkConsumers()
            } catch {
                Issue.record(error, "between 0 to 4 and \(order.sections.map(\.id))")
            }
        }
    }

    @Test("Between sections of up to five rows, no transition has a batch or a move too many")
    func oneSection() throws {
        let most = Soak.isEnabled ? 6 : 5
        let lists = Self.arrangements(Array(0..<most)).map { SmallList(sections: [(0, $0)]) }
        let snapshots = try Self.snapshots(lists)
        var twice = 0
        for old in lists.indices where lists[old].sections[0].rows == Array(0..<lists[old].sections[0].rows.count) {
            for new in lists.indices {
                let comment: Comment = "\(lists[old].sections[0].rows) to \(lists[new].sections[0].rows)"
                let transition = ListTransition(from: snapshots[old], to: snapshots[new])
                let count = try Self.structuralBatches(transition, comment)
                let way = Self.way(lists[old], lists[new])
                try #require(transition.changeset.items.moved.count == way.moves, comment)
                try #require(count == (old == new ? 0 : way.isOneBatch ? 1 : 2), comment)
                if count == 2 { twice += 1 }
                let steps = transition.operations(layout: .rows).operations
                let moves = steps.filter { if case .move = $0 { true } else { false } }
                try #require(moves.count == way.moves, comment)
            }
        }
        #expect(twice > 0)
    }

    @Test("Between any two orders of seven rows, a transition has at most two batches and the fewest moves")
    func permutations() throws {
        let rows = Array(0..<7)
        let lists = Self.arrangements(rows).filter { $0.count == rows.count }.map { SmallList(sections: [(0, $0)]) }
        let snapshots = try Self.snapshots(lists)
        let start = try #require(lists.firstIndex { $0.sections[0].rows == rows })
        var twice = 0
        for new in lists.indices where Soak.isEnabled || new % 4 == 0 || lists[new].sections[0].rows[3] == 3 {
            let comment: Comment = "\(lists[new].sections[0].rows)"
            let transition = ListTransition(from: snapshots[start], to: snapshots[new])
            let count = try Self.structuralBatches(transition, comment)
            try #require(count <= 2, comment)
            let moves = Self.fewestMoves(rows, lists[new].sections[0].rows)
            try #require(transition.changeset.items.moved.count == moves[0].count, comment)
            if count == 2 {
                twice += 1
                try #require(moves.allSatisfy { $0.contains { $0.from == $0.to } }, comment)
            }
        }
        #expect(twice > 0)
    }
}
