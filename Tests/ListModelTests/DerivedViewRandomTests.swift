// Compares views of random stages with arrays, over random commits, undo, time travel, searches and changes of stages.

@testable import ListModel
import TestSupport
import Testing

@Suite("Derived views, at random")
struct DerivedViewRandomTests {
    /// A list, its versions, and a view of it with the expected rows.
    private final class Harness {
        var list: MemoryList
        var edits: RandomEdits
        var reference = ReferenceList()
        var versions: [(snapshot: UntypedSnapshot, rows: ReferenceList)] = []
        var stages: [ReferenceStage]
        var words: [String] = []
        var view: DerivedView
        /// The rows that the view showed last.
        var shown: ReferenceList
        /// The snapshot of the view's input, and its rows.
        var source: (snapshot: UntypedSnapshot, rows: ReferenceList)
        let limits: ArrangedRows.Limits
        let seed: UInt64

        init(seed: UInt64, stageCount: Int) throws {
            self.seed = seed
            var edits = RandomEdits(seed: seed, targetCount: 40)
            let tree = TreeLimits(leafCapacity: 4, innerCapacity: 4)
            // Labels run out after a few insertions; some views are rebuilt for any change, some for none.
            let space = [LabelSpace(maximum: 1 << 24, step: 4), LabelSpace(maximum: 1 << 14, step: 1 << 8)]
            let limits = ArrangedRows.Limits(
                tree: tree, space: space[Int(seed % 2)], rebuildShare: [1, 4, 1_000][Int(seed % 3)],
                rebuildMinimum: [1_000, 6, 0][Int(seed % 3)])
            var list = MemoryList(limits: tree)
            let (log, empty) = (list.log, list.snapshot())
            let stages = (0..<stageCount).map { _ in ReferenceStage(using: &edits.generator) }
            let view = try DerivedView(stages.map { $0.stage(log) }, of: empty, limits)
            shown = try ReferenceList(view.snapshot, log)
            source = (empty, ReferenceList())
            versions = [(empty, ReferenceList())]
            (self.limits, self.stages, self.view, self.edits) = (limits, stages, view, edits)
            self.list = list
        }

        /// Makes some commits, or undoes and redoes some.
        func edit() throws {
            for _ in 0..<(edits.generator.oneIn(3) ? Int.random(in: 2...8, using: &edits.generator) : 1) {
                if edits.generator.oneIn(6) {
                    _ = try? edits.generator.oneIn(3) ? list.redo() : list.undo()
                    reference = try list.contents()
                    continue
                }
                let operation = edits.next(reference)
                guard (try? reference.apply(operation)) != nil else { continue }
                try list.commit { try $0.apply(operation) }
            }
            source = (list.snapshot(), reference)
            versions.append(source)
        }

