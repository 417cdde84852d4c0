// Tests gestures: their commits, the names of the commits, and their failures.

import ListModel
import Listory
@testable import ListoryUI
import TestSupport
import Testing

@MainActor
@Suite("Gestures")
struct GestureTests {
    @Test("Each gesture is a commit whose name says what was done with which row")
    func names() throws {
        let fixture = try DriverFixture([["Milk", "Tea", "Salt"]])
        let driver = fixture.driver
        #expect(driver.toggle(1))
        #expect(try fixture.newestName == "Check Milk")
        #expect(driver.toggle(1))
        #expect(try fixture.newestName == "Uncheck Milk")
        #expect(driver.update(2) { $0.title = "Green tea" })
        #expect(try fixture.newestName == "Rename Tea")
        #expect(driver.insert(Todo(id: 9, title: "Rice"), isChecked: true, at: at(0, 1)))
        #expect(try fixture.newestName == "Add Rice")
        #expect(driver.move([3], toGap: at(0, 0)))
        #expect(try fixture.newestName == "Move Salt")
        #expect(try fixture.titles == [["Salt", "Milk", "x Rice", "Green tea"]])
        #expect(driver.delete([1, 2]))
        #expect(try fixture.newestName == "Delete 2 Rows")
        #expect(driver.delete(3))
        #expect(try fixture.newestName == "Delete Salt")
        #expect(try fixture.titles == [["x Rice"]])
        #expect(fixture.failures.all.isEmpty)
    }

    @Test("The app chooses the names, and commits have the driver's origin")
    func ownNames() throws {
        let fixture = try DriverFixture([["Milch", "Tee"]])
        fixture.driver.origin = "phone"
        fixture.driver.names.rows = { "\($0) Zeilen" }
        fixture.driver.names.phrase = { action, rows in action == .delete ? "\(rows) löschen" : "\(action)" }
        fixture.driver.delete([1, 2])
        let commit = try fixture.store.core.commit(fixture.store.core.version)
        #expect(commit.name == "2 Zeilen löschen" && commit.origin == "phone")
    }

    @Test("Undo and redo are forwarded, with the names of their commits")
    func undo() throws {
        let fixture = try DriverFixture([["Milk", "Tea"]])
        let table = FakeTable(fixture.driver)
        fixture.driver.drive(table)
        table.isInstant = true
        #expect(fixture.driver.undoName == "Start" && fixture.driver.redoName == nil)
        fixture.driver.delete(1)
        fixture.driver.toggle(2)
        #expect(fixture.driver.undoName == "Check Tea")
        #expect(fixture.driver.undo() && fixture.driver.undo())
        #expect(fixture.driver.undoName == "Start" && fixture.driver.redoName == "Delete Milk")
        #expect(try fixture.titles == [["Milk", "Tea"]])
        #expect(fixture.driver.redo())
        #expect(try fixture.titles == [["Tea"]])
        #expect(table.isUpToDate && table.problems.isEmpty && fixture.failures.all.isEmpty)
        #expect(fixture.driver.redo() && !fixture.driver.redo())
        #expect(fixture.failures.take() == ["Redo: cannot redo 1 step: 0 can be redone"])
    }

