// An app's outline, as Docs/Guides/ListViews.md has it: must pass the type check.

import ListModel
import Listory
import SwiftUI
import UIKit

/// A row that says where its triangle points to.
final class OutlineCell: UICollectionViewListCell {
    var isExpanded = false { didSet { setNeedsUpdateConfiguration() } }
    override var configurationState: UICellConfigurationState {
        var state = super.configurationState
        state.isExpanded = isExpanded
        return state
    }
}

/// A collection of what is expanded of an outline.
@MainActor
func showOutline(
    _ store: ListStore<String, Todo>, in collection: UICollectionView
) throws -> CollectionViewAdapter<TypedLiveView<String, Todo>> {
    let driver = try ListDriver(store.view { $0.visibleRows() }, names: ActionNames { $0.title }) { print($0) }
    driver.isOutline = true
    weak var disclosing: CollectionViewAdapter<TypedLiveView<String, Todo>>?
    let adapter = CollectionViewAdapter(collection, driver: driver) { collection, path, row in
        let cell = collection.dequeueReusableCell(withReuseIdentifier: "todo", for: path)
        if let cell = cell as? OutlineCell {
            cell.indentationLevel = row.depth
            cell.isExpanded = !row.isCollapsed
            cell.accessories = disclosing?.disclosure(at: path).map { [$0] } ?? []
        }
        return cell
    }
    disclosing = adapter
    collection.reloadData()
    return adapter
}

/// A table of an outline, with its gestures.
@MainActor
func indent(_ adapter: TableViewAdapter<TypedLiveView<String, Todo>>, _ path: IndexPath) {
    adapter.driver.isOutline = true
    adapter.toggleCollapsed(at: path)
    if let id = adapter.driver.id(at: ListIndexPath(section: path.section, item: path.row)) {
        adapter.driver.indent([id])
        adapter.driver.outdent([id])
    }
}

/// An outline in SwiftUI.
struct TodoOutline: View {
    @State var list: ObservableList<TypedLiveView<String, Todo>>

    var body: some View {
        List {
            ListSections(list) { row in Toggle((try? row.item.title) ?? "?", isOn: list.isExpanded(row)) }
        }
    }
}
