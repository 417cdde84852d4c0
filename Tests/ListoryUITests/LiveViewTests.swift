// Tests live views with a driver: filter, search and sort with animation, and gestures in a view.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport
import Testing

private typealias TodoView = LiveList<String, Todo>

@MainActor
@Suite("Driving a live view")
struct LiveViewTests {
    private func fixture(
        _ rows: [[String]], _ query: (ListQuery<String, Todo>) -> ListQuery<String, Todo>
    ) throws -> (DriverFixture<TodoView>, FakeTable<TodoView>) {
        let fixture = try DriverFixture(rows) { try $0.view(query) }
        let table = FakeTable(fixture.driver)
        fixture.driver.drive(table)
        return (fixture, table)
    }

    private func shown(_ driver: ListDriver<TodoView>) throws -> [[String]] {
        driver.shown.sections.map { $0.rows.map { $0.item!.title } }
    }

    @Test("A search is played as one transition, and so is its end")
    func search() async throws {
        let (fixture, table) = try fixture([["Milk", "Tea", "Green tea"], ["Rice"]]) { $0.searchable(in: \.title) }
        try fixture.source.search("tea")
        while table.batchCount == 0 { await Task.yield() }
        table.endBatch()
        #expect(try shown(fixture.driver) == [["Tea", "Green tea"], []])
        #expect(fixture.driver.toggle(2))
        try fixture.source.search("")
        fixture.driver.refresh()
        table.endBatch()
        #expect(try shown(fixture.driver) == [["Milk", "Tea", "Green tea"], ["Rice"]])
        #expect(table.batchCount == 2 && table.isUpToDate && table.problems.isEmpty)
    }

    @Test("In a view of one section, rows move, are inserted and are deleted in that section")
    func section() throws {
        let (fixture, table) = try fixture([["a"], ["b", "c", "d"]]) { $0 }
        let second = try fixture.store.snapshot.section(at: 1)!.id
        try fixture.source.show(ListQuery().sections([second]))
        fixture.driver.refresh()
        table.endBatch()
        #expect(try shown(fixture.driver) == [["b", "c", "d"]])
        table.beginDrag(at(0, 2))
        table.drop(at(0, 0))
        fixture.pause.run()
        #expect(try fixture.titles == [["a"], ["d", "b", "c"]])
        #expect(try shown(fixture.driver) == [["d", "b", "c"]] && table.problems.isEmpty)
    }

    @Test("In a filtered view a row is moved beside the shown rows; in a sorted view it is not moved")
    func moves() throws {
        let (fixture, table) = try fixture([["a", "b", "c", "d"]]) { $0.filter { !$0.isChecked } }
        #expect(fixture.driver.toggle(2))
        table.endBatch()
        table.beginDrag(at(0, 2))
        table.drop(at(0, 1))
        fixture.pause.run()
        #expect(try fixture.titles == [["a", "d", "x b", "c"]])
        #expect(try shown(fixture.driver) == [["a", "d", "c"]])
        #expect(table.batchCount == 1 && fixture.source.keepsOrder)
        try fixture.source.show(ListQuery().sorted(by: \.title))
        fixture.driver.refresh()
        table.endBatch()
        #expect(try shown(fixture.driver) == [["a", "b", "c", "d"]])
        #expect(!fixture.source.keepsOrder && !fixture.driver.canMove(at: at(0, 0)))
        #expect(fixture.driver.update(1) { $0.title = "z" })
        while table.isAnimating { table.endBatch() }
        #expect(try shown(fixture.driver) == [["b", "c", "d", "z"]])
        #expect(fixture.driver.undo())
        while table.isAnimating { table.endBatch() }
        #expect(try shown(fixture.driver) == [["a", "b", "c", "d"]])
        #expect(table.isUpToDate && table.problems.isEmpty && fixture.failures.all.isEmpty)
    }

    @Test("Groups appear and disappear with their rows, and gestures cannot move rows")
    func groups() throws {
        let fixture = try DriverFixture([["Milk", "Mustard", "Tea"]]) { store in
            try store.view { list in list.grouped(by: { try String($0.item!.title.prefix(1)) }) }
        }
        let table = FakeTable(fixture.driver)
        fixture.driver.drive(table)
        #expect(fixture.driver.sectionCount == 2 && !fixture.source.keepsOrder)
        fixture.driver.update(3) { $0.title = "Rice" }
        while table.isAnimating { table.endBatch() }
        #expect(try fixture.driver.shown.sections.map { $0.id } == ["M", "R"])
        fixture.driver.delete([1, 2])
        while table.isAnimating { table.endBatch() }
        #expect(fixture.driver.sectionCount == 1)
        #expect(table.isUpToDate && table.problems.isEmpty && fixture.failures.all.isEmpty)
    }

