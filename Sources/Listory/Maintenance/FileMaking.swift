// Making a file beside its place, which it gets in one step when it is complete: a backup, an import, the first file of a replica.
//
// Always holds: a file at the place is complete and durable; one that was there before stays as it is.

import LMDB

extension UntypedStore {
    /// Makes a file for a place where there is none.
    ///
    /// - Parameters:
    ///   - path: the place.
    ///   - body: makes the file at the path that it gets, and closes it.
    /// - Throws: ``ListError/alreadyExists(path:)``; ``ListError/inUse(path:)`` if something else is just made there;
    ///   ``ListError/notPermitted(path:isReadOnly:)``; what `body` throws; an error of the system. Then nothing was made.
    static func making<Result>(_ path: String, _ body: (_ scratch: String) throws -> Result) throws -> Result {
        try passing {
            try claimingUnused(path) {
                let scratch = DataFile.Scratch.making.path(of: path)
                let result = try body(scratch)
                do throws(LMDBError) { try DataFile.publish(scratch, as: path) } catch {
                    if case .targetExists = error.kind { throw ListError.alreadyExists(path: path) }
                    throw CommitLog.refusal(error, path, isReadOnly: false)
                }
                return result
            }
        }
    }

    /// Runs `body`, which makes a file where none is, while nobody else makes one there.
    static func claimingUnused<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        try requireUnused(path)
        return try claiming(path) {
            // Another process may have made it since.
            try requireUnused(path)
            return try body()
        }
    }

    /// - Throws: ``ListError/alreadyExists(path:)`` if there is a file.
    static func requireUnused(_ path: String) throws {
        if Platform.exists(path) { throw ListError.alreadyExists(path: path) }
    }

    /// Removes a file that a killed process may have left, with its lock file.
    ///
    /// - Throws: ``ListError/notPermitted(path:isReadOnly:)`` if it stays.
    static func removeLeftover(_ path: String) throws {
        DataFile.remove(path)
        if Platform.exists(path) { throw ListError.notPermitted(path: path, isReadOnly: false) }
    }
}
