// Compares the persistent tree with an array: random edits over every width, and all small cases.

@testable import ListModel
import TestSupport
import Testing

@Suite("Persistent tree")
struct PersistentTreeTests {
    private static let seeds: [UInt64] = (1...(5 * UInt64(Soak.factor))).map { $0 }

    @Test("After random edits the elements are right, old versions unchanged", arguments: TestLimits.allCases, seeds)
    func randomEdits(limits: TestLimits, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var harness = TreeHarness(limits.limits, trees: 2)
        // One seed in five has a list without outlines.
        harness.greatestDepth = seed % 5 == 0 ? 0 : [1, 4, 63][Int(seed % 3)]
        let target = limits == .wide ? 1_500 : 120
        let longest = limits == .wide ? 200 : 40
        for step in 0..<300 {
            let which = generator.oneIn(4) ? 1 : 0
            let count = harness.arrays[which].count
            let isCrowded = count > target
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<(isCrowded ? 4 : 10):
                let run = generator.oneIn(2) ? 1 : Int.random(in: 1...longest, using: &generator)
                let offset = generator.oneIn(4) ? count : Int.random(in: 0...count, using: &generator)
                harness.insert(run, at: offset, in: which)
            case ..<15 where count > 0:
                let start = Int.random(in: 0..<count, using: &generator)
                let most = min(count - start, generator.oneIn(3) ? longest * 2 : 3)
                harness.remove(start..<start + Int.random(in: 0...most, using: &generator), in: which)
            case ..<17 where count > 0:
                harness.toggle(Int.random(in: 0..<count, using: &generator), in: which)
            case 17 where count > 0:
                let start = Int.random(in: 0..<count, using: &generator)
                let end = generator.oneIn(2) ? start + 1 : Int.random(in: start...count, using: &generator)
                let depth = Int.random(in: 0...harness.greatestDepth, using: &generator)
                harness.setDepth(depth, start..<end, in: which)
            case 18: harness.keep(which)
            case 19 where generator.oneIn(6):
                harness.rebuild(Int.random(in: 0...target, using: &generator), in: which)
            default: continue
            }
            try harness.check("\(limits), seed \(seed), step \(step)")
            if step % 30 == 0 {
                try harness.checkLookups("\(limits), seed \(seed), step \(step)")
                if limits != .wide { try harness.checkDepths("\(limits), seed \(seed), step \(step)") }
            }
        }
        try harness.checkLookups("\(limits), seed \(seed), at the end")
        try harness.checkKept("\(limits), seed \(seed)")
        for which in 0...1 { harness.remove(0..<harness.arrays[which].count, in: which) }
        try harness.check("\(limits), seed \(seed), emptied")
        #expect(harness.locator.nodeCount == 0, "seed \(seed)")
        try harness.checkKept("\(limits), seed \(seed), emptied")
    }

    @Test("Every step keeps a version, and none of them ever changes", arguments: TestLimits.allCases)
    func everyVersionKept(limits: TestLimits) throws {
        var generator = SeededGenerator(seed: 99)
        var harness = TreeHarness(limits.limits)
        for _ in 0..<150 {
            let count = harness.arrays[0].count
            if count > 60 || (count > 0 && generator.oneIn(3)) {
                let start = Int.random(in: 0..<count, using: &generator)
                harness.remove(start..<min(count, start + Int.random(in: 1...9, using: &generator)))
            } else if count > 0, generator.oneIn(3) {
                harness.toggle(Int.random(in: 0..<count, using: &generator))
            } else {
                let offset = Int.random(in: 0...count, using: &generator)
                harness.insert(Int.random(in: 1...9, using: &generator), at: offset)
            }
            harness.keep()
        }
        try harness.check("seed 99")
        try harness.checkKept("seed 99")
    }

    @Test("Seven elements are in order after insertions in any sequence")
    func everyInsertionOrder() throws {
        // The k-th insertion has k + 1 places: 7! = 5,040 sequences.
        for sequence in 0..<5_040 {
            var harness = TreeHarness(TestLimits.fourFour.limits)
            var rest = sequence
            for count in 0..<7 {
                harness.insert(1, at: rest % (count + 1))
                rest /= count + 1
            }
            try harness.check("sequence \(sequence)")
            if sequence % 20 == 0 { try harness.checkLookups("sequence \(sequence)") }
        }
    }

    /// How a tree of the range test is made; the shapes differ.
    enum Making: CaseIterable {
        case appending, prepending, building

        func make(_ count: Int, _ limits: TreeLimits) -> TreeHarness {
            var harness = TreeHarness(limits)
            switch self {
            case .appending: for index in 0..<count { harness.insert(1, at: index) }
            case .prepending: for _ in 0..<count { harness.insert(1, at: 0) }
            case .building: harness.rebuild(count)
            }
            return harness
        }
    }

    @Test("Every range can be removed from every tree of up to 40 elements", arguments: Making.allCases)
    func everyRange(making: Making) throws {
        let limits = making == .building ? TestLimits.fiveFour : .fourFour
        for count in 0...40 {
            for start in 0...count {
                for end in start...count {
                    var harness = making.make(count, limits.limits)
                    harness.keep()
                    harness.remove(start..<end)
                    let comment: Comment = "\(making), \(limits), \(start)..<\(end) of \(count)"
                    try harness.check(comment)
                    if (start + end) % 16 == 0 { try harness.checkKept(comment) }
                }
            }
        }
    }

    @Test("A run can be inserted at every place of every small tree", arguments: TestLimits.allCases)
    func everyRunInsertion(limits: TestLimits) throws {
        for count in [0, 1, 4, 5, 16, 17, 21] {
            for offset in 0...count {
                for run in [1, 2, 3, 4, 5, 9, 17, 40] {
                    var harness = Making.appending.make(count, limits.limits)
                    harness.insert(run, at: offset)
                    try harness.check("\(limits), \(run) at \(offset) of \(count)")
                }
            }
        }
    }

    @Test("A tree built at once is the tree of its elements", arguments: TestLimits.allCases)
    func bulkBuild(limits: TestLimits) throws {
        for count in Array(0...90) + [1_023, 1_024, 1_025, 1_100] {
            var harness = Making.building.make(count, limits.limits)
            try harness.check("\(limits), \(count) elements")
            try harness.checkLookups("\(limits), \(count) elements")
            #expect(harness.trees[0].firstOffset { $0.id == .integer(Int64(count)) } == (count == 0 ? nil : count - 1))
        }
    }

    @Test("A list that grows at its end has full leaves")
    func appendingFillsLeaves() throws {
        let harness = Making.appending.make(320, TestLimits.wide.limits)
        #expect(harness.locator.nodeCount == 10 + 1)
        try harness.check("320 appended")
    }

    @Test("After typing at one place, the leaves are three quarters full")
    func typingFillsLeaves() throws {
        for isForward in [true, false] {
            var harness = Making.building.make(320, TestLimits.wide.limits)
            for index in 0..<640 { harness.insert(1, at: isForward ? 100 + index : 100) }
            // Three quarters full, they are 28 more. Split in the middle, they would be half full: 40 more.
            let leaves = harness.locator.nodeCount - 3
            #expect(leaves <= 10 + 28, "each \(isForward ? "behind" : "before") the last one")
            try harness.check("640 typed")
        }
    }

    @Test("After typing with corrections the elements are those of an array", arguments: TestLimits.allCases, seeds)
    func typedStretches(limits: TestLimits, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var harness = TreeHarness(limits.limits)
        harness.insert(100, at: 0)
        for stretch in 0..<40 {
            var cursor = Int.random(in: 0...harness.arrays[0].count, using: &generator)
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                if cursor > 0 && generator.oneIn(4) {
                    cursor -= 1
                    harness.remove(cursor..<cursor + 1)
                } else {
                    harness.insert(1, at: cursor)
                    cursor += 1
                }
                try harness.check("\(limits), seed \(seed), stretch \(stretch)")
            }
        }
        try harness.checkLookups("\(limits), seed \(seed), at the end")
    }

    @Test("An element is removed only if its id is the expected one")
    func removalOfTheRightOne() throws {
        for limits in TestLimits.allCases {
            var harness = Making.appending.make(41, limits.limits)
            for offset in 0..<41 { harness.rejectRemoval(offset) }
            try harness.check("\(limits), nothing removed")
            try harness.checkLookups("\(limits), nothing removed")
        }
    }

    @Test("Walking a range visits exactly its elements")
    func forEachInRange() {
        let harness = Making.building.make(23, TestLimits.fourFour.limits)
        for start in 0...23 {
            for end in start...23 {
                #expect(harness.trees[0].elements(in: start..<end) == Array(harness.arrays[0][start..<end]))
            }
        }
    }

    @Test("An edit copies only the nodes on its path")
    func structuralSharing() throws {
        var harness = Making.building.make(32 * 32, TestLimits.wide.limits)
        harness.keep()
        let old = try #require(harness.trees[0].top.node)
        harness.toggle(500)
        if let new = harness.trees[0].top.node {
            #expect(old !== new)
            for slot in 0..<old.count {
                let isShared = old.children[slot].node === new.children[slot].node
                #expect(isShared == (slot != 500 / 32), "child \(slot)")
            }
        }
        // No snapshot of the new version is kept, so the next edit changes it in place.
        let written = harness.trees[0].top.node.map { ObjectIdentifier($0) }
        harness.toggle(501)
        #expect(harness.trees[0].top.node.map { ObjectIdentifier($0) } == written)
        try harness.checkKept("1,024 elements")
    }
}
