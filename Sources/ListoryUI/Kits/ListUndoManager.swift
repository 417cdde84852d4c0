// A list's history as Foundation's undo manager, so that the system's Undo and Redo (menus, shakes, keys) use the
// store. It only forwards.
//
// Actions that other objects register, such as a text field's typing, are undone first, by these objects. The next
// commit makes them superfluous, because the row has the typed text by then; they are forgotten as soon as no group is
// open.
//
// Always holds: it is not generic, so Objective-C calls whatever a subclass adds.

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
///     // Shakes and keys go to the first responder.
///     override var canBecomeFirstResponder: Bool { true }
/// }
/// ```
///
/// The history outlives the undo manager: edits from before the app was started can be undone. Groups and coalescing
/// are those of the store: see ``ListDriver/group(_:_:)`` and ``ListDriver/selectionDidChange()``.
@MainActor
open class ListUndoManager: UndoManager {
    private let list: any DrivenUndo
    private var superseded = SupersededActions()

    /// An undo manager of a driver's commits.
    public init<Source: ListSource>(_ driver: ListDriver<Source>) {
        list = UndoDriver(driver)
        super.init()
        list.onEvent = { [weak self] event in self?.tell(event) }
    }

    private func tell(_ event: UndoEvent) {
        let name: Notification.Name
        switch event {
        case .checkpoint:
            superseded.supersede()
            forgetSuperseded()
            name = .NSUndoManagerCheckpoint
        case .willUndo: name = .NSUndoManagerWillUndoChange
        case .didUndo: name = .NSUndoManagerDidUndoChange
        case .willRedo: name = .NSUndoManagerWillRedoChange
        case .didRedo: name = .NSUndoManagerDidRedoChange
        }
        NotificationCenter.default.post(name: name, object: self)
    }

    private func forgetSuperseded() {
        if superseded.takeIfClosed(groupingLevel: groupingLevel) { super.removeAllActions() }
    }

    // Actions that are registered after the commit must not be forgotten together with those from before it.
    open override func beginUndoGrouping() {
        forgetSuperseded()
        super.beginUndoGrouping()
    }

    open override func endUndoGrouping() {
        super.endUndoGrouping()
        forgetSuperseded()
    }

    /// Whether an action of others is to be undone before the list.
    private var canUndoOthers: Bool {
        forgetSuperseded()
        return !superseded.isPending && super.canUndo
    }

    private var canRedoOthers: Bool {
        forgetSuperseded()
        return !superseded.isPending && super.canRedo
    }

    open override var canUndo: Bool { canUndoOthers || list.state.canUndo }
    open override var canRedo: Bool { canRedoOthers || list.state.canRedo }
    open override var isUndoing: Bool { super.isUndoing || list.isUndoing }
    open override var isRedoing: Bool { super.isRedoing || list.isRedoing }

    open override func undo() {
        if canUndoOthers { super.undo() } else { list.undo() }
    }

    open override func redo() {
        if canRedoOthers { super.redo() } else { list.redo() }
    }

    open override var undoActionName: String {
        canUndoOthers ? super.undoActionName : list.state.undo?.name ?? ""
    }

    open override var redoActionName: String {
        canRedoOthers ? super.redoActionName : list.state.redo?.name ?? ""
    }

    open override var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    open override var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    open override var undoActionIsDiscardable: Bool {
        canUndoOthers ? super.undoActionIsDiscardable : list.state.undo?.isDiscardable ?? false
    }

    open override var redoActionIsDiscardable: Bool {
        canRedoOthers ? super.redoActionIsDiscardable : list.state.redo?.isDiscardable ?? false
    }
}
#endif
