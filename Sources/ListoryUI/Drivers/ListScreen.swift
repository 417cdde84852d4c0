// A list view, as a driver sees it: the few things that are asked of a table on a screen, whatever toolkit it is from.
//
// All decisions are on the driver's side of this protocol and are tested without a screen; a conforming type only forwards.

import ListModel

/// A list view that a driver keeps up to date.
///
/// It answers all questions about its rows from the driver's ``Playback/shown`` snapshot, and from nothing else.
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

    /// What this view plays of a transition, in order.
    ///
    /// - Parameter reloadAbove: the number of changes above which it reloads instead; nil for never.
    func stages(of transition: Transition, reloadAbove: Int?) -> [PlaybackPhase]
}

/// One thing that a view plays, and the rows that its data source answers with from then on.
@MainActor
public struct PlaybackPhase {
    /// What is played.
    enum Kind {
        /// The view counts all rows again.
        case reload
        /// The view plays changes. It calls `show` when the data source has to answer with the rows of the stage, once
        /// and before it returns; and `done` when the animation has ended, then or later.
        case play(@MainActor (_ show: @escaping @MainActor () -> Void, _ done: @escaping @MainActor () -> Void) -> Void)
        /// The view shows contents again. No row comes, goes or moves.
        case contents(@MainActor () -> Void)
    }

    /// The rows when it is played.
    let snapshot: Snapshot
    let kind: Kind

    /// A stage that counts and shows all rows again.
    public static func reload(_ snapshot: Snapshot) -> PlaybackPhase {
        PlaybackPhase(snapshot: snapshot, kind: .reload)
    }

    /// A stage that `play` plays. It has to call its first argument when the data source has to answer with the rows of
    /// the stage, once and before it returns; and its second argument when the animation has ended.
    public static func play(
        _ snapshot: Snapshot,
        _ play:
            @escaping @MainActor (
                _ show: @escaping @MainActor () -> Void, _ done: @escaping @MainActor () -> Void
            ) -> Void
    ) -> PlaybackPhase {
        PlaybackPhase(snapshot: snapshot, kind: .play(play))
    }

    /// A stage in which no row comes, goes or moves, and `show` shows the contents of some rows again. It does not wait
    /// for the animation of the stage before it.
    public static func contents(_ snapshot: Snapshot, _ show: @escaping @MainActor () -> Void) -> PlaybackPhase {
        PlaybackPhase(snapshot: snapshot, kind: .contents(show))
    }
}
