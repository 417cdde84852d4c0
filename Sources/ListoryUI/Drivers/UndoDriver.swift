// The undo state of a driver for an undo manager, a menu or a button, kept up to date.
//
// Always holds: `state` is the store's undo state at the last event; every change of it is an event.

import ListModel
import Listory

/// Follows the next undo and redo of a driver, and carries them out.
///
/// On Apple's platforms, `ListUndoManager` forwards to an `UndoDriver`, which itself depends on no toolkit.
///
/// ```swift
/// let undo = UndoDriver(driver)
/// undo.onEvent = { _ in undoButton.isEnabled = undo.state.canUndo }
/// ```
@MainActor
public final class UndoDriver<Source: ListSource>: DrivenUndo {
    /// The driver that makes the commits.
    public let driver: ListDriver<Source>
    /// The next undo and redo.
    public private(set) var state: UndoState
    /// Whether an undo is being made.
    public private(set) var isUndoing = false
    /// Whether a redo is being made.
    public private(set) var isRedoing = false
    /// Called for each event.
    public var onEvent: @MainActor (UndoEvent) -> Void = { _ in }

    /// Called after each look at the history, also if the next undo and redo are the same.
    var onLook: @MainActor () -> Void = {}

    private var following: Task<Void, Never>?

    /// Follows the history of a driver.
    public init(_ driver: ListDriver<Source>) {
        self.driver = driver
        // Observation begins before the first read, so that no change is missed in between.
        let changes = try? driver.source.editedStore.changes()
        state = driver.undoState
        driver.add(self)
        guard let changes else { return }
        following = Task { [weak self] in
            for await _ in changes {
                guard let self else { return }
                refresh()
            }
        }
    }

    deinit { following?.cancel() }

    /// Reads the history now, instead of at the next signal of the store.
    public func refresh() {
        let newest = driver.undoState
        defer { onLook() }
        if newest == state { return }
        state = newest
        onEvent(.checkpoint)
    }

    /// Undoes the newest step.
    @discardableResult
    public func undo() -> Bool { move(\.isUndoing, .willUndo, .didUndo) { $0.undo() } }

    /// Redoes the next step.
    @discardableResult
    public func redo() -> Bool { move(\.isRedoing, .willRedo, .didRedo) { $0.redo() } }

    private func move(
        _ isMoving: ReferenceWritableKeyPath<UndoDriver, Bool>, _ before: UndoEvent, _ after: UndoEvent,
        _ body: (ListDriver<Source>) -> Bool
    ) -> Bool {
        // An observer of `willUndo` must not begin another undo.
        if isUndoing || isRedoing { return false }
        self[keyPath: isMoving] = true
        onEvent(before)
        let isDone = body(driver)
        self[keyPath: isMoving] = false
        refresh()
        onEvent(after)
        return isDone
    }
}

/// The events of an ``UndoDriver``, in the order of Foundation's notifications.
public enum UndoEvent: Hashable, Sendable {
    /// The next undo or redo has changed.
    case checkpoint
    /// An undo begins.
    case willUndo
    /// An undo has ended.
    case didUndo
    /// A redo begins.
    case willRedo
    /// A redo has ended.
    case didRedo
}

/// An undo driver without the types of the app, for classes that Objective-C calls.
@MainActor
protocol DrivenUndo: AnyObject {
    var state: UndoState { get }
    var isUndoing: Bool { get }
    var isRedoing: Bool { get }
    var onEvent: @MainActor (UndoEvent) -> Void { get set }
    @discardableResult func undo() -> Bool
    @discardableResult func redo() -> Bool
    func refresh()
}

// MARK: - What others registered

/// When an undo manager may forget the actions that others registered with it, such as a text field's typing.
///
/// A commit makes them superfluous. But an undo manager that forgets all actions while one of its groups is open raises an
/// exception when that group ends. Typing opens a group that ends with the event, after the commit that it leads to; so
/// forgetting waits for the end of the outermost group.
struct SupersededActions {
    /// Whether there are actions that were registered before the last commit.
    private(set) var isPending = false

    /// A commit was made.
    mutating func supersede() { isPending = true }

    /// Whether to forget all actions now; true once.
    ///
    /// - Parameter groupingLevel: how many groups of the undo manager are open.
    mutating func takeIfClosed(groupingLevel: Int) -> Bool {
        guard isPending, groupingLevel == 0 else { return false }
        isPending = false
        return true
    }
}
