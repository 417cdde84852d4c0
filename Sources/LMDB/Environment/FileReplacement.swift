// Replaces a data file that no process has open.
//
// Each process that has a data file open holds a shared lock on the lock file beside it. To replace the data file, a
// process must be alone: another process that still had the old file open would continue to write to a file without a
// name. So the exclusive lock is taken first. It is released when the lock file describes the new data file, so a
// process that waits for the lock sees only the new file.
//
// Always holds: at any moment there is a complete file at the path, the old one or the new one.

extension DataFile {
    /// Puts a data file in the place of another one, durably.
    ///
    /// - Parameters:
    ///   - path: the file that is replaced, links followed; neither this process nor another has it open.
    ///   - replacement: the file that takes its place, in the same folder, open in no process. Afterwards its only name
    ///     is `path`.
    ///   - isUnchanged: called when no other process can write; if it returns false, nothing happens.
    /// - Returns: whether the file was replaced.
    /// - Throws: ``LMDBError``: `alreadyOpen` if this process has the file open, `inUse` if another one has; `engine`
    ///   for what the system says. The old file is then still at the path, unless only the last steps have failed: syncing the folder, and
    ///   making the lock file.
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
            // If this process is killed from here on, another one may not take what it says of the old file for the new one.
            try LockFile.clear(lock, LockFile.path(of: path))
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

extension DataFile {
    /// Gives a complete and closed file its final name, durably. Its lock file is removed.
    ///
    /// - Throws: ``LMDBError``: `targetExists`; `engine` for what the system says.
    package static func publish(_ path: String, as target: String) throws(LMDBError) {
        switch Platform.openForReading(path) {
        case .success(let descriptor):
            defer { Platform.close(descriptor) }
            try Engine.check(Platform.synchronize(descriptor), "fsync")
        case .failure(let error): throw LMDBError(code: error.number, in: "open", detail: path)
        }
        if let error = Platform.rename(path, toUnused: target) {
            guard error.number == Platform.fileExists else {
                throw LMDBError(code: error.number, in: "rename", detail: path)
            }
            throw LMDBError(.targetExists(path: target), in: "DataFile.publish")
        }
        Platform.remove(path + "-lock")
        try Platform.synchronizeFolder(of: target)
    }
}
