// An NSTableView that shows a list, with group rows for headers: data source and delegate in one object, which only
// forwards.

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
import ListModel
import Listory

/// Shows a store, or a view derived from one, in a table view of AppKit.
///
/// ```swift
/// adapter = TableViewAdapter(
///     tableView, driver: driver,
///     header: { table, section in
///         let view = table.makeView(withIdentifier: .header, owner: nil) as? NSTableCellView
///         view?.textField?.stringValue = section.title
///         return view
///     },
///     make: { _ in TodoCellView() }
/// ) { view, column, row in
///     guard let field = (view as? NSTableCellView)?.textField else { return }
///     // Setting a field ends the editing in it.
///     let title = row.item?.title ?? "?"
///     if field.stringValue != title { field.stringValue = title }
/// }
/// adapter.delegate = self      // heights, tooltips, whatever the adapter does not do
/// ```
///
/// Rows are reordered by dragging them. Deleting, checking and typing are the app's menu items and controls, which call
/// ``deleteSelection()``, ``toggle(row:)`` and the driver. The driver's ``ListDriver/rules`` say what the user may do.
///
/// The table view does not keep its adapter alive; the app does.
@MainActor
public final class TableViewAdapter: ListAdapter, NSTableViewDataSource, NSTableViewDelegate, OperationScreen {
    /// The layout of the sections: with a row for each header, if there is a provider of headers.
    public let layout: RowLayout
    /// The table; a weak reference.
    public private(set) weak var tableView: NSTableView?
    /// The app's own delegate. It receives all messages that the adapter does not implement, and changes of the
    /// selection.
    public weak var delegate: (any NSTableViewDelegate)? {
        didSet {
            app = delegate
            // A table asks its delegate once which methods it has: when the delegate is set.
            tableView?.delegate = nil
            tableView?.delegate = self
        }
    }
    /// How rows appear and disappear.
    public var animation = NSTableView.AnimationOptions.effectFade

    private let driver: any DrivenRows
    private let row: (NSTableColumn?, ListIndexPath) -> RowCell<NSView, NSUserInterfaceItemIdentifier>?
    private let make: (NSUserInterfaceItemIdentifier) -> NSView?
    private let header: ((NSTableView, Int) -> NSView?)?
    /// The rows that are being dragged.
    private var dragged: RowDrag?
    private static let draggedType = NSPasteboard.PasteboardType("listory.row")

    /// Shows the rows of a driver in a table view, whose data source and delegate the adapter becomes.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - driver: the driver.
    ///   - header: makes the view of a header; nil for a table without headers.
    ///   - identifier: the identifier of the view that a row has in a column; by default that of the column. A row
    ///     whose identifier changes with its content gets another view.
    ///   - make: makes a view, if the table has none with that identifier to reuse; nil for none.
    ///   - configure: shows a row in its view. It is also called while the user types in the view. If it throws, the
    ///     driver reports the error and the view is hidden.
    public init<Source: ListSource>(
        _ tableView: NSTableView, driver: ListDriver<Source>,
        header: ((NSTableView, ListSnapshot<Source.SectionID, Source.Item>.Section) -> NSView?)? = nil,
        identifier: @escaping (NSTableColumn?, ListRow<Source.Item>) -> NSUserInterfaceItemIdentifier = { column, _ in
            column?.identifier ?? NSUserInterfaceItemIdentifier("listory.row")
        },
        make: @escaping (NSUserInterfaceItemIdentifier) -> NSView? = { _ in nil },
        configure: @escaping (NSView, NSTableColumn?, ListRow<Source.Item>) throws -> Void
    ) {
        self.driver = driver
        self.tableView = tableView
        self.make = make
        self.header = header.map { header in
            { table, index in driver.section(at: index).flatMap { header(table, $0) } }
        }
        row = { column, path in
            guard let row = driver.row(at: path) else { return nil }
            return RowCell(id: row.core.id, isChecked: row.isChecked, kind: identifier(column, row)) { view in
                try configure(view, column, row)
            }
        }
        layout = header == nil ? .rows : .rowsWithHeaders
        super.init()
        tableView.registerForDraggedTypes([Self.draggedType])
        tableView.dataSource = self
        tableView.delegate = self
        driver.drive(self)
    }

