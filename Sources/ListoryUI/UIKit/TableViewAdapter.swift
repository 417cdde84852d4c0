// A UITableView that shows a list: data source, delegate and drag delegate in one object, which only forwards.
//
// The methods of Apple's protocols stand in the body of the class and not in extensions: a generic class cannot have
// members in an extension that Objective-C calls.

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
import ListModel
import Listory
import UIKit

/// Shows a store, or a view derived from one, in a table view.
///
/// ```swift
/// let driver = try ListDriver(store, names: ActionNames { $0.title }) { [weak self] in self?.alert($0) }
/// adapter = TableViewAdapter(tableView, driver: driver) { table, path, row in
///     let cell = table.dequeueReusableCell(withIdentifier: "todo", for: path)
///     var content = cell.defaultContentConfiguration()
///     content.text = try row.item.title
///     cell.contentConfiguration = content
///     return cell
/// }
/// ```
///
/// A swipe deletes a row, a tap sets or clears its checkmark, rows are reordered by a drag or in editing mode; each becomes
/// a commit with a name. What the user may do is up to the driver's ``ListDriver/rules``.
///
/// The table view does not keep its adapter alive; the app does.
@MainActor
open class TableViewAdapter<Source: ListSource>: NSObject, UITableViewDataSource, UITableViewDelegate,
    UITableViewDragDelegate, BatchScreen
{
    /// Makes the cell of a row; the checkmark is set by the adapter.
    public typealias CellProvider = (UITableView, IndexPath, ListRow<Source.Item>) throws -> UITableViewCell
    /// Shows a section in its header.
    public typealias HeaderConfiguration = (
        UITableViewHeaderFooterView, ListSnapshot<Source.SectionID, Source.Item>.Section
    ) -> Void

    /// What decides.
    public let driver: ListDriver<Source>
    /// The table; it is not kept alive.
    public private(set) weak var tableView: UITableView?
    /// How rows and sections appear and disappear.
    public var animation = UITableView.RowAnimation.automatic
    /// What the button of a swipe says.
    public var deleteTitle = "Delete"
    /// What the buttons of a swipe in the other direction say, in an outline.
    public var (indentTitle, outdentTitle) = ("Indent", "Outdent")
    /// Shows a section in its header; nil for no headers.
    public var configureHeader: HeaderConfiguration? = { header, section in
        var content = header.defaultContentConfiguration()
        content.text = section.title
        header.contentConfiguration = content
    }
    /// Whether checked rows have a checkmark as their accessory.
    public var showsCheckmarks = true
    /// Makes the item that the insertion button of a row inserts after it; nil for none.
    public var newItem: ((ListRow<Source.Item>) -> Source.Item?)?

    private let cell: CellProvider
    private static var headerIdentifier: String { "listory.header" }

    /// Shows the rows of a driver in a table view, whose data source, delegate and drag delegate the adapter becomes.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - driver: what decides.
    ///   - cell: makes the cell of a row. If it throws, the driver reports it and the row is empty.
    public init(_ tableView: UITableView, driver: ListDriver<Source>, cell: @escaping CellProvider) {
        self.driver = driver
        self.tableView = tableView
        self.cell = cell
        super.init()
        tableView.register(
            UITableViewHeaderFooterView.self, forHeaderFooterViewReuseIdentifier: Self.headerIdentifier)
        tableView.dataSource = self
        tableView.delegate = self
        tableView.dragDelegate = self
        driver.drive(self)
    }

    // MARK: Rows

    open func numberOfSections(in tableView: UITableView) -> Int { driver.sectionCount }

    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        driver.itemCount(inSection: section)
    }

    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        guard let row = driver.row(at: indexPath.listPath) else { return UITableViewCell() }
        do {
            let cell = try cell(tableView, indexPath, row)
            if showsCheckmarks { cell.accessoryType = row.isChecked ? .checkmark : .none }
            return cell
        } catch {
            driver.report(.read, ListAction.read.rawValue, error)
            return UITableViewCell()
        }
    }

    open func tableView(_ tableView: UITableView, viewForHeaderInSection section: Int) -> UIView? {
        guard let configureHeader, let shown = driver.section(at: section),
            let header = tableView.dequeueReusableHeaderFooterView(withIdentifier: Self.headerIdentifier)
        else { return nil }
        configureHeader(header, shown)
        return header
    }

    // MARK: Gestures

    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        // While a table is edited, a tap selects.
        if tableView.isEditing { return }
        guard let row = driver.row(at: indexPath.listPath), driver.rules.togglesOnTap(row) else { return }
        tableView.deselectRow(at: indexPath, animated: true)
        driver.setChecked(!row.isChecked, [row.core.id])
    }

    open func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool {
        driver.editing(at: indexPath.listPath) != .none || driver.canMove(at: indexPath.listPath)
    }

    open func tableView(
        _ tableView: UITableView, editingStyleForRowAt indexPath: IndexPath
    ) -> UITableViewCell.EditingStyle {
        switch driver.editing(at: indexPath.listPath) {
        case .none: .none
        case .delete: .delete
        case .insert: .insert
        }
    }

    open func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle, forRowAt indexPath: IndexPath
    ) {
        guard let row = driver.row(at: indexPath.listPath) else { return }
        switch editingStyle {
        case .delete: driver.delete(row.core.id)
        case .insert:
            guard let item = newItem?(row) else { return }
            var path = indexPath.listPath
            path.item += 1
            driver.insert(item, at: path)
        default: break
        }
    }

    open func tableView(
        _ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? {
        guard let id = driver.id(at: indexPath.listPath), driver.editing(at: indexPath.listPath) == .delete else {
            return UISwipeActionsConfiguration(actions: [])
        }
        let action = UIContextualAction(style: .destructive, title: deleteTitle) { [weak driver] _, _, finish in
            finish(driver?.delete(id) ?? false)
        }
        return UISwipeActionsConfiguration(actions: [action])
    }

    // MARK: Outlines

    open func tableView(_ tableView: UITableView, indentationLevelForRowAt indexPath: IndexPath) -> Int {
        driver.isOutline ? driver.row(at: indexPath.listPath)?.depth ?? 0 : 0
    }

    open func tableView(_ tableView: UITableView, accessoryButtonTappedForRowWith indexPath: IndexPath) {
        toggleCollapsed(at: indexPath)
    }

    open func tableView(
        _ tableView: UITableView, leadingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? {
        guard driver.isOutline, let id = driver.id(at: indexPath.listPath) else { return nil }
        var actions: [UIContextualAction] = []
        if driver.canIndent(at: indexPath.listPath) {
            actions.append(
                UIContextualAction(style: .normal, title: indentTitle) { [weak driver] _, _, finish in
                    finish(driver?.indent([id]) ?? false)
                })
        }
        if driver.canOutdent(at: indexPath.listPath) {
            actions.append(
                UIContextualAction(style: .normal, title: outdentTitle) { [weak driver] _, _, finish in
                    finish(driver?.outdent([id]) ?? false)
                })
        }
        return UISwipeActionsConfiguration(actions: actions)
    }

    /// Hides or shows what is below a row: "Collapse Groceries". For the control that a cell has for that; what it shows,
    /// ``ListDriver/disclosure(at:)`` says.
    @discardableResult
    public func toggleCollapsed(at indexPath: IndexPath) -> Bool {
        driver.id(at: indexPath.listPath).map { driver.toggleCollapsed($0) } ?? false
    }

    // MARK: Reordering

    open func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
        driver.canMove(at: indexPath.listPath)
    }

    open func tableView(
        _ tableView: UITableView, targetIndexPathForMoveFromRowAt sourceIndexPath: IndexPath,
        toProposedIndexPath proposedDestinationIndexPath: IndexPath
    ) -> IndexPath {
        IndexPath(
            driver.target(ofMoving: sourceIndexPath.listPath, to: proposedDestinationIndexPath.listPath))
    }

    open func tableView(
        _ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath
    ) {
        driver.didMove(from: sourceIndexPath.listPath, to: destinationIndexPath.listPath)
    }

    open func tableView(
        _ tableView: UITableView, itemsForBeginning session: any UIDragSession, at indexPath: IndexPath
    ) -> [UIDragItem] {
        driver.canMove(at: indexPath.listPath) ? [UIDragItem(itemProvider: NSItemProvider())] : []
    }

    open func tableView(_ tableView: UITableView, dragSessionDidEnd session: any UIDragSession) {
        driver.playback.play()
    }

    // MARK: What the driver asks of the table

    public var isOnScreen: Bool { tableView?.window != nil }

    public var isBusy: Bool {
        guard let tableView else { return false }
        return tableView.hasUncommittedUpdates || tableView.hasActiveDrag
    }

    public var selection: [ListIndexPath] { tableView?.indexPathsForSelectedRows?.map(\.listPath) ?? [] }

    public func select(_ paths: [ListIndexPath]) {
        for path in paths { tableView?.selectRow(at: IndexPath(path), animated: false, scrollPosition: .none) }
    }

    public func reload() { tableView?.reloadData() }

    public func perform(
        _ changes: Changeset, show: @escaping @MainActor () -> Void, done: @escaping @MainActor () -> Void
    ) {
        guard let tableView else {
            show()
            return done()
        }
        tableView.performBatchUpdates(
            { [animation] in
                show()
                tableView.deleteSections(IndexSet(changes.sections.deleted), with: animation)
                tableView.insertSections(IndexSet(changes.sections.inserted), with: animation)
                for move in changes.sections.moved { tableView.moveSection(move.from, toSection: move.to) }
                tableView.deleteRows(at: changes.items.deleted.map(IndexPath.init), with: animation)
                tableView.insertRows(at: changes.items.inserted.map(IndexPath.init), with: animation)
                for move in changes.items.moved {
                    tableView.moveRow(at: IndexPath(move.from), to: IndexPath(move.to))
                }
            },
            completion: { _ in done() })
    }

    public func reconfigure(items: [ListIndexPath], sections: [Int]) {
        tableView?.reconfigureRows(at: items.map(IndexPath.init))
        guard let configureHeader else { return }
        for index in sections {
            guard let header = tableView?.headerView(forSection: index), let section = driver.section(at: index)
            else { continue }
            configureHeader(header, section)
        }
    }
}
#endif
