// Tests the rule that splits moves into two batches, without trees, for any elements that stay.

import TestSupport
import Testing

@testable import ListModel

@Suite("Moves that wait")
struct WaitingMovesTests {
    /// Plays changes of a sequence; nil if a move leads to the same index.
    private static func applied(
        _ old: [Int], deleted: [Int], moved: [Changeset.Move<Int>], arriving: [(to: Int, element: Int)]
    ) -> [Int]? {
        if moved.contains(where: { $0.from == $0.to }) { return nil }
        var result = old
        for index in (deleted + moved.map(\.from)).sorted().reversed() { result.remove(at: index) }
        let all = arriving + moved.map { (to: $0.to, element: old[$0.from]) }
        for (to, element) in all.sorted(by: { $0.to < $1.to }) {
            guard to <= result.count else { return nil }
            result.insert(element, at: to)
        }
        return result
    }

    /// A random set of elements that may stay, to which no other element can be added.
    private static func staying(_ old: [Int], _ new: [Int], _ generator: inout SeededGenerator) -> Set<Int> {
        var places: [(old: Int, new: Int, element: Int)] = []
        for element in old.shuffled(using: &generator) {
            guard let from = old.firstIndex(of: element), let to = new.firstIndex(of: element) else { continue }
            if places.allSatisfy({ ($0.old < from) == ($0.new < to) }) { places.append((from, to, element)) }
        }
        return Set(places.map(\.element))
    }

    @Test(
        "In both batches no element moves to its own index, whatever elements stay, appear and disappear",
        arguments: 1...4 as ClosedRange<UInt64>)
    func twoBatches(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var waitingCount = 0
        for round in 0..<(2_000 * Soak.factor) {
            let comment: Comment = "seed \(seed), round \(round)"
            let count = Int.random(in: 1...24, using: &generator)
            let old = Array(0..<count)
            let others = generator.oneIn(2) ? 0 : Int.random(in: 0...6, using: &generator)
            let new = (old.filter { _ in others == 0 || !generator.oneIn(4) } + (0..<others).map { 100 + $0 })
                .shuffled(using: &generator)
            let staying = Self.staying(old, new, &generator)
            var changes = Changeset.Changes<Int>()
            changes.deleted = old.indices.filter { !new.contains(old[$0]) }
            changes.inserted = new.indices.filter { new[$0] >= 100 }
            changes.moved = new.indices.filter { new[$0] < 100 && !staying.contains(new[$0]) }
                .map { Changeset.Move(from: new[$0], to: $0) }

            let waiting = WaitingMoves(changes)
            let first = changes.moved.filter { !waiting.isWaiting($0.to) }
                .map { Changeset.Move(from: $0.from, to: waiting.index(of: $0.to)) }
            try #require(first.count + waiting.moves.count == changes.moved.count, comment)
            let hasOwnIndex = changes.moved.contains { $0.from == $0.to }
            try #require(!hasOwnIndex || !waiting.moves.isEmpty, comment)
            let between = try #require(
                Self.applied(
                    old, deleted: changes.deleted, moved: first,
                    arriving: changes.inserted.map { (to: waiting.index(of: $0), element: new[$0]) }), comment)
            let last = try #require(
                Self.applied(between, deleted: [], moved: waiting.moves, arriving: []), comment)
            try #require(last == new, comment)
            let back = try #require(
                Self.applied(last, deleted: [], moved: waiting.placesBack, arriving: []), comment)
            try #require(back == between, comment)
            waitingCount += waiting.moves.count
        }
        #expect(waitingCount > 100, "seed \(seed)")
    }

    @Test("No move waits if no element moves to its own index")
    func nothingWaits() {
        var changes = Changeset.Changes<Int>()
        changes.moved = [Changeset.Move(from: 2, to: 0)]
        let waiting = WaitingMoves(changes)
        #expect(waiting.moves.isEmpty && (0..<3).allSatisfy { waiting.index(of: $0) == $0 })
    }
}
