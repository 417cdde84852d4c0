// Recovery: the rows as the fold of the log.

import ListModel

extension CommitLog {
    /// Folds the log into a state, from the commit after the state's own version.
    ///
    /// - Parameters:
    ///   - state: the list at an earlier version, or the empty one; afterwards the list at `version`.
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
        var checksum = try self.checksum(of: state.version)
        guard version > state.version else { return checksum }
        try forEachRecord(in: state.version.next.rawValue...version.rawValue) { next, record in
            let isLast = next == version
            checksum = try state.replay(
                record, previousChecksum: checksum, check: isLast ? .everyHash : check)
            try progress(next, record)
        }
        return checksum
    }

    /// The checksum of the commit that made a version, to which the next one links; 0 for the empty list.
    private func checksum(of version: Version) throws -> UInt64 {
        if version == .empty { return 0 }
        return try withRecord(of: version) { record in
            guard let record, record.count >= 8 else {
                throw StoreError.headMismatch(what: "commit \(version)", expected: "a record", found: "none")
            }
            return UInt64(littleEndian: record.loadUnaligned(as: UInt64.self))
        }
    }
}
