// Checks that any new order of rows and sections takes at most four structural batches, with the fewest moves.
//
// The batches are played on the strict simulator. A row is *at its own index* if it would move from an index to the
// same index.

import Foundation
import ListModel
import ListoryTestSupport
import TestSupport
import Testing

/// Rows by section; both are numbers.
private typealias Rows = [(id: Int, rows: [Int])]

@Suite("How many batches there can be")
struct BatchBoundTests {
    private static func snapshot(_ list: inout MemoryList, _ sections: Rows) throws -> UntypedSnapshot {
        try list.editor.begin(CommitDraft(name: "", time: Timestamp(microseconds: 0)))
        try list.editor.reload(sections.map { NewSection($0.id, $0.rows) })
        if let commit = try list.editor.finish() { list.log.append(commit) }
        return list.snapshot()
    }

    /// Plays the batches of a transition that changes only positions.
    ///
    /// - Returns: how many there are.
    private static func play(_ transition: ListTransition, _ comment: Comment) throws -> Int {
        var table = TableSimulator(showing: transition.old)
        let batches = transition.batches()
        var moves = 0
        for (index, batch) in batches.enumerated() {
            let verdict = table.play(batch)
            try #require(verdict == .accepted, "batch \(index + 1) of \(batches.count) of \(comment)")
            moves += batch.changes.items.moved.count + batch.changes.sections.moved.count
        }
        try #require(table.shows(transition.new), comment)
        let changes = transition.changeset
        try #require(moves == changes.items.moved.count + changes.sections.moved.count, comment)
        return batches.count
    }

