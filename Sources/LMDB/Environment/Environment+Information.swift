// Information about an environment, and its maintenance: syncing, copying, clearing dead readers.
//
// Always holds: code that reads the map counts as a live transaction meanwhile, so the map is not changed.

extension Environment {
    /// The shape of the tree of databases.
    ///
    /// - Throws: ``LMDBError``: `forked`, `closed`.
    public var statistics: Statistics {
        get throws(LMDBError) {
            try withMap("mdb_env_stat") { () throws(LMDBError) in try Engine.statistics(handle) }
        }
    }

    /// The sizes and counters of the environment.
    ///
    /// - Throws: ``LMDBError``: `forked`, `closed`.
    public var information: EnvironmentInformation {
        get throws(LMDBError) {
            try withMap("mdb_env_info") { () throws(LMDBError) in try Engine.information(handle) }
        }
    }

    /// The flags that LMDB runs with, as `mdb_env_get_flags` returns them.
    ///
    /// - Throws: ``LMDBError``: `forked`, `closed`.
    package var engineFlags: UInt32 {
        get throws(LMDBError) {
            try withMap("mdb_env_get_flags") { () throws(LMDBError) in try Engine.flags(handle) }
        }
    }

    /// The size of a page, in bytes.
    ///
    /// - Throws: ``LMDBError``: `forked`, `closed`.
    public var pageSize: Int {
        get throws(LMDBError) { try statistics.pageSize }
    }

    /// Frees the reader slots of processes that died, so that the pages they held can be used again.
    ///
    /// - Returns: How many were freed.
    /// - Throws: ``LMDBError``: `forked`, `closed`, `engine`.
    @discardableResult
    public func checkReaders() throws(LMDBError) -> Int {
        try withMap("mdb_reader_check") { () throws(LMDBError) in
            try withReaderTable { () throws(LMDBError) in try Engine.checkReaders(handle) }
        }
    }

    /// How many transactions were committed since the one that the slowest reader reads, in any process. The pages that they have freed
    /// cannot be used again.
    ///
    /// - Throws: ``LMDBError``: `forked`, `closed`, `engine`.
    package func readerLag() throws(LMDBError) -> Int {
        try withMap("mdb_reader_list") { () throws(LMDBError) in
            guard let oldest = Engine.oldestReader(handle) else { return 0 }
            let last = try Engine.information(handle).lastTransaction
            return last > oldest ? last - oldest : 0
        }
    }

    /// How many bytes of the file the named databases have. The rest is little, or free.
    ///
    /// - Returns: nil if the environment was opened without checks of its pages.
    /// - Throws: ``LMDBError``: `damaged`, `forked`, `closed`.
    /// - Complexity: O(databases).
    package func databaseBytes() throws -> Int? {
        let pageSize = try pageSize
        return try read { txn in
            try txn.core.reader.map { Int(clamping: min(try $0.databasePages(), $0.limit)) * pageSize }
        }
    }

    /// Copies the newest committed state to a new file, and makes it durable. Free pages and deleted bytes are left out.
    ///
    /// Reads and writes go on meanwhile, also those that need a larger map. Pages that are freed meanwhile are not used
    /// again before the copy is complete, so the file grows.
    ///
    /// - Parameters:
    ///   - target: The new file; must not exist. It gets the permissions of ``Options/fileMode``.
    ///   - emptied: The name of a database that has no entries in the copy; nil for none.
    ///   - progress: Called now and then with the share that is done, 0 to 1.
    /// - Throws: ``LMDBError``: `targetExists`, which leaves the target alone; `damaged` when a page is not what it
    ///   should be, and `engine` for other failures, after which no target is left; `changing` when commits are so
    ///   quick that no version can be pinned; `forked`; `closed`.
    /// - Complexity: O(bytes in use).
    public func copy(
        to target: String, emptying emptied: String? = nil, progress: @escaping (Double) -> Void = { _ in }
    ) throws(LMDBError) {
        try requireOwnProcess("Environment.copy")
        guard !target.isEmpty, !target.utf8.contains(0) else {
            throw LMDBError(.invalidName(target), in: "Environment.copy")
        }
        let descriptor: Int32
        switch Platform.create(target, mode: options.fileMode) {
        case .success(let created): descriptor = created
        case .failure(let error) where error.number == Platform.fileExists:
            throw LMDBError(.targetExists(path: target), in: "Environment.copy")
        case .failure(let error):
            throw LMDBError(code: error.number, in: "open", detail: target)
        }
        defer { Platform.close(descriptor) }
        do throws(LMDBError) {
            let (snapshot, file, meta) = try pinNewest()
            try withExtendedLifetime(snapshot) { () throws(LMDBError) in
                var copy = PageCopy(file: file, meta: meta, to: descriptor, emptying: emptied, progress: progress)
                try copy.run()
            }
            try Engine.check(Platform.synchronize(descriptor), "fsync")
            try Platform.synchronizeFolder(of: target)
        } catch {
            Platform.remove(target)
            throw error
        }
    }

    /// Pins the newest version, and reads its meta page from the file before a later commit overwrites it.
    private func pinNewest() throws(LMDBError) -> (PinnedSnapshot, RawFile, MetaPage) {
        // Commits are far slower than an attempt.
        for _ in 0..<1_000 {
            let snapshot = try PinnedSnapshot(self)
            // SAFETY: the environment is not closed while it has a pinned snapshot.
            let file = RawFile(descriptor: try Engine.descriptor(handle), path: path)
            let before = try MetaPage.fingerprint(of: file)
            do throws(LMDBError) {
                let meta = try MetaPage.newest(in: file, length: try file.length())
                // If both meta pages are unchanged and none is newer, no commit has overwritten the page during the
                // read.
                guard meta.transaction == UInt64(snapshot.id), try MetaPage.fingerprint(of: file) == before else {
                    continue
                }
                return (snapshot, file, meta)
            } catch {
                guard case .damaged = error.kind, try MetaPage.fingerprint(of: file) != before else { throw error }
            }
        }
        throw LMDBError(.changing, in: "Environment.copy", detail: path)
    }

    /// Runs `body` while the map cannot change.
    func withMap<Result>(
        _ call: String, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        try requireOwnProcess(call)
        try gate.enterShared(call)
        defer { gate.leaveRead(keeping: nil) }
        try pages?.checkLength()
        return try body()
    }
}

extension Platform {
    /// Makes the name of a new file durable.
    static func synchronizeFolder(of path: String) throws(LMDBError) {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
        switch openForReading(folder.isEmpty ? "/" : folder) {
        case .failure(let error): throw LMDBError(code: error.number, in: "open", detail: folder)
        case .success(let descriptor):
            defer { close(descriptor) }
            try Engine.check(synchronize(descriptor), "fsync")
        }
    }
}
