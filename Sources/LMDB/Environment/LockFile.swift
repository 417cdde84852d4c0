// The lock file beside a data file, before LMDB sees it.
//
// LMDB gives the file its length, which takes no room on the disk, maps it, and writes to the map. If the disk is full
// then, the process is ended and not the call. So its room is taken beforehand.
//
// Always holds: a lock file is changed only by a process that is alone with the data file; one that is not leaves it to the
// one that came first.

/// Takes room for lock files.
enum LockFile {
    /// The name of the lock file of a data file.
    static func path(of path: String) -> String { path + "-lock" }

    /// The least that LMDB makes of it: two cache lines about the environment, and one for each reader.
    static func size(readers: Int) -> Int { 64 * (max(1, readers) + 2) }

    /// Sees to it that a lock file has its room on the disk. This process must not have the file open.
    ///
    /// - Throws: ``LMDBError``: `engine`, with `noSpace` when the disk is full. What else is in the way, opening tells.
    static func reserve(for path: String, _ options: Environment.Options) throws(LMDBError) {
        // A reader of a missing file creates no lock file.
        if options.isReadOnly, case .failure = Platform.status(of: path) { return }
        let name = Self.path(of: path)
        let wanted = size(readers: options.maximumReaders)
        if case .success(let status) = Platform.status(of: name), status.size >= wanted, status.isWhole { return }
        guard case .success(let descriptor?) = Platform.lockAlone(name, mode: options.fileMode) else { return }
        defer { Platform.close(descriptor) }
        try reserve(descriptor, name, atLeast: wanted)
    }

    /// As above, with the lock file open, by a process that is alone.
    static func reserve(_ descriptor: Int32, _ name: String, atLeast count: Int) throws(LMDBError) {
        var size = count
        if case .success(let status) = Platform.status(of: descriptor) { size = max(size, status.size) }
        let code = Platform.reserve(descriptor, size)
        guard code == 0 else { throw LMDBError(code: code, in: "posix_fallocate", detail: name) }
    }
}
