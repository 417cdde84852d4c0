// Checks that edits of other rows do not change selection and scroll position; and makes a picture of a window.

import CListRows
import CDriver
import Foundation
import ListModel
import Listory
import TodoWindow

extension Driver {
    func runKeepingItsPlace() throws {
        let ids = try add((0..<300).map { "Row \($0)" })
        try check("three hundred rows")
        window.scroll(to: 150)
        try settle()
        let top = try topRow()
        guard top.title != "Row 0" else { throw Failure("nothing was scrolled") }
        let selected = try row(top.title).id!
        gtk_single_selection_set_selected(window.selection, guint(ids.firstIndex(of: selected)!))
        let handled = mirror.spliceCount

        // Rows above are inserted, deleted, moved and updated.
        try store.edit("Around", durability: .deferred) { list in
            try list.insert(Todo(title: "New at the top"), at: .before(ids[0]))
            try list.delete(ids[7])
            try list.move(ids[299], to: .before(ids[3]))
            try list.setChecked(true, for: .item(selected))
            try list.update(Todo(id: ids[150], title: "Row 150, renamed"))
        }
        try check("edited above")
        try expect(topRow().title, top.title, "the row at the top")
        try expect(topRow().y, top.y, "where it stands")
        try expect(window.selectedRow, selected, "the selected row")
        // An updated row was neither removed nor added.
        try expect(mirror.spliceCount - handled, 4, "splices")

        // The selected row itself moves, and stays selected.
        try elsewhere.move(selected, to: .before(ids[0]))
        try check("moved")
        try expect(window.selectedRow, selected, "the selected row")
        try elsewhere.delete(selected)
        try check("deleted")
        try expect(window.selectedRow, nil, "the selected row")

        // A thousand commits of another thread are many versions, and few transitions.
        let splices = mirror.spliceCount
        let goal = try store.core.version.rawValue + 1000
        let edits = elsewhere
        Thread.detachNewThread {
            for round in 0..<1000 { try! edits.move(ids[round % 5], to: .after(ids[10 + round % 80])) }
        }
        // GTK's loop does not run meanwhile, as during the layout of a large view.
        while try store.core.version.rawValue < goal { usleep(1000) }
        try check("a thousand moves")
        let played = mirror.spliceCount - splices
        guard played <= 10 else { throw Failure("\(played) splices for five rows that moved") }
    }

    func runPicture() throws {
        let titles = [
            "Oat milk", "Green tea", "Bread, the dark one", "Call the plumber about the tap in the kitchen",
            "Return the library books", "Water the plants", "Pay the electricity bill",
        ]
        let ids = try add(titles)
        for id in [ids[1], ids[4]] { try elsewhere.setChecked(true, for: id) }
        try settle()
        try click(row("Bread, the dark one").handle)
        try check("before the picture")
        try save("window")
        search(for: "the")
        try check("searching")
        try save("search")
        search(for: "nothing like this")
        try check("searching in vain")
        try save("nothing")
    }

    private func save(_ name: String) throws {
        try settle()
        let colours = listory_save_picture(window.window, "\(folder)/\(name).png")
        print("\(name): \(colours) colours")
        guard colours > 1 else { throw Failure("the picture \(name) has \(colours) colours") }
    }

    /// Adds rows by one commit.
    func add(_ titles: [String]) throws -> [UUID] {
        let todos = titles.map { Todo(title: $0) }
        try store.edit("Add \(titles.count) rows", durability: .deferred) { list in
            try list.insertSection("todos", items: todos)
        }
        return todos.map(\.id)
    }

    /// The first completely visible row, and its distance from the upper edge of the list.
    private func topRow() throws -> (title: String, y: Double) {
        guard let row = visibleRows.first else { throw Failure("no row can be seen") }
        return (row.widget.shownTitle, row.y)
    }

    /// The completely visible rows, and their distances from the upper edge of the list.
    var visibleRows: [(widget: RowWidget, y: Double)] {
        window.shownRows.compactMap { row in
            // Rows that were scrolled away keep their widgets for a while, with their old positions.
            guard gtk_widget_get_mapped(row.widget.box) != 0 else { return nil }
            var (x, y) = (0.0, 0.0)
            gtk_widget_translate_coordinates(row.widget.box, window.listView, 0, 0, &x, &y)
            let room = gtk_widget_get_height(window.listView) - gtk_widget_get_height(row.widget.box)
            return y >= 0 && y <= Double(room) ? (row.widget, y) : nil
        }
    }
}
