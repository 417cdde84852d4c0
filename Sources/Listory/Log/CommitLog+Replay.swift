// Replays the log: for recovery, and to versions of the past.
//
// Always holds: a record is looked for before a block, because a commit may be packed meanwhile.

import LMDB
import ListModel

extension CommitLog {
    /// Replays the log into a state, from the commit after the state's own version.
    ///
    /// - Parameters:
    ///   - state: the list at an earlier version, or the empty one; afterwards the list at `version`.
    ///   - checksum: the checksum of the record of the state's version, to which the next one must link; nil if that is
    ///     not known.
    ///   - version: the last version to replay.
    /// - Returns: the checksum of the last record; nil if that is packed, and not the last of its block.
    /// - Throws: `RecordError`, ``ListError``, `LMDBError`: the log is damaged.
    /// - Complexity: O(events · log n).
    @discardableResult
    func replay(
        into state: inout ListState, after checksum: UInt64? = nil, through version: Version
    ) throws -> UInt64? {
        var checksum = try checksum ?? self.checksum(of: state.version)
        while state.version < version {
            if let last = try replayRecords(into: &state, after: checksum, through: version) {
                checksum = last
                continue
            }
            let last = try packed.withBlockCopy(of: state.version.next) { block -> UInt64? in
                if let checksum, block.first == state.version.next, block.checksumBefore != checksum {
                    throw CommitLog.unlinked(block, checksum)
                }
                try block.replay(into: &state, through: min(version, block.last))
                if state.version < block.last { return nil }
                try state.checkHash(block.stateHash)
                return block.checksum
            }
            guard let last else { throw ListError.missingCommit(state.version.next) }
            checksum = last
        }
        return checksum
    }

