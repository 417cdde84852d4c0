// The trash of a store, page by page: the rows that were in the list and are not any more.
//
// Always holds: a row is in the trash once, with the commit that took it away last.

import ListModel

extension UntypedStore {
    /// The rows that were in the list at some version since ``StoreProtocol/oldestVersion`` and are not in it now, those that were
    /// deleted last first.
    ///
    /// ```swift
    /// for row in try store.trash(limit: 20) { print(row.row.id, row.sectionTitle, row.commit.time, row.commit.origin) }
    /// ```
    ///
    /// Rows that went with their section, a reload or an undo belong to it too. ``UntypedLiveTrash`` stays in step with the list.
    ///
    /// - Parameters:
    ///   - version: only rows that commits before this one took away; nil for all. The version of the last result continues the
    ///     list, if all rows that its commit took away fitted into it.
    ///   - limit: how many at most.
    ///   - isIncluded: whether a row is wanted. See ``SearchWords`` for texts.
    /// - Throws: an error of the log; what `isIncluded` throws. The error of a damaged commit only if it has deleted rows, or may have:
    ///   `isIncluded` was called for those that were deleted after it, and before its version, the list continues.
    /// - Complexity: lazy: O(log n + k) for each row that a commit deleted, from the newest such commit to the last that is needed, if k
    ///   commits changed the row; and reading those commits, and one for each row that was deleted again since. In a compacted store, the
    ///   first call also reads the commits that were packed. With a version, also a replay from the nearest checkpoint.
    public func trash(
        before version: Version? = nil, limit: Int = .max,
        where isIncluded: (UntypedTrashedRow) throws -> Bool = { _ in true }
    ) throws -> [UntypedTrashedRow] {
        try passing { try reading { _ in try trash(before: version, limit, isIncluded) } }
    }

    private func trash(
        before version: Version?, _ limit: Int, _ isIncluded: (UntypedTrashedRow) throws -> Bool
    ) throws -> [UntypedTrashedRow] {
        let newest = try snapshot
        let end = min(version ?? newest.version.next, newest.version.next)
        if end <= oldestVersion.next { return [] }
        let isWhole = end > newest.version
        var reader = try TrashReader(before: end, isWhole ? newest : snapshot(at: end.previous))
        var listed = ListedRows(newest)
        // Hashes take a third of the memory of ids. What has a known one is looked up.
        var seen: Set<UInt64> = []
        var found: [UntypedTrashedRow] = []
        while found.count < limit, let rows = try reader.next(self, through: newest.version) {
            for slice in rows.slices {
                let missing = try listed.missing(among: slice, self)
                for row in slice where missing.contains(row.row.id) {
                    if found.count >= limit { return found }
                    let isNew = seen.insert(row.row.id.hash64).inserted
                    let next = isNew ? end : row.commit.version.next
                    if try !(isNew && isWhole) && isDeletedAgain(row, since: next, through: newest.version) {
                        continue
                    }
                    if try isIncluded(row) { found.append(row) }
                }
            }
        }
        return found
    }

    /// Whether a commit since a version has deleted a row again.
    ///
    /// - Complexity: O(log n + k) for k commits that changed the row, and reading those that the index says have deleted it, up to one.
    private func isDeletedAgain(
        _ row: UntypedTrashedRow, since first: Version, through newest: Version
    ) throws -> Bool {
        let id = row.row.id
        let touches = try touches(of: [.row(id)], through: newest)[0].prefix { $0.version > row.commit.version }
        for (index, touch) in touches.enumerated() where touch.version >= first && touch.kinds.contains(.deleted) {
            // Only if it has come back meanwhile. Of most rows, that rules out a commit that cannot be read (`TouchTail`).
            let returns = touches[(index + 1)...].filter { $0.kinds.contains(.inserted) }
            if returns.isEmpty { continue }
            do { if try group.commit(touch.version).deletes(id) { return true } } catch {
                // Of several damaged commits in a row, each may have brought it back. No readable one says so, and it is not in the list.
                guard error.saysDamage, returns.allSatisfy({ $0.kinds == TouchTail.anything }) else { throw error }
            }
        }
        return false
    }
}

extension Array {
    /// The elements in pieces, each of which takes a short time.
    var slices: some Sequence<ArraySlice<Element>> {
        stride(from: 0, to: count, by: 64).lazy.map { self[$0..<Swift.min(count, $0 + 64)] }
    }
}
