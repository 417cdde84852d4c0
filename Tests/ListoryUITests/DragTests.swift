// Tests drags: the view shows the move before it is committed.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport
import Testing

@MainActor
@Suite("Dragging rows")
struct DragTests {
    private func fixture(_ rows: [[String]]) throws -> (DriverFixture<TodoStore>, FakeTable<TodoStore>) {
        let fixture = try DriverFixture(rows)
        let table = FakeTable(fixture.driver)
        fixture.driver.drive(table)
        return (fixture, table)
    }

    @Test("A dropped row is committed where the view shows it, and nothing is played", arguments: 0..<5, 0..<5)
    func everyMove(from: Int, to: Int) throws {
        let (fixture, table) = try fixture([["a", "b", "c", "d", "e"]])
        table.beginDrag(at(0, from))
        table.drop(at(0, to))
        fixture.pause.run()
        var expected = ["a", "b", "c", "d", "e"]
        expected.insert(expected.remove(at: from), at: to)
        #expect(try fixture.titles == [expected])
        #expect(table.batchCount == 0 && table.reloadCount == 0 && table.isUpToDate && table.problems.isEmpty)
        #expect(fixture.driver.player.isSettled)
        if from != to { #expect(try fixture.newestName == "Move " + ["a", "b", "c", "d", "e"][from]) }
    }

    @Test("A row is dropped into another section, also into an empty one")
    func otherSection() throws {
        let (fixture, table) = try fixture([["a", "b"], [], ["c"]])
        table.beginDrag(at(0, 0))
        table.drop(at(1, 0))
        fixture.pause.run()
        table.beginDrag(at(2, 0))
        table.drop(at(1, 1))
        fixture.pause.run()
        #expect(try fixture.titles == [["b"], ["a", "c"], []])
        #expect(table.batchCount == 0 && table.isUpToDate && table.problems.isEmpty)
    }

    @Test("Edits during a drag wait, and then only the changes of others are played")
    func editsMeanwhile() throws {
        let (fixture, table) = try fixture([["a", "b", "c", "d"]])
        table.beginDrag(at(0, 3))
        try fixture.store.edit("Others") { list in
            try list.insert(Todo(id: 9, title: "new"), at: .before(1))
            try list.delete(2)
        }
        fixture.driver.refresh()
        #expect(table.batchCount == 0)
        // Between a and b, as the user sees the rows.
        table.drop(at(0, 1))
        #expect(table.batchCount == 0)
        fixture.pause.run()
        #expect(table.batchCount == 1)
        table.endBatch()
        #expect(try fixture.titles == [["new", "a", "d", "c"]])
        #expect(table.isUpToDate && table.problems.isEmpty && fixture.failures.all.isEmpty)
    }

    @Test("Cells that are to be shown again for another reason than the rows wait for the end of a drag")
    func refresh() throws {
        let (fixture, table) = try fixture([["a", "b"]])
        let player = fixture.driver.player
        player.refresh { table.reconfigure(items: [at(0, 1)], sections: []) }
        #expect(table.reconfiguredCount == 1)
        table.beginDrag(at(0, 0))
        for _ in 0..<2 { player.refresh { table.reconfigure(items: [at(0, 0), at(0, 1)], sections: []) } }
        fixture.pause.run()
        #expect(table.reconfiguredCount == 1 && !fixture.pause.isEmpty)
        table.drop(at(0, 1))
        fixture.pause.run()
        #expect(table.reconfiguredCount == 3 && table.isUpToDate && table.problems.isEmpty && fixture.pause.isEmpty)
    }

    @Test("After a drag that ends where it began, waiting edits are played, although its end is not reported")
    func cancelled() throws {
        let (fixture, table) = try fixture([["a", "b"]])
        table.beginDrag(at(0, 0))
        try fixture.store.edit("Others") { try $0.delete(2) }
        fixture.driver.refresh()
        fixture.pause.run()
        #expect(table.batchCount == 0 && !fixture.pause.isEmpty)
        table.drop(nil)
        fixture.pause.run()
        #expect(table.batchCount == 1)
        table.endBatch()
        #expect(table.isUpToDate && table.problems.isEmpty && fixture.pause.isEmpty)
    }

    @Test("A refused drop is reported and played back")
    func refused() throws {
        let (fixture, table) = try fixture([["a", "b", "c"], ["d"]])
        table.beginDrag(at(0, 0))
        // The row is deleted before it is dropped, and so is the section of another row.
        try fixture.store.edit("Others") { try $0.delete(1) }
        table.drop(at(0, 2))
        #expect(fixture.failures.take() == ["Move 1: no row has the id 1"])
        fixture.pause.run()
        table.endBatch()
        #expect(table.isUpToDate && table.problems.isEmpty)

        table.beginDrag(at(0, 0))
        try fixture.store.edit("Others") { try $0.deleteSection("B") }
        table.drop(at(1, 0))
        #expect(fixture.failures.take() == ["Move b: no section has the id \"B\""])
        fixture.pause.run()
        while table.isAnimating { table.endBatch() }
        #expect(try fixture.titles == [["b", "c"]])
        #expect(table.isUpToDate && table.problems.isEmpty)
    }

    @Test("A read-only store refuses the move, and the row moves back")
    func readOnly() throws {
        let (fixture, _) = try fixture([["a", "b", "c"]])
        let path = fixture.store.core.path
        try fixture.store.close()
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try TodoStore.open(at: path, options: options)
        let driver = try ListDriver(
            store, names: ActionNames { $0.title }, reloadAbove: nil, pause: fixture.pause.pause,
            onFailure: fixture.failures.add)
        let table = FakeTable(driver)
        driver.drive(table)
        table.beginDrag(at(0, 0))
        table.drop(at(0, 2))
        #expect(driver.id(at: at(0, 2)) == 1 && fixture.failures.all.count == 1)
        fixture.pause.run()
        #expect(table.batchCount == 1)
        table.endBatch()
        #expect(driver.id(at: at(0, 0)) == 1 && table.isUpToDate && table.problems.isEmpty)
    }

    @Test("A row dropped between two batches of one transition is at its right place in the end")
    func betweenBatches() throws {
        let (fixture, table) = try fixture([["a", "b", "c"]])
        try fixture.store.edit("Others") { list in
            try list.insertSection("Z", title: "Z")
            try list.move(3, to: .end(of: "Z"))
            try list.update(Todo(id: 1, title: "A"))
        }
        fixture.driver.refresh()
        table.beginDrag(at(0, 0))
        table.endBatch()
        #expect(table.batchCount == 1)
        table.drop(at(0, 1))
        fixture.pause.run()
        while table.isAnimating { table.endBatch() }
        #expect(try fixture.titles == [["b", "A"], ["c"]])
        #expect(table.isUpToDate && table.problems.isEmpty)
    }

    @Test("With the system's clock, changes that wait for the end of a drag are played by themselves")
    func systemClock() async throws {
        let fixture = try DriverFixture([["a", "b", "c"]])
        let driver = try ListDriver(fixture.store, names: ActionNames { $0.title }) { _ in }
        let table = FakeTable(driver)
        driver.drive(table)
        table.beginDrag(at(0, 0))
        try fixture.edit("Others") { try $0.delete(3) }
        driver.refresh()
        table.drop(at(0, 1))
        while table.batchCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        table.endBatch()
        try fixture.edit("Others") { try $0.toggle(1) }
        table.beginDrag(at(0, 0))
        driver.refresh()
        table.drop(nil)
        while !driver.player.isSettled { try await Task.sleep(for: .milliseconds(1)) }
        #expect(try fixture.titles == [["b", "x a"]])
        #expect(table.isUpToDate && table.problems.isEmpty)
    }

    @Test("A snapshot with a row moved has the rows of the commit that moves it, and the hash")
    func movedSnapshot() throws {
        let rows = [["a", "b", "c"], [], ["d"]]
        let paths = [at(0, 0), at(0, 1), at(0, 2), at(2, 0)]
        for source in paths {
            for target in paths + [at(0, 3), at(1, 0), at(2, 1)] {
                let fixture = try DriverFixture(rows)
                let before = try fixture.store.snapshot.core
                let room = before.sections[target.section].items.count - (source.section == target.section ? 1 : 0)
                guard target.item <= room else {
                    #expect(throws: ListError.itemIndexOutOfRange(target, valid: 0..<room + 1)) {
                        try before.moving(from: source, to: target)
                    }
                    continue
                }
                let moved = try before.moving(from: source, to: target)
                try fixture.store.edit("Move") { try $0.move(.at(source), to: .at(target)) }
                let after = try fixture.store.snapshot.core
                #expect(moved.stateHash == after.stateHash && Changeset(from: moved, to: after).isEmpty)
                #expect(try before.stateHash == fixture.store.snapshot(at: Version(1)).stateHash)
            }
        }
    }

    @Test("The control: a driver that plays something before the view has returned from the drop is detected")
    func control() throws {
        let (fixture, table) = try fixture([["a", "b", "c"]])
        fixture.pause.isImmediate = true
        table.beginDrag(at(0, 0))
        table.mistake = .neverBusy
        try fixture.store.edit("Others") { try $0.delete(3) }
        table.drop(at(0, 1))
        #expect(table.problems.contains("a batch inside a drop"))
    }

    @Test("A drop of a missing row is a failure, and the view is reloaded")
    func nowhere() throws {
        let (fixture, table) = try fixture([["a", "b"]])
        #expect(!fixture.driver.didMove(from: at(0, 7), to: at(0, 0)))
        #expect(!fixture.driver.didMove(from: at(0, 0), to: at(4, 0)))
        #expect(fixture.failures.all.count == 2)
        fixture.pause.run()
        #expect(table.reloadCount == 1 && table.isUpToDate && table.problems.isEmpty)
    }
}
