// An NSTableView that shows a list, with group rows for headers: data source and delegate in one object, which only
// forwards.
//
// The methods of Apple's protocols stand in the body of the class and not in extensions: a generic class cannot have
// members in an extension that Objective-C calls.

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
import ListModel
import Listory

/// Shows a store, or a view derived from one, in a table view of AppKit.
///
/// ```swift
/// adapter = TableViewAdapter(tableView, driver: driver, header: { table, section in
///     let view = table.makeView(withIdentifier: .header, owner: nil) as! NSTableCellView
///     view.textField?.stringValue = section.title
///     return view
/// }) { table, column, row in
///     let view = table.makeView(withIdentifier: .todo, owner: nil) as! NSTableCellView
///     view.textField?.stringValue = try row.item.title
///     return view
/// }
/// ```
///
/// Rows are reordered by dragging them. Deleting, checking and typing are the app's menu items and controls, which call
/// ``deleteSelection()``, ``toggle(row:)`` and the driver.
///
/// The table view does not keep its adapter alive; the app does.
@MainActor
open class TableViewAdapter<Source: ListSource>: NSObject, NSTableViewDataSource, NSTableViewDelegate, StepScreen {
    /// Makes the view of a row in a column.
    public typealias ViewProvider = (NSTableView, NSTableColumn?, ListRow<Source.Item>) throws -> NSView?
    /// Makes the view of a header.
    public typealias HeaderProvider = (
        NSTableView, ListSnapshot<Source.SectionID, Source.Item>.Section
    ) -> NSView?

    /// What decides.
    public let driver: ListDriver<Source>
    /// How the sections lie: with a row for each header if there is a provider of headers.
    public let layout: RowLayout
    /// The table; it is not kept alive.
    public private(set) weak var tableView: NSTableView?
    /// How rows appear and disappear.
    public var animation = NSTableView.AnimationOptions.effectFade

    private let header: HeaderProvider?
    private let view: ViewProvider
    /// The rows that are being dragged.
    private var dragged: [ListRow<Source.Item>] = []
    private static var draggedType: NSPasteboard.PasteboardType { .init("listory.row") }

    /// Shows the rows of a driver in a table view, whose data source and delegate the adapter becomes.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - driver: what decides.
    ///   - header: makes the view of a header; nil for a table without headers.
    ///   - view: makes the view of a row in a column. If it throws, the driver reports it and there is none.
    public init(
        _ tableView: NSTableView, driver: ListDriver<Source>, header: HeaderProvider? = nil,
        view: @escaping ViewProvider
    ) {
        self.driver = driver
        self.tableView = tableView
        self.header = header
        self.view = view
        layout = header == nil ? .rows : .rowsWithHeaders
        super.init()
        tableView.registerForDraggedTypes([Self.draggedType])
        tableView.dataSource = self
        tableView.delegate = self
        driver.drive(self)
    }

    // MARK: Rows

    open func numberOfRows(in tableView: NSTableView) -> Int { driver.rows(in: layout).count }

    open func tableView(_ tableView: NSTableView, isGroupRow row: Int) -> Bool {
        if case .header = driver.place(atRow: row, in: layout) { true } else { false }
    }

    open func tableView(_ tableView: NSTableView, shouldSelectRow row: Int) -> Bool {
        !self.tableView(tableView, isGroupRow: row)
    }

    open func tableViewSelectionDidChange(_ notification: Notification) { driver.selectionDidChange() }

    open func tableView(_ tableView: NSTableView, viewFor tableColumn: NSTableColumn?, row: Int) -> NSView? {
        do {
            switch driver.place(atRow: row, in: layout) {
            case .header(let section):
                guard let header, let section = driver.section(at: section) else { return nil }
                return header(tableView, section)
            case .item(let path):
                guard let row = driver.row(at: path) else { return nil }
                return try view(tableView, tableColumn, row)
            case nil: return nil
            }
        } catch {
            driver.report(.read, ListAction.read.rawValue, error)
            return nil
        }
    }

    // MARK: Gestures

    /// Deletes the selected rows: "Delete 3 Rows".
    @discardableResult
    public func deleteSelection() -> Bool {
        let ids = selection.compactMap { driver.id(at: $0) }
        return ids.isEmpty ? false : driver.delete(ids)
    }

    /// Sets or clears the checkmark of a row: "Check Milk".
    ///
    /// - Parameter row: the row of the table, for example of the button that was clicked.
    @discardableResult
    public func toggle(row: Int) -> Bool {
        guard let item = driver.items(atRows: CollectionOfOne(row), in: layout).first else { return false }
        return driver.toggle(item.core.id)
    }

    // MARK: Outlines

