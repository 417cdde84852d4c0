// Tests which changes a view plays, and when.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport
import Testing

@MainActor
@Suite("What a view plays")
struct TransitionPlayerTests {
    private func fixture(
        _ rows: [[String]], reloadAbove: Int? = nil, isOnScreen: Bool = true
    ) throws -> (DriverFixture<TodoStore>, FakeTable<TodoStore>) {
        let fixture = try DriverFixture(rows, reloadAbove: reloadAbove)
        let table = FakeTable(fixture.driver, isOnScreen: isOnScreen)
        fixture.driver.drive(table)
        return (fixture, table)
    }

    @Test("An edit is played as one batch, and the data source answers with the new rows from inside of it")
    func oneBatch() throws {
        let (fixture, table) = try fixture([["Milk", "Tea"], ["Rice"]])
        try fixture.store.edit("Edit") { list in
            try list.delete(1)
            try list.insert(Todo(id: 9, title: "Salt"), at: .end(of: "B"))
        }
        fixture.driver.refresh()
        #expect(table.batchCount == 1 && table.isAnimating)
        #expect(!fixture.driver.player.isSettled)
        table.endBatch()
        #expect(fixture.driver.player.isSettled && table.isUpToDate)
        #expect(table.problems.isEmpty)
    }

    @Test("Edits that arrive while a batch is played are played together after it")
    func coalescing() throws {
        let (fixture, table) = try fixture([["Milk"]])
        for id in 10..<30 {
            try fixture.store.edit("Add") { try $0.insert(Todo(id: id, title: "\(id)"), at: .end(of: "A")) }
            fixture.driver.refresh()
        }
        #expect(table.batchCount == 1)
        table.endBatch()
        #expect(table.batchCount == 2)
        table.endBatch()
        #expect(table.batchCount == 2 && table.isUpToDate && table.problems.isEmpty)
    }

    @Test("Changed contents and titles are shown in place, without insertions or deletions")
    func reconfiguring() throws {
        let (fixture, table) = try fixture([["Milk", "Tea"], ["Rice"]])
        try fixture.store.edit("Edit") { list in
            try list.update(Todo(id: 2, title: "Green tea"))
            try list.renameSection("B", to: "Later")
        }
        fixture.driver.refresh()
        #expect(table.batchCount == 0 && table.reconfiguredCount == 2 && table.reloadCount == 0)
        #expect(table.isUpToDate && table.problems.isEmpty)
    }

    @Test("A row that moves and changes is moved first; its content is shown at the new place during the animation")
    func moveAndChange() throws {
        let (fixture, table) = try fixture([["Milk", "Tea", "Salt"]])
        try fixture.store.edit("Edit") { list in
            try list.move(1, to: .end(of: "A"))
            try list.toggle(1)
        }
        fixture.driver.refresh()
        #expect(table.batchCount == 1 && table.isAnimating && table.reconfiguredCount == 1 && table.isUpToDate)
        #expect(!fixture.driver.player.isSettled)
        table.endBatch()
        #expect(fixture.driver.player.isSettled && table.reconfiguredCount == 1 && table.problems.isEmpty)
    }

    @Test("A view without a window is reloaded; in a window it animates")
    func noWindow() throws {
        let (fixture, table) = try fixture([["Milk"]], isOnScreen: false)
        fixture.driver.delete(1)
        #expect(table.reloadCount == 1 && table.batchCount == 0 && table.isUpToDate)
        table.isOnScreen = true
        fixture.driver.undo()
        #expect(table.reloadCount == 1 && table.batchCount == 1)
        table.endBatch()
        #expect(table.isUpToDate && table.problems.isEmpty)
    }

    @Test("A view that leaves its window between two batches is reloaded")
    func leavingWindow() throws {
        let (fixture, table) = try fixture([["Milk", "Tea"]])
        // A row that moves into an inserted section needs two batches.
        try fixture.store.edit("Edit") { list in
            try list.insertSection("Z", title: "Z")
            try list.move(1, to: .end(of: "Z"))
        }
        fixture.driver.refresh()
        #expect(table.batchCount == 1)
        table.isOnScreen = false
        table.endBatch()
        #expect(table.batchCount == 1 && table.reloadCount == 1 && table.isUpToDate && table.problems.isEmpty)
    }

    @Test("More changes than the limit cause a reload, which keeps the selection by id")
    func reloading() throws {
        let (fixture, table) = try fixture([(1...40).map { "row \($0)" }], reloadAbove: 10)
        table.select([at(0, 3), at(0, 30)])
        fixture.driver.delete([.integer(4)] + (10...20).map { .integer($0) })
        #expect(table.reloadCount == 1 && table.batchCount == 0)
        #expect(table.selection == [at(0, 18)])
        #expect(fixture.driver.id(at: at(0, 18)) == .integer(31))
        fixture.driver.delete(1)
        #expect(table.batchCount == 1)
        table.endBatch()
        #expect(table.selection == [at(0, 17)] && table.problems.isEmpty)
    }

