// An app's table and collection, as the guide ListViews has them: must pass the type check.

import Listory
import ListoryUI
import UIKit

struct Todo: Codable, Identifiable, Sendable {
    var id: Int
    var title: String
}

/// A screen with a table of todos, which implements some delegate methods itself.
@MainActor
final class TodoScreen: NSObject, UITableViewDelegate {
    let tableView = UITableView()
    private let adapter: TableViewAdapter

    init(_ store: ListStore<String, Todo>, alert: @escaping @MainActor (ListFailure) -> Void) throws {
        let driver = try ListDriver(store, names: ActionNames { $0.title }) { alert($0) }
        adapter = TableViewAdapter(
            tableView, driver: driver, newItem: { _ in Todo(id: .random(in: 0 ... .max), title: "") }
        ) { cell, row in
            var content = cell.defaultContentConfiguration()
            content.text = row.item?.title
            cell.contentConfiguration = content
        }
        super.init()
        adapter.delegate = self
    }

    // Messages that the adapter does not implement.
    func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat { 44 }
    func scrollViewDidScroll(_ scrollView: UIScrollView) {}
    // A message that it does implement: the app is asked first.
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}

    /// The methods are exposed to Objective-C.
    static let selectors = [
        #selector(TodoScreen.tableView(_:heightForRowAt:)), #selector(TodoScreen.scrollViewDidScroll(_:)),
        #selector(TableViewAdapter.tableView(_:didSelectRowAt:)),
        #selector(TableViewAdapter.tableView(_:leadingSwipeActionsConfigurationForRowAt:)),
        #selector(TableViewAdapter.responds(to:)),
    ]
}

/// A table with two kinds of cells, chosen by the content of the row.
@MainActor
func showTwoKinds(_ driver: ListDriver<ListStore<String, Todo>>, in tableView: UITableView) -> TableViewAdapter {
    TableViewAdapter(
        tableView, driver: driver, identifier: { ($0.item?.title ?? "").isEmpty ? "empty" : "todo" }, header: nil
    ) { cell, _ in
        cell.accessoryType = .detailButton
    }
}

/// A collection of todos of a live view, with headers.
@MainActor
func show(_ view: LiveList<String, Todo>, in collection: UICollectionView) throws -> CollectionViewAdapter {
    let driver = try ListDriver(view, names: ActionNames { $0.title }) { print($0) }
    let headers = SupplementaryViews<LiveList<String, Todo>>(
        make: { _, _, _ in UICollectionReusableView() }, configure: { _, _, section in print(section.title) })
    return CollectionViewAdapter(
        collection, driver: driver, identifier: { _ in "todo" }, supplementary: headers
    ) { _, _, row in
        _ = try row.content.get().title
    }
}

/// A diffable data source's snapshot.
func snapshot(of store: ListStore<String, Todo>) throws -> NSDiffableDataSourceSnapshot<String, Int> {
    try NSDiffableDataSourceSnapshot(from: store.snapshot, to: store.snapshot)
}
