// The kinds of failure that callers tell apart.
//
// Always holds: each error of the binding itself has a case here, with expected and found values; each error of LMDB or
// the operating system is `engine`, with its number.

extension LMDBError {
    /// What went wrong, in a form that can be switched on.
    public enum Kind: Equatable, Sendable {
        /// LMDB or the operating system returned this code.
        case engine(Code)

        /// The key has no bytes; LMDB needs at least one.
        case keyEmpty
        /// The key is longer than LMDB can store; both in bytes.
        case keyTooLong(count: Int, limit: Int)
        /// The key of an append is not greater than the last one.
        case keyOutOfOrder

        /// The bytes of a key or value do not have the size that its type needs; both in bytes.
        case wrongSize(type: String, expected: Int, found: Int)
        /// The bytes of a key or value are not what its type needs.
        case undecodable(type: String, reason: String)

        /// The map is full and may not grow: sizes in bytes.
        case mapFull(size: Int, maximum: Int)
        /// The map could not change its size because this many transactions of this process stayed live.
        case resizeBlocked(live: Int)
        /// The map could not be changed to this many bytes; the old one is still in use.
        case sizeUnavailable(requested: Int)

        /// The environment cannot be closed because this many transactions are live.
        case closeBlocked(live: Int)
        /// The environment was closed.
        case closed
        /// The environment lost its memory map in a failed resize; close it and open it again.
        case mapLost
        /// The environment belongs to another process: this one is its fork. Both are process ids.
        case forked(opened: Int32, current: Int32)
        /// This process has the file open already, perhaps by another name.
        case alreadyOpen(path: String)
        /// The file lies on a network file system, where locks and maps cannot be trusted.
        case networkFileSystem(name: String)
        /// The lock file was deleted or replaced while the data file was open, so this process does not see what others write: close the
        /// file in all processes, then open it again.
        case lockFileReplaced(path: String)
        /// The environment was opened for reading only.
        case readOnly

        /// This thread has a write transaction already, and would wait for itself.
        case nestedWrite
        /// A write transaction was ended on another thread than the one it began on.
        case wrongThread
        /// Another process has been writing for this long. It may have been stopped meanwhile.
        case writerBusy(waited: Duration)
        /// The database handle is not one of this environment, or came from an aborted transaction.
        case staleDatabase
        /// A value cannot be overwritten in place.
        case notInPlace(reason: String)

        /// The target of a copy exists.
        case targetExists(path: String)
        /// A name or path has a NUL character in it, or is empty.
        case invalidName(String)
        /// The data file is damaged, foreign or of another format.
        case damaged(Damage)
        /// Another process has the file open.
        case inUse(path: String)
        /// Another process changed the file so often that it could not be checked.
        case changing
    }
}

extension LMDBError.Kind {
    /// One sentence about the failure.
    var message: String {
        switch self {
        case .engine(let code): code.message
        case .keyEmpty: "a key needs at least one byte"
        case .keyTooLong(let count, let limit): "a key of \(count) bytes is over the limit of \(limit)"
        case .keyOutOfOrder: "an appended key must be greater than every key in the database"
        case .wrongSize(let type, let expected, let found): "\(type) needs \(expected) bytes, found \(found)"
        case .undecodable(let type, let reason): "the bytes are not a \(type): \(reason)"
        case .mapFull(let size, let maximum): "the map of \(size) bytes is full, its maximum is \(maximum)"
        case .resizeBlocked(let live): "the map cannot be resized: \(live) live transactions"
        case .sizeUnavailable(let requested): "a map of \(requested) bytes cannot be had"
        case .closeBlocked(let live): "the environment cannot be closed: \(live) live transactions"
        case .closed: "the environment is closed"
        case .mapLost: "the environment lost its map in a failed resize"
        case .forked(let opened, let current): "opened by process \(opened), used in its fork \(current)"
        case .alreadyOpen(let path): "this process has the file open already, as \(path)"
        case .networkFileSystem(let name): "the file lies on a network file system: \(name)"
        case .lockFileReplaced(let path):
            "the lock file was deleted or replaced while the file was open, so close the file in all processes, then open it again: \(path)"
        case .readOnly: "the environment is open for reading only"
        case .nestedWrite: "this thread has a live write transaction already"
        case .wrongThread: "a write transaction ends on the thread it began on"
        case .writerBusy(let waited): "another process has been writing for \(waited), or was stopped meanwhile"
        case .staleDatabase: "the database handle is not valid in this environment"
        case .notInPlace(let reason): "the value cannot be written over in the file: \(reason)"
        case .targetExists(let path): "the target exists: \(path)"
        case .invalidName(let name): "not a usable name: \(name.debugDescription)"
        case .damaged(let damage): damage.description
        case .inUse(let path): "another process has the file open: \(path)"
        case .changing: "another process changes the file faster than it can be checked"
        }
    }
}