    // MARK: Rows

    public func numberOfRows(in tableView: NSTableView) -> Int { driver.rows(in: layout).count }

    public func tableView(_ tableView: NSTableView, isGroupRow row: Int) -> Bool {
        if case .header = driver.place(atRow: row, in: layout) { true } else { false }
    }

    public func tableView(_ tableView: NSTableView, shouldSelectRow row: Int) -> Bool {
        if self.tableView(tableView, isGroupRow: row) { return false }
        return delegate?.tableView?(tableView, shouldSelectRow: row) ?? true
    }

    public func tableViewSelectionDidChange(_ notification: Notification) {
        driver.selectionDidChange()
        delegate?.tableViewSelectionDidChange?(notification)
    }

    public func tableView(_ tableView: NSTableView, viewFor tableColumn: NSTableColumn?, row: Int) -> NSView? {
        switch driver.place(atRow: row, in: layout) {
        case .header(let section): return header?(tableView, section)
        case .item(let path):
            guard let cell = self.row(tableColumn, path),
                let view = tableView.makeView(withIdentifier: cell.kind, owner: nil) ?? make(cell.kind)
            else { return nil }
            view.identifier = cell.kind
            configure(view, cell)
            return view
        case nil: return nil
        }
    }

    private func configure(_ view: NSView, _ cell: RowCell<NSView, NSUserInterfaceItemIdentifier>) {
        do {
            try cell.configure(view)
            view.isHidden = false
        } catch {
            view.isHidden = true
            driver.report(.read, ListAction.read.rawValue, error)
        }
    }

    private func id(atRow row: Int) -> UntypedID? {
        guard case .item(let path) = driver.place(atRow: row, in: layout) else { return nil }
        return driver.id(at: path)
    }

    // MARK: Gestures

    /// Deletes the selected rows: "Delete 3 Rows". Those that the rules protect stay. In an outline, a row also stays if a row below
    /// it, shown or hidden, is protected.
    @discardableResult
    public func deleteSelection() -> Bool { driver.delete(at: selection) }

    /// Sets or clears the checkmark of a row: "Check Milk".
    ///
    /// - Parameter row: the row of the table, for example of the button that was clicked.
    @discardableResult
    public func toggle(row: Int) -> Bool {
        id(atRow: row).map { driver.toggle($0) } ?? false
    }

    // MARK: Outlines

    /// Hides or shows the rows below a row of an outline: "Collapse Groceries".
    ///
    /// - Parameters:
    ///   - row: the row of the table, for example of the triangle that was clicked.
    ///   - recursively: whether the same is done to all rows below it, as AppKit does with the option key.
    @discardableResult
    public func toggleCollapsed(row: Int, recursively: Bool = false) -> Bool {
        id(atRow: row).map { driver.toggleCollapsed($0, recursively: recursively) } ?? false
    }

    /// Makes the selected rows children of the siblings before them: "Indent 3 Rows".
    @discardableResult
    public func indentSelection() -> Bool {
        let ids = driver.ids(at: selection.filter { driver.canMove(at: $0) })
        return ids.isEmpty ? false : driver.indent(ids)
    }

    /// Makes the selected rows siblings of their parents: "Outdent 3 Rows".
    @discardableResult
    public func outdentSelection() -> Bool {
        let ids = driver.ids(at: selection.filter { driver.canMove(at: $0) })
        return ids.isEmpty ? false : driver.outdent(ids)
    }

    // MARK: Reordering

    public func tableView(
        _ tableView: NSTableView, pasteboardWriterForRow row: Int
    ) -> (any NSPasteboardWriting)? {
        guard case .item(let path) = driver.place(atRow: row, in: layout), driver.canMove(at: path) else { return nil }
        let item = NSPasteboardItem()
        item.setString(String(row), forType: Self.draggedType)
        return item
    }

