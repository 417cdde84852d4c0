// The requests to the history, by a command or by a line of `exec`.
//
// Always holds: carrying out a request waits only for the commits that it makes.

import ListModel
import Listory

/// A request for commits that are computed from other commits.
public enum HistoryRequest: Equatable, Sendable {
    /// Undo this many steps.
    case undo(Int)
    /// Redo this many steps.
    case redo(Int)
    /// Check out this commit.
    case go(to: VersionName)
    /// Check out an earlier state, on any branch.
    case earlier(HistoryDistance)
    /// Check out a later state, on any branch.
    case later(HistoryDistance)
    /// Take back one commit, and keep all others.
    case revert(VersionName)
    /// Make the rows equal to those of a version.
    case restore(VersionName)
}

extension HistoryRequest {
    /// Carries out the request.
    ///
    /// - Parameters:
    ///   - origin: the origin of the commits, and of the history if the store was opened with `undoScope = .origin`.
    ///   - onConflict: the policy for conflicts.
    ///   - durability: what to wait for; nil for the default of the store.
    /// - Returns: the skipped conflicts.
    /// - Throws: `ListError` if it is refused. Of several steps, those before the first one with conflicts have been
    ///   made then.
    public func carryOut(
        in store: UntypedStore, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> [MergeConflict] {
        switch self {
        case .undo(let count):
            try store.undo(count, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .redo(let count):
            try store.redo(count, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .go(let version):
            try store.go(
                to: version.version(in: store), origin: origin, onConflict: onConflict, durability: durability
            ).conflicts
        case .earlier(.steps(let count)):
            try store.earlier(count, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .earlier(.time(let duration)):
            try store.earlier(duration, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .later(.steps(let count)):
            try store.later(count, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .later(.time(let duration)):
            try store.later(duration, origin: origin, onConflict: onConflict, durability: durability).conflicts
        case .revert(let version):
            try store.revert(
                version.version(in: store), origin: origin, onConflict: onConflict, durability: durability
            ).conflicts
        case .restore(let version): try restore(version.version(in: store), in: store, origin, durability)
        }
    }

    /// Makes the rows equal to those of a version. There are no conflicts.
    private func restore(
        _ version: Version, in store: UntypedStore, _ origin: String, _ durability: Durability?
    ) throws -> [MergeConflict] {
        try store.restore(version, origin: origin, durability: durability)
        return []
    }
}
