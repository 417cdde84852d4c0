// The interface of a list view for a driver: the few functions of a table that a driver needs, for any toolkit.
//
// All decisions are on the driver's side of this protocol and are tested without a screen; a conforming type only forwards.

import ListModel

/// A list view that a driver keeps up to date.
///
/// It answers all questions about its rows only from the driver's ``TransitionPlayer/shown`` snapshot.
@MainActor
public protocol ListScreen: AnyObject {
    /// Whether the view is in a window. A view without one is reloaded: it may not have counted its rows, and then a batch
    /// of updates would be checked against counts that it does not have.
    var isOnScreen: Bool { get }

    /// Whether a user is dragging a row, or the view is still settling a row that was dropped. Nothing is played meanwhile.
    var isBusy: Bool { get }

    /// Where the selected rows are in the shown snapshot.
    var selection: [ListIndexPath] { get }

    /// Selects rows of the shown snapshot, and no others.
    func select(_ paths: [ListIndexPath])

    /// Counts and shows all rows again; the answers of the data source have changed already.
    func reload()

    /// The phases in which this view plays a transition, in order.
    ///
    /// - Parameter reloadAbove: the number of changes above which it reloads instead; nil for never.
    func phases(of transition: ListTransition, reloadAbove: Int?) -> [TransitionPhase]
}

/// A part of a transition that a view plays at once, and the rows with which its data source answers from then on.
@MainActor
public enum TransitionPhase {
    /// The view counts and shows all rows again.
    case reload(UntypedSnapshot)
    /// The view plays changes. The closure calls `show` when the data source has to answer with the rows of the phase, once and
    /// before it returns; and `done` when the animation has ended, then or later.
    case play(
        UntypedSnapshot,
        @MainActor (_ show: @escaping @MainActor () -> Void, _ done: @escaping @MainActor () -> Void) -> Void)
    /// The view shows the contents of some rows again, and no row is inserted, deleted or moved. It does not wait for the
    /// animation of the phase before it.
    case contents(UntypedSnapshot, @MainActor () -> Void)
}
