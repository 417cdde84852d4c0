// Recovery: the rows as the fold of the log.

import ListModel

extension CommitLog {
    /// Folds the log, from its first commit, into an empty state.
    ///
    /// - Parameters:
    ///   - state: the empty list; afterwards the list at `version`.
    ///   - version: the last version to replay.
    ///   - check: what is compared on the way. The hash of the last version is compared in any case.
    ///   - progress: called after every commit with its record.
    /// - Returns: the checksum of the last record.
    /// - Throws: `RecordError`, `ListError`, ``StoreError``, `LMDBError`: the log is damaged.
    /// - Complexity: O(events · log n).
    func replay(
        into state: inout ListState, through version: Version, check: ReplayCheck = .records,
        progress: (Version, UnsafeRawBufferPointer) throws -> Void = { _, _ in }
    ) throws -> UInt64 {
        guard version > .empty else { return 0 }
        var checksum: UInt64 = 0
        try forEachRecord(in: 1...version.rawValue) { next, record in
            let isLast = next == version
            checksum = try state.replay(
                record, previousChecksum: checksum, check: isLast ? .everyHash : check)
            try progress(next, record)
        }
        return checksum
    }
}
