// Tests undo in an interface: notifications, names, and steps of several gestures.

import ListModel
@testable import Listory
@testable import ListoryUI
import Observation
import TestSupport
import Testing

@MainActor
@Suite("Undo in a list view")
struct UndoDriverTests {
    private final class Told {
        var events: [UndoEvent] = []
        func take() -> [UndoEvent] {
            defer { events = [] }
            return events
        }
    }

    @Test("An undo manager is notified before and after, and of every change of the next undo")
    func events() throws {
        let fixture = try DriverFixture([["Milk", "Tea"]])
        let undo = UndoDriver(fixture.driver)
        let told = Told()
        undo.onEvent = { told.events.append($0) }
        #expect(undo.state.undo?.name == "Start" && !undo.state.canRedo)
        fixture.driver.delete(1)
        undo.refresh()
        #expect(told.take() == [.checkpoint] && undo.state.undo?.name == "Delete Milk")
        undo.refresh()
        #expect(told.take() == [])
        #expect(undo.undo())
        #expect(told.take() == [.willUndo, .checkpoint, .didUndo] && undo.state.redo?.name == "Delete Milk")
        #expect(try fixture.titles == [["Milk", "Tea"]])
        #expect(undo.redo())
        #expect(told.take() == [.willRedo, .checkpoint, .didRedo] && !undo.isRedoing)
        #expect(undo.undo() && undo.undo() && !undo.undo())
        #expect(fixture.failures.take() == ["Undo: cannot undo 1 step: 0 can be undone"])
        #expect(undo.state.undoCount == 0 && undo.state.redoCount == 2)
    }

    @Test("When the driver gets another origin, the undo state is that of its commits")
    func origin() throws {
        let fixture = try DriverFixture([["Milk", "Tea"]], undoScope: .origin)
        fixture.driver.origin = "phone"
        fixture.driver.delete(1)
        let undo = UndoDriver(fixture.driver)
        let told = Told()
        undo.onEvent = { told.events.append($0) }
        fixture.driver.origin = "laptop"
        #expect(told.take() == [.checkpoint] && undo.state == fixture.driver.undoState)
        #expect(undo.state.undo?.name != "Delete Milk")
        fixture.driver.origin = "phone"
        #expect(told.take() == [.checkpoint] && undo.state.undo?.name == "Delete Milk")
    }

    @Test("An undo that is requested during the notification of another one is not made")
    func reentrance() throws {
        let fixture = try DriverFixture([["Milk", "Tea"]])
        fixture.driver.delete(1)
        let undo = UndoDriver(fixture.driver)
        undo.onEvent = { event in
            if event == .willUndo {
                #expect(undo.isUndoing)
                #expect(!undo.undo() && !undo.redo())
            }
        }
        #expect(undo.undo())
        #expect(try fixture.titles == [["Milk", "Tea"]] && !undo.isUndoing)
    }

    @Test("Actions of others are forgotten after a commit, but not while one of their groups is open")
    func superseded() {
        var actions = SupersededActions()
        // Nothing is superseded yet.
        var forgotten = [0, 1].map { actions.takeIfClosed(groupingLevel: $0) }
        actions.supersede()
        #expect(actions.isPending)
        forgotten += [2, 1, 0, 0].map { actions.takeIfClosed(groupingLevel: $0) }
        #expect(forgotten == [false, false, false, false, true, false] && !actions.isPending)
    }

    @Test("Commits of others are reported by themselves")
    func others() async throws {
        let fixture = try DriverFixture([["Milk", "Tea"]])
        let undo = UndoDriver(fixture.driver)
        let name = await withCheckedContinuation { continuation in
            undo.onEvent = { _ in
                undo.onEvent = { _ in }
                continuation.resume(returning: undo.state.undo?.name)
            }
            do { try fixture.store.edit("Others") { try $0.toggle(2) } } catch { Issue.record("\(error)") }
        }
        #expect(name == "Others")
    }

    @Test("Typing into a field is one step, until the selection moves; gestures of a group are one step")
    func steps() throws {
        let fixture = try DriverFixture([["Milk", "Tea"]])
        for title in ["M", "Mi", "Mil"] { fixture.driver.update(1, named: "Type") { $0.title = title } }
        fixture.driver.selectionDidChange()
        fixture.driver.update(1, named: "Type") { $0.title = "Mild" }
        #expect(fixture.driver.undoState.undoCount == 3)
        fixture.driver.undo()
        #expect(try fixture.titles == [["Mil", "Tea"]])
        fixture.driver.undo()
        #expect(try fixture.titles == [["Milk", "Tea"]])
        try fixture.driver.group("Tidy up") {
            fixture.driver.toggle(1)
            fixture.driver.delete(2)
        }
        #expect(fixture.driver.undoName == "Tidy up" && fixture.driver.undo())
        #expect(try fixture.titles == [["Milk", "Tea"]])
    }

    @Test("Conflicts with others are reported or skipped, as the driver's policy says")
    func conflicts() throws {
        let fixture = try DriverFixture([["Milk", "Tea"]])
        let version = try fixture.store.core.version.next
        fixture.driver.update(1, named: "Type") { $0.title = "Cream" }
        fixture.driver.update(1, named: "Other") { $0.title = "Soy" }
        #expect(!fixture.driver.revert(version))
        #expect(fixture.failures.take() == ["Revert Type: the rows were changed since: row 1 was changed since"])
        fixture.driver.onConflict = .skip
        #expect(fixture.driver.revert(version) && fixture.failures.all.isEmpty)
        #expect(try fixture.titles == [["Soy", "Tea"]])
        #expect(fixture.driver.revert(version.next))
        #expect(try fixture.titles == [["Cream", "Tea"]] && fixture.newestName == "Revert Other")
    }

    @Test("An observable list reports a new next undo even if none of its rows changed")
    func observable() async throws {
        let fixture = try DriverFixture([["Milk", "Tea"]]) { store in
            try store.view { list in list.filter { !$0.isChecked } }
        }
        try fixture.edit("Check") { try $0.toggle(2) }
        let list = try ObservableList(fixture.source, names: ActionNames { $0.title })
        #expect(list.undoName == "Check" && list.sections[0].rows.count == 1)
        try await withCheckedThrowingContinuation { continuation in
            withObservationTracking {
                _ = list.undoName
            } onChange: {
                continuation.resume()
            }
            // The view shows this row neither before nor after.
            do {
                try fixture.store.edit("Rename hidden") { try $0.update(Todo(id: 2, title: "Green tea")) }
            } catch { continuation.resume(throwing: error) }
        }
        // Observers are notified before the change.
        while list.undoName == "Check" { await Task.yield() }
        #expect(list.undoName == "Rename hidden" && list.undoState.undoCount == 3)
        #expect(list.undo() && list.undoName == "Check" && list.redoName == "Rename hidden")
    }
}
