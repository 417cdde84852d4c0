// An app's table in AppKit, as the guide ListViews has it: must pass the type check.

import AppKit
import Listory
import ListoryUI

struct Todo: Codable, Identifiable, Sendable {
    var id: Int
    var title: String
}

/// A window with a table of todos with headers. It implements the row heights itself.
@MainActor
final class TodoTable: NSObject, NSTableViewDelegate {
    let driver: ListDriver<ListStore<String, Todo>>
    let adapter: TableViewAdapter

    init(_ store: ListStore<String, Todo>, in tableView: NSTableView) throws {
        driver = try ListDriver(store, names: ActionNames { $0.title }) { print($0) }
        adapter = TableViewAdapter(
            tableView, driver: driver,
            header: { table, section in
                let view = table.makeView(withIdentifier: .init("header"), owner: nil) as? NSTableCellView
                view?.textField?.stringValue = section.title
                return view
            },
            make: { _ in NSTableCellView() }
        ) { view, _, row in
            guard let field = (view as? NSTableCellView)?.textField else { return }
            // Setting a field ends the editing in it.
            let title = row.item?.title ?? "?"
            if field.stringValue != title { field.stringValue = title }
        }
        super.init()
        adapter.delegate = self
    }

    func tableView(_ tableView: NSTableView, heightOfRow row: Int) -> CGFloat { 24 }
    static let selectors = [
        #selector(TodoTable.tableView(_:heightOfRow:)), #selector(TableViewAdapter.tableView(_:viewFor:row:)),
    ]

    func useMenus() {
        adapter.deleteSelection()
        adapter.toggle(row: 3)
        driver.isOutline = true
        adapter.toggleCollapsed(row: 3, recursively: true)
        adapter.indentSelection()
        adapter.outdentSelection()
        driver.undo()
    }
}
