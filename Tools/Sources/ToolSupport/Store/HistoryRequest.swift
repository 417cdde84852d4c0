// What can be asked of the history, by a command or by a line of `exec`.
//
// Always holds: carrying out a request waits for nothing but the commits that it makes.

import ListModel
import Listory

/// A commit, or several, that are computed from others.
public enum HistoryRequest: Equatable, Sendable {
    /// That many steps are to be undone.
    case undo(Int)
    /// That many steps are to be redone.
    case redo(Int)
    /// The position in the history is to be this commit.
    case go(to: Version)
    /// The rows are to be as they were earlier, on whatever branch.
    case earlier(HistoryDistance)
    /// The rows are to be as they became later, on whatever branch.
    case later(HistoryDistance)
    /// One commit is to be taken back, and all others left.
    case revert(Version)
    /// The rows are to be those of a version.
    case restore(Version)
}

extension HistoryRequest {
    /// Does it.
    ///
    /// - Parameters:
    ///   - origin: who does it, and in whose history if the store was opened for that of an origin.
    ///   - onConflict: what to do about rows that somebody else changed.
    ///   - durability: what to wait for; nil for the store's own choice.
    /// - Returns: what was left as it is, because of conflicts.
    /// - Throws: `ListError` if it is refused. Of several steps those before one with conflicts are taken then.
    public func carryOut(
        in store: Store, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> [MergeConflict] {
        switch self {
        case .undo(let count):
            try store.undo(count, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .redo(let count):
            try store.redo(count, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .go(let version):
            try store.go(to: version, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .earlier(.steps(let count)):
            try store.earlier(count, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .earlier(.time(let duration)):
            try store.earlier(duration, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .later(.steps(let count)):
            try store.later(count, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .later(.time(let duration)):
            try store.later(duration, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .revert(let version):
            try store.revert(version, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .restore(let version): try restore(version, in: store, origin, durability)
        }
    }

    /// Whatever the rows are now, they become those of a version: nothing can be in conflict.
    private func restore(
        _ version: Version, in store: Store, _ origin: String, _ durability: Durability?
    ) throws -> [MergeConflict] {
        try store.restore(version, origin: origin, durability: durability)
        return []
    }
}
