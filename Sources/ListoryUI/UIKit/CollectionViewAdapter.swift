// A UICollectionView that shows a list: data source and delegate in one object, which only forwards.

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
import ListModel
import Listory
import UIKit

/// Shows a store, or a view derived from one, in a collection view.
///
/// ```swift
/// collectionView.register(TodoCell.self, forCellWithReuseIdentifier: "todo")
/// adapter = CollectionViewAdapter(collectionView, driver: driver, identifier: { _ in "todo" }) { cell, _, row in
///     (cell as? TodoCell)?.title = row.item?.title
/// }
/// var layout = UICollectionLayoutListConfiguration(appearance: .plain)
/// layout.trailingSwipeActionsConfigurationProvider = { [weak adapter] in adapter?.swipeActions(at: $0) }
/// ```
///
/// A tap sets or clears the checkmark of an item. Items are reordered by the standard gesture of a
/// `UICollectionViewController`, or by any other whose recognizer is passed to ``reorder(with:)``.
///
/// The collection view does not keep its adapter alive; the app does.
@MainActor
public final class CollectionViewAdapter: ListAdapter, UICollectionViewDataSource, UICollectionViewDelegate, BatchScreen
{
    /// The collection view; a weak reference.
    public private(set) weak var collectionView: UICollectionView?
    /// The app's own delegate. It gets all messages that the adapter does not implement, and is asked first for the others.
    public weak var delegate: (any UICollectionViewDelegate)? {
        didSet {
            app = delegate
            // A collection view asks its delegate once which methods it has: when the delegate is set.
            collectionView?.delegate = nil
            collectionView?.delegate = self
        }
    }
    /// The title of the button of a swipe.
    public var deleteTitle = "Delete"

    private let driver: any DrivenRows
    private let row: (ListIndexPath) -> RowCell<(UICollectionViewCell, IndexPath), String>?
    private let makeSupplementary: ((UICollectionView, String, IndexPath) -> UICollectionReusableView)?
    private let configureSupplementary: (UICollectionReusableView, String, Int) -> Void
    private let supplementaryKinds: [String]
    private let touches: TouchWatch
    private var given = GivenCells()
    /// Whether ``reorder(with:)`` moves an item.
    private var isMoving = false
    /// Whether the collection view has asked whether an item may be moved, and a finger has been down since.
    private var mayBeMoving = false

    /// The reuse identifier of cells that the app does not register: `UICollectionViewListCell`.
    public static let plainIdentifier = "listory.row"

    /// Shows the rows of a driver in a collection view, whose data source and delegate the adapter becomes.
    ///
    /// - Parameters:
    ///   - collectionView: the view.
    ///   - driver: the driver.
    ///   - identifier: the reuse identifier of the cell of an item, which the app has registered. An item whose identifier
    ///     changes with its content gets another cell. Without it, cells are plain list cells.
    ///   - supplementary: makes and configures headers and footers, if the layout has any.
    ///   - configure: shows an item in its cell, which may have shown another item before. If it throws, the driver
    ///     reports the error and the cell is empty.
    public init<Source: ListSource>(
        _ collectionView: UICollectionView, driver: ListDriver<Source>,
        identifier: @escaping (ListRow<Source.Item>) -> String = { _ in CollectionViewAdapter.plainIdentifier },
        supplementary: SupplementaryViews<Source>? = nil,
        configure: @escaping (UICollectionViewCell, IndexPath, ListRow<Source.Item>) throws -> Void
    ) {
        self.driver = driver
        self.collectionView = collectionView
        touches = TouchWatch(collectionView)
        row = { path in
            guard let row = driver.row(at: path) else { return nil }
            return RowCell(id: row.core.id, isChecked: row.isChecked, kind: identifier(row)) { cell, path in
                try configure(cell, path, row)
            }
        }
        makeSupplementary = supplementary?.make
        configureSupplementary = { view, kind, index in
            if let section = driver.section(at: index) { supplementary?.configure(view, kind, section) }
        }
        supplementaryKinds = supplementary?.kinds ?? []
        super.init()
        collectionView.register(UICollectionViewListCell.self, forCellWithReuseIdentifier: Self.plainIdentifier)
        collectionView.dataSource = self
        collectionView.delegate = self
        driver.drive(self)
    }