    @Test("A view that never reports the end of an animation is reloaded after a while, and animates again")
    func lostCompletion() throws {
        let (fixture, table) = try fixture([["Milk", "Tea", "Salt"]])
        fixture.driver.delete(1)
        table.loseCompletion()
        fixture.driver.delete(2)
        #expect(table.batchCount == 1 && !table.isUpToDate)
        fixture.pause.runLimits()
        #expect(table.reloadCount == 1 && table.isUpToDate && fixture.driver.player.isSettled)
        fixture.driver.delete(3)
        #expect(table.batchCount == 2 && table.reloadCount == 1)
        table.endBatch()
        // After an animation has ended, its time limit has no effect.
        fixture.pause.runLimits()
        #expect(table.isUpToDate && table.reloadCount == 1 && table.problems.isEmpty)
    }

    @Test("Each phase has its own time limit")
    func laterPhase() throws {
        let (fixture, table) = try fixture([["Milk", "Tea", "Salt"]])
        fixture.driver.delete(1)
        table.endBatch()
        fixture.driver.delete(2)
        // This is the time limit of the first phase, which has ended.
        fixture.pause.runLimits()
        #expect(table.isAnimating && table.reloadCount == 0)
        table.loseCompletion()
        fixture.pause.runLimits()
        #expect(table.reloadCount == 1 && table.isUpToDate && table.problems.isEmpty)
    }

    @Test("A row that needs another cell is distinguished from a row that keeps its cell")
    func givenCells() {
        var given = GivenCells()
        given.note("plain", for: 1)
        given.note("plain", for: 2)
        given.note("picture", for: 3)
        #expect(!given.isOther("plain", for: 1) && given.isOther("picture", for: 1))
        #expect(!given.isOther("picture", for: 3) && given.isOther("plain", for: 3))
        // A row without a cell has the default identifier.
        #expect(!given.isOther("plain", for: 9))
        given.note("plain", for: 3)
        given.note("picture", for: 1)
        #expect(!given.isOther("plain", for: 3) && !given.isOther("picture", for: 1))
        let rows: [(path: ListIndexPath, id: UntypedID, identifier: String)] = [
            (at(0, 0), 1, "picture"), (at(0, 1), 2, "picture"), (at(1, 0), 9, "plain"), (at(1, 1), 1, "plain"),
        ]
        let (same, other) = given.split(rows)
        #expect(same == [at(0, 0), at(1, 0)] && other == [at(0, 1), at(1, 1)])
    }

    @Test("After a batch that ends at once, the next one is played")
    func instantBatches() throws {
        let (fixture, table) = try fixture([["Milk", "Tea"]])
        table.isInstant = true
        try fixture.store.edit("Edit") { list in
            try list.insertSection("Z", title: "Z")
            try list.move(1, to: .end(of: "Z"))
            try list.toggle(1)
        }
        fixture.driver.refresh()
        #expect(table.batchCount == 2 && table.isUpToDate && table.problems.isEmpty)
    }

    @Test("Commits of others are shown by themselves, and a released driver observes nothing")
    func following() async throws {
        let fixture = try DriverFixture([["Milk"]])
        weak var driver: ListDriver<TodoStore>?
        do {
            let own = try ListDriver(fixture.store, names: ActionNames { $0.title }) { _ in }
            driver = own
            try fixture.edit("Edit") { try $0.toggle(1) }
            while own.player.newest.version < Version(2) { await Task.yield() }
            #expect(own.row(at: at(0, 0))?.isChecked == true)
        }
        #expect(driver == nil)
        try fixture.edit("Edit") { try $0.toggle(1) }
        try fixture.store.close()
    }

    @Test("A closed store is no failure: the shown rows stay")
    func closed() async throws {
        let (fixture, table) = try fixture([["Milk"]])
        try fixture.store.close()
        fixture.driver.refresh()
        #expect(fixture.failures.all.isEmpty && table.isUpToDate && fixture.driver.sectionCount == 1)
        #expect(fixture.driver.delete(1) == false)
        #expect(fixture.failures.all.count == 1)
    }

    @Test("The control: a driver that answers with new rows before the batch is detected")
    func controlShowingEarly() throws {
        let (fixture, table) = try fixture([["Milk", "Tea"]])
        let early = EarlyTable(table)
        fixture.driver.drive(early)
        fixture.driver.delete(1)
        #expect(!table.problems.isEmpty)
    }

    @Test("The control: a driver that begins a batch before the last one has ended is detected")
    func controlEndingEarly() throws {
        let (fixture, table) = try fixture([["Milk", "Tea"]])
        table.mistake = .endsEarly
        fixture.driver.delete(1)
        fixture.driver.delete(2)
        #expect(!table.problems.isEmpty)
    }
}
