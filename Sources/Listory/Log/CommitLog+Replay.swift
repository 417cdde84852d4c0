// Folding the log: recovery at open, and the ways to versions of the past.

import LMDB
import ListModel

extension CommitLog {
    /// Folds the log into a state, from the commit after the state's own version.
    ///
    /// - Parameters:
    ///   - state: the list at an earlier version, or the empty one; afterwards the list at `version`.
    ///   - checksum: the checksum of the record of the state's version, to which the next one must link; nil if that is
    ///     not known.
    ///   - version: the last version to replay.
    ///   - check: what is compared on the way. The hash of the last version is compared in any case.
    ///   - progress: called after every commit with its record.
    /// - Returns: the checksum of the last record.
    /// - Throws: `RecordError`, `ListError`, ``StoreError``, `LMDBError`: the log is damaged.
    /// - Complexity: O(events · log n).
    func replay(
        into state: inout ListState, after checksum: UInt64? = nil, through version: Version,
        check: ReplayCheck = .records, progress: (Version, UnsafeRawBufferPointer) throws -> Void = { _, _ in }
    ) throws -> UInt64 {
        var checksum = try checksum ?? self.checksum(of: state.version)
        while state.version < version {
            if let packed = try replayBlock(into: &state, after: checksum, through: version) {
                checksum = packed
                continue
            }
            let block = try sealed?.nextBlock(after: state.version)
            let last = min(version.rawValue, block.map { $0.rawValue - 1 } ?? .max)
            try forEachRecord(in: state.version.next.rawValue...last) { next, record in
                let isLast = next == version
                checksum = try state.replay(
                    record, previousChecksum: checksum, check: isLast ? .everyHash : check)
                try progress(next, record)
            }
        }
        return checksum
    }

    /// Folds the packed block that begins after a state's version, if there is one.
    ///
    /// - Returns: the checksum of its last record; nil if the next commit is in no block.
    private func replayBlock(
        into state: inout ListState, after checksum: UInt64, through version: Version
    ) throws -> UInt64? {
        guard let sealed else { return nil }
        return try sealed.withBlock(of: state.version.next) { block in
            guard block.checksumBefore == checksum else {
                throw StoreError.headMismatch(
                    what: "checksum before commit \(block.first)", expected: String(checksum, radix: 16),
                    found: String(block.checksumBefore, radix: 16))
            }
            try block.replay(into: &state, through: min(version, block.last))
            if state.version == block.last { try state.checkHash(block.stateHash) }
            return block.checksum
        }
    }

    /// Takes commits back until a state is at a version.
    ///
    /// - Parameters:
    ///   - state: the list at a later version; afterwards the list at `version`.
    ///   - version: a version that a commit made.
    /// - Throws: as ``replay(into:after:through:check:progress:)``.
    /// - Complexity: O(events · log n).
    func unreplay(_ state: inout ListState, to version: Version, partSize: UInt64 = 8_192) throws {
        while state.version > version {
            let part = max(version.rawValue + 1, state.version.rawValue - min(partSize, state.version.rawValue) + 1)
            try environment.read { txn in
                try txn.forEach(in: commits, range: part...state.version.rawValue, reverse: true) { key, record in
                    try CommitLog.check(Version(UInt64.decode(key)), is: state.version)
                    try state.unreplay(record)
                    return true
                }
            }
            if state.version.rawValue >= part { try CommitLog.check(nil, is: state.version) }
        }
        try withRecord(of: version) { record in
            guard let record else { return try CommitLog.check(nil, is: version) }
            try state.checkHash(in: record)
        }
    }

    private static func check(_ found: Version?, is expected: Version) throws {
        guard found == expected else {
            throw StoreError.headMismatch(
                what: "commit \(expected)", expected: "a record", found: found.map { "that of \($0)" } ?? "none")
        }
    }

    /// The checksum of the commit that made a version, to which the next one links; 0 for the empty list.
    func checksum(of version: Version) throws -> UInt64 {
        if version == base.version { return base.checksum }
        if let packed = try sealed?.withBlock(of: version, isVerified: true, { block in
            // Replaying begins where a block begins or ends.
            block.last == version ? block.checksum : nil
        }) {
            return packed ?? 0
        }
        return try withRecord(of: version) { record in
            guard let record, record.count >= 8 else {
                throw StoreError.headMismatch(what: "commit \(version)", expected: "a record", found: "none")
            }
            return UInt64(littleEndian: record.loadUnaligned(as: UInt64.self))
        }
    }
}
