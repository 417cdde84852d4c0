// Reads the rows of checkpoints.
//
// Always holds: a checkpoint that is returned with a lease is not dropped while the lease lives.

import LMDB
import ListModel

extension CheckpointDatabase {
    /// The newest checkpoint, with its locators.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: ``ListError/damagedCheckpoint(_:)`` if there is one and it cannot be used.
    func newest() throws -> (checkpoint: Checkpoint, locators: StoredLocators)? {
        var found = Known()
        // This process may have written a newer checkpoint since the transaction began.
        defer { known.withLock { if found.revision >= $0.revision { $0 = found } } }
        return try reading { txn in
            let newest = try txn.lastKey(in: checkpoints)
            found = Known(revision: try revision(txn), newest: Version(newest ?? 0))
            guard let version = newest else { return nil }
            guard let checkpoint = try checkpoint(Version(version), txn) else {
                throw ListError.damagedCheckpoint(Version(version))
            }
            let locators = try txn.withValue(forKey: LogFormat.locatorKey, in: meta) { row in
                row.flatMap { StoredLocators($0, version: checkpoint.version) }
            }
            guard let locators, locators.fit(checkpoint) else {
                throw ListError.damagedCheckpoint(checkpoint.version)
            }
            return (checkpoint, locators)
        }
    }

    /// The version of the newest checkpoint; the empty one if there is none.
    func newestVersion() throws -> Version { try reading { Version(try $0.lastKey(in: checkpoints) ?? 0) } }

    /// How many transactions have written to the checkpoints.
    func revision(_ txn: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        try txn.withValue(forKey: LogFormat.revisionKey, in: meta) { row in
            guard let row, row.count == 8 else { return 0 }
            return UInt64(littleEndian: row.loadUnaligned(as: UInt64.self))
        }
    }

    /// The checkpoint of a version, if there is one that can be read.
    func checkpoint(_ version: Version) throws -> Checkpoint? {
        try reading { try checkpoint(version, $0) }
    }

    /// The checkpoint that the log begins with; nil if it begins with the empty list.
    ///
    /// - Throws: ``ListError/damagedCheckpoint(_:)`` if it cannot be read: nothing else has its rows.
    func first(of base: LogBase) throws -> Checkpoint? {
        if base.version == .empty { return nil }
        guard let first = try checkpoint(base.version) else { throw ListError.damagedCheckpoint(base.version) }
        return first
    }

    /// The checkpoint of a version before the log; nil if there is none.
    ///
    /// - Throws: ``ListError/damagedCheckpoint(_:)`` if it cannot be read: nothing else has its rows.
    func keptCheckpoint(_ version: Version) throws -> Checkpoint? {
        try reading { txn in
            try txn.withValue(forKey: version.rawValue, in: checkpoints) { row in
                guard let row else { return nil }
                guard let found = Checkpoint(row, version: version) else { throw ListError.damagedCheckpoint(version) }
                return found
            }
        }
    }

    private func checkpoint(_ version: Version, _ txn: borrowing ReadTransaction) throws -> Checkpoint? {
        try txn.withValue(forKey: version.rawValue, in: checkpoints) { row in
            row.flatMap { Checkpoint($0, version: version) }
        }
    }

    /// The newest checkpoint of the log that is not after a version, and the oldest that is not before it, if they exist and can
    /// be read.
    private func nearest(to version: Version, oldest: Version) throws -> [Checkpoint] {
        try reading { txn in
            var found: [Checkpoint] = []
            let note = { (key: UnsafeRawBufferPointer, row: UnsafeRawBufferPointer) -> Bool in
                if let checkpoint = Checkpoint(row, version: Version(try UInt64.decode(key))) {
                    found.append(checkpoint)
                    return false
                }
                return true
            }
            try txn.forEach(in: checkpoints, range: oldest.rawValue...version.rawValue, reverse: true, note)
            try txn.forEach(in: checkpoints, range: version.rawValue...UInt64.max, note)
            return found
        }
    }

