// Tests the past on screen: previews, restoring a preview, and playbacks.

import ListModel
@testable import Listory
@testable import ListoryUI
import TestSupport
import Testing

@MainActor
@Suite("The past in a list view")
struct PastTests {
    /// A list in a table, from which the rows were deleted one after another.
    private func shown() throws -> (DriverFixture<TodoStore>, FakeTable<TodoStore>) {
        let fixture = try DriverFixture([["Milk", "Tea", "Salt"]])
        let table = FakeTable(fixture.driver)
        fixture.driver.drive(table)
        table.isInstant = true
        for id in 1...3 { fixture.driver.delete(.integer(Int64(id))) }
        return (fixture, table)
    }

    private func titles(_ fixture: DriverFixture<TodoStore>) throws -> [String] {
        fixture.driver.shown.sections.flatMap { $0.rows.map { $0.item!.title } }
    }

    @Test("A preview shows old rows and leaves undo alone; gestures are refused until it ends")
    func preview() throws {
        let (fixture, table) = try shown()
        let state = fixture.driver.undoState
        #expect(fixture.driver.preview(Version(2)))
        #expect(try titles(fixture) == ["Tea", "Salt"] && table.isUpToDate)
        #expect(fixture.driver.preview(Version(1)) && fixture.driver.previewed == Version(1))
        #expect(try titles(fixture) == ["Milk", "Tea", "Salt"])
        #expect(!fixture.driver.toggle(1) && !fixture.driver.undo() && !fixture.driver.delete(2))
        #expect(!fixture.driver.canMove(at: at(0, 0)) && fixture.driver.editing(at: at(0, 0)) == .none)
        #expect(fixture.failures.all.count == 3)
        #expect(fixture.failures.take().last?.contains("version 1 is shown") == true)
        #expect(!fixture.driver.preview(Version(99)))
        #expect(fixture.failures.take().count == 1 && fixture.driver.previewed == Version(1))
        // Commits of others are shown when the preview ends.
        try fixture.store.edit("Others", tracking: .untracked) { list in
            try list.insert(Todo(id: 9, title: "Rice"), at: .end(of: "A"))
        }
        fixture.driver.refresh()
        #expect(try titles(fixture) == ["Milk", "Tea", "Salt"])
        #expect(fixture.driver.undoState == state)
        fixture.driver.endPreview()
        #expect(try titles(fixture) == ["Rice"] && table.isUpToDate && table.problems.isEmpty)
        #expect(fixture.driver.undo() && fixture.failures.all.isEmpty)
    }

    @Test("A row that is dropped after a preview began moves back")
    func dropInPreview() throws {
        let (fixture, table) = try shown()
        #expect(fixture.driver.preview(Version(1)))
        table.beginDrag(at(0, 0), isForced: true)
        table.drop(at(0, 1), isForced: true)
        #expect(fixture.failures.take().last?.contains("version 1 is shown") == true)
        fixture.pause.run()
        #expect(try titles(fixture) == ["Milk", "Tea", "Salt"] && table.isUpToDate && table.problems.isEmpty)
    }

    @Test("A preview can be restored, by one commit that undo takes back")
    func restore() throws {
        let (fixture, table) = try shown()
        #expect(!fixture.driver.restorePreview())
        fixture.driver.preview(Version(2))
        #expect(fixture.driver.restorePreview() && fixture.driver.previewed == nil)
        #expect(try titles(fixture) == ["Tea", "Salt"] && fixture.newestName == "Restore")
        #expect(fixture.driver.undoName == "Restore" && fixture.driver.undo())
        #expect(try titles(fixture) == [] && table.isUpToDate && table.problems.isEmpty)
    }

    @Test("A view that filters shows its own past")
    func filtered() throws {
        let fixture = try DriverFixture([["Milk", "Tea"]]) { store in
            try store.view { list in list.filter { !$0.isChecked } }
        }
        try fixture.store.edit("Check") { try $0.toggle(1) }
        fixture.driver.refresh()
        #expect(fixture.driver.itemCount(inSection: 0) == 1)
        #expect(fixture.driver.preview(Version(1)) && fixture.driver.itemCount(inSection: 0) == 2)
        fixture.driver.endPreview()
        #expect(fixture.driver.itemCount(inSection: 0) == 1 && fixture.failures.all.isEmpty)
    }

    @Test("A playback shows one version after another, and then the newest rows again")
    func playing() async throws {
        let (fixture, _) = try shown()
        var counts: [Int] = []
        let clock = SleepingClock()
        let observer = CountingScreen { counts.append(fixture.driver.itemCount(inSection: 0)) }
        fixture.driver.drive(observer)
        counts = []
        try await fixture.driver.play(from: Version(1), to: Version(4), speed: .every(.seconds(1)), clock: clock)
        #expect(counts == [3, 2, 1, 0] && clock.pauses.count == 3 && fixture.driver.previewed == nil)
        counts = []
        try await fixture.driver.play(from: Version(4), to: Version(1), speed: .unpaced)
        // The last one is that of the newest rows.
        #expect(counts == [1, 2, 3, 0])
    }

    @Test("A playback ends when the preview does, or its task")
    func ending() async throws {
        let (fixture, _) = try shown()
        let driver = fixture.driver
        var counts: [Int] = []
        let observer = CountingScreen {
            counts.append(driver.itemCount(inSection: 0))
            if counts.count == 2 { Task { driver.endPreview() } }
        }
        driver.drive(observer)
        counts = []
        try await driver.play(from: Version(1), to: Version(4), speed: .every(.milliseconds(20)))
        #expect(counts == [3, 2, 0] && driver.previewed == nil)
        let task = Task { try await driver.play(from: Version(1), to: Version(4), speed: .every(.seconds(3_600))) }
        while driver.previewed == nil { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(driver.previewed == nil && fixture.failures.all.isEmpty)
    }
}

/// A screen that is reloaded for every change.
@MainActor
private final class CountingScreen: ListScreen {
    private let onReload: () -> Void

    init(_ onReload: @escaping () -> Void) { self.onReload = onReload }

    var isOnScreen: Bool { false }
    var isBusy: Bool { false }
    var selection: [ListIndexPath] { [] }
    func select(_ paths: [ListIndexPath]) {}
    func reload() { onReload() }
    func phases(of transition: ListTransition, reloadAbove: Int?) -> [TransitionPhase] { [] }
}
