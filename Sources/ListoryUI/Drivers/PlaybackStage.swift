// One thing that a view plays, and the rows that its data source answers with then.

import ListModel

/// One thing that a view plays: a batch, a reload, or contents that are shown anew.
@MainActor
public struct PlaybackStage {
    /// What is played.
    enum Kind {
        /// The view counts all rows anew.
        case reload
        /// The view plays changes. It calls `show` at the moment when the data source has to answer with the rows of the
        /// stage, once and before it returns; and `done` when the animation has ended, then or later.
        case play(@MainActor (_ show: @escaping @MainActor () -> Void, _ done: @escaping @MainActor () -> Void) -> Void)
    }

    /// The rows when it is played.
    let snapshot: Snapshot
    let kind: Kind

    /// A stage after which these rows are shown, counted anew.
    public static func reload(_ snapshot: Snapshot) -> PlaybackStage {
        PlaybackStage(snapshot: snapshot, kind: .reload)
    }

    /// A stage that `play` plays. It has to call its first argument at the moment when the data source has to answer with
    /// the rows of the stage, once and before it returns; and its second argument when the animation has ended.
    public static func play(
        _ snapshot: Snapshot,
        _ play:
            @escaping @MainActor (
                _ show: @escaping @MainActor () -> Void, _ done: @escaping @MainActor () -> Void
            ) -> Void
    ) -> PlaybackStage {
        PlaybackStage(snapshot: snapshot, kind: .play(play))
    }
}
