// Replays the log: for recovery, and to versions of the past.

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
    ///   - check: which hashes to compare on the way. The hash of the last version is always compared.
    ///   - progress: called after every commit with its record.
    /// - Returns: the checksum of the last record.
    /// - Throws: `RecordError`, ``ListError``, `LMDBError`: the log is damaged.
    /// - Complexity: O(events · log n).
    func replay(
        into state: inout ListState, after checksum: UInt64? = nil, through version: Version,
        check: ReplayCheck = .records,
        progress: (Version, UnsafeRawBufferPointer) throws -> Void = { _, _ in }
    ) throws -> UInt64 {
        var checksum = try checksum ?? self.checksum(of: state.version)
        while state.version < version {
            if let packed = try replayBlock(into: &state, after: checksum, through: version) {
                checksum = packed
                continue
            }
            let block = try sealed?.nextBlock(after: state.version)
            let last = min(version.rawValue, block.map { $0.rawValue - 1 } ?? .max)
            try forEachCopy(of: state.version.next.rawValue...last) { next, record in
                let isLast = next == version
                checksum = try state.replay(
                    record, previousChecksum: checksum, check: isLast ? .everyHash : check)
                try progress(next, record)
            }
        }
        return checksum
    }

    /// Calls `body` with copies of the records of a range of versions, in order, while no transaction is open: replaying
    /// reads nodes, and a read within a read keeps the map from growing, which another process may ask for.
    private func forEachCopy(
        of range: ClosedRange<UInt64>, _ body: (Version, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var next = range.lowerBound
        while next <= range.upperBound {
            let run = try copies(of: next...range.upperBound)
            for index in 0..<run.count { try run.withRecord(index) { try body(run.version(index), $0) } }
            next = run.version(run.count).rawValue
        }
    }

    /// Whether a checkpoint agrees with the log about its version.
    func fits(_ checkpoint: Checkpoint) throws -> Bool {
        if checkpoint.version == base.version { return true }
        let packed = try sealed?.withBlock(of: checkpoint.version, isVerified: true) { block in
            block.last == checkpoint.version && block.stateHash == checkpoint.stateHash
        }
        if let packed { return packed }
        return try withRecord(of: checkpoint.version) { record in
            guard let record else { return false }
            return try RecordHeader.stateHash(record, version: checkpoint.version) == checkpoint.stateHash
                && checkpoint.fits(RecordHeader.mark(record, version: checkpoint.version))
        }
    }

    /// Replays the log into a state, and calls `progress` with every record, packed ones included.
    ///
    /// - Throws, Complexity: as ``replay(into:after:through:check:progress:)``, with the hash of every version compared.
    func forEachExactRecord(
        into state: inout ListState, after checksum: UInt64, through version: Version,
        progress: (Version, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var checksum = checksum
        while state.version < version {
            let packed = try sealed?.withBlockCopy(of: state.version.next) { block in
                // The rebuilt records equal the packed ones: each has the hash of the rows, and the checksum of the
                // last one covers all of them.
                try block.forEachRecord(with: &state) { version, record in
                    try record.withUnsafeBytes { try progress(version, $0) }
                }
                return block.checksum
            }
            if let packed {
                checksum = packed
                continue
            }
            let block = try sealed?.nextBlock(after: state.version)
            let last = min(version.rawValue, block.map { $0.rawValue - 1 } ?? .max)
            checksum = try replay(
                into: &state, after: checksum, through: Version(last), check: .everyHash, progress: progress)
        }
    }

    /// Replays the packed block that begins after a state's version, if there is one.
    ///
    /// - Returns: the checksum of its last record; nil if the next commit is in no block.
    private func replayBlock(
        into state: inout ListState, after checksum: UInt64, through version: Version
    ) throws -> UInt64? {
        guard let sealed else { return nil }
        return try sealed.withBlockCopy(of: state.version.next) { block in
            guard block.checksumBefore == checksum else {
                throw ListError.headMismatch(
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
    func unreplay(_ state: inout ListState, to version: Version, partSize: UInt64 = 4_096) throws {
        while state.version > version {
            let part = max(version.rawValue + 1, state.version.rawValue - min(partSize, state.version.rawValue) + 1)
            // Copied, because reverting a commit reads nodes: see `replay`.
            var runs: [RecordRun] = []
            var next = part
            while next <= state.version.rawValue {
                let run = try copies(of: next...state.version.rawValue)
                runs.append(run)
                next = run.version(run.count).rawValue
            }
            for run in runs.reversed() {
                for index in stride(from: run.count - 1, through: 0, by: -1) {
                    try run.withRecord(index) { try state.unreplay($0) }
                }
            }
        }
        // The last packed version is the last one of a block.
        let packed: Void? = try sealed?.withBlock(of: version, isVerified: true) { block in
            try state.checkHash(block.stateHash)
        }
        if packed != nil { return }
        try withRecord(of: version) { record in
            guard let record else {
                throw ListError.headMismatch(what: "commit \(version)", expected: "a record", found: "none")
            }
            try state.checkHash(in: record)
        }
    }

    /// The checksum of the commit that made a version, to which the next one links; 0 for the empty list.
    func checksum(of version: Version) throws -> UInt64 {
        if version == base.version { return base.checksum }
        let packed = try sealed?.withBlock(of: version, isVerified: true) { block in
            // A replay begins at the boundary of a block.
            block.last == version ? block.checksum : 0
        }
        if let packed { return packed }
        return try withRecord(of: version) { record in
            guard let record, record.count >= 8 else {
                throw ListError.headMismatch(what: "commit \(version)", expected: "a record", found: "none")
            }
            return UInt64(littleEndian: record.loadUnaligned(as: UInt64.self))
        }
    }
}
