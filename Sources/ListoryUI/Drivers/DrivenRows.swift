// The interface of a driver for the adapters of toolkits, without the types of the app.
//
// A class that Objective-C calls must not be generic: Objective-C would never call the optional methods of a delegate
// that its subclasses implement. So the adapters are not generic, and use a driver through this protocol.

import ListModel
import Listory

/// The functions of a ``ListDriver`` that an adapter uses.
@MainActor
protocol DrivenRows: AnyObject {
    var player: TransitionPlayer { get }
    var isOutline: Bool { get }
    var sectionCount: Int { get }

    func drive(_ screen: any ListScreen)
    func report(_ action: ListAction, _ name: String, _ error: any Error)
    func selectionDidChange()

    func itemCount(inSection index: Int) -> Int
    func id(at path: ListIndexPath) -> UntypedID?
    func editing(at path: ListIndexPath) -> RowEditing
    func canMove(at path: ListIndexPath) -> Bool
    func canIndent(at path: ListIndexPath) -> Bool
    func canOutdent(at path: ListIndexPath) -> Bool
    func target(ofMoving path: ListIndexPath, to proposed: ListIndexPath) -> ListIndexPath
    func disclosure(at path: ListIndexPath) -> RowDisclosure

    func rows(in layout: RowLayout) -> LaidOutRows
    func place(atRow row: Int, in layout: RowLayout) -> RowPlace?
    func gap(aboveRow row: Int, in layout: RowLayout) -> ListIndexPath?
    func drag(_ paths: [ListIndexPath]) -> RowDrag

    @discardableResult func tap(at path: ListIndexPath) -> Bool?
    @discardableResult func delete(at paths: [ListIndexPath]) -> Bool
    @discardableResult func deleteUnprotected(_ ids: [UntypedID]) -> Bool
    @discardableResult func toggle(_ id: UntypedID) -> Bool
    @discardableResult func toggleCollapsed(_ id: UntypedID, recursively: Bool) -> Bool
    @discardableResult func indent(_ ids: [UntypedID]) -> Bool
    @discardableResult func outdent(_ ids: [UntypedID]) -> Bool
    @discardableResult func move(_ ids: [UntypedID], toGap gap: ListIndexPath, depth: Int?) -> Bool
    @discardableResult func move(_ ids: [UntypedID], into parent: UntypedID) -> Bool
    @discardableResult func didMove(from source: ListIndexPath, to target: ListIndexPath, depth: Int?) -> Bool
}

extension ListDriver: DrivenRows {}

extension DrivenRows {
    /// The ids of the rows at some paths.
    func ids(at paths: [ListIndexPath]) -> [UntypedID] { paths.compactMap { id(at: $0) } }
}

/// Rows that are being dragged. The toolkit asks at every movement of the mouse where they may be dropped.
@MainActor
struct RowDrag {
    /// The rows.
    let ids: [UntypedID]
    /// Whether they may be dropped between rows: the section, and the number of its rows above the place.
    let canMoveToGap: (ListIndexPath) -> Bool
    /// Whether they may be dropped on a row, and become its children.
    let canMoveInto: (ListIndexPath) -> Bool
}

// MARK: - Gestures at a place on the screen, which follow the rules

extension ListDriver {
    /// The user has tapped a row: its checkmark is set or cleared, if the rules say so.
    ///
    /// - Returns: whether it was committed; nil if a tap does nothing to this row.
    func tap(at path: ListIndexPath) -> Bool? {
        guard let row = row(at: path), rules.togglesOnTap(row) else { return nil }
        return setChecked(!row.isChecked, for: [row.core.id])
    }

    /// Deletes the rows at some paths of the shown rows: "Delete 3 Rows". Those that the rules protect stay. In an outline, a row also
    /// stays if a row below it, shown or hidden, is protected.
    ///
    /// - Returns: whether rows were deleted.
    @discardableResult
    public func delete(at paths: [ListIndexPath]) -> Bool { delete(paths.compactMap { row(at: $0) }) }

    /// Deletes rows, as far as the rules allow.
    func delete(_ rows: [ListRow<Source.Item>]) -> Bool {
        let ids = rows.filter { rules.editing($0) == .delete }.map(\.core.id)
        if let first = rows.first, ids.isEmpty {
            report(.delete, name(.delete, rows.map(\.core.id)), RowProtected(action: .delete, id: first.core.id))
        }
        return ids.isEmpty ? false : deleteUnprotected(ids)
    }

    /// Deletes rows that the rules allow to delete. In an outline, those stay that have a protected row below them.
    func deleteUnprotected(_ ids: [UntypedID]) -> Bool {
        guard isOutline, previewed == nil else { return delete(ids) }
        do {
            // Hidden rows are only in the store. The rules are the app's functions, so they run without the store's lock.
            let store = source.editedStore
            let stored = try newest.showing(store.snapshot)
            var kept: UntypedID?
            let free = try stored.core.reading {
                try ids.filter { id in
                    guard let path = try path(of: id, in: stored.core) else { return true }
                    let outline = stored.core.sections[path.section].outline
                    let below = outline.subtree(of: path.item).dropFirst().first { item in
                        stored.row(at: ListIndexPath(section: path.section, item: item)).map(rules.editing) != .delete
                    }
                    kept = below.map { outline.items[$0].id } ?? kept
                    return below == nil
                }
            }
            if let kept, free.isEmpty { throw RowProtected(action: .delete, id: kept) }
            return delete(free)
        } catch {
            report(.delete, name(.delete, ids), error)
            showResult()
            return false
        }
    }

    /// Begins a drag of the rows at some paths of the shown rows. No change is played until the drag ends.
    func drag(_ paths: [ListIndexPath]) -> RowDrag {
        let rows = paths.compactMap { row(at: $0) }
        return RowDrag(
            ids: rows.map(\.core.id), canMoveToGap: { [weak self] in self?.canMove(rows, toGap: $0) ?? false },
            canMoveInto: { [weak self] in self?.canMove(rows, into: $0) ?? false })
    }
}
