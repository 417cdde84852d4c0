// The first file of a replica, made beside its place: a program may open it as soon as it is there, and then it has to be complete.
//
// Always holds: a file that is at the place already stays as it is, and one that is there is complete and durable.

import LMDB

@_spi(Sync)
extension UntypedStore {
    /// Makes the first file of a replica, unless there is a file at its place.
    ///
    /// - Parameters:
    ///   - path: the place.
    ///   - body: makes a store at the path that it gets, closes it, and returns whether it is the one that is wanted.
    /// - Returns: whether it is there now, and was made here.
    /// - Throws: ``ListError/inUse(path:)`` if another program is just making it; what `body` throws; an error of the system. Then nothing
    ///   is there.
    public static func makeReplica(at path: String, _ body: (_ scratch: String) throws -> Bool) throws -> Bool {
        try passing {
            if Platform.exists(path) { return false }
            return try claiming(path) {
                // Another program may have made it since.
                if Platform.exists(path) { return false }
                let scratch = path + "-beginning"
                removeFirstFile(scratch)
                defer { removeFirstFile(scratch) }
                guard try body(scratch) else { return false }
                do throws(LMDBError) { try DataFile.publish(scratch, as: path) } catch {
                    if case .targetExists = error.kind { return false }
                    throw error
                }
                return true
            }
        }
    }

    /// Removes what is left of one that was made, or was being made when its process was killed.
    private static func removeFirstFile(_ scratch: String) {
        DataFile.remove(scratch)
        Platform.remove(ProcessTable.path(of: scratch))
    }
}
