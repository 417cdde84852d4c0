// Data files whose creation was interrupted, and making a new file durable.
//
// LMDB creates a file in steps: a file without bytes, two meta pages, the pages of the first transaction, and at last
// the meta page that commits it. A process may end after or during each step.
//
// Always holds: nothing was ever committed to a file that counts as unfinished. Only such a file is emptied, and only
// by a process that has an exclusive lock on it.

extension DataFile {
    private enum Progress {
        /// Something was committed, or it is not an LMDB file.
        case finished
        /// Nothing was committed, and LMDB can continue with it.
        case usable
        /// Nothing was committed, and LMDB would refuse it.
        case broken
    }

    /// Whether the file exists but nothing was ever committed to it, because its creation was interrupted or is still
    /// going on.
    ///
    /// - Throws: ``LMDBError``: `engine` when the file cannot be read.
    package static func isUnfinished(_ path: String) throws(LMDBError) -> Bool {
        try progress(path) != .finished
    }

    /// Empties an unfinished file that LMDB would refuse. If another process has it open, that process continues with
    /// it.
    ///
    /// - Throws: ``LMDBError``: `alreadyOpen`; `engine` for what the system says.
    package static func resetUnfinished(_ path: String) throws(LMDBError) {
        guard try progress(path) == .broken else { return }
        let path = try Environment.resolve(path)
        try EnvironmentRegistry.shared.withClosedFile(path, "DataFile.resetUnfinished") { () throws(LMDBError) in
            switch Platform.lockAlone(LockFile.path(of: path), mode: Environment.Options().fileMode) {
            case .success(nil): return
            case .failure(let error): throw LMDBError(code: error.number, in: "fcntl", detail: path)
            case .success(let lock?):
                defer { Platform.close(lock) }
                // Another process may have finished it since.
                guard try progress(path) == .broken else { return }
                let code = Platform.empty(path)
                guard code == 0 else { throw LMDBError(code: code, in: "truncate", detail: path) }
            }
        }
    }

    private static func progress(_ path: String) throws(LMDBError) -> Progress {
        guard let file = try RawFile(path) else { return .finished }
        let length = try file.length()
        if length == 0 { return .usable }
        if let newest = try? MetaPage.newest(in: file, length: length) {
            return newest.transaction == 0 ? .usable : .finished
        }
        // The file must be a part of two meta pages, and nothing else.
        let known = try MetaPage.freshPageSize(file.bytes(at: 0, count: MetaPage.headerSize + MetaPage.size))
        let pageSize = known ?? min(Platform.pageSize, 32_768)
        guard length <= 2 * pageSize else { return .finished }
        for start in [0, pageSize] {
            let page = try file.bytes(at: start, count: pageSize)
            let start = MetaPage.freshPageSize(page) == nil ? 0 : MetaPage.headerSize + MetaPage.size
            guard page.copy(start..<page.count).allSatisfy({ $0 == 0 }) else { return .finished }
        }
        return .broken
    }
}

extension MetaPage {
    /// The page size in a meta page with transaction 0; nil if the bytes are not such a page.
    fileprivate static func freshPageSize(_ page: RawPage) -> Int? {
        guard page.count >= headerSize + size,
            page.load(PageOffset.magic, as: UInt32.self) == magic,
            page.load(PageOffset.version, as: UInt32.self) == version,
            page.load(PageOffset.txnid, as: UInt64.self) == 0
        else { return nil }
        let pageSize = Int(page.load(PageOffset.psize, as: UInt32.self))
        return pageSize >= 256 && pageSize <= 32_768 ? pageSize : nil
    }
}

extension DataFile {
    /// Removes a data file that is open nowhere, with its lock file.
    package static func remove(_ path: String) {
        Platform.remove(path)
        Platform.remove(path + "-lock")
    }
}

extension Environment {
    /// Syncs a new file and its folder, before the first commit that a caller relies on.
    ///
    /// - Throws: ``LMDBError``: `engine` for errors of the device; `forked`; `closed`.
    package func syncNewFile() throws(LMDBError) {
        try withMap("mdb_env_sync") { () throws(LMDBError) in try Engine.synchronize(handle) }
        try Platform.synchronizeFolder(of: path)
    }

    /// The name of the file may not be durable: the next write transaction syncs the folder before it begins.
    package func distrustName() { mustSyncName.store(true, ordering: .relaxed) }
}
