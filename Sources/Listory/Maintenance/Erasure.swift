// Erasing: removes contents from a store for good. See `Docs/Design/Erasing.md`.
//
// Always holds: the old file stays as it is until a file without the contents takes its place, in one rename.

import LMDB
import ListModel

/// Which contents to erase from a store.
public struct Erasure: Hashable, Sendable {
    /// The rows whose contents are erased, all that they had at any version. They need not be in the list.
    public var rows: Set<UntypedID>
    /// The origins whose contents are erased, except of dropped commits.
    public var origins: Set<String>
    /// Whether to count only, and erase nothing. Then another process may have the store open.
    public var isDryRun = false

    /// An erasure of contents of rows, and of origins.
    public init(rows: Set<UntypedID> = [], origins: Set<String> = []) { (self.rows, self.origins) = (rows, origins) }
}

/// The result of an erasure.
public struct ErasureReport: Hashable, Sendable {
    /// How many contents were erased, without those that had been erased before.
    public let contentCount: Int
    /// How many bytes they had.
    public let byteCount: Int
    /// How many commits wrote them, of those that were not dropped.
    public let commitCount: Int
    /// How many rows of the newest version were deleted, because their content is erased.
    public let deletedCount: Int
    /// How many kept contents are of dropped commits, so that nobody knows their origin; 0 if no origin was to be erased.
    public let unattributedCount: Int
    /// The newest version: that of the commit that deleted rows, if there were any.
    public let version: Version
    /// The size of the file before, in bytes.
    public let bytesBefore: Int
    /// The size of the file after, in bytes.
    public let bytesAfter: Int
}

extension StoreProtocol {
    /// Erases contents: they are gone from the log, from checkpoints, undo and free pages. Nobody can take that back.
    ///
    /// What happened stays: versions, times, origins, undo steps, and the state hash of every version. Commits with an event of a row with
    /// an erased content lose their names. Rows whose newest content is erased are deleted; in an outline, the rows below them
    /// stay. To undo a step that changed such a row is a conflict, as with any row that others deleted; if somebody undoes an
    /// earlier deletion of it, it is there with ``ListRow/item`` nil. Ids of rows, titles of sections, names of other commits and
    /// annotations are not erased.
    ///
    /// ```swift
    /// try store.close()
    /// try ListStore<String, Todo>.erase(Erasure(origins: ["anna"]), at: path)
    /// ```
    ///
    /// - Parameters:
    ///   - erasure: the contents.
    ///   - path: a store that no process has open, and of which this process keeps no snapshot.
    ///   - options: the capacity of nodes, the greatest size of the file, and the clock for the commit that deletes rows.
    ///   - progress: called from time to time with the part that is done, 0 to 1.
    /// - Throws: as ``compact(at:_:options:progress:)``. The old file is then unchanged.
    /// - Complexity: O(events · log n + rows), three times, whatever is erased: the file is written anew.
    @discardableResult
    public static func erase(
        _ erasure: Erasure, at path: String, options: StoreOptions = StoreOptions(),
        progress: (Double) -> Void = { _ in }
    ) throws -> ErasureReport {
        try door {
            var compaction = Compaction()
            (compaction.erased, compaction.isDryRun) = (erasure, erasure.isDryRun)
            let (report, erased) = try UntypedStore.compact(at: path, compaction, options, progress)
            guard let erased else { preconditionFailure("a compaction that erases says what it has erased") }
            return ErasureReport(
                contentCount: erased.contentCount, byteCount: erased.byteCount, commitCount: erased.commitCount,
                deletedCount: erased.deletedCount, unattributedCount: erased.unattributedCount,
                version: erased.deletedCount == 0 || erasure.isDryRun ? report.version : report.version.next,
                bytesBefore: report.bytesBefore, bytesAfter: report.bytesAfter)
        }
    }
}

extension UntypedStore {
    /// Deletes the rows of a store whose content is erased, in one commit that nobody can undo.
    static func deleteErasedRows(of path: String, _ options: StoreOptions) throws {
        var options = options
        (options.isReadOnly, options.lastVersion, options.durability) = (false, nil, .immediate)
        // Closing makes no copy of a file that is one.
        options.unpackedCount = .max
        // What has to go goes, whatever the app's rules say.
        options.rules = []
        // Nobody else looks for it.
        (options.journal.isUsed, options.isKnownToOthers) = (false, false)
        let store = try UntypedStore.open(at: path, options: options)
        do {
            let rows = try store.snapshot.erasedRows
            if !rows.isEmpty { try store.edit("Erase", tracking: .untracked) { try $0.delete(.items(rows)) } }
            try store.close()
        } catch {
            // The disk is full. The file is removed, so nothing needs to be saved.
            try? store.close(discardingUnappended: true)
            throw error
        }
    }
}

extension UntypedSnapshot {
    /// The rows whose content is erased.
    ///
    /// - Complexity: O(n).
    var erasedRows: [UntypedID] {
        get throws { try reading { sections.flatMap { $0.items.lazy.filter(\.content.isErased).map(\.id) } } }
    }
}
