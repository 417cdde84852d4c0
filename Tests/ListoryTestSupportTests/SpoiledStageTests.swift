// Spoils right batches and operations at random. The simulators must detect every one whose effect differs.

import ListModel
import ListoryTestSupport
import TestSupport
import Testing

@Suite("Spoiled stages")
struct SpoiledStageTests {
    /// A second, independent definition of a batch's effect on ids: elements are removed from the back and inserted
    /// from the front.
    private func applied(_ changes: Changeset, _ old: [[UntypedID]], _ new: [[UntypedID]]) -> [[UntypedID]]? {
        var rows = old
        var carried: [(ListIndexPath, UntypedID)] = []
        for move in changes.items.moved {
            guard rows.indices.contains(move.from.section), rows[move.from.section].indices.contains(move.from.item)
            else { return nil }
            carried.append((move.to, old[move.from.section][move.from.item]))
        }
        for path in (changes.items.deleted + changes.items.moved.map(\.from)).sorted().reversed() {
            guard rows.indices.contains(path.section), rows[path.section].indices.contains(path.item) else {
                return nil
            }
            rows[path.section].remove(at: path.item)
        }
        var moved: [(Int, [UntypedID])] = []
        for move in changes.sections.moved {
            guard rows.indices.contains(move.from) else { return nil }
            moved.append((move.to, rows[move.from]))
        }
        for index in (changes.sections.deleted + changes.sections.moved.map(\.from)).sorted().reversed() {
            guard rows.indices.contains(index) else { return nil }
            rows.remove(at: index)
        }
        let sections = changes.sections.inserted.map { ($0, new.indices.contains($0) ? new[$0] : []) } + moved
        for (index, section) in sections.sorted(by: { $0.0 < $1.0 }) {
            guard index <= rows.count else { return nil }
            rows.insert(section, at: index)
        }
        for path in changes.items.inserted {
            guard new.indices.contains(path.section), new[path.section].indices.contains(path.item) else { return nil }
            carried.append((path, new[path.section][path.item]))
        }
        for (path, id) in carried.sorted(by: { $0.0 < $1.0 }) {
            guard rows.indices.contains(path.section), path.item <= rows[path.section].count else { return nil }
            rows[path.section].insert(id, at: path.item)
        }
        return rows
    }

    /// Changes one entry of a changeset: leaves out a deletion, changes a position, or adds a wrong entry.
    private func spoil(_ changes: inout Changeset, _ generator: inout SeededGenerator) {
        func nudge(_ path: inout ListIndexPath) {
            if generator.oneIn(3) { path.section += Bool.random(using: &generator) ? 1 : -1 } else { path.item += 1 }
        }
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: _ = changes.items.deleted.popLast()
        case 1: _ = changes.items.inserted.popLast()
        case 2: _ = changes.items.moved.popLast()
        case 3: if !changes.items.deleted.isEmpty { nudge(&changes.items.deleted[0]) }
        case 4: if !changes.items.inserted.isEmpty { nudge(&changes.items.inserted[0]) }
        case 5: if !changes.items.moved.isEmpty { nudge(&changes.items.moved[0].from) }
        case 6: if !changes.items.moved.isEmpty { nudge(&changes.items.moved[0].to) }
        case 7: changes.items.deleted.append(ListIndexPath(section: 0, item: 0))
        default: _ = changes.sections.inserted.popLast() ?? changes.sections.deleted.popLast()
        }
    }

    @Test(
        "A batch that was spoiled is accepted only if it leads to the same rows",
        arguments: 1...6 as ClosedRange<UInt64>)
    func batches(seed: UInt64) throws {
        var list = MemoryList(limits: TreeLimits(leafCapacity: 4, innerCapacity: 4))
        var random = RandomEditor(seed: seed, rowLimit: 20, sectionLimit: 4)
        try list.fill(&random)
        var caught = 0
        for step in 0..<400 {
            let old = list.snapshot()
            try list.commit(upTo: 5, &random)
            var shown = old
            for batch in ListTransition(from: old, to: list.snapshot()).batches()
            where batch.changes.items.updated.isEmpty {
                let comment: Comment = "seed \(seed), step \(step)"
                let (before, after) = (ids(shown), ids(batch.snapshot))
                // For a right batch, the independent definition has the same result.
                try #require(
                    batch.changes.sections.updated.isEmpty == false
                        || applied(batch.changes, before, after) == after, comment)
                var spoiled = batch
                spoil(&spoiled.changes, &random.generator)
                if spoiled.changes != batch.changes {
                    var table = TableSimulator(showing: shown)
                    let verdict = table.play(spoiled)
                    if verdict.isAccepted {
                        try #require(applied(spoiled.changes, before, after) == after, comment)
                    } else {
                        caught += 1
                        try #require(table.shows(shown), comment)
                    }
                }
                shown = batch.snapshot
            }
        }
        #expect(caught > 100, "seed \(seed)")
    }

    private func ids(_ snapshot: UntypedSnapshot) -> [[UntypedID]] { snapshot.sections.map { $0.items.map(\.id) } }

    @Test("An operation that is left out, or done twice, is detected", arguments: 1...4 as ClosedRange<UInt64>)
    func steps(seed: UInt64) throws {
        var list = MemoryList()
        var random = RandomEditor(seed: seed, rowLimit: 20, sectionLimit: 4)
        try list.fill(&random)
        var caught = 0
        for step in 0..<300 {
            let old = list.snapshot()
            try list.commit(upTo: 4, &random)
            let transition = ListTransition(from: old, to: list.snapshot())
            for layout in RowLayout.allCases {
                let comment: Comment = "seed \(seed), step \(step)"
                let right = transition.operations(layout: layout)
                guard let index = right.operations.indices.randomElement(using: &random.generator) else { continue }
                let isOmitted = Bool.random(using: &random.generator)
                // A second update of a row has no effect.
                if !isOmitted, case .update = right.operations[index] { continue }
                var table = SequentialListSimulator(showing: right.old)
                var failure: String?
                for (position, step) in right.operations.enumerated() where failure == nil {
                    if position == index && isOmitted { continue }
                    failure = table.play(step, towards: right.new)
                    if position == index && failure == nil { failure = table.play(step, towards: right.new) }
                }
                try #require(failure != nil || !table.shows(right.new), comment)
                caught += 1

                let splices = transition.splices(layout: layout)
                guard let first = splices.splices.first else { continue }
                var model = SplicedRows(splices)
                _ = model.advance()
                var view = SpliceListSimulator(showing: splices.old)
                var wrong = first
                wrong.added += 1
                try #require(view.itemsChanged(wrong, in: model) != nil, comment)
                var early = SpliceListSimulator(showing: splices.old)
                if first.added != first.removed {
                    // The change is announced before the model has changed.
                    try #require(early.itemsChanged(first, in: SplicedRows(splices)) != nil, comment)
                }
            }
        }
        #expect(caught > 100, "seed \(seed)")
    }

    @Test("A failure names the view and has its message")
    func failures() throws {
        var list = MemoryList()
        var random = RandomEditor(seed: 1, rowLimit: 10, sectionLimit: 2)
        try list.fill(&random)
        let (old, new) = (UntypedSnapshot.empty, list.snapshot())
        let wrong = ListTransition(old: old, new: new, changeset: Changeset())
        let error = #expect(throws: ConsumerFailure.self) { try wrong.checkConsumers() }
        #expect(error?.description == "batches: the rows are others than those of the new snapshot")
    }
}
