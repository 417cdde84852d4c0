// A write transaction.
//
// Always holds: it is ended exactly once, in its process and on its thread: committed by `commit`, otherwise aborted.
// Others see its writes only after the commit, all at once.

/// The one live write transaction of an environment.
///
/// - Warning: It belongs to the thread that began it, so there must be no suspension point before its end.
public struct WriteTransaction: ~Copyable, Transaction {
    /// For the binding's own use.
    public private(set) var core: TransactionCore
    let environment: Environment
    private let thread: UInt
    private var isLive = true

    /// Whether a write failed because the map was full. The transaction can then only be aborted.
    var isMapFull = false
    /// Databases opened here; others may use them after the commit.
    var opened: [DatabaseTable.Opened] = []

    init(_ environment: Environment, _ handle: OpaquePointer, _ reader: TreeReader?) {
        self.environment = environment
        core = TransactionCore(environment, handle, reader)
        thread = Platform.currentThread
    }

    deinit {
        guard isLive, environment.isOwnProcess else { return }
        environment.databases.forget(opened)
        guard thread == Platform.currentThread else {
            environment.gate.loseWriter(.wrongThread)
            return
        }
        // SAFETY: the handle is live, this is its thread, and nobody can use it any more.
        Engine.abort(core.handle)
        environment.endWrite()
    }

    /// Commits: all that was written becomes visible, and as durable as ``Environment/Options/durability`` says.
    ///
    /// - Throws: ``LMDBError``: `engine(.mapFull)` when there is no room (``Environment/write(_:)`` grows the map
    ///   instead); `engine` for errors of the device; `wrongThread`; `forked`. Nothing was committed then; but on Apple's
    ///   systems, an error in `fcntl` means that all was committed and may not survive a power cut.
    public consuming func commit() throws(LMDBError) {
        // If one of these throws, `deinit` ends the transaction: in a fork it does nothing, on another thread it
        // informs the gate.
        try environment.requireOwnProcess("mdb_txn_commit")
        guard thread == Platform.currentThread else {
            throw LMDBError(.wrongThread, in: "mdb_txn_commit")
        }
        isLive = false
        defer { environment.endWrite() }
        do throws(LMDBError) {
            // SAFETY: the handle was live, this is its thread; it is not used again, whatever the outcome.
            try Engine.commit(core.handle)
            environment.databases.publish(opened)
        } catch {
            environment.databases.forget(opened)
            throw error
        }
        if Platform.commitsStopAtDriveCache && environment.options.durability == .full {
            // SAFETY: the gate still counts the writer, so the environment is open.
            try Engine.synchronize(environment.handle)
        }
    }

    /// Discards everything that was written.
    public consuming func abort() {}
}

// MARK: - Damaged files

extension WriteTransaction {
    /// Checks the pages that LMDB may read when it changes an entry. From now on, entries are read through LMDB.
    ///
    /// - Parameter key: the key; nil for the last one.
    @inline(__always)
    mutating func protect(_ key: UnsafeRawBufferPointer?, _ database: DatabaseHandle) throws(LMDBError) {
        try beginWriting()?.check(key, in: database.index, named: core.name(database))
    }

    /// Checks all pages of a database.
    mutating func protectAll(_ database: DatabaseHandle) throws(LMDBError) {
        try beginWriting()?.checkAll(of: database.index, named: core.name(database))
    }

    /// Checks the pages that LMDB may read when it opens a database.
    ///
    /// - Parameter isWrite: whether it is created if it does not exist.
    mutating func protect(name: String?, isWrite: Bool) throws(LMDBError) {
        guard let name, let reader = core.reader, let pages = environment.pages else { return }
        try name.withUTF8Bytes { bytes throws(LMDBError) in
            let isThere = try reader.record(named: bytes) != nil
            guard core.writeGuard != nil || (isWrite && !isThere) else {
                return try WriteGuard.checkName(bytes, reader, pages)
            }
            try beginWriting()?.check(bytes, in: 1, named: nil)
        }
    }

    private mutating func beginWriting() throws(LMDBError) -> WriteGuard? {
        if let known = core.writeGuard { return known }
        guard let reader = core.reader, let pages = environment.pages else { return nil }
        reader.copying?.noteMapping()
        let new = try WriteGuard(reader, pages)
        if pages.unloads {
            try new.check(UnsafeRawBufferPointer(start: nil, count: 0), in: 1, named: nil, isWrite: false)
            var cursor = EntryCursor(reader, reader.main)
            if let key = try cursor.move(.first)?.key.baseAddress {
                // SAFETY: while the transaction lives, LMDB's map stays.
                try pages.noteEngine(
                    Engine.mapStart(core.handle, from: key, in: reader.start),
                    size: Engine.information(environment.handle).mapSize)
            }
        }
        core.writeGuard = new
        return new
    }
}

extension String {
    /// Calls a closure with the text's UTF-8.
    func withUTF8Bytes(_ body: (UnsafeRawBufferPointer) throws(LMDBError) -> Void) throws(LMDBError) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: utf8.count, alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: utf8)
        try body(UnsafeRawBufferPointer(bytes))
    }
}