    private struct Unplaceable: Error {}

    private nonisolated static func throwing() throws -> Bool { throw Unplaceable() }

    @Test("A row that a view cannot place is a failure, and the shown rows stay")
    func unplaceable() throws {
        let (fixture, table) = try fixture([["a", "b"]]) { $0.filter { try $0.item != nil || Self.throwing() } }
        try fixture.store.core.edit("Foreign") { list in
            try list.insert(NewRow(id: 77, content: Array("?".utf8)), at: .end(ofSection: "A"))
        }
        fixture.driver.refresh()
        #expect(fixture.failures.all.map(\.action) == [.read])
        #expect(try shown(fixture.driver) == [["a", "b"]])
        try fixture.store.undo()
        fixture.driver.refresh()
        fixture.driver.delete(1)
        table.endBatch()
        #expect(fixture.failures.all.count == 1)
        #expect(try shown(fixture.driver) == [["b"]])
        #expect(table.isUpToDate && table.problems.isEmpty)
    }

    @Test("A version that cannot be followed is reported once; a later call throws", .timeLimit(.minutes(10)))
    func failureIsToldOnce() async throws {
        let (fixture, _) = try fixture([["a", "b"]]) { $0.filter { try $0.item != nil || Self.throwing() } }
        func yield() async { for _ in 0..<200 { await Task.yield() } }
        try fixture.store.core.edit("Foreign") { list in
            try list.insert(NewRow(id: 77, content: Array("?".utf8)), at: .end(ofSection: "A"))
        }
        while fixture.failures.all.isEmpty { await Task.yield() }
        await yield()
        #expect(fixture.failures.all.count == 1)
        // Only the caller of `refresh` gets the error.
        fixture.driver.refresh()
        await yield()
        #expect(fixture.failures.all.count == 2)
        // So does the caller of an edit. The view reports the same version, but no new failure.
        fixture.driver.toggle(2)
        await yield()
        #expect(fixture.failures.all.count == 3)
        // Another version is another failure.
        try fixture.edit("Check") { try $0.toggle(1) }
        while fixture.failures.all.count == 3 { await Task.yield() }
        await yield()
        #expect(fixture.failures.all.count == 4)
        // Another query may fail at the same version again.
        #expect(throws: Never.self) { try fixture.source.showFirst(1) }
        await yield()
        #expect(fixture.failures.all.count > 4 && fixture.failures.all.count < 7)
    }

    @Test("Only sorting and grouping decide whether rows keep the order of the list")
    func order() throws {
        let fixture = try DriverFixture([["a"]])
        let store = fixture.store
        #expect(store.keepsOrder)
        #expect(try store.view { $0 }.keepsOrder)
        #expect(try store.view { $0.filter { _ in true }.searchable(in: \.title).prefix(3) }.keepsOrder)
        #expect(try !store.view { $0.sorted(by: \.title).prefix(3) }.keepsOrder)
        #expect(try !store.view { $0.prefix(3).sorted(by: \.title) }.keepsOrder)
        #expect(try !store.view { $0.inOneSection() }.keepsOrder)
    }

    @Test("A source reports changes until its store is closed", .timeLimit(.minutes(10)))
    func changes() async throws {
        let fixture = try DriverFixture([["a"]])
        let view = try fixture.store.view { $0.filter { !$0.isChecked } }
        var ofStore = try fixture.store.changes().makeAsyncIterator()
        var ofView = try view.changes().makeAsyncIterator()
        try fixture.edit("Check") { try $0.toggle(1) }
        #expect(await ofStore.next() != nil)
        #expect(await ofView.next() != nil)
        #expect(try view.snapshot.itemCount == 0)
        try fixture.store.close()
        #expect(await ofStore.next() == nil)
        #expect(await ofView.next() == nil)
    }

    @Test("An observable list shows a view as well as a store")
    func observable() throws {
        let fixture = try DriverFixture([["b", "a", "c"]])
        let view = try fixture.store.view { $0.sorted(by: \.title) }
        let list = try ObservableList(view, names: ActionNames { $0.title })
        let rows = list.sections[0].rows
        #expect(try rows.map { try $0.item!.title } == ["a", "b", "c"])
        #expect(list.delete([0], in: list.sections[0]))
        #expect(try list.sections[0].rows.map { try $0.item!.title } == ["b", "c"])
        #expect(!list.move([0], to: 2, in: list.sections[0]) && list.failure != nil)
    }
}
