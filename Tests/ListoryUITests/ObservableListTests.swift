// Tests the observable list: the arguments of SwiftUI's modifiers, and its observers.

import ListModel
import Listory
@testable import ListoryUI
import Observation
import TestSupport
import Testing

@MainActor
@Suite("An observable list")
struct ObservableListTests {
    private func list(_ rows: [[String]]) throws -> (DriverFixture<TodoStore>, ObservableList<TodoStore>) {
        let fixture = try DriverFixture(rows)
        return (fixture, try ObservableList(fixture.store, names: ActionNames { $0.title }))
    }

    private func titles(_ list: ObservableList<TodoStore>) throws -> [[String]] {
        list.sections.map { $0.rows.map { ($0.isChecked ? "x " : "") + $0.item!.title } }
    }

    /// Whether a change of an observed value is reported while `body` runs.
    private func isTold(_ look: () -> Void, _ body: () throws -> Void) rethrows -> Bool {
        nonisolated(unsafe) var isTold = false
        // All on one thread: the change is made by `body`.
        withObservationTracking(look) { isTold = true }
        try body()
        return isTold
    }

    @Test("A move has the same meaning as for the elements of an array", arguments: 0..<5, 0...5)
    func moves(from: Int, to: Int) throws {
        let (fixture, list) = try list([["a", "b", "c", "d", "e"]])
        #expect(list.move([from], to: to, in: list.sections[0]))
        var expected = ["a", "b", "c", "d", "e"]
        let moved = expected.remove(at: from)
        expected.insert(moved, at: to > from ? to - 1 : to)
        #expect(try titles(list) == [expected])
        #expect(try fixture.titles == [expected])
    }

