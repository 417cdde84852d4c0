// Writes and recognises the file with which a new replica begins.
//
// Always holds: it has no pending commits.

import LMDB
import ListModel

@_spi(Sync)
extension UntypedStore {
    /// Writes a copy with which a new replica begins: the newest rows, without their past.
    ///
    /// - Parameter target: a file that does not exist.
    /// - Returns: its position; nil if commits are pending.
    /// - Complexity: O(rows).
    public func writeSnapshot(to target: String) throws -> SharedPosition? {
        try door {
            let scratch = target + "-scratch"
            defer { DataFile.remove(scratch) }
            let last = durableVersion
            guard last > .empty, try pendingCount == 0 else { return nil }
            var compaction = Compaction(keeping: .from(last))
            compaction.isForOthers = true
            var compactor = try Compactor(self, compaction, to: scratch, options)
            let written = try compactor.run { _ in }
            guard written.version == last, group.log.confirmed.covers(last) else { return nil }
            try compactor.finish(target)
            return SharedPosition(try CommitLog.confirmAll(of: target))
        }
    }

    /// Whether a file that is not open is what a replica may begin with: it is sound, all of it is confirmed, and it has the rows of the
    /// commit with which it ends.
    ///
    /// - Parameters:
    ///   - record: the record of that commit in the shared log.
    ///   - version: its version.
    /// - Throws: ``RecordError`` if the record is none; errors of the file.
    public static func isSnapshot(at path: String, endingWith record: [UInt8], _ version: Version) throws -> Bool {
        let commit = try Commit(record: record, version: version)
        guard let found = try? StoreVerification(path: path) else { return false }
        return try found.version == version && found.stateHash == commit.stateHash
            && confirmed(at: path) == SharedPosition(record: record, version: version)
    }
}
