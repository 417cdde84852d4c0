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
    /// - Returns: the commit that was made, the last one if there are several, nil if there was nothing to do; and the
    ///   skipped conflicts.
    /// - Throws: `ListError` if it is refused. Of several steps, those before the first one with conflicts have been
    ///   made then.
    public func carryOut(
        in store: UntypedStore, origin: String = "", onConflict: ConflictPolicy = .refuse, durability: Durability? = nil
    ) throws -> (commit: Commit?, conflicts: [MergeConflict]) {
        let reversal: Reversal
        switch self {
        case .undo(let count):
            reversal = try store.undo(count, origin: origin, onConflict: onConflict, durability: durability)
        case .redo(let count):
            reversal = try store.redo(count, origin: origin, onConflict: onConflict, durability: durability)
        case .go(let version):
            reversal = try store.go(
                to: version.place(in: store, history: origin), origin: origin, onConflict: onConflict,
                durability: durability
            )
        case .earlier(.steps(let count)):
            reversal = try store.earlier(count, origin: origin, onConflict: onConflict, durability: durability)
        case .earlier(.time(let duration)):
            reversal = try store.earlier(duration, origin: origin, onConflict: onConflict, durability: durability)
        case .later(.steps(let count)):
            reversal = try store.later(count, origin: origin, onConflict: onConflict, durability: durability)
        case .later(.time(let duration)):
            reversal = try store.later(duration, origin: origin, onConflict: onConflict, durability: durability)
        case .revert(let version):
            reversal = try store.revert(
                version.version(in: store), origin: origin, onConflict: onConflict, durability: durability
            )
        case .restore(let version):
            let version = try version.version(in: store)
            return (try store.restore(version, origin: origin, durability: durability), [])
        case .restoreRow(let text, let name):
            let commit = try restore(
                text, "row", name, in: store, { try store.history(ofRow: $0) }, { $0.indexPath(of: $1) != nil }
            ) {
                try store.restoreRow($0, from: $1, origin: origin, durability: durability)
            }
            return (commit, [])
        case .restoreSection(let text, let name):
            let commit = try restore(
                text, "section", name, in: store, { try store.history(ofSection: $0) },
                { rows, id in rows.sections.contains { $0.id == id } }
            ) {
                try store.restoreSection($0, from: $1, origin: origin, durability: durability)
            }
            return (commit, [])
        }
        return (reversal.commit, reversal.conflicts)
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
    ) throws -> Commit? {
        if let name {
            let version = try name.version(in: store)
            let rows = try store.snapshot(at: version)
            let found = try rows.reading { text.first { isIn(rows, $0) ? $0 : nil } }
            guard let found else { throw ListError.notInVersion(what: "\(what) \(text.text)", version) }
            return try restore(found, version)
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
        return try restore(last.id, last.version)
    }
}
