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
    /// Check out this commit, or what the history was at a time.
    case go(to: VersionName)
    /// Check out an earlier state, on any branch.
    case earlier(HistoryDistance)
    /// Check out a later state, on any branch.
    case later(HistoryDistance)
    /// Take back one commit, and keep all others.
    case revert(VersionName)
    /// Make the rows equal to those of a version.
    case restore(VersionName)
    /// Bring a row of a version back; nil for the last version that had it.
    case restoreRow(IdentifierText, VersionName?)
    /// Bring a section of a version back, with its rows; nil for the last version that had it.
    case restoreSection(IdentifierText, VersionName?)
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
                to: version.place(in: store, history: origin), origin: origin, onConflict: onConflict,
                durability: durability
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
        case .restoreRow(let text, let name):
            try restore(text, "row", name, in: store, { try store.history(ofRow: $0) }, { $0.indexPath(of: $1) != nil })
            {
                try store.restoreRow($0, from: $1, origin: origin, durability: durability)
            }
        case .restoreSection(let text, let name):
            try restore(
                text, "section", name, in: store, { try store.history(ofSection: $0) },
                { rows, id in rows.sections.contains { $0.id == id } }
            ) {
                try store.restoreSection($0, from: $1, origin: origin, durability: durability)
            }
        }
    }

    /// Brings a row or a section back. There are no conflicts.
    ///
    /// - Parameters:
    ///   - text: its id.
    ///   - what: what it is.
    ///   - name: the version to restore it from; nil for the last one that had it, if it is gone.
    private func restore(
        _ text: IdentifierText, _ what: String, _ name: VersionName?, in store: UntypedStore,
        _ history: (UntypedID) throws -> [RowChange], _ isIn: (UntypedSnapshot, UntypedID) -> Bool,
        _ restore: (UntypedID, Version) throws -> Commit?
    ) throws -> [MergeConflict] {
        if let name {
            let version = try name.version(in: store)
            let rows = try store.snapshot(at: version)
            let found = try rows.reading { text.first { isIn(rows, $0) ? $0 : nil } }
            guard let found else { throw ListError.notInVersion(what: "\(what) \(text.text)", version) }
            _ = try restore(found, version)
            return []
        }
        let now = try store.snapshot
        if try now.reading({ text.first { isIn(now, $0) ? true : nil } }) != nil {
            throw ToolError(
                .refused,
                "\(what) \(text.text.visible): expected a version to restore it from, because it is in the list")
        }
        let last = try text.first { id in
            try history(id).lazy.filter { $0.kinds.contains(.deleted) }
                .map { (id: id, version: Version($0.commit.version.rawValue - 1)) }
                .first { try isIn(store.snapshot(at: $0.version), id) }
        }
        guard let last else {
            throw ToolError(.refused, "\(what): expected one that the log has, found \"\(text.text.visible)\"")
        }
        _ = try restore(last.id, last.version)
        return []
    }

    /// Makes the rows equal to those of a version. There are no conflicts.
    private func restore(
        _ version: Version, in store: UntypedStore, _ origin: String, _ durability: Durability?
    ) throws -> [MergeConflict] {
        try store.restore(version, origin: origin, durability: durability)
        return []
    }
}
