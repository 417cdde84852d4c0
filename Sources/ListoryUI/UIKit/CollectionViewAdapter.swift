// A UICollectionView that shows a list: data source and delegate in one object, which only forwards.
//
// The methods of Apple's protocols stand in the body of the class, as in `TableViewAdapter`.

#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
import ListModel
import Listory
import UIKit

/// Shows a store, or a view derived from one, in a collection view.
///
/// ```swift
/// adapter = CollectionViewAdapter(collectionView, driver: driver) { view, path, row in
///     view.dequeueConfiguredReusableCell(using: registration, for: path, item: try row.item)
/// }
/// var layout = UICollectionLayoutListConfiguration(appearance: .plain)
/// layout.trailingSwipeActionsConfigurationProvider = { [weak adapter] in adapter?.swipeActions(at: $0) }
/// ```
///
/// A tap sets or clears the checkmark of an item. Items are reordered by the standard gesture of a
/// `UICollectionViewController`, or by any other whose recognizer is handed to ``reorder(with:)``.
///
/// The collection view does not keep its adapter alive; the app does.
@MainActor
open class CollectionViewAdapter<Source: ListSource>: NSObject, UICollectionViewDataSource, UICollectionViewDelegate,
    BatchScreen
{
    /// Makes the cell of an item.
    public typealias CellProvider = (
        UICollectionView, IndexPath, ListRow<Source.Item>
    ) throws -> UICollectionViewCell
    /// A section as it is shown.
    public typealias Section = ListSnapshot<Source.SectionID, Source.Item>.Section

    /// Views that belong to sections: headers, footers.
    @MainActor
    public struct Supplementary {
        /// Makes the view of a kind for a section; it need not be configured.
        public var make: (UICollectionView, _ kind: String, IndexPath) -> UICollectionReusableView
        /// Shows a section in the view.
        public var configure: (UICollectionReusableView, _ kind: String, Section) -> Void
        /// The kinds that show something of their section, and are shown anew when its title changes.
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

    /// What decides.
    public let driver: ListDriver<Source>
    /// The collection view; it is not kept alive.
    public private(set) weak var collectionView: UICollectionView?
    /// Headers and footers; nil for none.
    public var supplementary: Supplementary?
    /// What the button of a swipe says.
    public var deleteTitle = "Delete"

    private let cell: CellProvider

    /// Shows the rows of a driver in a collection view, whose data source and delegate the adapter becomes.
    ///
    /// - Parameters:
    ///   - collectionView: the view.
    ///   - driver: what decides.
    ///   - supplementary: makes and configures headers and footers, if the layout has any.
    ///   - cell: makes the cell of an item. If it throws, the driver reports it and the cell is empty.
    public init(
        _ collectionView: UICollectionView, driver: ListDriver<Source>, supplementary: Supplementary? = nil,
        cell: @escaping CellProvider
    ) {
        self.driver = driver
        self.collectionView = collectionView
        self.supplementary = supplementary
        self.cell = cell
        super.init()
        collectionView.register(UICollectionViewCell.self, forCellWithReuseIdentifier: Self.emptyIdentifier)
        collectionView.dataSource = self
        collectionView.delegate = self
        driver.drive(self)
    }

    /// The cells of items that cannot be shown: a collection view takes none that it did not hand out.
    private static var emptyIdentifier: String { "listory.empty" }

    // MARK: Items

    open func numberOfSections(in collectionView: UICollectionView) -> Int { driver.sectionCount }

    open func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
        driver.itemCount(inSection: section)
    }

    open func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
        do {
            if let row = driver.row(at: indexPath.listPath) { return try cell(collectionView, indexPath, row) }
        } catch { driver.report(.read, ListAction.read.rawValue, error) }
        return collectionView.dequeueReusableCell(withReuseIdentifier: Self.emptyIdentifier, for: indexPath)
    }

    open func collectionView(
        _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
    ) -> UICollectionReusableView {
        guard let supplementary else { preconditionFailure("a layout with \(kind) needs a supplementary provider") }
        let view = supplementary.make(collectionView, kind, indexPath)
        if let section = driver.section(at: indexPath.section) { supplementary.configure(view, kind, section) }
        return view
    }

    // MARK: Gestures

    open func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {
        // While a collection is edited, a tap selects.
        if collectionView.isEditing { return }
        guard let row = driver.row(at: indexPath.listPath), driver.rules.togglesOnTap(row) else { return }
        collectionView.deselectItem(at: indexPath, animated: true)
        driver.setChecked(!row.isChecked, [row.core.id])
    }

    /// What a swipe over an item offers, for a layout that looks like a table.
    public func swipeActions(at indexPath: IndexPath) -> UISwipeActionsConfiguration? {
        guard let id = driver.id(at: indexPath.listPath), driver.editing(at: indexPath.listPath) == .delete else {
            return nil
        }
        let action = UIContextualAction(style: .destructive, title: deleteTitle) { [weak driver] _, _, finish in
            finish(driver?.delete(id) ?? false)
        }
        return UISwipeActionsConfiguration(actions: [action])
    }

    // MARK: Outlines

    /// The triangle of a row of an outline, for the accessories of its cell; nil if there is nothing below the row. A tap on
    /// it hides or shows what is below: "Collapse Groceries".
    ///
    /// It points to where the cell's `isExpanded` says, a part of its configuration state; ``ListRow/isCollapsed`` is what
    /// that should follow. `cell.indentationLevel = row.depth` indents the cell.
    public func disclosure(at indexPath: IndexPath) -> UICellAccessory? {
        guard let id = driver.id(at: indexPath.listPath), driver.disclosure(at: indexPath.listPath) != .none else {
            return nil
        }
        return .outlineDisclosure(options: .init(style: .cell)) { [weak driver] in _ = driver?.toggleCollapsed(id) }
    }

    // MARK: Reordering

    open func collectionView(_ collectionView: UICollectionView, canMoveItemAt indexPath: IndexPath) -> Bool {
        driver.canMove(at: indexPath.listPath)
    }

    open func collectionView(
        _ collectionView: UICollectionView,
        targetIndexPathForMoveOfItemFromOriginalIndexPath originalIndexPath: IndexPath,
        atCurrentIndexPath currentIndexPath: IndexPath, toProposedIndexPath proposedIndexPath: IndexPath
    ) -> IndexPath {
        IndexPath(driver.target(ofMoving: originalIndexPath.listPath, to: proposedIndexPath.listPath))
    }

    open func collectionView(
        _ collectionView: UICollectionView, moveItemAt sourceIndexPath: IndexPath,
        to destinationIndexPath: IndexPath
    ) {
        driver.didMove(from: sourceIndexPath.listPath, to: destinationIndexPath.listPath)
    }

    /// Moves an item along with a gesture; to be called by the action of a recognizer whose view is the collection view.
    public func reorder(with gesture: UIGestureRecognizer) {
        guard let collectionView else { return }
        let point = gesture.location(in: collectionView)
        switch gesture.state {
        case .began:
            guard let path = collectionView.indexPathForItem(at: point) else { return }
            _ = collectionView.beginInteractiveMovementForItem(at: path)
        case .changed: collectionView.updateInteractiveMovementTargetPosition(point)
        case .ended: collectionView.endInteractiveMovement()
        default: collectionView.cancelInteractiveMovement()
        }
    }

    // MARK: What the driver asks of the collection view

    public var isOnScreen: Bool { collectionView?.window != nil }

    public var isBusy: Bool {
        guard let collectionView else { return false }
        // While an item moves with a gesture, nothing else tells so.
        let isPressed = collectionView.gestureRecognizers?.contains { gesture in
            gesture is UILongPressGestureRecognizer && (gesture.state == .began || gesture.state == .changed)
        }
        return collectionView.hasUncommittedUpdates || collectionView.hasActiveDrag || isPressed ?? false
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
        collectionView?.reconfigureItems(at: items.map(IndexPath.init))
        guard let supplementary else { return }
        for index in sections {
            guard let section = driver.section(at: index) else { continue }
            for kind in supplementary.kinds {
                let path = IndexPath(item: 0, section: index)
                guard let view = collectionView?.supplementaryView(forElementKind: kind, at: path) else { continue }
                supplementary.configure(view, kind, section)
            }
        }
    }
}
#endif