    public func tableView(
        _ tableView: NSTableView, draggingSession session: NSDraggingSession, willBeginAt screenPoint: NSPoint,
        forRowIndexes rowIndexes: IndexSet
    ) {
        dragged = driver.drag(paths(atRows: rowIndexes))
    }

    public func tableView(
        _ tableView: NSTableView, draggingSession session: NSDraggingSession, endedAt screenPoint: NSPoint,
        operation: NSDragOperation
    ) {
        dragged = nil
        driver.player.play()
    }

    public func tableView(
        _ tableView: NSTableView, validateDrop info: any NSDraggingInfo, proposedRow row: Int,
        proposedDropOperation dropOperation: NSTableView.DropOperation
    ) -> NSDragOperation {
        guard let dragged else { return [] }
        if dropOperation == .on, case .item(let path) = driver.place(atRow: row, in: layout),
            dragged.canMoveInto(path)
        {
            return .move
        }
        guard let gap = driver.gap(aboveRow: row, in: layout), dragged.canMoveToGap(gap) else { return [] }
        tableView.setDropRow(row, dropOperation: .above)
        return .move
    }

    public func tableView(
        _ tableView: NSTableView, acceptDrop info: any NSDraggingInfo, row: Int,
        dropOperation: NSTableView.DropOperation
    ) -> Bool {
        guard let dragged else { return false }
        if dropOperation == .on {
            return id(atRow: row).map { driver.move(dragged.ids, into: $0) } ?? false
        }
        guard let gap = driver.gap(aboveRow: row, in: layout) else { return false }
        return driver.move(dragged.ids, toGap: gap, depth: nil)
    }

    // MARK: What the driver asks of the table

    public var isOnScreen: Bool { tableView?.window != nil }
    public var isBusy: Bool { dragged != nil }

    public var selection: [ListIndexPath] { paths(atRows: tableView?.selectedRowIndexes ?? []) }

    private func paths(atRows rows: IndexSet) -> [ListIndexPath] {
        rows.compactMap { row in
            guard case .item(let path) = driver.place(atRow: row, in: layout) else { return nil }
            return path
        }
    }

    public func select(_ paths: [ListIndexPath]) {
        let rows = driver.rows(in: layout)
        tableView?.selectRowIndexes(IndexSet(paths.compactMap { rows.offset(of: $0) }), byExtendingSelection: false)
    }

    public func reload() { tableView?.reloadData() }

    public func perform(_ updates: () -> Void, done: @escaping @MainActor () -> Void) {
        guard let tableView else {
            updates()
            return done()
        }
        NSAnimationContext.runAnimationGroup(
            { _ in
                // A reload that is still pending is carried out here, with the rows before the update.
                tableView.beginUpdates()
                updates()
                tableView.endUpdates()
            },
            completionHandler: { MainActor.assumeIsolated { done() } })
    }

    public func play(_ operation: RowOperation) {
        switch operation {
        case .remove(let row): tableView?.removeRows(at: [row], withAnimation: animation)
        case .insert(let row, _): tableView?.insertRows(at: [row], withAnimation: animation)
        case .move(let from, let to): tableView?.moveRow(at: from, to: to)
        case .update: break
        }
    }

    public func reconfigure(rows: [Int]) {
        guard let tableView else { return }
        let columns = tableView.tableColumns
        for row in rows {
            guard case .item(let path) = driver.place(atRow: row, in: layout) else {
                reloadViews(ofRow: row)
                continue
            }
            // A view that is replaced loses the text that is being typed into it, so it is replaced only if it has to be.
            for (index, column) in columns.enumerated() {
                guard let view = tableView.view(atColumn: index, row: row, makeIfNecessary: false),
                    let cell = self.row(column, path)
                else { continue }
                if view.identifier == cell.kind { configure(view, cell) } else { reloadViews(ofRow: row) }
            }
        }
        tableView.noteHeightOfRows(withIndexesChanged: IndexSet(rows))
    }

    private func reloadViews(ofRow row: Int) {
        guard let tableView else { return }
        tableView.reloadData(
            forRowIndexes: [row], columnIndexes: IndexSet(integersIn: 0..<tableView.numberOfColumns))
    }
}
#endif
