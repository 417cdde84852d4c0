// Calls LMDB's C functions on environments and transactions. No other file calls them.
//
// Always holds: a code other than success becomes an `LMDBError` with the function's name; this file makes no
// decisions. The environment and transaction handles are valid for the call; each caller says why.

import CLMDB

/// LMDB's functions, with errors thrown and C types translated.
enum Engine {
    /// Turns a result code into an error.
    @inline(__always)
    static func check(_ code: Int32, _ call: @autoclosure () -> String) throws(LMDBError) {
        guard code == MDB_SUCCESS else { throw LMDBError(code: code, in: call()) }
    }

    /// Sizes of maps are multiples of this, in bytes.
    static let mapGranularity = 16 * 1024

    /// A size rounded up to a multiple of ``mapGranularity``, and at least that.
    static func roundedMapSize(_ size: Int) -> Int {
        guard size > mapGranularity else { return mapGranularity }
        let (sum, overflow) = size.addingReportingOverflow(mapGranularity - 1)
        return (overflow ? Int.max : sum) / mapGranularity * mapGranularity
    }
}

// MARK: - Environment

extension Engine {
    /// What an environment is opened with.
    struct Setup {
        let mapSize: Int
        let maximumReaders: UInt32
        let maximumDatabases: UInt32
        let fileMode: UInt16
        let isReadOnly: Bool
        /// Whether the lock file is left alone. Only for a file that nobody writes to.
        var isUnlocked = false
        let durability: EnvironmentDurability

        var flags: UInt32 {
            // No thread-local reader slots: Swift tasks change threads between two calls.
            var flags = MDB_NOSUBDIR | MDB_NOTLS
            if isReadOnly { flags |= MDB_RDONLY }
            if isUnlocked { flags |= MDB_NOLOCK }
            switch durability {
            case .full: break
            case .noMetaSync: flags |= MDB_NOMETASYNC
            case .noSync: flags |= MDB_NOSYNC
            }
            return UInt32(flags)
        }
    }

    /// Creates and opens an environment. On failure nothing stays open.
    static func open(_ path: String, _ setup: Setup) throws(LMDBError) -> OpaquePointer {
        var created: OpaquePointer?
        try check(mdb_env_create(&created), "mdb_env_create")
        guard let environment = created else { throw LMDBError(.engine(.outOfMemory), in: "mdb_env_create") }
        do throws(LMDBError) {
            // SAFETY: `environment` was created above and is closed on every failing path.
            try check(mdb_env_set_mapsize(environment, setup.mapSize), "mdb_env_set_mapsize")
            try check(mdb_env_set_maxreaders(environment, setup.maximumReaders), "mdb_env_set_maxreaders")
            try check(mdb_env_set_maxdbs(environment, setup.maximumDatabases), "mdb_env_set_maxdbs")
            let code = mdb_env_open(environment, path, setup.flags, mdb_mode_t(setup.fileMode))
            guard code == MDB_SUCCESS else { throw LMDBError(code: code, in: "mdb_env_open", detail: path) }
        } catch {
            mdb_env_close(environment)
            throw error
        }
        return environment
    }

    /// Closes an environment that has no live transaction.
    static func close(_ environment: OpaquePointer) {
        mdb_env_close(environment)
    }

    /// Changes the map's size; 0 means the size that the meta page states. No transaction may be live.
    static func setMapSize(_ environment: OpaquePointer, _ size: Int) throws(LMDBError) {
        try check(mdb_env_set_mapsize(environment, size), "mdb_env_set_mapsize")
    }

    static func information(_ environment: OpaquePointer) throws(LMDBError) -> EnvironmentInformation {
        var record = MDB_envinfo()
        try check(mdb_env_info(environment, &record), "mdb_env_info")
        return EnvironmentInformation(
            mapSize: record.me_mapsize,
            lastPage: record.me_last_pgno,
            lastTransaction: record.me_last_txnid,
            maximumReaders: Int(record.me_maxreaders),
            readers: Int(record.me_numreaders)
        )
    }

    static func statistics(_ environment: OpaquePointer) throws(LMDBError) -> Statistics {
        var record = MDB_stat()
        try check(mdb_env_stat(environment, &record), "mdb_env_stat")
        return Statistics(record)
    }

    /// The flag of an environment without a lock file.
    static let isUnlockedFlag = UInt32(MDB_NOLOCK)

    static func flags(_ environment: OpaquePointer) throws(LMDBError) -> UInt32 {
        var flags: UInt32 = 0
        try check(mdb_env_get_flags(environment, &flags), "mdb_env_get_flags")
        return flags
    }

    static func descriptor(_ environment: OpaquePointer) throws(LMDBError) -> Int32 {
        var descriptor: Int32 = -1
        try check(mdb_env_get_fd(environment, &descriptor), "mdb_env_get_fd")
        return descriptor
    }

    static func maximumKeySize(_ environment: OpaquePointer) -> Int {
        Int(mdb_env_get_maxkeysize(environment))
    }

    static func checkReaders(_ environment: OpaquePointer) throws(LMDBError) -> Int {
        var stale: Int32 = 0
        try check(mdb_reader_check(environment, &stale), "mdb_reader_check")
        return Int(stale)
    }

    /// The oldest transaction that a reader of any process has; nil if there is none.
    static func oldestReader(_ environment: OpaquePointer) -> Int? {
        var oldest: Int?
        withUnsafeMutablePointer(to: &oldest) { oldest in
            // LMDB tells this only as text: for each reader a line with its process, its thread and its transaction.
            _ = mdb_reader_list(
                environment,
                { line, oldest in
                    guard let line, let oldest = oldest?.assumingMemoryBound(to: Int?.self) else { return 0 }
                    let words = String(cString: line).split(whereSeparator: \.isWhitespace)
                    if words.count == 3, let transaction = Int(words[2]) {
                        oldest.pointee = min(oldest.pointee ?? .max, transaction)
                    }
                    return 0
                }, oldest)
        }
        return oldest
    }

