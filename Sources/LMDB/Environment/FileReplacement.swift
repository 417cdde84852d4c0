// Replaces a data file that no process has open.
//
// LMDB tells processes apart by a lock file beside the data file, of which each holds a lock as long as it has the file
// open. Whoever replaces the data file must be alone: a process that still had the old one open would go on writing to
// a file without a name. So the lock that says "I am alone" is taken first, and given back when the lock file speaks
// of the new data file; those who wait for it then see nothing else.
//
// Always holds: at any moment there is a whole file at the path, the old one or the new one.

extension DataFile {
    /// Puts a data file in the place of another one, durably.
    ///
    /// - Parameters:
    ///   - path: the file that is replaced, links followed; neither this process nor another has it open.
    ///   - replacement: the file that takes its place, in the same folder and open nowhere. It has no name afterwards but
    ///     `path`.
    ///   - isUnchanged: called when no other process can write; if it returns false, nothing happens.
    /// - Returns: whether the file was replaced.
    /// - Throws: ``LMDBError``: `alreadyOpen` if this process has the file open, `inUse` if another one has; `engine` for
    ///   what the system says. The old file is then where it was.
    public static func replace(
        _ path: String, with replacement: String, if isUnchanged: () -> Bool
    ) throws(LMDBError) -> Bool {
        let path = try Environment.resolve(path)
        return try EnvironmentRegistry.shared.withClosedFile(path, "DataFile.replace") { () throws(LMDBError) in
            let lock: Int32
            switch Platform.lockAlone(LockFile.path(of: path), mode: Environment.Options().fileMode) {
            case .success(let descriptor?): lock = descriptor
            case .success(nil): throw LMDBError(.inUse(path: path), in: "DataFile.replace")
            case .failure(let error): throw LMDBError(code: error.number, in: "fcntl", detail: path + "-lock")
            }
            defer { Platform.close(lock) }
            guard isUnchanged() else { return false }
            try LockFile.reserve(lock, LockFile.path(of: path), atLeast: LockFile.size(readers: 1))
            if let error = Platform.rename(replacement, to: path) {
                throw LMDBError(code: error.number, in: "rename", detail: replacement)
            }
            try Platform.synchronizeFolder(of: path)
            Platform.remove(replacement + "-lock")
            // No other process has the file open, so opening makes a new lock file for the new data file. Closing
            // releases the lock.
            let setup = Engine.Setup(
                mapSize: Environment.Options().mapSize, maximumReaders: 1, maximumDatabases: 0,
                fileMode: Environment.Options().fileMode, isReadOnly: false, durability: .full)
            Engine.close(try Engine.open(path, setup))
            return true
        }
    }
}
