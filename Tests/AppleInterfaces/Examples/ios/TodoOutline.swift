// An app's outline, as the guide Outlines has it: must pass the type check.

import ListModel
import Listory
import ListoryUI
import SwiftUI
import UIKit

/// A cell with the direction of its triangle.
final class OutlineCell: UICollectionViewListCell {
    var isExpanded = false { didSet { setNeedsUpdateConfiguration() } }
    override var configurationState: UICellConfigurationState {
        var state = super.configurationState
        state.isExpanded = isExpanded
        return state
    }
}

/// A collection view of the visible rows of an outline.
@MainActor
func showOutline(_ store: ListStore<String, Todo>, in collection: UICollectionView) throws -> CollectionViewAdapter {
    let driver = try ListDriver(store.view { $0.visibleRows() }, names: ActionNames { $0.title }) { print($0) }
    driver.isOutline = true
    weak var disclosing: CollectionViewAdapter?
    collection.register(OutlineCell.self, forCellWithReuseIdentifier: "todo")
    let adapter = CollectionViewAdapter(collection, driver: driver, identifier: { _ in "todo" }) { cell, path, row in
        guard let cell = cell as? OutlineCell else { return }
        cell.indentationLevel = row.depth
        cell.isExpanded = !row.isCollapsed
        cell.accessories = disclosing?.disclosure(at: path).map { [$0] } ?? []
    }
    disclosing = adapter
    collection.reloadData()
    return adapter
}

/// A table of an outline: the accessory button of a row collapses it.
@MainActor
func showOutline(
    _ driver: ListDriver<LiveList<String, Todo>>, in tableView: UITableView, _ path: IndexPath
) -> TableViewAdapter {
    driver.isOutline = true
    let adapter = TableViewAdapter(tableView, driver: driver) { cell, row in
        cell.accessoryType = row.isCollapsed ? .detailDisclosureButton : .detailButton
    }
    adapter.toggleCollapsed(at: path)
    if let id = driver.id(at: ListIndexPath(section: path.section, item: path.row)) {
        driver.indent([id])
        driver.outdent([id])
    }
    return adapter
}

/// An outline in SwiftUI.
struct TodoOutline: View {
    @State var list: ObservableList<LiveList<String, Todo>>

    var body: some View {
        List {
            ListSections(list) { row in Toggle(row.item?.title ?? "?", isOn: list.isExpanded(row)) }
        }
    }
}
