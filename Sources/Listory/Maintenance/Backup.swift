// Backup: a verified copy of a store, while it is edited here or in another process.
//
// Always holds: there is a file at the target only when it is complete, verified and durable; it has every commit that
// was durable before the backup began.

import LMDB
import ListModel

extension StoreProtocol {
    /// Copies the store to a new file and verifies the copy, while reads and edits go on.
    ///
    /// The store may be open for reading only, while another process edits it.
    ///
    /// - Parameters:
    ///   - target: a file that does not exist.
    ///   - progress: called from time to time with the part that is done, 0 to 1.
    /// - Returns: what the verification found.
    /// - Throws: ``ListError/alreadyExists(path:)``; ``ListError/inUse(path:)`` if another backup is just being written
    ///   there; ``ListError/notPermitted(path:isReadOnly:)``; what ``copy(to:progress:)`` and ``StoreVerification`` throw. Then there is no file at the target.
    /// - Complexity: O(size of the file + events · log n).
    @discardableResult
    public func backup(to target: String, progress: (Double) -> Void = { _ in }) throws -> StoreVerification {
        try door {
            try withoutActuallyEscaping(progress) { progress in
                try UntypedStore.making(target) { scratch in
                    if core.options.isReadOnly {
                        try core.copyOfReader(to: scratch) { progress($0 * 0.3) }
                    } else {
                        try copy(to: scratch) { progress($0 * 0.3) }
                    }
                    return try StoreVerification(path: scratch) { progress(0.3 + $0 * 0.7) }
                }
            }
        }
    }
}

extension UntypedStore {
    /// Copies a store that another process may be editing.
    fileprivate func copyOfReader(to scratch: String, progress: @escaping (Double) -> Void) throws {
        let log = group.log
        // The journal first: commits that are drained meanwhile are in the copied databases, and are not added twice. What is found is not
        // noted as the end of the log: another thread may read a later one meanwhile.
        let records = try log.journal.readCopy().0.records
        try log.copyDatabases(to: scratch, progress: progress)
        guard records.count > 0 else { return }
        let copy = try CommitLog(path: scratch, mode: .open, options: unknownOptions(false))
        defer { try? copy.environment.close() }
        let copied = try copy.readHead().head
        guard let first = records.index(of: copied.version.next) else { return }
        _ = try copy.append(records, first..<records.count, after: copied)
    }
}