    /// The newest checkpoint of the log that is not after a version; nil if there is none. Its nodes may be dropped at any time.
    func newest(through version: Version, oldest: Version) throws -> Checkpoint? {
        if isUnusable.withLock({ $0 }) { return nil }
        return try nearest(to: version, oldest: oldest).first { $0.version <= version }
    }

    /// The checkpoints next to a version, each with its lease.
    ///
    /// - Parameter oldest: the version that the log begins with, which is not after `version`.
    func checkpoints(
        for version: Version, oldest: Version
    ) throws -> [(checkpoint: Checkpoint, lease: CheckpointLease)] {
        func find() throws -> [Checkpoint] {
            let beginning = oldest == .empty ? nil : try checkpoint(oldest)
            let others = isUnusable.withLock { $0 } ? [] : try nearest(to: version, oldest: oldest)
            return [beginning].compactMap { $0 } + others
        }
        // A lease that exists needs no lock of other processes. Read without the lock of the leases, which a thread may want
        // that writes: a reader may have to wait for it.
        let found = try find()
        let known = leases.withLock { leases -> [(checkpoint: Checkpoint, lease: CheckpointLease)]? in
            let held = found.compactMap { checkpoint in leases.existing(checkpoint.version).map { (checkpoint, $0) } }
            return held.count == found.count ? held : nil
        }
        if let known { return known }
        // Under the locks, so that none of them is dropped before its lease begins.
        do { return try leasing { leases in try find().map { ($0, leases.lease($0.version)) } } } catch
            where error.saysBusy
        {
            // That process stands still. What has a lease stays, and so does what the log begins with: a longer replay, and no error.
            return leases.withLock { leases in
                found.compactMap { checkpoint in
                    let known = leases.existing(checkpoint.version)
                    let lease = known ?? (checkpoint.version == oldest ? leases.lease(oldest) : nil)
                    return lease.map { (checkpoint, $0) }
                }
            }
        }
    }

    /// A checkpoint with its locators and its lease.
    struct Leased {
        var checkpoint: Checkpoint
        var locators: StoredLocators
        var lease: CheckpointLease
    }

    /// The newest checkpoint with its locators and its lease.
    ///
    /// - Throws: as ``newest()``.
    func leaseNewest() throws -> Leased? {
        try leasing { leases in
            try newest().map { newest in
                Leased(
                    checkpoint: newest.checkpoint, locators: newest.locators,
                    lease: leases.leaseWithLocators(newest.checkpoint.version))
            }
        }
    }

    /// Marks the stored nodes as unusable. From here on only the checkpoint of the base may be used; the others will be
    /// deleted.
    func giveUp() {
        isUnusable.withLock { $0 = true }
        leases.withLock { $0 = LeaseTable() }
    }

    /// All checkpoints that can be read, from the oldest to the newest.
    func all() throws -> [Checkpoint] {
        try reading { txn in
            var found: [Checkpoint] = []
            try txn.forEach(in: checkpoints) { key, row in
                if let checkpoint = Checkpoint(row, version: Version(try UInt64.decode(key))) {
                    found.append(checkpoint)
                }
                return true
            }
            return found
        }
    }

    /// The version of the first checkpoint after a version; nil if there is none.
    func version(after version: Version) throws -> Version? { try reading { try self.version(after: version, $0) } }

    func version(after version: Version, _ txn: borrowing some Transaction & ~Copyable) throws -> Version? {
        var found: Version?
        try txn.forEach(in: checkpoints, range: version.next.rawValue...UInt64.max) { key, _ in
            found = Version(try UInt64.decode(key))
            return false
        }
        return found
    }

    /// The superfluous numbers.
    func superfluous() throws -> [UInt64] {
        try reading { txn in
            try txn.withValue(forKey: LogFormat.superfluousKey, in: meta) { row in
                // If the row is damaged, its numbers stay stored, which is harmless.
                row.flatMap { StoredNumbers.numbers($0, seed: 0) } ?? []
            }
        }
    }

    /// How many nodes and chunks are stored.
    ///
    /// - Complexity: O(values).
    func nodeCount() throws -> Int {
        try reading { txn in
            var count = 0
            try txn.forEach(in: nodes) { _, value in
                count += NodeRun.nodeCount(value)
                return true
            }
            return count
        }
    }
}