    /// Replays the log into a state, and calls `progress` with every record, packed ones included.
    ///
    /// - Throws, Complexity: as ``replay(into:after:through:)``, with the hash of every version compared.
    func forEachExactRecord(
        into state: inout ListState, after checksum: UInt64, through version: Version,
        progress: (Version, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var checksum = checksum
        while state.version < version {
            let records = try replayRecords(
                into: &state, after: checksum, through: version, check: .everyHash, progress: progress)
            if let records {
                checksum = records
                continue
            }
            let packed = try packed.withBlockCopy(of: state.version.next) { block in
                let isWhole = block.first == state.version.next
                if isWhole && block.checksumBefore != checksum { throw CommitLog.unlinked(block, checksum) }
                // The rebuilt records equal the packed ones: each has the hash of the rows, and the checksum of the
                // last one covers all of them.
                try block.forEachRecord(with: &state, after: checksum) { version, record in
                    try record.withUnsafeBytes { try progress(version, $0) }
                }
                return block.checksum
            }
            guard let packed else { throw ListError.missingCommit(state.version.next) }
            checksum = packed
        }
    }

    private static func unlinked(_ block: PackedBlock, _ checksum: UInt64) -> ListError {
        .headMismatch(
            what: "checksum before commit \(block.first)", expected: String(checksum, radix: 16),
            found: String(block.checksumBefore, radix: 16))
    }

    /// Replays the records after a state's version, up to the next packed one. They are copied, so that no transaction is open:
    /// replaying reads nodes, and a read within a read keeps the map from growing, which another process may ask for.
    ///
    /// - Parameter check: which hashes to compare on the way. The hash of the last version is always compared.
    /// - Returns: the checksum of the last of them; nil if the next commit is not a record.
    private func replayRecords(
        into state: inout ListState, after checksum: UInt64?, through version: Version, check: ReplayCheck = .records,
        progress: (Version, UnsafeRawBufferPointer) throws -> Void = { _, _ in }
    ) throws -> UInt64? {
        var last: UInt64?
        while state.version < version, let run = try copies(of: state.version.next.rawValue...version.rawValue) {
            // A record that follows a packed commit follows the last one of its block.
            guard var known = last ?? checksum else { throw ListError.missingCommit(state.version) }
            for index in 0..<run.count {
                let isLast = run.version(index) == version
                try run.withRecord(index) { record in
                    known = try state.replay(record, previousChecksum: known, check: isLast ? .everyHash : check)
                    try progress(run.version(index), record)
                }
            }
            last = known
        }
        return last
    }

    /// Whether a checkpoint agrees with the log about its version.
    func fits(_ checkpoint: Checkpoint) throws -> Bool {
        if checkpoint.version == base.version { return true }
        let fits = try withRecord(of: checkpoint.version) { record -> Bool? in
            guard let record else { return nil }
            return try RecordHeader.stateHash(record, version: checkpoint.version) == checkpoint.stateHash
                && checkpoint.fits(RecordHeader.mark(record, version: checkpoint.version))
        }
        if let fits { return fits }
        return try packed.withBlock(of: checkpoint.version, isVerified: true) { block in
            block.last == checkpoint.version && block.stateHash == checkpoint.stateHash
        } ?? false
    }

    /// Takes commits back until a state is at a version.
    ///
    /// - Parameters:
    ///   - state: the list at a later version; afterwards the list at `version`.
    ///   - version: a version that a commit made.
    /// - Returns: whether it is at the version. It is not, and must not be used, if one of the commits is packed.
    /// - Throws: as ``replay(into:after:through:)``.
    /// - Complexity: O(events · log n).
    func unreplay(_ state: inout ListState, to version: Version, partSize: UInt64 = 4_096) throws -> Bool {
        while state.version > version {
            let part = max(version.rawValue + 1, state.version.rawValue - min(partSize, state.version.rawValue) + 1)
            // Copied, because reverting a commit reads nodes: see `replayRecords`.
            var runs: [RecordRun] = []
            var next = part
            while next <= state.version.rawValue {
                guard let run = try copies(of: next...state.version.rawValue) else { return false }
                runs.append(run)
                next = run.version(run.count).rawValue
            }
            for run in runs.reversed() {
                for index in stride(from: run.count - 1, through: 0, by: -1) {
                    try run.withRecord(index) { try state.unreplay($0) }
                }
            }
        }
        let isChecked = try withRecord(of: version) { record in
            try record.map { try state.checkHash(in: $0) } != nil
        }
        if isChecked { return true }
        return try packed.withBlock(of: version, isVerified: true) { block in
            if block.last > version { return false }
            try state.checkHash(block.stateHash)
            return true
        } ?? false
    }

    /// Takes packed commits back until a state is at a version.
    ///
    /// - Parameters:
    ///   - state: the list at a version in a block; afterwards the list at `version`.
    ///   - version: an earlier one in a block.
    ///   - base: the list before a block, at most that of the version.
    /// - Returns: whether it is at the version. The state is as it was if some commits in between are not packed, or cannot be taken back.
    /// - Throws: as ``replay(into:after:through:)``.
    /// - Complexity: O(k log n) for the k rows that the commits between `version` and the state name. The others are only decoded.
    func unreplayBlocks(_ state: inout ListState, to version: Version, from base: UntypedSnapshot) throws -> Bool {
        let end = state.version
        var reversal = PackedReversal(from: base, to: version)
        while reversal.version < end {
            let isRead = try packed.withBlockCopy(of: reversal.version.next) { try reversal.read($0, through: end) }
            guard isRead == true else { return false }
        }
        try reversal.apply(to: &state)
        return true
    }

    /// The checksum of the commit that made a version, to which the next one links; 0 for the empty list.
    ///
    /// - Returns: nil if the commit is packed, and not the last of its block.
    func checksum(of version: Version) throws -> UInt64? {
        if version == base.version { return base.checksum }
        let checksum = try withRecord(of: version) { $0.flatMap(CommitLog.storedChecksum) }
        if let checksum { return checksum }
        let packed = try packed.withBlock(of: version, isVerified: true) { block in
            block.last == version ? block.checksum : nil
        }
        guard let packed else { throw ListError.missingCommit(version) }
        return packed
    }

    /// The checksum that a record says it has; nil if it is too short for one.
    static func storedChecksum(_ record: UnsafeRawBufferPointer) -> UInt64? {
        // SAFETY: the size is checked.
        record.count < 8 ? nil : UInt64(littleEndian: record.loadUnaligned(as: UInt64.self))
    }
}
