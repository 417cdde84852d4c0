// Tests views without sections: operations, header rows, drops between rows.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport
import Testing

@MainActor
@Suite("Driving a view without sections")
struct SequenceTests {
    private func fixture(
        _ rows: [[String]], _ layout: RowLayout = .rowsWithHeaders, reloadAbove: Int? = nil
    ) throws -> (DriverFixture<TodoStore>, FakeSequence<TodoStore>) {
        let fixture = try DriverFixture(rows, reloadAbove: reloadAbove)
        let table = FakeSequence(fixture.driver, layout)
        fixture.driver.drive(table)
        return (fixture, table)
    }

    @Test("Sections appear and disappear with their header rows, and titles are updated", arguments: RowLayout.allCases)
    func sections(layout: RowLayout) throws {
        let (fixture, table) = try fixture([["a", "b"], ["c"]], layout)
        try fixture.store.edit("Edit") { list in
            try list.insertSection("Z", title: "Z", items: [Todo(id: 9, title: "z")], at: .at(0))
            try list.renameSection("B", to: "Later")
            try list.move(1, to: .end(of: "B"))
            try list.toggle(3)
        }
        fixture.driver.refresh()
        while table.isAnimating { table.end() }
        #expect(table.isUpToDate && table.problems.isEmpty && table.stepCount > 0)
    }

    @Test("A row that is dropped above a header goes to the end of the section before it")
    func gaps() throws {
        let (fixture, table) = try fixture([["a", "b"], [], ["c"]])
        // Rows: A a b B C c
        let gaps = (0...6).map { fixture.driver.gap(aboveRow: $0, in: .rowsWithHeaders) }
        #expect(gaps == [at(0, 0), at(0, 0), at(0, 1), at(0, 2), at(1, 0), at(2, 0), at(2, 1)])
        let items = fixture.driver.items(atRows: [0, 1, 3, 5, 9], in: .rowsWithHeaders)
        #expect(items.map(\.core.id) == [1, 3])
        table.drag([1, 5], above: 4)
        while table.isAnimating { table.end() }
        #expect(try fixture.titles == [["b"], ["a", "c"], []])
        #expect(try fixture.newestName == "Move 2 Rows")
        // A header cannot be dragged, and nothing can be dropped outside the rows.
        table.drag([0], above: 4)
        #expect(try fixture.newestName == "Move 2 Rows")
        #expect(table.isUpToDate && table.problems.isEmpty && fixture.failures.all.isEmpty)
    }

    @Test("Without sections there is no place")
    func noPlace() throws {
        let (fixture, _) = try fixture([])
        #expect(fixture.driver.gap(aboveRow: 0, in: .rows) == nil)
        #expect(fixture.driver.place(atRow: 0, in: .rows) == nil)
    }

    @Test("Edits that arrive while operations are played are played together after them; many changes cause a reload")
    func coalescing() throws {
        let (fixture, table) = try fixture([(1...30).map { "\($0)" }], reloadAbove: 8)
        fixture.driver.delete(1)
        for id: Int64 in 2..<6 { fixture.driver.delete(.integer(id)) }
        #expect(table.stepCount == 1)
        table.end()
        #expect(table.stepCount == 5)
        table.end()
        table.select([at(0, 20)])
        fixture.driver.delete((6..<20).map { UntypedID.integer($0) })
        #expect(table.reloadCount == 1 && table.selected == [.integer(26)])
        #expect(table.isUpToDate && table.problems.isEmpty)
    }

    @Test("Contents are shown while operations are animated")
    func contentsMeanwhile() throws {
        let (fixture, table) = try fixture([["a", "b"]])
        try fixture.store.edit("Edit") { list in
            try list.delete(1)
            try list.toggle(2)
        }
        fixture.driver.refresh()
        #expect(table.isAnimating && table.reconfiguredCount == 1 && table.isUpToDate)
        table.end()
        #expect(fixture.driver.player.isSettled && table.reconfiguredCount == 1 && table.problems.isEmpty)
    }

    @Test("The control: a screen whose rows change before its updates begin is detected")
    func controlShowingEarly() throws {
        let (fixture, table) = try fixture([["a", "b"]])
        let early = EarlySequence(table)
        fixture.driver.drive(early)
        fixture.driver.delete(1)
        #expect(!table.problems.isEmpty)
    }

    @Test("A selection that a reload restores does not end the typing step; one that the user makes does")
    func coalescingAndSelection() throws {
        // Every change reloads the table, and the selection is restored.
        let (fixture, table) = try fixture([["a", "b"]], reloadAbove: 0)
        let type = { (title: String) in _ = fixture.driver.update(2, named: "Rename") { $0.title = title } }
        table.select([at(0, 1)])
        type("c")
        type("cd")
        #expect(table.reloadCount == 2 && table.selected == [2])
        #expect(fixture.driver.undoState.undoCount == 2, "typing is one step, after the first")
        table.select([at(0, 0)])
        type("cde")
        #expect(fixture.driver.undoState.undoCount == 3)
        #expect(table.isUpToDate && table.problems.isEmpty)
    }
}

/// A view whose data source changes before its updates begin: a control that must be detected.
@MainActor
private final class EarlySequence<Source: ListSource>: ListScreen {
    private let table: FakeSequence<Source>

    init(_ table: FakeSequence<Source>) { self.table = table }

    var isOnScreen: Bool { table.isOnScreen }
    var isBusy: Bool { table.isBusy }
    var selection: [ListIndexPath] { table.selection }
    func select(_ paths: [ListIndexPath]) { table.select(paths) }
    func reload() { table.reload() }

    func phases(of transition: ListTransition, reloadAbove: Int?) -> [TransitionPhase] {
        let steps = transition.operations(layout: table.layout, reloadAbove: reloadAbove).operations
        return [
            .play(transition.new) { [table] show, done in
                show()
                table.perform({ for step in steps { table.play(step) } }, done: done)
            }
        ]
    }
}
