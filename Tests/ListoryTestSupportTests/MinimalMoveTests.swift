// Tests that transitions have as few moves as possible, when views reload, and batches of stored lists.

import ListModel
import ListoryTestSupport
import TestSupport
import Testing

@Suite("Moves and reloads of stages")
struct MinimalMoveTests {
    private func path(_ section: Int, _ item: Int) -> ListIndexPath { ListIndexPath(section: section, item: item) }

    private func list(_ rows: [[Int]]) throws -> MemoryList {
        var list = MemoryList()
        try list.editor.begin(CommitDraft(name: "", time: Timestamp(microseconds: 0)))
        for (index, rows) in rows.enumerated() {
            try list.editor.insertSection(
                NewSection(
                    id: .string("s\(index)"), title: "s\(index)",
                    items: rows.map { NewRow(id: .integer(Int64($0)), content: [1]) }))
        }
        if let commit = try list.editor.finish() { list.log.append(commit) }
        return list
    }

    @Test(
        "A transition over edits of 1 % of 10,000 rows has no more moves than were made",
        arguments: 1...5 as ClosedRange<UInt64>)
    func onePerCent(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var list = try list([Array(0..<10_000)])
        let old = list.snapshot()
        var moved: Set<Int> = []
        try list.editor.begin(CommitDraft(name: "", time: Timestamp(microseconds: 0)))
        for edit in 0..<100 {
            let count = list.editor.state.itemCount
            let item = Int.random(in: 0..<count, using: &generator)
            switch edit % 4 {
            case 0: try list.editor.delete(.at(path(0, item)))
            case 1:
                try list.editor.insert(
                    NewRow(id: .integer(20_000 + Int64(edit)), content: [2]), at: .at(path(0, item)))
            case 2: try list.editor.toggle(.at(path(0, item)))
            default:
                moved.insert(item)
                try list.editor.move(.at(path(0, item)), to: .at(path(0, Int.random(in: 0..<count, using: &generator))))
            }
        }
        if let commit = try list.editor.finish() { list.log.append(commit) }
        let transition = ListTransition(from: old, to: list.snapshot())
        try transition.checkConsumers()
        let batches = transition.batches()
        let moves = batches.reduce(0) { $0 + $1.changes.items.moved.count }
        #expect(moves > 0 && moves <= 25, "seed \(seed)")
        #expect(batches.count <= 3 && batches.last?.changes.items.moved.isEmpty == true, "seed \(seed)")
        let steps = transition.operations(layout: .rows).operations.filter {
            if case .move = $0 { true } else { false }
        }
        #expect(steps.count <= 25, "seed \(seed)")
    }

    @Test("A row that crosses the border of two sections does not move where there are no sections")
    func border() throws {
        var list = try list([[1, 2], [3, 4]])
        let old = list.snapshot()
        try list.commit { try $0.move(.item(2), to: .before(3)) }
        let transition = ListTransition(from: old, to: list.snapshot())
        #expect(transition.operations(layout: .rows).operations.isEmpty)
        #expect(transition.splices(layout: .rows).splices.isEmpty)
        #expect(transition.collectionDifference(layout: .rows).isEmpty)
        // Moving the header of the second section is as good as moving the row.
        #expect(transition.operations(layout: .rowsWithHeaders).operations.count == 1)
        #expect(transition.batches().count == 1)
    }

    @Test("Changed content or a changed title is an update of the same row or section, in a batch without structure")
    func content() throws {
        var list = try list([[1, 2, 3]])
        let old = list.snapshot()
        try list.commit {
            try $0.toggle(.item(2))
            try $0.delete(.item(1))
            try $0.renameSection(.at(0), to: "other")
        }
        let transition = ListTransition(from: old, to: list.snapshot())
        let batches = transition.batches()
        #expect(
            batches.map(\.operations) == [
                [.deleteItem(path(0, 0))], [.reconfigureHeader(0), .reconfigureItem(path(0, 0))],
            ])
        #expect(
            transition.operations(layout: .rowsWithHeaders).operations == [
                .remove(at: 1), .update(at: 0), .update(at: 1),
            ])
        #expect(transition.splices(layout: .rows).updated == [0])
    }

    @Test("Above the caller's threshold the view reloads, at the threshold it does not")
    func reload() throws {
        var list = try list([[1, 2, 3]])
        let old = list.snapshot()
        try list.commit {
            try $0.delete(.item(1))
            try $0.toggle(.item(2))
            try $0.insert(NewRow(id: 9, content: []), at: .end(ofSection: "s0"))
        }
        let transition = ListTransition(from: old, to: list.snapshot())
        let batches = transition.batches(reloadAbove: 2)
        #expect(batches.count == 1 && batches[0].isReload && batches[0].changes.isEmpty)
        #expect(batches[0].snapshot.stateHash == transition.new.stateHash)
        var table = TableSimulator(showing: old)
        #expect(table.play(batches[0]) == .accepted && table.shows(transition.new))
        #expect(transition.batches(reloadAbove: 3).count == 2)
        let steps = transition.operations(layout: .rows, reloadAbove: 2)
        #expect(steps.isReload && steps.operations.isEmpty)
        var rows = SequentialListSimulator(showing: steps.old)
        #expect(rows.play(steps) == nil && rows.shows(steps.new))
        #expect(!transition.operations(layout: .rows, reloadAbove: 3).isReload)
        #expect(ListTransition(from: old, to: old).batches(reloadAbove: 0).isEmpty)
        #expect(ListTransition(from: old, to: old).isEmpty && !transition.isEmpty)
    }

    @Test("Offsets of a sequence lead to index paths and back")
    func offsets() throws {
        var list = try list([[], [1, 2], [], [3], []])
        let snapshot = list.snapshot()
        for layout in RowLayout.allCases {
            let rows = snapshot.rows(in: layout)
            let headers = layout == .rowsWithHeaders ? snapshot.sectionCount : 0
            #expect(rows.count == snapshot.itemCount + headers && rows.elementsEqual(rows.indices.map { rows[$0] }))
            for offset in rows.indices {
                switch rows.place(at: offset) {
                case .header(let section): #expect(rows.offset(ofHeader: section) == offset)
                case .item(let path): #expect(rows.offset(of: path) == offset)
                }
            }
            #expect(rows.offset(of: path(0, 0)) == nil && rows.offset(of: path(1, 2)) == nil)
            #expect(rows.offset(of: path(1, .max)) == nil && rows.offset(of: path(.max, .max)) == nil)
            #expect(rows.offset(of: path(5, 0)) == nil && rows.offset(of: path(1, -1)) == nil)
        }
        #expect(snapshot.rows(in: .rows).offset(ofHeader: 0) == nil)
        #expect(snapshot.rows(in: .rowsWithHeaders).offset(ofHeader: 5) == nil)
    }
}