    /// Hides or shows what is below a row of an outline: "Collapse Groceries".
    ///
    /// - Parameters:
    ///   - row: the row of the table, for example of the triangle that was clicked.
    ///   - recursively: whether the same is done to all rows below it, as AppKit does with the option key.
    @discardableResult
    public func toggleCollapsed(row: Int, recursively: Bool = false) -> Bool {
        guard let item = driver.items(atRows: CollectionOfOne(row), in: layout).first else { return false }
        return driver.toggleCollapsed(item.core.id, recursively: recursively)
    }

    /// Puts the selected rows below the siblings before them: "Indent 3 Rows".
    @discardableResult
    public func indentSelection() -> Bool {
        let ids = selection.compactMap { driver.id(at: $0) }
        return ids.isEmpty ? false : driver.indent(ids)
    }

    /// Puts the selected rows beside their parents: "Outdent 3 Rows".
    @discardableResult
    public func outdentSelection() -> Bool {
        let ids = selection.compactMap { driver.id(at: $0) }
        return ids.isEmpty ? false : driver.outdent(ids)
    }

    // MARK: Reordering

    open func tableView(
        _ tableView: NSTableView, pasteboardWriterForRow row: Int
    ) -> (any NSPasteboardWriting)? {
        guard case .item(let path) = driver.place(atRow: row, in: layout), driver.canMove(at: path) else { return nil }
        let item = NSPasteboardItem()
        item.setString(String(row), forType: Self.draggedType)
        return item
    }

    open func tableView(
        _ tableView: NSTableView, draggingSession session: NSDraggingSession, willBeginAt screenPoint: NSPoint,
        forRowIndexes rowIndexes: IndexSet
    ) {
        dragged = driver.items(atRows: rowIndexes, in: layout)
    }

    open func tableView(
        _ tableView: NSTableView, draggingSession session: NSDraggingSession, endedAt screenPoint: NSPoint,
        operation: NSDragOperation
    ) {
        dragged = []
        driver.playback.play()
    }

    open func tableView(
        _ tableView: NSTableView, validateDrop info: any NSDraggingInfo, proposedRow row: Int,
        proposedDropOperation dropOperation: NSTableView.DropOperation
    ) -> NSDragOperation {
        if dropOperation == .on, case .item(let path) = driver.place(atRow: row, in: layout),
            driver.canMove(dragged, into: path)
        {
            return .move
        }
        guard let gap = driver.gap(aboveRow: row, in: layout), driver.canMove(dragged, toGap: gap) else { return [] }
        tableView.setDropRow(row, dropOperation: .above)
        return .move
    }

    open func tableView(
        _ tableView: NSTableView, acceptDrop info: any NSDraggingInfo, row: Int,
        dropOperation: NSTableView.DropOperation
    ) -> Bool {
        if dropOperation == .on {
            guard case .item(let path) = driver.place(atRow: row, in: layout), let parent = driver.id(at: path) else {
                return false
            }
            return driver.move(dragged.map(\.core.id), into: parent)
        }
        guard let gap = driver.gap(aboveRow: row, in: layout) else { return false }
        return driver.move(dragged.map(\.core.id), toGap: gap)
    }

    // MARK: What the driver asks of the table

    public var isOnScreen: Bool { tableView?.window != nil }
    public var isBusy: Bool { !dragged.isEmpty }

    public var selection: [ListIndexPath] {
        (tableView?.selectedRowIndexes ?? []).compactMap { row in
            guard case .item(let path) = driver.place(atRow: row, in: layout) else { return nil }
            return path
        }
    }

    public func select(_ paths: [ListIndexPath]) {
        let rows = driver.rows(in: layout)
        tableView?.selectRowIndexes(IndexSet(paths.compactMap { rows.offset(of: $0) }), byExtendingSelection: false)
    }

    public func reload() { tableView?.reloadData() }

    public func perform(
        _ steps: [RowStep], show: @escaping @MainActor () -> Void, done: @escaping @MainActor () -> Void
    ) {
        guard let tableView else {
            show()
            return done()
        }
        NSAnimationContext.runAnimationGroup(
            { [animation] _ in
                show()
                tableView.beginUpdates()
                for step in steps {
                    switch step {
                    case .remove(let row): tableView.removeRows(at: [row], withAnimation: animation)
                    case .insert(let row, _): tableView.insertRows(at: [row], withAnimation: animation)
                    case .move(let from, let to): tableView.moveRow(at: from, to: to)
                    case .update: break
                    }
                }
                tableView.endUpdates()
            },
            completionHandler: { MainActor.assumeIsolated { done() } })
    }

    public func reconfigure(rows: [Int]) {
        guard let tableView else { return }
        tableView.reloadData(
            forRowIndexes: IndexSet(rows), columnIndexes: IndexSet(integersIn: 0..<tableView.numberOfColumns))
    }
}
#endif