    // MARK: Items

    public func numberOfSections(in collectionView: UICollectionView) -> Int { driver.sectionCount }

    public func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
        driver.itemCount(inSection: section)
    }

    public func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
        guard let row = row(indexPath.listPath) else { return UICollectionViewCell() }
        let cell = collectionView.dequeueReusableCell(withReuseIdentifier: row.kind, for: indexPath)
        given.note(row.kind, for: row.id)
        // An item that cannot be shown keeps its cell, because UIKit accepts no other cell for a reconfiguration.
        do {
            try row.configure((cell, indexPath))
            cell.contentView.isHidden = false
        } catch {
            cell.contentView.isHidden = true
            driver.report(.read, ListAction.read.rawValue, error)
        }
        return cell
    }

    public func collectionView(
        _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
    ) -> UICollectionReusableView {
        guard let makeSupplementary else { preconditionFailure("a layout with \(kind) needs supplementary views") }
        let view = makeSupplementary(collectionView, kind, indexPath)
        configureSupplementary(view, kind, indexPath.section)
        return view
    }

    // MARK: Gestures

    public func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {
        if let method = delegate?.collectionView(_:didSelectItemAt:) { return method(collectionView, indexPath) }
        // While a collection is edited, a tap selects.
        if collectionView.isEditing { return }
        if driver.tap(at: indexPath.listPath) != nil { collectionView.deselectItem(at: indexPath, animated: true) }
    }

    /// The actions of a swipe over an item, for a layout that looks like a table.
    public func swipeActions(at indexPath: IndexPath) -> UISwipeActionsConfiguration? {
        guard let id = driver.id(at: indexPath.listPath), driver.editing(at: indexPath.listPath) == .delete else {
            return nil
        }
        let action = UIContextualAction(style: .destructive, title: deleteTitle) { [weak driver] _, _, finish in
            finish(driver?.deleteUnprotected([id]) ?? false)
        }
        return UISwipeActionsConfiguration(actions: [action])
    }

    // MARK: Outlines

    /// The triangle of a row of an outline, for the accessories of its cell; nil if there are no rows below the row. A tap on
    /// it hides or shows them: "Collapse Groceries".
    ///
    /// Its direction follows `isExpanded` of the cell's configuration state, which should follow ``ListRow/isCollapsed``. `cell.indentationLevel = row.depth` indents the cell.
    public func disclosure(at indexPath: IndexPath) -> UICellAccessory? {
        guard let id = driver.id(at: indexPath.listPath), driver.disclosure(at: indexPath.listPath) != .none else {
            return nil
        }
        return .outlineDisclosure(options: .init(style: .cell)) { [weak driver] in
            _ = driver?.toggleCollapsed(id, recursively: false)
        }
    }

    // MARK: Reordering

    public func collectionView(_ collectionView: UICollectionView, canMoveItemAt indexPath: IndexPath) -> Bool {
        let canMove = driver.canMove(at: indexPath.listPath)
        // UIKit asks this when any interactive movement begins.
        if canMove && touches.isTouched { mayBeMoving = true }
        return canMove
    }

    public func collectionView(
        _ collectionView: UICollectionView,
        targetIndexPathForMoveOfItemFromOriginalIndexPath originalIndexPath: IndexPath,
        atCurrentIndexPath currentIndexPath: IndexPath, toProposedIndexPath proposedIndexPath: IndexPath
    ) -> IndexPath {
        if let method = delegate?.collectionView(
            _:targetIndexPathForMoveOfItemFromOriginalIndexPath:atCurrentIndexPath:toProposedIndexPath:)
        {
            return method(collectionView, originalIndexPath, currentIndexPath, proposedIndexPath)
        }
        return IndexPath(driver.target(ofMoving: originalIndexPath.listPath, to: proposedIndexPath.listPath))
    }

    public func collectionView(
        _ collectionView: UICollectionView, moveItemAt sourceIndexPath: IndexPath,
        to destinationIndexPath: IndexPath
    ) {
        driver.didMove(from: sourceIndexPath.listPath, to: destinationIndexPath.listPath, depth: nil)
    }

    /// Moves an item along with a gesture; to be called by the action of a recognizer whose view is the collection view.
    public func reorder(with gesture: UIGestureRecognizer) {
        guard let collectionView else { return }
        let point = gesture.location(in: collectionView)
        switch gesture.state {
        case .began:
            guard let path = collectionView.indexPathForItem(at: point) else { return }
            isMoving = collectionView.beginInteractiveMovementForItem(at: path)
        case .changed: collectionView.updateInteractiveMovementTargetPosition(point)
        case .ended:
            collectionView.endInteractiveMovement()
            isMoving = false
        default:
            collectionView.cancelInteractiveMovement()
            isMoving = false
        }
    }

    // MARK: What the driver asks of the collection view

    public var isOnScreen: Bool { collectionView?.window != nil }

    public var isBusy: Bool {
        guard let collectionView else { return false }
        if !touches.isTouched { mayBeMoving = false }
        return collectionView.hasUncommittedUpdates || collectionView.hasActiveDrag || isMoving || mayBeMoving
    }

    public var selection: [ListIndexPath] { collectionView?.indexPathsForSelectedItems?.map(\.listPath) ?? [] }

    public func select(_ paths: [ListIndexPath]) {
        for path in paths { collectionView?.selectItem(at: IndexPath(path), animated: false, scrollPosition: []) }
    }

    public func reload() { collectionView?.reloadData() }

    public func perform(
        _ changes: Changeset, show: @escaping @MainActor () -> Void, done: @escaping @MainActor () -> Void
    ) {
        guard let collectionView else {
            show()
            return done()
        }
        collectionView.performBatchUpdates(
            {
                show()
                collectionView.deleteSections(IndexSet(changes.sections.deleted))
                collectionView.insertSections(IndexSet(changes.sections.inserted))
                for move in changes.sections.moved { collectionView.moveSection(move.from, toSection: move.to) }
                collectionView.deleteItems(at: changes.items.deleted.map(IndexPath.init))
                collectionView.insertItems(at: changes.items.inserted.map(IndexPath.init))
                for move in changes.items.moved {
                    collectionView.moveItem(at: IndexPath(move.from), to: IndexPath(move.to))
                }
            },
            completion: { _ in done() })
    }

    public func reconfigure(items: [ListIndexPath], sections: [Int]) {
        guard let collectionView else { return }
        let rows = items.compactMap { path in row(path).map { (path, $0.id, $0.kind) } }
        let (same, other) = given.split(rows)
        collectionView.reconfigureItems(at: same.map(IndexPath.init))
        if !other.isEmpty {
            let selected = Set(selection).intersection(other)
            collectionView.reloadItems(at: other.map(IndexPath.init))
            select(Array(selected))
        }
        for index in sections {
            for kind in supplementaryKinds {
                let path = IndexPath(item: 0, section: index)
                if let view = collectionView.supplementaryView(forElementKind: kind, at: path) {
                    configureSupplementary(view, kind, index)
                }
            }
        }
    }
}

/// Views of a collection view that belong to sections: headers, footers.
@MainActor
public struct SupplementaryViews<Source: ListSource> {
    /// A shown section.
    public typealias Section = ListSnapshot<Source.SectionID, Source.Item>.Section

    /// Makes the view of a kind for a section; it need not be configured.
    public var make: (UICollectionView, _ kind: String, IndexPath) -> UICollectionReusableView
    /// Shows a section in the view.
    public var configure: (UICollectionReusableView, _ kind: String, Section) -> Void
    /// The kinds of views that depend on their section, and are configured again when its title changes.
    public var kinds: [String]

    /// Views of these kinds.
    public init(
        kinds: [String] = [UICollectionView.elementKindSectionHeader],
        make: @escaping (UICollectionView, _ kind: String, IndexPath) -> UICollectionReusableView,
        configure: @escaping (UICollectionReusableView, _ kind: String, Section) -> Void
    ) {
        self.kinds = kinds
        self.make = make
        self.configure = configure
    }
}
#endif
