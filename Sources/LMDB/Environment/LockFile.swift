// Prepares the lock file beside a data file before LMDB opens it.
//
// LMDB sets the length of the file, which allocates no space on the disk, maps it, and writes to the map. If the disk
// is full then, the process ends (SIGBUS). So the space is allocated beforehand.
//
// Always holds: a lock file is changed only by the first process that opens the data file; the others leave it
// unchanged.

/// Allocates disk space for lock files.
enum LockFile {
    /// The name of the lock file of a data file.
    static func path(of path: String) -> String { path + "-lock" }

    /// The size that LMDB gives it at least: two cache lines for the environment, and one for each reader.
    static func size(readers: Int) -> Int { 64 * (max(1, readers) + 2) }

    /// How often opening waits a millisecond for a lock file that another process is making.
    static let attemptCount = 5_000

    /// Allocates the disk space of a lock file. This process must not have the file open.
    ///
    /// - Throws: ``LMDBError``: `engine`, with `noSpace` when the disk is full. All other errors are left to the
    ///   opening that follows.
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

    /// Whether a lock file has no content. LMDB takes it for a foreign one then.
    ///
    /// The process that has the exclusive lock makes the content. Another one, which waits for that lock, finds none if
    /// the first has ended before, or has only allocated the space. This process must not have the file open.
    static func isUnready(for path: String) -> Bool {
        guard let file = try? RawFile(Self.path(of: path)), let beginning = try? file.bytes(at: 0, count: 4) else {
            return false
        }
        return beginning.count < 4 || beginning.load(0, as: UInt32.self) == 0
    }

    /// As above, with the lock file open; no other process has it open.
    static func reserve(_ descriptor: Int32, _ name: String, atLeast count: Int) throws(LMDBError) {
        var size = count
        if case .success(let status) = Platform.status(of: descriptor) { size = max(size, status.size) }
        let code = Platform.reserve(descriptor, size)
        guard code == 0 else { throw LMDBError(code: code, in: "posix_fallocate", detail: name) }
    }

    /// Makes a lock file one without content, for which the next process that opens the data file makes it. No other process has the data
    /// file open.
    static func clear(_ descriptor: Int32, _ name: String) throws(LMDBError) {
        let code = withUnsafeBytes(of: 0 as UInt64) { Platform.write(descriptor, $0, at: 0) }
        guard code == 0 else { throw LMDBError(code: code, in: "pwrite", detail: name) }
    }
}
