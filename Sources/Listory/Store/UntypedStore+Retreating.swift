// Makes confirmed commits pending again, because the shared log has lost them: see `Docs/Design/Sync.md`.
//
// Always holds: nothing that is derived from the log covers a commit that others may replace. If something does, the store has to be
// closed first: then it is removed, and opening derives it again.

import LMDB
import ListModel

/// Checkpoints or packed commits cover commits that are to be replaced: the store has to be closed, and
/// ``UntypedStore/retreat(at:to:options:)`` called.
@_spi(Sync)
public struct MustRetreat: Error {}

/// Another process has moved the confirmed end meanwhile: what follows it has to be read again.
@_spi(Sync)
public struct EndMoved: Error {}

@_spi(Sync)
extension UntypedStore {
    /// Makes the commits behind a confirmed version pending again.
    ///
    /// - Parameter position: the confirmed end from which it was found that this is needed; nil for the present one.
    /// - Throws: ``MustRetreat``, ``EndMoved``, ``ListError``.
    public func retreat(to version: Version, from position: SharedPosition? = nil) throws {
        let failure: (any Error)? = try door {
            try withTurn { head in
                try racer.followReplica(&head)
                return try racer.catchingUp(&head) { head in
                    _ = try group.flush(through: nil)
                    let known = group.log.confirmed.required
                    guard position.map({ $0 == SharedPosition(known) }) ?? true else { return EndMoved() }
                    if try group.log.derivedEnd(checkpointer) > version { return MustRetreat() }
                    let end = try group.confirmedEnd(at: version, known)
                    try group.log.confirmed.retreat(from: known, to: end)
                    head.confirmed = end
                    return nil
                }
            }
        }
        if let failure { throw failure }
    }

    /// As ``retreat(to:)``, for a store that no process has open, and with what is derived from the log removed. The confirmed end takes
    /// the place of a version behind it: the commits there are pending already.
    ///
    /// - Throws: ``ListError/inUse(path:)``, ``ListError/busy(path:processes:)``;
    ///   ``ListError/droppedVersion(_:oldest:)`` if the log does not have all commits any more; errors of the file. A process that is
    ///   killed leaves a store that is valid; the call can be repeated.
    /// - Complexity: O(events of packed commits + pages of the file).
    public static func retreat(at path: String, to version: Version, options: StoreOptions = StoreOptions()) throws {
        try door {
            var options = options
            options.checkpoints.atClose = false
            options.unpackedCount = .max
            let store = try UntypedStore.open(at: path, options: options)
            defer { try? store.close() }
            let others = try store.otherProcesses()
            guard others.isEmpty else { throw ListError.busy(path: path, processes: others.map(\.processID)) }
            // A process that opens it from here on takes no checkpoint and packs nothing.
            guard store.checkpointer?.database.table?.takeRole() ?? true else {
                throw ListError.busy(path: path, processes: [])
            }
            try store.withTurn { _ in
                let log = store.group.log
                // Another call may have moved the end further back.
                let known = log.confirmed.required
                let version = min(version, known.version)
                if version < log.base.version { throw ListError.droppedVersion(version, oldest: log.base.version) }
                try store.group.store()
                let records = try store.packedRecords(after: version)
                let end = try store.group.confirmedEnd(at: version, known)
                try store.checkpointer?.touches.distrust()
                try store.checkpointer?.database.clear(keeping: log.base)
                try log.unpack(records, after: version) { txn in
                    try log.confirmed.put(end, before: known.version, &txn)
                }
                log.confirmed.adopt(end)
            }
        }
    }

    /// The records of the packed blocks that have commits behind a version.
    private func packedRecords(after version: Version) throws -> [RecordRun] {
        var runs: [RecordRun] = []
        var next = version.next
        let last = try group.log.packed.lastPacked()
        while next <= last {
            guard let run = try past.packedRecords(of: next) else {
                next = next.next
                continue
            }
            runs.append(run)
            next = run.version(run.count)
        }
        return runs
    }
}

extension CommitLog {
    /// The last version that something covers which is derived from the log.
    func derivedEnd(_ checkpointer: Checkpointer?) throws -> Version {
        let packed = try packed.lastPacked()
        guard let checkpointer else { return packed }
        let indexed = (try? checkpointer.touches.catalog()?.last) ?? .empty
        return max(try checkpointer.database.newestVersion(), packed, indexed)
    }

    /// Takes the commits behind a version out of their blocks, and those beside them.
    fileprivate func unpack(
        _ runs: [RecordRun], after version: Version, _ body: (inout WriteTransaction) throws -> Void
    ) throws {
        let blocks = try packed.blocks()
        var base = self.base
        base.lastPacked = min(base.lastPacked, version, runs.first?.first.previous ?? version)
        try environment.write { txn in
            if base != self.base { try txn.put(base.bytes, forKey: LogFormat.baseKey, in: meta) }
            for run in runs {
                for index in 0..<run.count {
                    try run.withRecord(index) {
                        try txn.put(bytes: $0, forKey: run.version(index).rawValue, in: commits)
                    }
                }
                if let blocks { try txn.delete(run.first.rawValue, in: blocks) }
            }
            try body(&txn)
        }
    }
}

extension GroupCommit {
    /// The head of the log if it ended with an earlier confirmed version.
    fileprivate func confirmedEnd(at version: Version, _ known: LogPosition) throws -> LogPosition {
        var end = known
        precondition(version <= end.version, "what is pending is not confirmed")
        for commit in try pending(after: version, through: end.version).reversed() {
            let before = end.version.previous
            end = end.removing(commit, after: before == .empty ? 0 : try past.checksum(of: before))
        }
        return end
    }
}
