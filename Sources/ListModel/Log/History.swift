// What undo and redo walk, in one scope, at one version: a tree of commits that lies in the log.
//
// A *node* is a commit that made rows which did not follow from the tree: an edit, a revert, a restore. Undo, redo and
// going elsewhere are *moves* between nodes. The *position* is the node whose rows the list has, the *tip* is where redo
// leads: the end of the branch that the position is on. `Docs/Design/History.md` explains all of it.
//
// Undo never searches the past, and the history's memory does not grow with the log: the record of every commit says what
// this value is after it, and of a node where its parent is.
//
// Always holds: the history is a fold of the commits (`HistoryWriter`), whether it is read from the newest record or
// computed from the first; the position is the tip or an ancestor of it.

/// The place in the tree of commits at one version, in one scope.
public struct History: Hashable, Sendable {
    /// The commit whose rows the list has, as far as this scope goes; ``Version/empty`` at the root.
    public let position: Version
    /// The commit that redo leads to: the end of the branch that the position is on.
    public let tip: Version
    /// The newest commit that is a node of the tree.
    public let newest: Version
    /// The newest commit that left a branch for another; ``Version/empty`` if there is one branch only.
    public let switched: Version
    /// How many steps undo can go back. A compacted store may have fewer of them: see ``Store/history``.
    public let undoCount: Int
    /// How many steps redo can go forward.
    public let redoCount: Int
    /// How many nodes there are from the root to the position.
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
    public static let empty = History(
        position: .empty, tip: .empty, newest: .empty, switched: .empty, undoCount: 0, redoCount: 0, depth: 0)

    /// The same place, with the counts of what can be reached.
    package func counting(undo: Int, redo: Int) -> History {
        History(
            position: position, tip: tip, newest: newest, switched: switched, undoCount: undo, redoCount: redo,
            depth: depth)
    }
}

/// Whose history it is.
public enum HistoryScope: Hashable, Sendable {
    /// That of all who edit: undo reverts the newest step, whoever made it.
    case shared
    /// That of one origin: undo reverts its own steps only.
    case origin(String)
}

/// Which history a commit belongs to. Frozen into its record.
public enum Tracking: UInt8, Hashable, Sendable {
    /// To the one that all share.
    case shared = 0
    /// To that of the commit's origin.
    case own = 1
    /// To none: undo leaves it alone.
    case untracked = 2
}

extension Tracking {
    /// The history of a commit of an origin; nil if it belongs to none.
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
    /// The one that all share.
    package private(set) var shared = History.empty
    /// Those of origins, by origin.
    package private(set) var own: [String: History] = [:]

    package init() {}

    /// The history of a scope.
    package subscript(scope: HistoryScope) -> History {
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