    @Test("A gesture that fails is reported and changes nothing")
    func failures() throws {
        let fixture = try DriverFixture([["Milk"]])
        let driver = fixture.driver
        let version = try fixture.store.core.version
        #expect(!driver.toggle(7))
        #expect(!driver.update(7) { $0.title = "" })
        #expect(!driver.update(1) { $0.id = 8 })
        #expect(!driver.insert(Todo(id: 1, title: "Milk"), at: at(0, 0)))
        #expect(!driver.insert(Todo(id: 2, title: "Tea"), at: at(3, 0)))
        #expect(!driver.move([1], toGap: at(0, 5)))
        #expect(
            fixture.failures.take() == [
                "Check 7: no row has the id 7", "Rename 7: no row has the id 7",
                "Rename Milk: identifier of a changed row: expected 1, found 8",
                "Add Milk: there is a row with the id 1 already",
                "Add Tea: section index 3 is out of range: expected 0 to 0",
                "Move Milk: index 5 in section 0 is out of range: expected 0 to 1",
            ])
        #expect(try fixture.store.core.version == version)
    }

    @Test("Sections are inserted, renamed, moved and deleted by name")
    func sections() throws {
        let fixture = try DriverFixture([["a"], ["b"], ["c"]])
        let driver = fixture.driver
        #expect(driver.insertSection("Z", title: "Zoo", at: 1))
        #expect(try fixture.newestName == "Add Zoo")
        #expect(driver.renameSection("Z", to: "Park"))
        #expect(try fixture.newestName == "Rename Zoo")
        #expect(try fixture.titles == [["a"], [], ["b"], ["c"]])
        for (gap, expected) in [(0, "ZABC"), (2, "AZBC"), (4, "ABCZ"), (4, "ABCZ"), (3, "ABCZ"), (1, "AZBC")] {
            #expect(driver.moveSection("Z", toGap: gap))
            #expect(try fixture.store.snapshot.sections.map { $0.id }.joined() == expected)
        }
        #expect(try fixture.newestName == "Move Park")
        #expect(driver.deleteSection("B"))
        #expect(try fixture.newestName == "Delete B")
        #expect(try fixture.titles == [["a"], [], ["c"]])
        #expect(!driver.deleteSection("B") && !driver.moveSection("A", toGap: 9))
        #expect(!driver.insertSection("A", title: "A", at: 0) && !driver.insertSection("Y", title: "Y", at: 4))
        #expect(fixture.failures.all.count == 4)
    }

    @Test("Deleting a row that is already deleted is no failure and makes no commit")
    func deletedTwice() throws {
        let fixture = try DriverFixture([["Milk", "Tea"]])
        fixture.driver.delete(1)
        let version = try fixture.store.core.version
        #expect(fixture.driver.delete(1))
        #expect(try fixture.store.core.version == version && fixture.failures.all.isEmpty)
        #expect(fixture.driver.delete([1, 2]))
        #expect(try fixture.titles == [[]])
    }

    @Test("A row whose content cannot be decoded is named by its id, and can be deleted")
    func foreignRow() throws {
        let fixture = try DriverFixture([["Milk"]])
        try fixture.store.core.edit("Foreign") { list in
            try list.insert(NewRow(id: 77, content: Array("?".utf8)), at: .end(ofSection: "A"))
        }
        fixture.driver.refresh()
        #expect(fixture.driver.toggle(77) && fixture.driver.delete(77))
        #expect(try fixture.newestName == "Delete 77" && fixture.failures.all.isEmpty)
    }

    @Test("Rules say which gestures are allowed for which row")
    func rules() throws {
        let fixture = try DriverFixture([["Milk", "Tea"], []])
        let driver = fixture.driver
        #expect(driver.editing(at: at(0, 0)) == .delete && driver.canMove(at: at(0, 0)))
        #expect(driver.editing(at: at(0, 2)) == .none && !driver.canMove(at: at(5, 0)))
        driver.rules.editing = { $0.item?.title == "Milk" ? .insert : .none }
        driver.rules.canMove = { $0.item?.title == "Milk" }
        driver.rules.canMoveInto = { _, section in section == 0 }
        #expect(driver.editing(at: at(0, 0)) == .insert && driver.editing(at: at(0, 1)) == .none)
        #expect(driver.target(ofMoving: at(0, 0), to: at(0, 1)) == at(0, 1))
        #expect(driver.target(ofMoving: at(0, 0), to: at(1, 0)) == at(0, 0))
        #expect(driver.target(ofMoving: at(0, 1), to: at(0, 0)) == at(0, 1))
        let rows = driver.items(atRows: [0, 1], in: .rows)
        #expect(driver.canMove([rows[0]], toGap: at(0, 2)) && !driver.canMove([rows[0]], toGap: at(1, 0)))
        #expect(!driver.canMove(rows, toGap: at(0, 0)) && !driver.canMove([], toGap: at(0, 0)))
        #expect(!driver.canMove([rows[0]], toGap: at(2, 0)) && !driver.canMove([rows[0]], toGap: at(-1, 0)))
    }

    @Test("Of a selection, the rows that the rules allow are deleted, and a tap follows the rules")
    func rulesOfSelections() throws {
        let fixture = try DriverFixture([["Milk", "Tea", "Salt"]])
        let driver = fixture.driver
        driver.rules.editing = { $0.item?.title == "Tea" ? .none : .delete }
        driver.rules.togglesOnTap = { $0.item?.title == "Tea" }
        #expect(!driver.delete(at: [at(0, 1)]) && !driver.delete(at: []))
        #expect(
            fixture.failures.take() == ["Delete Tea: the rules of the list do not allow \"Delete\" for row 2"])
        #expect(driver.tap(at: at(0, 0)) == nil && driver.tap(at: at(0, 1)) == true && driver.tap(at: at(4, 0)) == nil)
        #expect(driver.delete(at: [at(0, 0), at(0, 1), at(0, 2)]))
        #expect(try fixture.titles == [["x Tea"]] && fixture.newestName == "Delete 2 Rows")
        // The app's own command is not a gesture.
        #expect(driver.delete(2) && fixture.failures.all.isEmpty)
    }

    @Test("Dragged rows may be dropped where the rules and the newest rows allow it")
    func draggedRows() throws {
        let fixture = try DriverFixture([["Milk", "Tea"], []])
        fixture.driver.rules.canMoveInto = { _, section in section == 0 }
        let drag = fixture.driver.drag([at(0, 1), at(3, 0)])
        #expect(drag.ids == [2] && drag.canMoveToGap(at(0, 0)) && !drag.canMoveToGap(at(1, 0)))
        #expect(!drag.canMoveInto(at(0, 0)))
        fixture.driver.isOutline = true
        #expect(drag.canMoveInto(at(0, 0)) && !drag.canMoveInto(at(0, 1)))
        fixture.driver.preview(Version(1))
        #expect(!drag.canMoveToGap(at(0, 0)))
    }

    @Test("A place is found by its neighbours, although the store's rows have changed")
    func placesMove() throws {
        let fixture = try DriverFixture([["a", "b", "c"], ["d"]])
        // The driver does not show this edit yet.
        try fixture.store.edit("Others") { list in
            try list.insert([Todo(id: 20, title: "new"), Todo(id: 21, title: "new")], at: .before(1))
            try list.delete(2)
        }
        // Between b, which is deleted, and c.
        #expect(fixture.driver.move([4], toGap: at(0, 2)))
        #expect(try fixture.titles == [["new", "new", "a", "d", "c"], []])
        try fixture.store.edit("Others") { try $0.move(.items([1, 3]), to: .end(of: "B")) }
        // Both neighbours are in another section now, so the place is the end of the section of the drop.
        #expect(fixture.driver.player.shown.sections[0].items.count == 5)
        #expect(fixture.driver.insert(Todo(id: 30, title: "z"), at: at(0, 5)))
        #expect(try fixture.titles == [["new", "new", "d", "z"], ["a", "c"]])
        #expect(fixture.failures.all.isEmpty)
    }
}
