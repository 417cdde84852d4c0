// A list's history as Foundation's undo manager, so that the Undo and Redo of the system, menus, shakes and keys, are those of
// the store. It only forwards.
//
// What others register, a text field's typing, they undo themselves, and first; the next commit drops it, because the row
// that it was typed into has it by then.

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
#elseif canImport(UIKit)
import UIKit
#endif
#if canImport(UIKit) || canImport(AppKit)
import ListModel
import Listory

/// An undo manager over the history of a store.
///
/// ```swift
/// final class TodoViewController: UITableViewController {
///     private lazy var listUndo = ListUndoManager(driver)
///     override var undoManager: UndoManager? { listUndo }
/// }
/// ```
///
/// The history outlives the undo manager: what was done before the app was started can be undone. Groups and coalescing are those of
/// the store: see ``ListDriver/group(_:_:)`` and ``ListDriver/selectionDidChange()``.
@MainActor
open class ListUndoManager<Source: ListSource>: UndoManager {
    /// What decides.
    public let list: UndoDriver<Source>

    /// An undo manager of what a driver commits.
    public init(_ driver: ListDriver<Source>) {
        list = UndoDriver(driver)
        super.init()
        list.onEvent = { [weak self] event in self?.tell(event) }
    }

    private func tell(_ event: UndoDriver<Source>.Event) {
        let name: Notification.Name
        switch event {
        case .checkpoint:
            super.removeAllActions()
            name = .NSUndoManagerCheckpoint
        case .willUndo: name = .NSUndoManagerWillUndoChange
        case .didUndo: name = .NSUndoManagerDidUndoChange
        case .willRedo: name = .NSUndoManagerWillRedoChange
        case .didRedo: name = .NSUndoManagerDidRedoChange
        }
        NotificationCenter.default.post(name: name, object: self)
    }

    open override var canUndo: Bool { super.canUndo || list.state.canUndo }
    open override var canRedo: Bool { super.canRedo || list.state.canRedo }
    open override var isUndoing: Bool { super.isUndoing || list.isUndoing }
    open override var isRedoing: Bool { super.isRedoing || list.isRedoing }

    open override func undo() {
        if super.canUndo { super.undo() } else { list.undo() }
    }

    open override func redo() {
        if super.canRedo { super.redo() } else { list.redo() }
    }

    open override var undoActionName: String {
        super.canUndo ? super.undoActionName : list.state.undo?.name ?? ""
    }

    open override var redoActionName: String {
        super.canRedo ? super.redoActionName : list.state.redo?.name ?? ""
    }

    open override var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    open override var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    open override var undoActionIsDiscardable: Bool {
        super.canUndo ? super.undoActionIsDiscardable : list.state.undo?.isDiscardable ?? false
    }

    open override var redoActionIsDiscardable: Bool {
        super.canRedo ? super.redoActionIsDiscardable : list.state.redo?.isDiscardable ?? false
    }
}
#endif
