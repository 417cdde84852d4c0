// Beginning transactions, and running closures in them.
//
// Always holds: if LMDB reports that it needs a larger map or a reader check, this file does that and repeats the call;
// the writes of a closure are in the file all together or not at all.

extension Environment {
    /// Runs a closure in a read transaction: one unchanging snapshot of all databases.
    ///
    /// - Parameter body: Reads. It may run on any thread, beside any number of other reads and one write.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, and what ``beginRead()`` throws.
    /// - Warning: While it runs, pages that writes set free cannot be used again and the file grows, and the map
    ///   cannot be resized. Read, copy out, return.
    /// - Complexity: O(1) beyond `body`; no allocation once the environment has served as many reads at a time.
    @inlinable
    public func read<Result>(_ body: (borrowing ReadTransaction) throws -> Result) throws -> Result {
        let transaction = try beginRead()
        return try body(transaction)
    }

    /// Runs a closure in a write transaction; commits when it returns, aborts when it throws.
    ///
    /// When the map is full, the transaction is aborted, the map doubled, and `body` **runs again**: it must not
    /// have other effects than on the transaction, or must be able to repeat them.
    ///
    /// - Parameter body: Reads and writes. It must stay on the calling thread.
    /// - Returns: What `body` returned, once the commit is as durable as ``Options/durability`` says.
    /// - Throws: What `body` throws, what ``beginWrite()`` throws, and ``LMDBError``: `mapFull` with both sizes
    ///   when the map may not grow; `resizeBlocked` when it must grow and live transactions prevent it. In every
    ///   case nothing was written.
    public func write<Result>(_ body: (inout WriteTransaction) throws -> Result) throws -> Result {
        while true {
            switch try attempt(body) {
            case .committed(let result): return result
            case .mapFull(let size): try growMap(fullAt: size)
            }
        }
    }

    /// How an attempt to write ended.
    private enum Attempt<Result> {
        case committed(Result)
        case mapFull(size: Int)
    }

    /// Runs a closure in a write transaction once. A transaction that is not committed is aborted when it is released.
    private func attempt<Result>(
        _ body: (inout WriteTransaction) throws -> Result
    ) throws -> Attempt<Result> {
        var transaction = try beginWrite()
        // SAFETY: the map cannot change while the transaction is live.
        let size = try Engine.information(handle).mapSize
        let result: Result
        do {
            result = try body(&transaction)
        } catch {
            if transaction.isMapFull { return .mapFull(size: size) }
            throw error
        }
        if transaction.isMapFull { return .mapFull(size: size) }
        do throws(LMDBError) {
            try transaction.commit()
        } catch {
            if error.code == .mapFull { return .mapFull(size: size) }
            throw error
        }
        return .committed(result)
    }

    /// Begins a read transaction that the caller ends. Prefer ``read(_:)``.
    ///
    /// The transaction may be handed to another thread; one thread may have several.
    ///
    /// - Returns: The transaction; it ends at the end of its life at the latest.
    /// - Throws: ``LMDBError``: `engine(.readersFull)` when the reader table is full of living readers;
    ///   `resizeBlocked` when another process made the map larger and live transactions of this one did not end
    ///   within ``Options/resizeTimeout``; `damaged` when the file was cut off; `lockFileReplaced`; `forked`; `closed`.
    public func beginRead() throws(LMDBError) -> ReadTransaction {
        try retryingReads("mdb_txn_begin") { () throws(LMDBError) -> ReadTransaction in
            try requireOwnProcess("mdb_txn_begin")
            var kept = try gate.enterRead("mdb_txn_begin")
            do throws(LMDBError) {
                try pages?.checkLength()
                if let kept {
                    // SAFETY: spare handles are reset, and this one was taken from the pool: it is nobody else's.
                    try Engine.renew(kept)
                } else {
                    // SAFETY: the gate has counted this read in, so the environment and its map stay.
                    kept = try beginReader()
                }
                // SAFETY: one of the two has set it.
                let transaction = kept.unsafelyUnwrapped
                return ReadTransaction(self, transaction, try reader(of: transaction))
            } catch {
                // If renewing fails, the handle is still in the reset state.
                if let kept { Engine.reset(kept) }
                gate.leaveRead(keeping: kept)
                throw error
            }
        }
    }

    /// Begins a read transaction with a slot of its own in the reader table. The map must stay meanwhile.
    func beginReader() throws(LMDBError) -> OpaquePointer {
        try withReaderTable { () throws(LMDBError) in try Engine.begin(handle, readOnly: true) }
    }

