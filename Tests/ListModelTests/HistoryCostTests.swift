// Tests how many records the history reads, in logs of a hundred, a thousand and ten thousand commits. Benchmarks
// measure the time.

@testable import ListModel
import TestSupport
import Testing

@Suite("What the history reads")
struct HistoryCostTests {
    /// The number of commits of a log, and its logarithm, from which the bounds are computed.
    struct Size: CustomTestStringConvertible, Sendable {
        let count: Int
        var log: Int { Int.bitWidth - count.leadingZeroBitCount }
        /// The most records that finding an ancestor reads: two for each hop, and two hops for each digit of the depth
        /// as a skew-binary number.
        var search: Int { 4 * log }
        var testDescription: String { "\(count) commits" }
    }

    static let sizes = [100, 1_000, 10_000].map { Size(count: $0) }

    private func toggle(_ list: inout KeptList, _ number: Int) throws {
        try list.commit { try $0.toggle(.item(.integer(Int64(number % 20)))) }
    }

    /// A list of twenty rows of which one is toggled in each commit, so that commits are small and differ little.
    ///
    /// - Parameter branches: how many branches of five commits each are left on the way.
    private func list(_ size: Size, branches: Int = 0) throws -> KeptList {
        var list = KeptList()
        try list.commit { try $0.insertSection(NewSection(0, Array(0..<20))) }
        while list.log.head.rawValue < UInt64(size.count) {
            try toggle(&list, Int(list.log.head.rawValue))
            if branches > 0, Int(list.log.head.rawValue) % (size.count / branches) == 0 {
                for _ in 0..<5 { try list.undo() }
            }
        }
        try toggle(&list, 1)
        return list
    }

    private func tree(_ list: borrowing KeptList) -> HistoryTree { HistoryTree(list.log, oldest: .empty) }

    @Test("An undo reads the records of its step, however long the log is", arguments: sizes)
    func undo(size: Size) throws {
        var list = try list(size)
        var step: Set<Version> = []
        list.editor.beginGroup()
        for number in 1...10 {
            try toggle(&list, number)
            step.insert(list.log.head)
        }
        try list.editor.endGroup()
        let log = list.log
        #expect(try log.reads { try list.undo() }.isSubset(of: step))
        // The newest step that is left, and an old one: its own record and that of the tip.
        let tip = list.editor.state.history.tip
        var position = list.editor.state.history.position
        #expect(try log.reads { try list.undo() }.isSubset(of: [position, tip]))
        try list.go(to: Version(UInt64(size.count / 2)))
        position = list.editor.state.history.position
        #expect(try log.reads { try list.undo() }.isSubset(of: [position, tip]))
        #expect(try log.reads { _ = try tree(list).undoing(list.editor.state.history) }.count <= 2)
    }

    @Test("The history of who committed long ago is looked for down to the last known version", arguments: sizes)
    func historyAtVersion(_ size: Size) throws {
        let list = try list(size)
        let (anna, log) = (HistoryScope.origin("anna"), list.log)
        let known = (version: Version(UInt64(size.count - 20)), histories: HistoryTable())
        let newest = log.head.previous
        #expect(try log.reads { _ = try tree(list).history(at: newest, in: anna) }.count == Int(newest.rawValue))
        #expect(try log.reads { _ = try tree(list).history(at: newest, in: anna, after: known) }.count == 20)
    }

    @Test("A redo reads the records of its step and O(log n) others", arguments: sizes)
    func redo(size: Size) throws {
        var list = try list(size, branches: 5)
        list.editor.beginGroup()
        for number in 1...10 { try toggle(&list, number) }
        try list.editor.endGroup()
        let log = list.log
        try list.undo()
        let newest = try log.reads { try list.redo() }
        #expect(newest.count <= 10 + size.log, "\(newest.count)")
        let tip = list.editor.state.history.tip
        for part in [0, 7, size.count / 3, size.count / 2] {
            let path = try tree(list).node(tip)
            let target = try tree(list).ancestor(of: path) { $0.depth <= part }?.version ?? .empty
            try list.go(to: target)
            let history = list.editor.state.history
            #expect(history.depth == part && history.redoCount > 1)
            let next = try log.reads { _ = try tree(list).nextStep(history) }
            #expect(next.count <= 2 * size.search, "to depth \(part): \(next.count)")
            let redo = try log.reads { try list.redo() }
            #expect(redo.count <= 2 * size.search + 3, "from depth \(part): \(redo.count)")
        }
    }

    @Test(
        "Each of many redos in a row reads the records of its step, its undo, and O(log n) others",
        arguments: sizes.prefix(2))
    func redos(size: Size) throws {
        var list = try list(size)
        list.editor.standing.maximumCount = 20
        let log = list.log
        /// How many records a redo reads.
        func redo(_ list: inout KeptList) throws -> Int { try log.reads { try list.redo() }.count }
        let before = list.editor.snapshot().stateHash
        let count = list.editor.state.history.undoCount
        for _ in 0..<count { try list.undo() }
        var most = 0
        for number in 0..<count {
            // One that is undone again is redone twice.
            if number % 10 == 9 {
                try list.undo()
                most = max(most, try redo(&list))
            }
            most = max(most, try redo(&list))
        }
        #expect(most <= 2 * size.search + 4, "\(most)")
        #expect(list.editor.snapshot().stateHash == before)
        // The first redo after a restart searches past the redos before it. The first one after an edit of somebody else finds nothing.
        for _ in 0..<count { try list.undo() }
        for _ in 0..<count / 3 { try list.redo() }
        list.editor = try list.replayed()
        #expect(try redo(&list) > count / 3)
        most = 0
        for number in count / 3 + 1..<count {
            if number == count / 2 { try list.commit(by: "a") { try $0.toggle(.item(2)) } }
            most = max(most, try redo(&list))
        }
        #expect(most <= 2 * size.search + 4, "\(most)")
    }

