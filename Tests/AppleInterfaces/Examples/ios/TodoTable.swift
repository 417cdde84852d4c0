// An app's table and collection, as Docs/Guides/ListViews.md has them: must pass the type check.

import Listory
import UIKit

struct Todo: Codable, Identifiable, Sendable {
    var id: Int
    var title: String
}

/// A screen with a table of todos.
@MainActor
final class TodoScreen {
    let tableView = UITableView()
    private let adapter: TableViewAdapter<ListStore<String, Todo>>

    init(_ store: ListStore<String, Todo>, alert: @escaping @MainActor (ListFailure) -> Void) throws {
        let driver = try ListDriver(store, names: ActionNames { $0.title }) { alert($0) }
        tableView.register(UITableViewCell.self, forCellReuseIdentifier: "todo")
        adapter = TableViewAdapter(tableView, driver: driver) { table, path, row in
            let cell = table.dequeueReusableCell(withIdentifier: "todo", for: path)
            var content = cell.defaultContentConfiguration()
            content.text = try row.item.title
            cell.contentConfiguration = content
            return cell
        }
        adapter.newItem = { _ in Todo(id: .random(in: 0 ... .max), title: "") }
    }
}

/// A table that does one thing otherwise.
final class QuietTable: TableViewAdapter<ListStore<String, Todo>> {
    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
}

/// A collection of todos of a live view.
@MainActor
func show(
    _ view: TypedLiveView<String, Todo>, in collection: UICollectionView
) throws -> CollectionViewAdapter<TypedLiveView<String, Todo>> {
    let driver = try ListDriver(view, names: ActionNames { $0.title }) { print($0) }
    return CollectionViewAdapter(collection, driver: driver) { collection, path, _ in
        collection.dequeueReusableCell(withReuseIdentifier: "todo", for: path)
    }
}

/// A diffable data source's snapshot.
func snapshot(of store: ListStore<String, Todo>) throws -> NSDiffableDataSourceSnapshot<String, Int> {
    try NSDiffableDataSourceSnapshot(from: store.snapshot, to: store.snapshot)
}