    /// Returns the result of a call that syncs. If it failed, the reports of the same failure that are still to come are taken.
    @inline(__always)
    private static func takingErrors(_ environment: OpaquePointer?, _ code: Int32) -> Int32 {
        // Those of LMDB itself are negative.
        if code > 0, let environment, let descriptor = try? descriptor(environment) {
            Platform.takeSyncErrors(besides: descriptor)
        }
        return code
    }

    /// Makes everything durable that was written to the file.
    static func synchronize(_ environment: OpaquePointer) throws(LMDBError) {
        #if canImport(Darwin)
        // On these systems, many versions of LMDB leave the data in the drive's cache.
        try check(Platform.synchronize(try descriptor(environment)), "fcntl")
        #else
        try check(takingErrors(environment, mdb_env_sync(environment, 1)), "mdb_env_sync")
        #endif
    }
}

// MARK: - Transactions

extension Engine {
    static func begin(_ environment: OpaquePointer, readOnly: Bool) throws(LMDBError) -> OpaquePointer {
        var transaction: OpaquePointer?
        let flags = readOnly ? UInt32(MDB_RDONLY) : 0
        try check(mdb_txn_begin(environment, nil, flags, &transaction), "mdb_txn_begin")
        guard let transaction else { throw LMDBError(.engine(.outOfMemory), in: "mdb_txn_begin") }
        return transaction
    }

    /// Commits. The handle is gone afterwards, whether it succeeds or fails.
    static func commit(_ transaction: OpaquePointer) throws(LMDBError) {
        let environment = mdb_txn_env(transaction)
        try check(takingErrors(environment, mdb_txn_commit(transaction)), "mdb_txn_commit")
    }

    /// Aborts. The handle is gone afterwards.
    static func abort(_ transaction: OpaquePointer) {
        mdb_txn_abort(transaction)
    }

    /// Ends a read transaction but keeps its handle and its reader slot for `renew`.
    static func reset(_ transaction: OpaquePointer) {
        mdb_txn_reset(transaction)
    }

    /// Begins a new snapshot on a handle that was reset. On failure the handle stays as it was.
    static func renew(_ transaction: OpaquePointer) throws(LMDBError) {
        try check(mdb_txn_renew(transaction), "mdb_txn_renew")
    }

    static func identifier(_ transaction: OpaquePointer) -> Int {
        mdb_txn_id(transaction)
    }

    /// Opens a database. Refuses one with several values for a key, or whose keys are not in the order of their bytes.
    static func openDatabase(
        _ transaction: OpaquePointer, _ name: String?, create: Bool
    ) throws(LMDBError) -> UInt32 {
        var index: UInt32 = 0
        let code = mdb_dbi_open(transaction, name, create ? UInt32(MDB_CREATE) : 0, &index)
        guard code == MDB_SUCCESS else {
            throw LMDBError(code: code, in: "mdb_dbi_open", detail: name.map { "database \($0)" })
        }
        var flags: UInt32 = 0
        try check(mdb_dbi_flags(transaction, index, &flags), "mdb_dbi_flags")
        guard flags == 0 else {
            throw LMDBError(
                .engine(.incompatible), in: "mdb_dbi_flags",
                detail: "the database was made with flags 0x\(String(flags, radix: 16)), expected none"
            )
        }
        return index
    }

    static func statistics(_ transaction: OpaquePointer, _ index: UInt32) throws(LMDBError) -> Statistics {
        var record = MDB_stat()
        try check(mdb_stat(transaction, index, &record), "mdb_stat")
        return Statistics(record)
    }

    /// Empties a database, or removes it and closes its handle.
    static func drop(_ transaction: OpaquePointer, _ index: UInt32) throws(LMDBError) {
        try check(mdb_drop(transaction, index, 0), "mdb_drop")
    }
}

extension Statistics {
    fileprivate init(_ record: MDB_stat) {
        self.init(
            pageSize: Int(record.ms_psize),
            depth: Int(record.ms_depth),
            branchPages: record.ms_branch_pages,
            leafPages: record.ms_leaf_pages,
            overflowPages: record.ms_overflow_pages,
            entries: record.ms_entries
        )
    }
}

// MARK: - Values

/// What a commit has made durable when it returns.
public enum EnvironmentDurability: Sendable {
    /// Everything: a commit survives a power cut.
    case full
    /// All but the last commit: a power cut may take the last commit back, and damages nothing.
    case noMetaSync
    /// Nothing: a power cut may lose commits **and destroy the file**. For files that can be rebuilt.
    case noSync
}

/// The state of an environment.
public struct EnvironmentInformation: Sendable, Equatable {
    /// The size of the map, in bytes.
    public let mapSize: Int
    /// The number of the last page in use.
    public let lastPage: Int
    /// The number of the last committed write transaction.
    public let lastTransaction: Int
    /// How many readers fit in the reader table.
    public let maximumReaders: Int
    /// How many slots of the reader table were in use at once, at most.
    public let readers: Int
}

/// The shape of one database's tree.
public struct Statistics: Sendable, Equatable {
    /// The size of a page, in bytes; fixed when the file was made.
    public let pageSize: Int
    /// The height of the tree; 0 when it is empty.
    public let depth: Int
    /// Pages that hold keys and children.
    public let branchPages: Int
    /// Pages that hold entries.
    public let leafPages: Int
    /// Pages that hold values too large for a leaf.
    public let overflowPages: Int
    /// Entries.
    public let entries: Int
}