    @Test("A step that others have interrupted many times is undone and redone by reading each commit a few times")
    func interruptedStep() throws {
        let count = 101
        var list = KeptList()
        try list.commit { try $0.insertSection(NewSection(0, [1, 2] + Array(1_000..<1_000 + count + 1))) }
        try list.commit { try $0.insertSection(NewSection(1)) }
        func moveAway(_ number: Int, _ list: inout KeptList) throws {
            try list.commit(by: "b") { try $0.move(.item(.integer(Int64(1_000 + number))), to: .end(ofSection: "s1")) }
        }
        list.editor.beginGroup(in: .origin("a"))
        for number in 0..<count {
            try list.commit(by: "a") { try $0.move(.item(1), to: number % 2 == 0 ? .after(2) : .before(2)) }
            try moveAway(number, &list)
        }
        try list.editor.endGroup(in: .origin("a"))
        let log = list.log
        let undo = try log.readCount { try list.undo("a") }
        #expect(list.editor.snapshot().ids[0].prefix(2) == [1, 2])
        // So the redo is a merge.
        try moveAway(count, &list)
        let redo = try log.readCount { try list.redo("a") }
        let ids = list.editor.snapshot().ids
        #expect(ids[0] == [2, 1] && ids[1].count == count + 1)
        // Each of the merges looks at all commits since its part of the step: some 10,000 reads, if none were remembered.
        #expect(undo < 10 * count && redo < 10 * count, "\(undo) and \(redo) records")
        #expect(undo > 2 * count && redo > 2 * count)
    }

    @Test("Whether a revision is an ancestor of another takes O(log n) records", arguments: sizes)
    func ancestors(size: Size) throws {
        let list = try list(size, branches: 5)
        var generator = SeededGenerator(seed: 1)
        let tree = tree(list)
        let nodes = try (1...list.log.head.rawValue).compactMap { version in
            if case .node(let node) = try list.log.historyMark(of: Version(version)).entry { node } else { nil }
        }
        var most = 0
        for _ in 0..<300 {
            let (first, second) = (nodes.randomElement(using: &generator)!, nodes.randomElement(using: &generator)!)
            let reads = try list.log.reads { _ = try tree.isAncestor(first.version, depth: first.depth, of: second) }
            most = max(most, reads.count)
        }
        #expect(most <= size.search && most > 2, "\(most) of \(size.count)")
        // A walk from parent to parent exceeds the bound.
        let walk = try list.log.reads {
            var version = list.editor.state.history.tip
            while version > .empty { version = try tree.node(version).parent }
        }
        #expect(walk.count > size.count / 2 && walk.count > size.search)
    }

    @Test("Listing the branches reads O(log n) records for each", arguments: sizes)
    func branches(size: Size) throws {
        let list = try list(size, branches: 5)
        let (log, history) = (list.log, list.editor.state.history)
        var count = 0
        let reads = try log.reads { count = try tree(list).branches(history, limit: .max).count }
        #expect(count == 6)
        #expect(reads.count <= count * (size.search + 2 * size.log), "\(reads.count)")
        let few = try log.reads { count = try tree(list).branches(history, limit: 1).count }
        #expect(count == 1 && few.count == 1)
    }

    @Test("A checkout on the branch reads O(log n) records, and the next commit as well", arguments: sizes)
    func go(size: Size) throws {
        var list = try list(size, branches: 5)
        let log = list.log
        var generator = SeededGenerator(seed: 2)
        let tip = try tree(list).node(list.editor.state.history.tip)
        for _ in 0..<12 {
            let depth = Int.random(in: 1...tip.depth, using: &generator)
            let target = try #require(try tree(list).ancestor(of: tip) { $0.depth <= depth })
            let reads = try log.reads { try list.go(to: target.version) }
            // Each branch that was left is an interruption of the path.
            #expect(reads.count <= 6 * 2 * size.search + 2 * size.log, "to depth \(depth): \(reads.count)")
        }
        // A revision that is made after a checkout reads the ancestors from which its jump is chosen.
        try list.go(to: try #require(try tree(list).ancestor(of: tip) { $0.depth <= size.count / 2 }).version)
        #expect(try log.reads { try toggle(&list, 3) }.count <= 2 * size.log)
        #expect(try log.reads { try toggle(&list, 4) }.isEmpty)
        // So does a revision after one of another scope.
        try list.commit(by: "a") { try $0.toggle(.item(1)) }
        #expect(try log.reads { try toggle(&list, 5) }.count <= 2 * size.log)
        #expect(try log.reads { try list.commit(tracking: .untracked) { try $0.toggle(.item(2)) } }.isEmpty)
    }

    @Test("Earlier by a step reads the step, later by a step the records in between", arguments: sizes)
    func order(size: Size) throws {
        var list = try list(size)
        let log = list.log
        let tip = list.editor.state.history.tip
        #expect(try log.reads { _ = try tree(list).earlier(than: tip, by: 1) } == [tip])
        #expect(try log.reads { _ = try tree(list).earlier(than: tip, by: 5) }.count == 5)
        try list.go(to: Version(UInt64(size.count / 2)))
        let history = list.editor.state.history
        #expect(try log.reads { _ = try tree(list).later(than: history, in: .shared, by: 1) }.count <= 2)
        // All remaining steps: these reads are counted, which shows that counting works.
        let rest = try log.reads { _ = try tree(list).later(than: history, in: .shared, by: .max) }
        #expect(rest.count >= size.count / 2)
    }
}
