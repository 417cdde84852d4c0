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
    /// - Throws: ``ListError/inUse(path:)`` if another program is just making it; ``ListError/notPermitted(path:isReadOnly:)``; what
    ///   `body` throws; an error of the system. Then nothing is there.
    public static func makeReplica(at path: String, _ body: (_ scratch: String) throws -> Bool) throws -> Bool {
        do {
            try making(path) { scratch in
                guard try body(scratch) else { throw NotWanted() }
            }
            return true
        } catch is NotWanted {
            return false
        } catch ListError.alreadyExists(path: path) {
            // Perhaps another program has made it just now.
            return false
        }
    }

    private struct NotWanted: Error {}
}
