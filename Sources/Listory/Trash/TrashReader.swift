// Reads deleted rows from the log, from newer commits to older ones, and only as far as they are wanted.
//
// The index of touches says which commits deleted rows or changed sections; only these are read.
//
// Always holds: a reader that throws stays where it is.

import ListModel

/// A place in the log up to which deleted rows have been read.
struct TrashReader: Sendable {
    private var walk: DeletionWalk
    /// The known landmarks that have not been read, the oldest first.
    private var landmarks: [Version] = []
    /// No other landmarks are between this version and those that have been read.
    private var since: Version

    /// A reader that begins before a version.
    ///
    /// - Parameter rows: those right before that version.
    /// - Throws: why a section cannot be read, if the reason may be temporary.
    /// - Complexity: O(s) for s sections.
    init(before version: Version, _ rows: UntypedSnapshot) throws {
        var walk = DeletionWalk(from: rows)
        // A kept snapshot would make edits copy nodes.
        try rows.withoutPassingFailures { walk.releaseRows() }
        (self.walk, since) = (walk, version)
    }

    /// The rows that the next commit deleted, some of which may have come back or been deleted again.
    ///
    /// - Parameter newest: the newest version.
    /// - Returns: nil where the log begins.
    mutating func next(_ store: UntypedStore, through newest: Version) throws -> [UntypedTrashedRow]? {
        while true {
            if let version = landmarks.last {
                let commit = try store.group.commit(version)
                var walk = walk
                let deleted = try walk.step(over: commit).deleted
                self.walk = walk
                landmarks.removeLast()
                if !deleted.isEmpty { return UntypedTrashedRow.all(of: deleted, commit) }
                continue
            }
            if since <= store.oldestVersion.next { return nil }
            let found = try store.landmarks(before: since, through: newest)
            (landmarks, since) = (found.versions.reversed(), found.since)
        }
    }
}

/// Which rows are in the list at one version.
struct ListedRows {
    private let rows: UntypedSnapshot
    /// The ids of all rows, if the list has gone on, so that they cannot be looked up.
    private var ids: Set<UntypedID>?

    init(_ rows: UntypedSnapshot) { self.rows = rows }

    /// Those of some rows that are not in the list.
    ///
    /// - Complexity: O(log n) for each; O(n) the first time after the list has gone on, or during an edit.
    mutating func missing(
        among candidates: ArraySlice<UntypedTrashedRow>, _ store: UntypedStore
    ) throws -> Set<UntypedID> {
        if ids == nil {
            let missing = try store.withHead { head -> Set<UntypedID>? in
                if head.editor.isEditing || head.editor.state.version != rows.version { return nil }
                var missing: Set<UntypedID> = []
                for row in candidates where head.editor.state.indexPath(of: row.row.id) == nil {
                    missing.insert(row.row.id)
                }
                // A row that cannot be read is not found.
                if !missing.isEmpty { try head.checkNodes() }
                return missing
            }
            if let missing { return missing }
        }
        let ids = try self.ids ?? rows.checked { Set(rows.sections.lazy.flatMap { $0.items.lazy.map(\.id) }) }
        self.ids = ids
        return Set(candidates.lazy.map(\.row.id).filter { !ids.contains($0) })
    }
}
