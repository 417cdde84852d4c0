// Copies a store that is in use.
//
// Always holds: a copy has every commit that was made before it began, and only complete commits.

import LMDB
import ListModel

extension Store {
    /// Copies the store to a new file, while edits go on.
    ///
    /// The copy has all commits that were made before the call, and perhaps some more. It is a complete store that can
    /// be opened, verified or kept as a backup.
    ///
    /// - Parameter target: a file that does not exist.
    /// - Throws: ``StoreError/readOnly``, because only the process that edits a store can say what belongs to it;
    ///   ``StoreError/appendFailed(durable:cause:)``; `LMDBError`, with `targetExists` if there is such a file. No target
    ///   is left then, or it is as it was.
    /// - Complexity: O(size of the file).
    public func copy(to target: String) throws {
        if options.isReadOnly { throw StoreError.readOnly }
        try group.flush(through: nil)
        try group.store()
        try group.log.environment.copy(to: target, compacting: true)
        do {
            // The tail is written over in its place, so what the copy has of it may be of any moment.
            try LogTail.remove(from: target)
        } catch {
            FileStatus.remove(target)
            throw error
        }
    }
}
