// Copies a store that is in use.
//
// Always holds: a copy has every commit that was made before it began, and only complete commits.

import LMDB
import ListModel

extension StoreProtocol {
    /// Copies the store to a new file, while reads and edits go on; none of them waits for the copy. Pages that edits
    /// free are not used again before the copy is complete, so the file grows.
    ///
    /// The copy has all commits that were made before the call, and perhaps some more. It is a complete store that can
    /// be opened, verified or kept as a backup.
    ///
    /// - Parameters:
    ///   - target: a file that does not exist.
    ///   - progress: called from time to time with the part that is done, 0 to 1, on the calling thread.
    /// - Throws: ``ListError/readOnly``, because only the process that edits a store knows its newest commits;
    ///   ``ListError/appendFailed(durable:cause:)``; `LMDBError`, with `targetExists` if there is such a file, which
    ///   is not changed. After other errors no target is left.
    /// - Complexity: O(size of the file).
    public func copy(to target: String, progress: @escaping (Double) -> Void = { _ in }) throws {
        try door {
            if core.options.isReadOnly { throw ListError.readOnly }
            try core.group.flush(through: nil)
            try core.group.store()
            try core.group.log.copyDatabases(to: target, progress: progress)
        }
    }
}
