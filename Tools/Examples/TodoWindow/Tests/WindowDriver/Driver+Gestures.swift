// Uses the window by keyboard and mouse, through the X server: each gesture must be one commit, and the screen must
// show it.

import CListRows
import Foundation
import TodoWindow

extension Driver {
    func runGestures() throws {
        try typeRows()
        try checkAndUndo()
        try rename()
        try reorder()
        try searchAndDelete()
        try undoAll()
    }

    /// Expects the newest commit to have a name, and all to be shown.
    private func expectCommit(_ name: String) throws {
        try waitUntil("\"\(name)\" is in the store") { try newestName == name }
        try check(name)
    }

    private func titles() throws -> [String] { try expectedRows().map(\.title) }

    private func typeRows() throws {
        try check("at the beginning")
        for title in ["Milk", "Tea", "Bread"] {
            try type(title)
            try press("Return")
            try expectCommit("Add \(title)")
        }
        try expect(titles(), ["Milk", "Tea", "Bread"], "after typing")
        // An empty title adds no row.
        try press("Return")
        try check("after an empty line")
        try expect(store.core.version.rawValue, 3, "commits")
    }

    private func checkAndUndo() throws {
        try click(row("Tea").check)
        try expectCommit("Check Tea")
        try press("ctrl+z")
        try waitUntil("the check is undone") { try store.core.version.rawValue == 5 }
        try check("undone")
        try expect(row("Tea").isShownChecked, false, "the checkmark")
        try press("ctrl+shift+z")
        try waitUntil("the check is redone") { try store.core.version.rawValue == 6 }
        try check("redone")
        try expect(row("Tea").isShownChecked, true, "the checkmark")
        try click(window.undoButton)
        try waitUntil("the check is undone") { try store.core.version.rawValue == 7 }
        try check("undone by the button")
        try click(window.redoButton)
        try waitUntil("the check is redone") { try store.core.version.rawValue == 8 }
        try check("redone by the button")
    }

    private func rename() throws {
        // A click into the title begins to edit it.
        try click(row("Tea").title)
        try waitUntil("the title is edited") { try row("Tea").isEditing }
        try press("ctrl+a")
        try type("Green tea")
        try press("Return")
        try expectCommit("Rename Tea to Green tea")
        // So does F2; Escape keeps the old title.
        try press("F2")
        try waitUntil("the title is edited") { try row("Green tea").isEditing }
        try type("nonsense")
        try press("Escape")
        try waitUntil("the title is as it was") { window.shownRows.allSatisfy { !$0.widget.isEditing } }
        try check("after Escape")
        // A rename by others does not change the text of a title that is being edited.
        try press("F2")
        try waitUntil("the title is edited") { try row("Green tea").isEditing }
        let id = try row("Green tea").id!
        try elsewhere.rename(id, to: "Black tea")
        try settle()
        try expect(row("Green tea").isEditing, true, "editing")
        try press("Escape")
        try expectCommit("Rename Green tea to Black tea")
    }

    private func reorder() throws {
        try expect(titles(), ["Milk", "Black tea", "Bread"], "before reordering")
        try press("alt+Up")
        try expectCommit("Move Black tea")
        try expect(titles(), ["Black tea", "Milk", "Bread"], "after Alt+Up")
        try expect(window.selectedRow, row("Black tea").id, "the selected row")
        // The row has kept the focus.
        try press("alt+Down")
        try waitUntil("the row is back") { try titles() == ["Milk", "Black tea", "Bread"] }
        try check("after Alt+Down")
        try drag("Bread", to: "Milk", height: 0.2)
        try waitUntil("the row is dropped") { try titles() == ["Bread", "Milk", "Black tea"] }
        try check("dropped before")
        try drag("Bread", to: "Black tea", height: 0.8)
        try waitUntil("the row is dropped") { try titles() == ["Milk", "Black tea", "Bread"] }
        try check("dropped after")
    }

    /// Drags a row by its handle.
    private func drag(_ title: String, to target: String, height: Double) throws {
        try point(at: row(title).handle)
        try xdotool("mousedown", "1")
        // In a few steps, because a drag begins only after some pixels.
        for part in [0.5, height + 0.1, height] {
            try point(at: row(target).box, height: part)
            try settle()
        }
        try xdotool("mouseup", "1")
    }

    private func searchAndDelete() throws {
        try press("ctrl+f")
        try type("EA")
        try waitUntil("the search has begun") { window.view.search == "EA" }
        search = "EA"
        try check("searching")
        try expect(titles(), ["Black tea", "Bread"], "found")
        // A row that no longer matches disappears, and one that now matches appears.
        let milk = try store.snapshot.row(at: .init(section: 0, item: 0))!.id
        try elsewhere.rename(milk, to: "Oat milk, for tea")
        try check("renamed into the search")
        try expect(titles(), ["Oat milk, for tea", "Black tea", "Bread"], "found")
        try click(row("Bread").handle)
        try waitUntil("the row is selected") { try window.selectedRow == row("Bread").id }
        try press("Delete")
        try expectCommit("Delete Bread")
        try press("ctrl+f")
        try press("Escape")
        try waitUntil("the search has ended") { window.view.search.isEmpty }
        search = ""
        try check("after the search")
        try expect(titles(), ["Oat milk, for tea", "Black tea"], "all")
    }

    private func undoAll() throws {
        let final = try store.snapshot.stateHash
        let count = try store.history.undoCount
        for step in 0..<count {
            try press("ctrl+z")
            try waitUntil("it is undone") { try store.history.undoCount == count - step - 1 }
        }
        try check("all undone")
        try expect(store.snapshot.itemCount, 0, "rows")
        // From another thread, all at once.
        let edits = elsewhere
        Thread.detachNewThread { for _ in 0..<count { try! edits.redo() } }
        try waitUntil("all is redone") { try store.history.redoCount == 0 }
        try check("all redone")
        try expect(store.snapshot.stateHash, final, "rows")
    }
}
