// Tests a driver over a filtered view: gestures edit the store, by id.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport
import Testing

@MainActor
@Suite("Driving a derived view")
struct FilteredTests {
    private static let all: FilteredSource.Predicate = { _ in true }
    private static let open: FilteredSource.Predicate = { !$0.isChecked }

    private func fixture(
        _ rows: [[String]], keepsOrder: Bool = true, _ predicate: @escaping FilteredSource.Predicate
    ) throws -> (DriverFixture<FilteredSource>, FakeTable<FilteredSource>) {
        let fixture = try DriverFixture(rows) { FilteredSource($0, keepsOrder: keepsOrder, predicate) }
        let table = FakeTable(fixture.driver)
        fixture.driver.drive(table)
        return (fixture, table)
    }

    @Test("In a view of unchecked rows, a row disappears when it is checked, and appears again after undo")
    func toggling() throws {
        let (fixture, table) = try fixture([["a", "b", "c"]], Self.open)
        fixture.driver.toggle(2)
        #expect(table.batchCount == 1 && fixture.driver.itemCount(inSection: 0) == 2)
        table.endBatch()
        fixture.driver.undo()
        table.endBatch()
        #expect(fixture.driver.itemCount(inSection: 0) == 3 && table.isUpToDate && table.problems.isEmpty)
    }

    @Test("Another predicate is played as one transition")
    func predicate() async throws {
        let (fixture, table) = try fixture([["a", "b", "c", "d"], ["e"]], Self.all)
        fixture.source.filter { $0.id == 2 || $0.id == 5 }
        while table.batchCount == 0 { await Task.yield() }
        table.endBatch()
        #expect(fixture.driver.id(at: at(0, 0)) == 2 && fixture.driver.itemCount(inSection: 0) == 1)
        fixture.source.filter(Self.all)
        while table.batchCount == 1 { await Task.yield() }
        table.endBatch()
        #expect(table.batchCount == 2 && table.isUpToDate && table.problems.isEmpty)
    }

    @Test("A row is moved beside its visible neighbours, whatever rows are hidden between them")
    func moving() throws {
        let (fixture, table) = try fixture([["a", "b", "c", "d", "e"], ["f"]], Self.open)
        fixture.driver.setChecked(true, for: [2, 4, 6])
        table.endBatch()
        // The view shows a, c, e; e is dropped between a and c.
        table.beginDrag(at(0, 2))
        table.drop(at(0, 1))
        fixture.pause.run()
        #expect(try fixture.titles == [["a", "e", "x b", "c", "x d"], ["x f"]])
        // A drop before all shown rows, and one into a section whose rows are all hidden.
        fixture.driver.move([3], toGap: at(0, 0))
        fixture.driver.move([1], toGap: at(1, 0))
        while table.isAnimating { table.endBatch() }
        #expect(try fixture.titles == [["c", "e", "x b", "x d"], ["x f", "a"]])
        #expect(table.isUpToDate && table.problems.isEmpty && fixture.failures.all.isEmpty)
    }

    @Test("Rows that are sorted by their content cannot be moved; new rows are inserted beside a neighbour")
    func sorted() throws {
        let (fixture, table) = try fixture([["a", "b"], ["c"]], keepsOrder: false, Self.all)
        let rows = fixture.driver.items(atRows: [0], in: .rows)
        #expect(!fixture.driver.canMove(at: at(0, 0)) && !fixture.driver.canMove(rows, toGap: at(0, 2)))
        #expect(fixture.driver.target(ofMoving: at(0, 0), to: at(0, 1)) == at(0, 0))
        #expect(!fixture.driver.move([1], toGap: at(0, 2)))
        table.beginDrag(at(0, 0), isForced: true)
        table.drop(at(0, 1), isForced: true)
        #expect(fixture.driver.id(at: at(0, 1)) == 1)
        fixture.pause.run()
        table.endBatch()
        #expect(fixture.driver.id(at: at(0, 0)) == 1)
        let refusal = "Move a: rows that are sorted or grouped by their content cannot be moved"
        #expect(fixture.failures.take() == [refusal, refusal])
        #expect(fixture.driver.insert(Todo(id: 9, title: "z"), at: at(1, 0)))
        #expect(try fixture.titles == [["a", "b"], ["z", "c"]])
        table.endBatch()
        #expect(table.isUpToDate && table.problems.isEmpty)
    }
}