    @Test("Several rows move together to any place")
    func severalMoves() throws {
        for offsets in [[0, 1], [1, 3], [0, 2, 4], [3, 4], [0, 1, 2, 3, 4]] {
            for destination in 0...5 {
                let (_, list) = try list([["a", "b", "c", "d", "e"]])
                #expect(list.move(offsets, to: destination, in: list.sections[0]))
                let all = ["a", "b", "c", "d", "e"]
                let before = all.indices.filter { $0 < destination && !offsets.contains($0) }
                let after = all.indices.filter { $0 >= destination && !offsets.contains($0) }
                #expect(
                    try titles(list) == [(before + offsets + after).map { all[$0] }], "\(offsets) to \(destination)")
            }
        }
    }

    @Test("Offsets of a gesture refer to the rows that the user saw, although others edited meanwhile")
    func gesturesInOldRows() throws {
        let (fixture, list) = try list([["a", "b", "c", "d", "e"]])
        let section = list.sections[0]
        try fixture.store.edit("Others") { try $0.delete(1) }
        list.driver.refresh()
        #expect(try titles(list) == [["b", "c", "d", "e"]])
        // Below "a", which is deleted, and so above "b".
        #expect(list.move([2], to: 1, in: section))
        #expect(try titles(list) == [["c", "b", "d", "e"]])
        #expect(list.insert(Todo(id: 9, title: "z"), at: 4, in: section))
        #expect(try titles(list) == [["c", "b", "d", "z", "e"]])
        #expect(list.insert(Todo(id: 8, title: "y"), in: section))
        #expect(try titles(list) == [["c", "b", "d", "z", "e", "y"]])
        // The control: in the rows that are shown now, the same offset is another place.
        #expect(list.move([0], to: 2, in: list.sections[0]))
        #expect(try titles(list) == [["b", "c", "d", "z", "e", "y"]] && list.failure == nil)
    }

    @Test("Rows are deleted by offsets, inserted at the given place, and keep their ids")
    func deletingAndInserting() throws {
        let (fixture, list) = try list([["a", "b", "c"], ["d"]])
        #expect(list.delete([0, 2], in: list.sections[0]))
        #expect(list.insert(Todo(id: 9, title: "z"), at: 0, in: list.sections[1]))
        #expect(list.insert(Todo(id: 8, title: "y"), in: list.sections[1]))
        #expect(try titles(list) == [["b"], ["z", "d", "y"]])
        #expect(list.sections.map(\.id) == ["A", "B"] && list.sections[1].rows.map(\.id) == [9, 4, 8])
        #expect(list.undoName == "Add y")
        #expect(list.undo() && list.redoName == "Add y" && list.redo())
        #expect(try fixture.titles == [["b"], ["z", "d", "y"]])
    }

    @Test("Typing into a field makes a commit with each key stroke, all with one name")
    func fields() throws {
        let (fixture, list) = try list([["Milk"]])
        let row = list.sections[0].rows[0]
        let before = try fixture.store.core.version
        for title in ["Milk!", "Milk!!", "Milk!!"] {
            #expect(list.set(row.id, \.title, to: title, named: "Rename"))
            #expect(list.value(row, \.title) == title)
        }
        // The third value equals the present one.
        #expect(try fixture.store.core.version.rawValue == before.rawValue + 2)
        #expect(try fixture.newestName == "Rename")
        #expect(list.setChecked(true, for: row) && list.hasCheckmark(row))
        #expect(try titles(list) == [["x Milk!!"]])
        #expect(list.delete([0], in: list.sections[0]))
        #expect(list.value(row, \.title) == nil && !list.hasCheckmark(row))
        #expect(!list.set(row.id, \.title, to: "", named: "Rename"))
        #expect(list.failure?.description == "Rename: no row has the id 1")
    }

    @Test("Observers are notified of changes by a gesture or by others")
    func observation() async throws {
        let (fixture, list) = try list([["a"]])
        #expect(isTold({ _ = list.sections }) { list.driver.toggle(1) })
        #expect(isTold({ _ = list.undoName }) { list.driver.toggle(1) })
        #expect(
            isTold({ _ = list.value(list.sections[0].rows[0], \.title) }) {
                list.set(1, \.title, to: "b", named: "Rename")
            })
        #expect(isTold({ _ = list.failure }) { list.driver.toggle(7) })
        // The control: nothing happens.
        #expect(!isTold({ _ = list.sections }) {})
        var animations = 0
        list.animate = { change in
            animations += 1
            change()
        }
        try fixture.edit("Others") { try $0.insert(Todo(id: 2, title: "c"), at: .end(of: "A")) }
        while list.snapshot.itemCount == 1 { await Task.yield() }
        #expect(animations == 1)
        // The result of a drag or of typing is shown at once.
        list.move([0], to: 2, in: list.sections[0])
        list.set(1, \.title, to: "d", named: "Rename")
        list.set(1, \.title, to: "b", named: "Rename")
        list.move([1], to: 0, in: list.sections[0])
        #expect(animations == 1 && list.undo() && animations == 2)
        list.redo()
        #expect(try titles(list) == [["b", "c"]])
    }

    @Test("The rules are those of the driver")
    func rules() throws {
        let (fixture, list) = try list([["a", "b", "c"], []])
        list.driver.rules.editing = { $0.item?.title == "b" ? .none : .delete }
        list.driver.rules.canMove = { $0.item?.title != "b" }
        list.driver.rules.canMoveInto = { _, section in section == 0 }
        let rows = list.sections[0].rows
        #expect(rows.map { list.canDelete($0) } == [true, false, true])
        #expect(rows.map { list.canMove($0) } == [true, false, true])
        #expect(!list.delete([1], in: list.sections[0]) && !list.move([1], to: 0, in: list.sections[0]))
        #expect(list.failure?.description == "Move b: the rules of the list do not allow \"Move\" for row 2")
        #expect(!list.move([0, 1], to: 3, in: list.sections[0]) && list.move([0], to: 3, in: list.sections[0]))
        #expect(list.delete([0, 1], in: list.sections[0]))
        #expect(try fixture.titles == [["b", "a"], []])
        list.driver.preview(Version(1))
        #expect(rows.allSatisfy { !list.canDelete($0) && !list.canMove($0) })
    }

    @Test("A view that has asked whether a row may be moved or deleted is told when the past is restored")
    func gesturesAfterThePast() throws {
        let (fixture, list) = try list([["Milk", "Tea"]])
        list.driver.toggle(1)
        for look in [{ _ = list.canDelete($0) }, { _ = list.canMove($0) }] as [(ObservableRow<TodoStore>) -> Void] {
            #expect(list.driver.preview(Version(1)))
            let row = list.sections[0].rows[0]
            #expect(isTold({ look(row) }) { list.restoreShownVersion() })
            #expect(!list.isPastShown)
            #expect(list.canDelete(row) && list.canMove(row))
            list.driver.toggle(1)
        }
        withExtendedLifetime(fixture) {}
    }

    @Test("While the past is shown, controls show the values of the past")
    func valuesOfThePast() throws {
        let (fixture, list) = try list([["Milk"]])
        try fixture.store.edit("Edit") { list in
            try list.update(Todo(id: 1, title: "Cream"))
            try list.toggle(1)
        }
        list.driver.refresh()
        let newest = list.sections[0].rows[0]
        #expect(list.value(newest, \.title) == "Cream" && list.hasCheckmark(newest) && list.showsChildren(newest))
        #expect(list.driver.preview(Version(1)))
        let old = list.sections[0].rows[0]
        #expect(try old.item!.title == "Milk")
        #expect(list.value(old, \.title) == "Milk" && !list.hasCheckmark(old) && list.showsChildren(old))
        #expect(!list.set(1, \.title, to: "Tea", named: "Rename") && list.failure?.cause is PastShown)
        list.driver.endPreview()
        #expect(list.value(old, \.title) == "Cream" && list.hasCheckmark(old))
    }

    @Test("Reading a value that cannot be decoded notifies no observer")
    func unreadableValue() throws {
        let (fixture, list) = try list([["Milk"]])
        try fixture.store.core.edit("Foreign") { list in
            try list.insert(NewRow(id: 7, content: Array("?".utf8)), at: .end(ofSection: "A"))
        }
        list.driver.refresh()
        let row = list.sections[0].rows[1]
        var value: String?
        #expect(!isTold({ _ = list.failure }) { value = list.value(row, \.title) })
        #expect(value == nil && list.failure == nil)
        #expect(row.item == nil)
    }

    @Test("A row whose content was erased shows an equal item as soon as that is written")
    func writtenAgain() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("todo.listory")
        let milk = Todo(id: 1, title: "Milk")
        var store = try TodoStore.open(at: path, createIfMissing: true)
        try store.edit("Start") { try $0.insertSection("A", items: [milk]) }
        try store.edit("Delete") { try $0.delete(1) }
        try store.close()
        #expect(try TodoStore.erase([1], at: path).contentCount == 1)
        store = try TodoStore.open(at: path)
        try store.undo()
        let list = try ObservableList(store, names: ActionNames { $0.title })
        let hash = list.snapshot.stateHash
        #expect(list.sections[0].rows[0].item == nil)
        try store.edit("Write") { try $0.update(milk) }
        #expect(isTold({ _ = list.sections }) { list.driver.refresh() })
        #expect(list.sections[0].rows[0].item == milk && list.snapshot.stateHash == hash)
        // The control: the same rows at another version.
        try store.edit("Twice") { try $0.toggle(1) }
        try store.edit("Twice") { try $0.toggle(1) }
        #expect(!isTold({ _ = list.sections }) { list.driver.refresh() })
    }

    @Test("A missing offset or section is a failure")
    func failures() throws {
        let (fixture, list) = try list([["a"], ["b"]])
        let section = list.sections[1]
        #expect(!list.delete([1], in: section))
        #expect(list.failure?.description == "Delete: index 1 in section 1 is out of range: expected 0 to 0")
        #expect(!list.move([0], to: 7, in: section))
        try fixture.store.edit("Others") { try $0.deleteSection("B") }
        list.driver.refresh()
        list.failure = nil
        #expect(!list.delete([0], in: section))
        #expect(list.failure?.description == "Delete: no section has the id \"B\"")
    }
}
