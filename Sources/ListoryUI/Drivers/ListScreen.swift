// A list view, as a driver sees it: the few things that are asked of a table on a screen, whatever toolkit it is from.
//
// What decides is on this side of the protocol and is tested without a screen; who conforms to it only forwards.

import ListModel

/// A list view that a driver keeps up to date.
///
/// It answers all questions about its rows from the driver's ``Playback/shown`` snapshot, and never from anywhere else.
@MainActor
public protocol ListScreen: AnyObject {
    /// Whether the view is in a window. One that is not has counted no rows yet, or has counted them and may be asked
    /// for nothing; it is reloaded, because a batch of updates would be checked against counts that it does not have.
    var isOnScreen: Bool { get }

    /// Whether a user is dragging a row, or has dropped one that the view is still settling. Nothing is played meanwhile.
    var isBusy: Bool { get }

    /// Where the selected rows are in the shown snapshot.
    var selection: [ListIndexPath] { get }

    /// Selects rows of the shown snapshot, and no others.
    func select(_ paths: [ListIndexPath])

    /// Counts and shows all rows anew; what the data source answers has changed already.
    func reload()

    /// What this view plays of a transition, in order.
    ///
    /// - Parameter reloadAbove: the number of changes above which it reloads instead; nil for never.
    func stages(of transition: Transition, reloadAbove: Int?) -> [PlaybackStage]
}
