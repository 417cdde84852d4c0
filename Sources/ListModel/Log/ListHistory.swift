// The history of one scope at one version: a place in the tree of commits that lies in the log.
//
// A *revision* is a commit that made new rows: an edit, a revert, a restore. Undo, redo and go are *checkouts* of
// revisions. The *position* is the revision whose rows the list has; the *tip* is the end of its branch, where redo
// leads. See `Docs/Design/History.md`.
//
// Undo never searches the past, and the history takes constant memory: the record of every commit holds this value
// after it, and the record of a revision names its parent.
//
// Always holds: the history follows from the commits (`HistoryWriter`), whether it is read from the newest record or
// computed from the first; the position is the tip or an ancestor of it.

/// A place in the tree of commits, at one version in one scope.
public struct ListHistory: Hashable, Sendable {
    /// The revision whose rows the list has, as far as this scope is concerned; ``Version/empty`` at the root.
    public let position: Version
    /// The commit that redo leads to: the end of the branch that the position is on.
    public let tip: Version
    /// The newest revision.
    public let newest: Version
    /// The newest commit that left a branch for another; ``Version/empty`` if there is one branch only.
    public let switched: Version
    /// How many steps undo can go back. A compacted store may have fewer of them.
    public let undoCount: Int
    /// How many steps redo can go forward.
    public let redoCount: Int
    /// How many revisions there are from the root to the position.
    let depth: Int

    init(
        position: Version, tip: Version, newest: Version, switched: Version, undoCount: Int, redoCount: Int, depth: Int
    ) {
        self.position = position
        self.tip = tip
        self.newest = newest
        self.switched = switched
        self.undoCount = undoCount
        self.redoCount = redoCount
        self.depth = depth
    }

    /// Nothing to undo and nothing to redo.
    public static let empty = ListHistory(
        position: .empty, tip: .empty, newest: .empty, switched: .empty, undoCount: 0, redoCount: 0, depth: 0)

    /// The same place, with the counts of reachable steps.
    package func counting(undo: Int, redo: Int) -> ListHistory {
        ListHistory(
            position: position, tip: tip, newest: newest, switched: switched, undoCount: undo, redoCount: redo,
            depth: depth)
    }
}

/// The scope of a history.
public enum HistoryScope: Hashable, Sendable {
    /// One history for all origins: undo reverts the newest step of any of them.
    case shared
    /// One origin: undo reverts only its own steps.
    case origin(String)
}

/// Which history a commit belongs to. Frozen into its record.
public enum Tracking: UInt8, Hashable, Sendable {
    /// The shared history.
    case shared = 0
    /// The history of the commit's origin.
    case own = 1
    /// No history: undo ignores the commit.
    case untracked = 2
}

extension Tracking {
    /// The scope of a commit of an origin; nil if it is in no history.
    func scope(_ origin: () throws -> String) rethrows -> HistoryScope? {
        switch self {
        case .shared: .shared
        case .own: .origin(try origin())
        case .untracked: nil
        }
    }
}

/// The histories of all scopes, at one version.
package struct HistoryTable: Hashable, Sendable {
    /// The shared history.
    package private(set) var shared = ListHistory.empty
    /// The histories of origins, by origin.
    package private(set) var own: [String: ListHistory] = [:]

    package init() {}

    /// The history of a scope.
    package subscript(scope: HistoryScope) -> ListHistory {
        get {
            switch scope {
            case .shared: shared
            case .origin(let origin): own[origin] ?? .empty
            }
        }
        set {
            switch scope {
            case .shared: shared = newValue
            case .origin(let origin): own[origin] = newValue
            }
        }
    }
}
