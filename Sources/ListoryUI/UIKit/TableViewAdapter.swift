// A UITableView that shows a list: data source, delegate and drag delegate in one object, which only forwards.

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
import ListModel
import Listory
import UIKit

/// Shows a store, or a view derived from one, in a table view.
///
/// ```swift
/// let driver = try ListDriver(store, names: ActionNames { $0.title }) { [weak self] in self?.alert($0) }
/// adapter = TableViewAdapter(tableView, driver: driver) { cell, row in
///     var content = cell.defaultContentConfiguration()
///     content.text = row.item?.title
///     cell.contentConfiguration = content
/// }
/// adapter.delegate = self      // heights, scrolling, whatever the adapter does not do
/// ```
///
/// A swipe deletes a row, a tap sets or clears its checkmark, rows are reordered by a drag or in editing mode; each becomes
/// a commit with a name. The driver's ``ListDriver/rules`` say what the user may do.
///
/// The table view does not keep its adapter alive; the app does.
@MainActor
public final class TableViewAdapter: ListAdapter, UITableViewDataSource, UITableViewDelegate, UITableViewDragDelegate,
    BatchScreen
{
    /// The table; a weak reference.
    public private(set) weak var tableView: UITableView?
    /// The app's own delegate. It gets all messages that the adapter does not implement, and is asked first for the others.
    public weak var delegate: (any UITableViewDelegate)? {
        didSet {
            app = delegate
            // A table asks its delegate once which methods it has: when the delegate is set.
            tableView?.delegate = nil
            tableView?.delegate = self
        }
    }
    /// How rows and sections appear and disappear.
    public var animation = UITableView.RowAnimation.automatic
    /// The title of the button of a swipe.
    public var deleteTitle = "Delete"
    /// The titles of the buttons of a swipe in the other direction, in an outline.
    public var (indentTitle, outdentTitle) = ("Indent", "Outdent")
    /// Whether checked rows have a checkmark as their accessory. It is set before a cell is configured, which may set another
    /// accessory.
    public var showsCheckmarks = true

    private let driver: any DrivenRows
    private let row: (ListIndexPath) -> RowCell<UITableViewCell, String>?
    private let configureHeader: ((UITableViewHeaderFooterView, Int) -> Void)?
    private let insert: (IndexPath) -> Void
    private let touches: TouchWatch
    private var given = GivenCells()

    private static let headerIdentifier = "listory.header"
    /// The reuse identifier of cells that the app does not register.
    public static let plainIdentifier = "listory.row"

    /// Shows the rows of a driver in a table view, whose data source, delegate and drag delegate the adapter becomes.
    ///
    /// - Parameters:
    ///   - tableView: the table.
    ///   - driver: the driver.
    ///   - identifier: the reuse identifier of the cell of a row, which the app has registered. A row whose identifier
    ///     changes with its content gets another cell. Without it, cells are plain ones.
    ///   - header: shows a section in its header; nil for no headers.
    ///   - newItem: makes the item that the insertion button of a row inserts after it; nil for none.
    ///   - configure: shows a row in its cell, which may have shown another row before. If it throws, the driver
    ///     reports the error and the cell is empty.
    public init<Source: ListSource>(
        _ tableView: UITableView, driver: ListDriver<Source>,
        identifier: @escaping (ListRow<Source.Item>) -> String = { _ in TableViewAdapter.plainIdentifier },
        header: ((UITableViewHeaderFooterView, ListSnapshot<Source.SectionID, Source.Item>.Section) -> Void)? = {
            header, section in
            var content = header.defaultContentConfiguration()
            content.text = section.title
            header.contentConfiguration = content
        },
        newItem: ((ListRow<Source.Item>) -> Source.Item?)? = nil,
        configure: @escaping (UITableViewCell, ListRow<Source.Item>) throws -> Void
    ) {
        self.driver = driver
        self.tableView = tableView
        touches = TouchWatch(tableView)
        row = { path in
            guard let row = driver.row(at: path) else { return nil }
            return RowCell(id: row.core.id, isChecked: row.isChecked, kind: identifier(row)) { try configure($0, row) }
        }
        configureHeader = header.map { header in
            { view, index in if let section = driver.section(at: index) { header(view, section) } }
        }
        insert = { path in
            guard let row = driver.row(at: path.listPath), let item = newItem?(row) else { return }
            driver.insert(item, at: ListIndexPath(section: path.section, item: path.row + 1))
        }
        super.init()
        tableView.register(UITableViewCell.self, forCellReuseIdentifier: Self.plainIdentifier)
        tableView.register(
            UITableViewHeaderFooterView.self, forHeaderFooterViewReuseIdentifier: Self.headerIdentifier)
        tableView.dataSource = self
        tableView.delegate = self
        tableView.dragDelegate = self
        driver.drive(self)
    }

    // MARK: Rows

    public func numberOfSections(in tableView: UITableView) -> Int { driver.sectionCount }

    public func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        driver.itemCount(inSection: section)
    }

    public func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        guard let row = row(indexPath.listPath) else { return UITableViewCell() }
        let cell = tableView.dequeueReusableCell(withIdentifier: row.kind, for: indexPath)
        given.note(row.kind, for: row.id)
        if showsCheckmarks { cell.accessoryType = row.isChecked ? .checkmark : .none }
        // A row that cannot be shown keeps its cell, because UIKit accepts no other cell for a reconfiguration.
        do {
            try row.configure(cell)
            cell.contentView.isHidden = false
        } catch {
            cell.contentView.isHidden = true
            driver.report(.read, ListAction.read.rawValue, error)
        }
        return cell
    }

    public func tableView(_ tableView: UITableView, viewForHeaderInSection section: Int) -> UIView? {
        if let method = delegate?.tableView(_:viewForHeaderInSection:) { return method(tableView, section) }
        guard let configureHeader,
            let header = tableView.dequeueReusableHeaderFooterView(withIdentifier: Self.headerIdentifier)
        else { return nil }
        configureHeader(header, section)
        return header
    }

    // MARK: Gestures

    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        if let method = delegate?.tableView(_:didSelectRowAt:) { return method(tableView, indexPath) }
        // While a table is edited, a tap selects.
        if tableView.isEditing { return }
        if driver.tap(at: indexPath.listPath) != nil { tableView.deselectRow(at: indexPath, animated: true) }
    }

    public func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool {
        driver.editing(at: indexPath.listPath) != .none || driver.canMove(at: indexPath.listPath)
    }

    public func tableView(
        _ tableView: UITableView, editingStyleForRowAt indexPath: IndexPath
    ) -> UITableViewCell.EditingStyle {
        if let method = delegate?.tableView(_:editingStyleForRowAt:) { return method(tableView, indexPath) }
        return switch driver.editing(at: indexPath.listPath) {
        case .none: .none
        case .delete: .delete
        case .insert: .insert
        }
    }

    public func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle, forRowAt indexPath: IndexPath
    ) {
        switch editingStyle {
        case .delete: driver.delete(at: [indexPath.listPath])
        case .insert: insert(indexPath)
        default: break
        }
    }

    public func tableView(
        _ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? {
        if let method = delegate?.tableView(_:trailingSwipeActionsConfigurationForRowAt:) {
            return method(tableView, indexPath)
        }
        guard let id = driver.id(at: indexPath.listPath), driver.editing(at: indexPath.listPath) == .delete else {
            return UISwipeActionsConfiguration(actions: [])
        }
        let action = UIContextualAction(style: .destructive, title: deleteTitle) { [weak driver] _, _, finish in
            finish(driver?.deleteUnprotected([id]) ?? false)
        }
        return UISwipeActionsConfiguration(actions: [action])
    }

    // MARK: Outlines

    public func tableView(_ tableView: UITableView, indentationLevelForRowAt indexPath: IndexPath) -> Int {
        if let method = delegate?.tableView(_:indentationLevelForRowAt:) { return method(tableView, indexPath) }
        return driver.isOutline ? driver.player.shown.item(at: indexPath.listPath)?.depth ?? 0 : 0
    }

    public func tableView(_ tableView: UITableView, accessoryButtonTappedForRowWith indexPath: IndexPath) {
        if let method = delegate?.tableView(_:accessoryButtonTappedForRowWith:) {
            return method(tableView, indexPath)
        }
        toggleCollapsed(at: indexPath)
    }

    public func tableView(
        _ tableView: UITableView, leadingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? {
        if let method = delegate?.tableView(_:leadingSwipeActionsConfigurationForRowAt:) {
            return method(tableView, indexPath)
        }
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

    /// Hides or shows the rows below a row: "Collapse Groceries". The accessory button of a cell calls it, if
    /// `configure` gives the cell one (`accessoryType = .detailButton`). Any other control may call it too;
    /// ``ListDriver/disclosure(at:)`` says what the control should show.
    @discardableResult
    public func toggleCollapsed(at indexPath: IndexPath) -> Bool {
        driver.id(at: indexPath.listPath).map { driver.toggleCollapsed($0, recursively: false) } ?? false
    }

    // MARK: Reordering

    public func tableView(_ tableView: UITableView, canMoveRowAt indexPath: IndexPath) -> Bool {
        driver.canMove(at: indexPath.listPath)
    }

    public func tableView(
        _ tableView: UITableView, targetIndexPathForMoveFromRowAt sourceIndexPath: IndexPath,
        toProposedIndexPath proposedDestinationIndexPath: IndexPath
    ) -> IndexPath {
        if let method = delegate?.tableView(_:targetIndexPathForMoveFromRowAt:toProposedIndexPath:) {
            return method(tableView, sourceIndexPath, proposedDestinationIndexPath)
        }
        return IndexPath(
            driver.target(ofMoving: sourceIndexPath.listPath, to: proposedDestinationIndexPath.listPath))
    }

    public func tableView(
        _ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath, to destinationIndexPath: IndexPath
    ) {
        driver.didMove(from: sourceIndexPath.listPath, to: destinationIndexPath.listPath, depth: nil)
    }

    public func tableView(
        _ tableView: UITableView, itemsForBeginning session: any UIDragSession, at indexPath: IndexPath
    ) -> [UIDragItem] {
        driver.canMove(at: indexPath.listPath) ? [UIDragItem(itemProvider: NSItemProvider())] : []
    }

    public func tableView(_ tableView: UITableView, dragSessionDidEnd session: any UIDragSession) {
        driver.player.play()
    }

    // MARK: What the driver asks of the table

    public var isOnScreen: Bool { tableView?.window != nil }

    public var isBusy: Bool {
        guard let tableView else { return false }
        // In editing mode a row may be dragged by its control, which UIKit does not report before the drop.
        return tableView.hasUncommittedUpdates || tableView.hasActiveDrag
            || (tableView.isEditing && touches.isTouched)
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
        guard let tableView else { return }
        let rows = items.compactMap { path in row(path).map { (path, $0.id, $0.kind) } }
        let (same, other) = given.split(rows)
        tableView.reconfigureRows(at: same.map(IndexPath.init))
        if !other.isEmpty {
            let selected = Set(selection).intersection(other)
            tableView.reloadRows(at: other.map(IndexPath.init), with: .none)
            select(Array(selected))
        }
        // If the app has its own headers, it updates them itself.
        guard let configureHeader, delegate?.tableView(_:viewForHeaderInSection:) == nil else { return }
        for index in sections {
            if let header = tableView.headerView(forSection: index) { configureHeader(header, index) }
        }
    }
}
#endif
