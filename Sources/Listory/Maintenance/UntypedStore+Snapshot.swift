// Writes and recognises the file with which a new replica begins.
//
// Always holds: it has no pending commits.

import LMDB
import ListModel

@_spi(Sync)
extension UntypedStore {
    /// Writes a copy with which a new replica begins: the newest rows, without their past. It is beside the store until `body` has read it.
    ///
    /// - Parameter body: gets the path of the copy, and its position.
    /// - Returns: what `body` returns; nil if commits are pending.
    /// - Throws: ``ListError/inUse(path:)`` if another file is just made beside the store; what `body` throws; errors of the file.
    /// - Complexity: O(rows).
    public func withSnapshot<Result>(_ body: (_ path: String, SharedPosition) throws -> Result) throws -> Result? {
        let path = filePath
        return try passing { () -> Result? in
            // A claim keeps others from making a file there, so it is not taken for nothing.
            if try snapshotVersion() == nil { return nil }
            return try UntypedStore.claiming(path) { () -> Result? in
                guard let last = try snapshotVersion() else { return nil }
                var compaction = Compaction(keeping: .from(last))
                compaction.isForOthers = true
                let copy = DataFile.Scratch.made.path(of: path)
                var compactor = try Compactor(self, compaction, to: DataFile.Scratch.making.path(of: path), options)
                let written = try compactor.run { _ in }
                guard written.version == last, group.log.confirmed.covers(last) else { return nil }
                try compactor.finish(copy)
                return try body(copy, SharedPosition(CommitLog.confirmAll(of: copy)))
            }
        }
    }

    /// The version that a snapshot would have now; nil if commits are pending, or there are none.
    private func snapshotVersion() throws -> Version? {
        let last = durableVersion
        return try last > .empty && pendingCount == 0 ? last : nil
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