    /// Runs something that takes LMDB's lock of the reader table.
    func withReaderTable<Result>(_ body: () throws(LMDBError) -> Result) throws(LMDBError) -> Result {
        guard let semaphores else { return try body() }
        return try semaphores.withReaderTable(within: options.writerTimeout, body)
    }

    /// The trees that a transaction reads, which has just begun; nil if the file is not checked.
    @inline(__always)
    func reader(of transaction: OpaquePointer, isWrite: Bool = false) throws(LMDBError) -> TreeReader? {
        guard let pages else { return nil }
        var version: UInt64 = 0
        for _ in 0..<16 {
            version = UInt64(bitPattern: Int64(Engine.identifier(transaction))) &- (isWrite ? 1 : 0)
            if let reader = try TreeReader(pages, version: version) {
                if isWrite { try checkNewest(version, pages) }
                return reader
            }
            guard !isWrite else { break }
            // Two commits may have happened since. SAFETY: the transaction is live, and nobody else's.
            Engine.reset(transaction)
            try Engine.renew(transaction)
        }
        try checkNewest(version, pages)
        throw LMDBError(
            .damaged(
                .init(
                    what: "transaction of meta page \(version % 2)", offset: Int(version % 2) * pages.pageSize + 144,
                    expected: "\(version)", found: "another")), in: "mdb_txn_begin")
    }

    /// Throws an error if the file has a newer version than LMDB knows of. LMDB takes the number of the newest one from the lock file.
    /// If that was deleted while it was in use, the next process has made another one, and the two would write over each other's commits.
    @inline(__always)
    private func checkNewest(_ version: UInt64, _ pages: PageMap) throws(LMDBError) {
        if try TreeReader.newestVersion(pages) <= version { return }
        throw LMDBError(.lockFileReplaced(path: LockFile.path(of: path)), in: "mdb_txn_begin")
    }

    /// Begins a write transaction that the caller ends, on the same thread. Prefer ``write(_:)``, which also
    /// grows the map.
    ///
    /// Waits until no other write transaction is live, in this process and in others.
    ///
    /// - Returns: The transaction; it is aborted at the end of its life unless it was committed.
    /// - Throws: ``LMDBError``: `nestedWrite` when the calling thread has one already; `readOnly`;
    ///   `resizeBlocked`, `damaged` and `lockFileReplaced` as for ``beginRead()``; `writerBusy` when another process did not
    ///   end its write within ``Options/writerTimeout``; `forked`; `closed`.
    public func beginWrite() throws(LMDBError) -> WriteTransaction {
        guard !options.isReadOnly else { throw LMDBError(.readOnly, in: "mdb_txn_begin") }
        return try retryingReads("mdb_txn_begin") { () throws(LMDBError) -> WriteTransaction in
            try requireOwnProcess("mdb_txn_begin")
            try lockFile("mdb_txn_begin")
            do throws(LMDBError) { try gate.enterWrite("mdb_txn_begin") } catch {
                unlockFile()
                throw error
            }
            do throws(LMDBError) {
                try pages?.checkLength(isExact: true)
                if mustSyncName.load(ordering: .relaxed) {
                    try Platform.synchronizeFolder(of: path)
                    mustSyncName.store(false, ordering: .relaxed)
                }
                try semaphores?.freeWriter(handle)
                // SAFETY: the gate made this thread the writer, so the environment and its map stay.
                let transaction = try Engine.begin(handle, readOnly: false)
                do throws(LMDBError) {
                    return WriteTransaction(self, transaction, try reader(of: transaction, isWrite: true))
                } catch {
                    Engine.abort(transaction)
                    throw error
                }
            } catch {
                endWrite()
                throw error
            }
        }
    }

    /// Ends the write that the calling thread began, whether it was committed or not.
    func endWrite() {
        // From now on, the map may move.
        if let pages, pages.unloads { pages.noteEngine(nil) }
        gate.leaveWrite()
        unlockFile()
    }

    /// Repeats a call that failed because another process made the map larger, or because dead readers fill the
    /// reader table; the latter once.
    func retryingReads<Result: ~Copyable>(
        _ call: String, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        var hasCheckedReaders = false
        while true {
            do throws(LMDBError) {
                return try body()
            } catch {
                switch error.code {
                case .some(.mapResized):
                    try adoptMapSize()
                case .some(.readersFull) where !hasCheckedReaders:
                    hasCheckedReaders = true
                    try checkReaders()
                default:
                    throw error
                }
            }
        }
    }
}