    /// The fewest moves for the elements that are in both arrays.
    private static func leastMoves(_ old: [Int], _ new: [Int]) -> Int {
        let places = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1, $0) })
        let order = new.compactMap { places[$0] }
        // The least last position of an increasing subsequence, for each length.
        var ends: [Int] = []
        for place in order {
            let index = ends.partitioningIndex { $0 > place }
            if index < ends.count { ends[index] = place } else { ends.append(place) }
        }
        return order.count - ends.count
    }

    /// Plays the transition from one order of rows to another, in one section.
    private static func batchCount(_ old: [Int], _ new: [Int], _ comment: Comment) throws -> Int {
        var list = MemoryList()
        let before = try snapshot(&list, [(0, old)])
        let transition = ListTransition(from: before, to: try snapshot(&list, [(0, new)]))
        try #require(transition.changeset.items.moved.count == leastMoves(old, new), comment)
        return try play(transition, comment)
    }

    @Test("Every order of up to seven rows (eight in a soak) takes at most two batches, with the fewest moves")
    func permutations() throws {
        for count in 1...(Soak.isEnabled ? 8 : 7) {
            let rows = Array(0..<count)
            var list = MemoryList()
            let old = try Self.snapshot(&list, [(0, rows)])
            var twice = 0
            try rows.forEachOrder { order in
                let comment: Comment = "\(order)"
                let transition = ListTransition(from: old, to: try Self.snapshot(&list, [(0, order)]))
                try #require(transition.changeset.items.moved.count == Self.leastMoves(rows, order), comment)
                let batchCount = try Self.play(transition, comment)
                try #require(batchCount <= 2, comment)
                if batchCount == 2 { twice += 1 }
            }
            #expect((twice > 0) == (count >= 5))
        }
    }

    @Test("Orders with many rows at their own index take two batches")
    func orders() throws {
        let ten = [5, 2, 6, 8, 4, 9, 7, 3, 1, 0]
        #expect(try Self.batchCount(Array(0..<10), ten, "ten rows") == 2)
        // Blocks of five rows. In each, one row is at its own index, whichever rows stay.
        let blocks = (0..<60).flatMap { block in [3, 4, 2, 0, 1].map { block * 5 + $0 } }
        #expect(try Self.batchCount(Array(0..<300), blocks, "blocks") == 2)
        // The same blocks between deleted and inserted rows; one order within another.
        #expect(try Self.batchCount([1000] + Array(0..<300) + [1001], [2000, 2001] + blocks, "others come") <= 2)
        #expect(
            try Self.batchCount(Array(0..<300), ten.flatMap { part in blocks[part * 30..<part * 30 + 30] }, "nested")
                <= 2)
        for stride in 2..<40 {
            let riffled = (0..<stride).flatMap { Array(Swift.stride(from: $0, to: 300, by: stride).reversed()) }
            #expect(try Self.batchCount(Array(0..<300), riffled, "every \(stride)th, reversed") <= 2)
        }
    }

    @Test(
        "Shuffles of 10 to 300 rows, with insertions and deletions, take two batches, with the fewest moves",
        arguments: 1...10 as ClosedRange<UInt64>)
    func shuffles(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<(Soak.isEnabled ? 10_000 : 50) {
            let count = Int.random(in: 10...300, using: &generator)
            let others = generator.oneIn(2) ? Int.random(in: 0...count / 4, using: &generator) : 0
            let new = Array(others..<count + others).shuffled(using: &generator)
            let batchCount = try Self.batchCount(Array(0..<count), new, "seed \(seed), round \(round)")
            try #require(batchCount <= 2, "seed \(seed), round \(round)")
        }
    }

    // MARK: Sections

    /// Puts each row into a section: into its own one, if that exists, and sometimes into another.
    private static func deal(
        _ rows: [Int], to ids: [Int], oneStrayIn strays: Int, _ generator: inout SeededGenerator
    ) -> Rows {
        var sections: Rows = ids.map { ($0, []) }
        if ids.isEmpty { return [] }
        for row in rows {
            let home = ids.firstIndex(of: row % 12)
            let any = Int.random(in: ids.indices, using: &generator)
            sections[generator.oneIn(strays) ? any : home ?? any].rows.append(row)
        }
        return sections
    }

    @Test(
        "Sections in any order, with rows in any order, take four batches, with the fewest moves",
        arguments: 1...8 as ClosedRange<UInt64>)
    func sections(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        // In these orders a section is at its own index, whichever sections stay.
        let blocks = [3, 4, 2, 0, 1, 8, 9, 7, 5, 6, 10, 11]
        for round in 0..<(100 * Soak.factor) {
            let comment: Comment = "seed \(seed), round \(round)"
            let ids = Array(0..<12).shuffled(using: &generator).prefix(Int.random(in: 0...12, using: &generator))
            let areBlocks = generator.oneIn(2)
            let newIDs = areBlocks ? Array(blocks.dropLast(Int.random(in: 0...7, using: &generator))) : Array(ids)
            let oldIDs =
                areBlocks && generator.oneIn(2) ? newIDs.sorted() : Array(0..<12).filter { _ in !generator.oneIn(4) }
            let rows = Array(0..<Int.random(in: 0...120, using: &generator))
            let strays = generator.oneIn(2) ? 10 : 1000
            let old = Self.deal(rows, to: oldIDs, oneStrayIn: strays, &generator)
            let new = Self.deal(
                generator.oneIn(5) ? rows : rows.shuffled(using: &generator), to: newIDs, oneStrayIn: strays, &generator
            )
            var list = MemoryList(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
            let transition = ListTransition(
                from: try Self.snapshot(&list, old), to: try Self.snapshot(&list, new))
            try #require(transition.changeset.sections.moved.count == Self.leastMoves(oldIDs, newIDs), comment)
            try #require(
                transition.changeset.items.moved.count == Self.leastMovesOfRows(from: old, to: new), comment)
            try #require(try Self.play(transition, comment) <= 4, comment)
            let back = ListTransition(from: transition.new, to: transition.old)
            try #require(try Self.play(back, "\(comment), back") <= 4, comment)
        }
    }

    private static func leastMovesOfRows(from old: Rows, to new: Rows) -> Int {
        let before = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0.rows) })
        let all = Set(old.flatMap(\.rows))
        return new.reduce(0) { sum, section in
            let rows = before[section.id] ?? []
            return sum + leastMoves(rows, section.rows) + all.intersection(section.rows).subtracting(rows).count
        }
    }

    @Test("Four batches are enough if sections are inserted, deleted and moved, all with rows at their own index")
    func everythingAtOnce() throws {
        // In each block of five sections, and in each section of five rows, one is at its own index, whichever stay.
        // One row of each section moves to the section before. Rows move from section 10, which is deleted, to section
        // 11, which is inserted.
        let order = [3, 4, 2, 0, 1]
        let old: Rows = (0...10).map { section in (section, (0..<6).map { section * 6 + $0 }) }
        let kept: Rows = (order + order.map { $0 + 5 }).map { section in
            (section, order.map { section * 6 + $0 } + [section * 6 + 11])
        }
        let new = kept + [(11, [60, 61, 5])]
        var list = MemoryList()
        let before = try Self.snapshot(&list, old)
        let transition = ListTransition(from: before, to: try Self.snapshot(&list, new))
        #expect(try Self.play(transition, "there") == 4)
        #expect(try Self.play(ListTransition(from: transition.new, to: transition.old), "back") == 4)
    }

    // MARK: Memory

    #if os(Linux)
    @Test(
        "The batches for another order of 100,000 rows have each row once, and take less than 150 MiB",
        .enabled(if: Soak.isEnabled))
    func memory() throws {
        let rows = Array(0..<100_000)
        // Of any five rows, one is at its own index.
        let blocks = (0..<20_000).flatMap { block in [3, 4, 2, 0, 1].map { block * 5 + $0 } }
        var generator = SeededGenerator(seed: 1)
        for new in [rows.shuffled(using: &generator), blocks] {
            var list = MemoryList()
            let old = try Self.snapshot(&list, [(0, rows)])
            let transition = ListTransition(from: old, to: try Self.snapshot(&list, [(0, new)]))
            let before = try Self.residentBytes("VmRSS")
            try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))  // Resets the recorded peak.
            let batches = transition.batches()
            #expect(try Self.residentBytes("VmHWM") - before < 150 << 20)
            #expect(batches.count <= 2)
            #expect(batches.reduce(0) { $0 + $1.changes.count } == Self.leastMoves(rows, new))
        }
    }

    /// The kernel's figure for this process; other tests in it can only increase it.
    private static func residentBytes(_ name: String) throws -> Int {
        let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name) })
        return try #require(Int(line.filter(\.isNumber))) * 1024
    }
    #endif
}

extension [Int] {
    /// Calls a function with every order of the elements.
    fileprivate func forEachOrder(_ body: ([Int]) throws -> Void) rethrows {
        func visit(_ head: [Int], _ rest: [Int]) throws {
            if rest.isEmpty { try body(head) }
            for index in rest.indices {
                var others = rest
                try visit(head + [others.remove(at: index)], others)
            }
        }
        try visit([], self)
    }

    /// The first index for which a condition holds, if it holds for no index before and for all after.
    fileprivate func partitioningIndex(_ holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