        /// Checks that the view shows the expected rows, and that the transition leads to them with as few moves as
        /// possible.
        func check(_ transition: ListTransition, _ what: String) throws {
            let comment = Comment(rawValue: "seed \(seed), \(what), stages \(stages), words \(words)")
            let expected = source.rows.viewed(stages, searchingFor: words)
            let found = try ReferenceList(view.snapshot, list.log)
            try #require(found == expected, comment)
            try #require(transition.changeset.applied(to: shown, giving: expected) == expected, comment)
            try #require(view.snapshot.itemCount == expected.itemCount, comment)
            try #require(view.snapshot.version == source.snapshot.version, comment)
            try view.checkInvariants()
            for path in source.rows.paths {
                let place = expected.path(of: source.rows.item(at: path).id)
                try #require(view.indexPath(ofSource: path) == place, comment)
            }
            let end = ListIndexPath(source.rows.sections.count, 0)
            try #require(view.indexPath(ofSource: end) == nil, comment)
            try #require(try view.decisions(aboutSource: end).isEmpty, comment)
            let chain = ReferenceChain(source.rows, stages, searchingFor: words)
            for path in source.rows.paths.shuffled(using: &edits.generator).prefix(6) {
                let decisions = try view.decisions(aboutSource: path)
                try #require(
                    decisions.map(\.reference) == chain.decisions(about: source.rows.item(at: path).id), comment)
            }
            try #require(MinimalMoves.problem(transition.changeset, from: shown, to: expected) == nil, comment)
            shown = expected
        }
    }

    @Test(
        "A view of any stages always shows the rows that filtering, sorting and grouping all rows gives, and says why",
        arguments: 1...UInt64(120 * Soak.factor))
    func randomViews(seed: UInt64) throws {
        let harness = try Harness(seed: seed, stageCount: Int(seed % 4))
        for _ in 0..<60 {
            switch Int.random(in: 0..<12, using: &harness.edits.generator) {
            case 0: try jump(harness)
            case 1: try search(harness)
            case 2 where !harness.stages.isEmpty: try replaceStage(harness)
            case 3: try replaceStages(harness)
            default:
                try harness.edit()
                let transition =
                    harness.edits.generator.oneIn(2)
                    ? try harness.view.advance(to: harness.source.snapshot)
                    : try harness.view.advance(ListTransition(from: harness.view.source, to: harness.source.snapshot))
                try harness.check(transition, "edit")
            }
        }
    }

    @Test("The control: the checks detect a view that missed a change")
    func missedChanges() throws {
        let kinds: [(inout UntypedEditor) throws -> Void] = [
            { try $0.toggle(.item(3)) }, { try $0.insert(NewRow(99), at: .before(2)) }, { try $0.delete(.item(2)) },
            { try $0.moveSection(.at(0), to: .end) }, { try $0.insertSection(NewSection(9)) },
        ]
        for edit in kinds {
            var list = try MemoryList([[1, 2, 3], [4, 5]])
            let before = list.snapshot()
            var view = try DerivedView([ReferenceStage.arrange(ReferenceArrangement()).stage(list.log)], of: before)
            try view.checkInvariants()
            try list.commit("edit", edit)
            try view.advance(ListTransition(old: before, new: list.snapshot(), changeset: Changeset()))
            #expect(throws: InvariantViolation.self) { try view.checkInvariants() }
        }
    }

    @Test("The control: the check of moves detects an unnecessary move")
    func needlessMoves() throws {
        var list = try MemoryList([[1, 2, 3]])
        let rows = try list.contents()
        var changes = Changeset()
        #expect(MinimalMoves.problem(changes, from: rows, to: rows) == nil)
        changes.items.moved = [Changeset.Move(from: ListIndexPath(0, 1), to: ListIndexPath(0, 1))]
        #expect(MinimalMoves.problem(changes, from: rows, to: rows) == "1 moved rows, where 0 are enough")
    }

    /// Lets the view, or a copy of it, show another version, and then the newest one again.
    private func jump(_ harness: Harness) throws {
        let present = harness.source
        harness.source = harness.versions.randomElement(using: &harness.edits.generator)!
        if harness.edits.generator.oneIn(2) {
            let (view, shown) = (harness.view, harness.shown)
            try harness.check(harness.view.advance(to: harness.source.snapshot), "look at the past")
            (harness.view, harness.shown, harness.source) = (view, shown, present)
            try harness.check(harness.view.advance(to: present.snapshot), "back again")
        } else {
            try harness.check(harness.view.advance(to: harness.source.snapshot), "jump")
        }
    }

    private func search(_ harness: Harness) throws {
        let letters = ["a", "B", "aa", "c", "d", "ee", "F", "bbb"]
        switch Int.random(in: 0..<4, using: &harness.edits.generator) {
        case 0: harness.words = []
        case 1 where !harness.words.isEmpty: harness.words[0] += harness.words[0].suffix(1)
        case 2 where !harness.words.isEmpty: harness.words[0] = String(harness.words[0].prefix(1))
        default: harness.words = [letters.randomElement(using: &harness.edits.generator)!]
        }
        let words = SearchWords(harness.words.joined(separator: " "))
        try harness.check(harness.view.search(words), "search")
    }

    private func replaceStage(_ harness: Harness) throws {
        let index = harness.stages.indices.randomElement(using: &harness.edits.generator)!
        harness.stages[index] = other(harness.stages[index], &harness.edits.generator)
        let stage = harness.stages[index].stage(harness.list.log)
        try harness.check(harness.view.replaceStage(at: index, with: stage), "another stage \(index)")
    }

    private func replaceStages(_ harness: Harness) throws {
        if harness.edits.generator.oneIn(3) {
            harness.stages = (0..<Int.random(in: 0...3, using: &harness.edits.generator)).map { _ in
                ReferenceStage(using: &harness.edits.generator)
            }
        } else {
            harness.stages = harness.stages.map { other($0, &harness.edits.generator) }
        }
        let stages = harness.stages.map { $0.stage(harness.list.log) }
        try harness.check(harness.view.replaceStages(stages), "other stages")
    }

    /// A stage that differs from another in one part.
    private func other(_ stage: ReferenceStage, _ generator: inout SeededGenerator) -> ReferenceStage {
        guard case .arrange(var arrangement) = stage, !generator.oneIn(4) else {
            return ReferenceStage(using: &generator)
        }
        let random = ReferenceArrangement(using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: arrangement.sorting = random.sorting
        case 1: arrangement.group = random.group
        case 2: arrangement.hidesEmptySections.toggle()
        default: arrangement.filter = random.filter
        }
        return .arrange(arrangement)
    }
}
