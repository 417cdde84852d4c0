// An app's table in AppKit, as Docs/Guides/ListViews.md has it: must pass the type check.

import AppKit
import Listory

struct Todo: Codable, Identifiable, Sendable {
    var id: Int
    var title: String
}

/// A table of todos with headers.
@MainActor
func show(
    _ store: ListStore<String, Todo>, in tableView: NSTableView
) throws -> TableViewAdapter<ListStore<String, Todo>> {
    let driver = try ListDriver(store, names: ActionNames { $0.title }) { print($0) }
    func cell(_ name: String, _ text: String, _ table: NSTableView) -> NSView? {
        let view = table.makeView(withIdentifier: NSUserInterfaceItemIdentifier(name), owner: nil) as? NSTableCellView
        view?.textField?.stringValue = text
        return view
    }
    let adapter = TableViewAdapter(
        tableView, driver: driver, header: { table, section in cell("header", section.title, table) },
        view: { table, _, row in cell("todo", try row.item.title, table) })
    adapter.deleteSelection()
    adapter.toggle(row: 3)
    driver.isOutline = true
    adapter.toggleCollapsed(row: 3, recursively: true)
    adapter.indentSelection()
    adapter.outdentSelection()
    driver.undo()
    return adapter
}
