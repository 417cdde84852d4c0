// A SwiftUI view that shows an observable list in a table view of the system: with the app's SwiftUI rows, but with
// Listory's batches, so that a commit costs what changed and not the whole list.
//
// The adapters do the work, with the list's own driver; the files here make the table view and its cells.
//
// Always holds: undo, from the table or from a text field in a row, reaches the list through the responder chain.

#if canImport(SwiftUI)
import ListModel
import Listory
import SwiftUI

/// The rows of an observable list in a table view of the system.
///
/// ```swift
/// ListTable(todos) { row in
///     TextField("Title", text: todos.binding(row, \.title, default: "", named: "Rename"))
/// }
/// ```
///
/// It looks like a `List` and has its gestures: a swipe deletes a row, a drag moves it, and each becomes a commit with a name,
/// as far as the rules of the driver allow. On macOS, the Delete item of the Edit menu deletes the selected rows.
///
/// A commit costs O(k log n) for k rows that changed, and one evaluation of each row on the screen. A `List` would read the
/// ids of all rows. The system's undo (menu, keys, shakes) works through the responder chain, with no other code.
///
/// - Important: One table shows an observable list at a time: the driver of the list plays on the newest one.
@MainActor
public struct ListTable<Source: ListSource, RowContent: View> {
    private let list: ObservableList<Source>
    private let row: (ObservableRow<Source>) -> RowContent

    /// A table of a list.
    ///
    /// - Parameters:
    ///   - list: the list to show.
    ///   - row: the view of a row.
    public init(_ list: ObservableList<Source>, @ViewBuilder row: @escaping (ObservableRow<Source>) -> RowContent) {
        self.list = list
        self.row = row
    }

    /// Keeps the adapter of the table, and the newest closure for rows.
    @MainActor
    public final class Coordinator {
        var list: ObservableList<Source>
        var row: (ObservableRow<Source>) -> RowContent
        var environment: EnvironmentValues?
        var adapter: TableViewAdapter?

        init(_ list: ObservableList<Source>, _ row: @escaping (ObservableRow<Source>) -> RowContent) {
            self.list = list
            self.row = row
        }

        func hosted(_ row: ListRow<Source.Item>) -> HostedRow<Source, RowContent> {
            HostedRow(row: ObservableRow(row: row), content: self.row, environment: environment)
        }
    }

    public func makeCoordinator() -> Coordinator { Coordinator(list, row) }
}

/// A row in a cell, with the environment of the table: a cell does not inherit it.
///
/// The app's closure is called in the body, so that SwiftUI observes what it reads. The id of the row keeps its state from another row
/// that gets its cell.
struct HostedRow<Source: ListSource, Content: View>: View {
    let row: ObservableRow<Source>
    let content: (ObservableRow<Source>) -> Content
    let environment: EnvironmentValues?

    var body: some View {
        content(row).id(row.id).environment(\.self, environment ?? EnvironmentValues())
    }
}
#endif

#if canImport(SwiftUI) && canImport(UIKit) && !os(watchOS) && !os(tvOS)
import UIKit

extension ListTable: UIViewRepresentable {
    public func makeUIView(context: Context) -> UITableView {
        let table = ListTableView(frame: .zero, style: .plain)
        table.allowsSelection = false
        context.coordinator.environment = context.environment
        connect(table, context.coordinator)
        return table
    }

    public func updateUIView(_ table: UITableView, context: Context) {
        let coordinator = context.coordinator
        coordinator.row = row
        coordinator.environment = context.environment
        if coordinator.list !== list {
            coordinator.list = list
            connect(table, coordinator)
        } else {
            // The closure may have captured other values.
            list.driver.player.refresh { [weak table] in
                table?.reconfigureRows(at: table?.indexPathsForVisibleRows ?? [])
            }
        }
    }

    private func connect(_ table: UITableView, _ coordinator: Coordinator) {
        (table as? ListTableView)?.listUndo = ListUndoManager(list.driver)
        let adapter = TableViewAdapter(table, driver: list.driver) { [weak coordinator] cell, row in
            guard let coordinator else { return }
            cell.contentConfiguration = UIHostingConfiguration { coordinator.hosted(row) }
        }
        // The app's rows show the checkmarks.
        adapter.showsCheckmarks = false
        coordinator.adapter = adapter
    }
}

/// A table whose undo manager is that of its list.
final class ListTableView: UITableView {
    var listUndo: ListUndoManager?

    override var undoManager: UndoManager? { listUndo }

    // Shakes and keys go to the first responder, and from there up to the first one with an undo manager.
    override var canBecomeFirstResponder: Bool { true }

    override func didMoveToWindow() {
        super.didMoveToWindow()
        if window != nil { becomeFirstResponder() }
    }
}
#endif

#if canImport(SwiftUI) && canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit

extension ListTable: NSViewRepresentable {
    public func makeNSView(context: Context) -> NSScrollView {
        let table = ListTableView(frame: .zero)
        table.addTableColumn(NSTableColumn(identifier: NSUserInterfaceItemIdentifier("listory.row")))
        table.headerView = nil
        table.usesAutomaticRowHeights = true
        table.allowsMultipleSelection = true
        context.coordinator.environment = context.environment
        connect(table, context.coordinator)
        let scroll = NSScrollView(frame: .zero)
        scroll.hasVerticalScroller = true
        scroll.documentView = table
        return scroll
    }

    public func updateNSView(_ scroll: NSScrollView, context: Context) {
        guard let table = scroll.documentView as? ListTableView else { return }
        let coordinator = context.coordinator
        coordinator.row = row
        coordinator.environment = context.environment
        if coordinator.list !== list {
            coordinator.list = list
            connect(table, coordinator)
        } else {
            // The closure may have captured other values.
            list.driver.player.refresh { [weak table, weak coordinator] in
                guard let visible = table.map({ $0.rows(in: $0.visibleRect) }) else { return }
                coordinator?.adapter?.reconfigure(rows: Array(visible.lowerBound..<visible.upperBound))
            }
        }
    }

    private func connect(_ table: ListTableView, _ coordinator: Coordinator) {
        table.listUndo = ListUndoManager(list.driver)
        let adapter = TableViewAdapter(
            table, driver: list.driver,
            header: { _, section in NSHostingView(rootView: Text(section.title).bold()) },
            make: { _ in NSHostingView<HostedRow<Source, RowContent>?>(rootView: nil) },
            configure: { [weak coordinator] view, _, row in
                (view as? NSHostingView<HostedRow<Source, RowContent>?>)?.rootView = coordinator?.hosted(row)
            })
        table.deletes = { [weak adapter] in adapter?.deleteSelection() }
        coordinator.adapter = adapter
    }
}

/// A table whose undo manager is that of its list, and which deletes its selected rows.
final class ListTableView: NSTableView {
    var listUndo: ListUndoManager?
    var deletes: () -> Void = {}

    override var undoManager: UndoManager? { listUndo }

    /// The Delete item of the Edit menu.
    @objc func delete(_ sender: Any?) { deletes() }
}
#endif
