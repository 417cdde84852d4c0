// The typed handle of a database: which database it is, and the types of its keys and values.
//
// Always holds: a `Database` is a small constant and does nothing on its own; transactions do.

/// A database within an environment, with the types of its keys and values.
///
/// Open it once, with ``Environment/openDatabase(named:of:_:create:)`` or
/// ``WriteTransaction/openDatabase(named:of:_:create:)``, and keep it as long as the environment.
///
/// LMDB does not store the types: a database that is opened with other types throws only when bytes cannot be decoded.
public struct Database<Key: DatabaseCodable, Value: DatabaseCodable>: Sendable {
    /// The database without its types.
    public let handle: DatabaseHandle
    /// The name; `nil` for the unnamed database, which also holds the names of the others.
    public let name: String?

    @usableFromInline
    init(_ handle: DatabaseHandle, name: String?) {
        self.handle = handle
        self.name = name
    }
}

extension Environment {
    /// Opens a database in a transaction of its own, so that it can be used by all later transactions.
    ///
    /// - Parameters:
    ///   - name: The name; `nil` for the unnamed database. With named databases, put nothing into the unnamed.
    ///   - keyType: The type of the keys.
    ///   - valueType: The type of the values.
    ///   - create: Whether to make it when it does not exist.
    /// - Returns: The database, valid as long as the environment.
    /// - Throws: ``LMDBError``: `engine(.notFound)` when it does not exist, `engine(.databasesFull)` when more
    ///   than ``Options/maximumDatabases`` would be open, `engine(.incompatible)` when it was made with flags
    ///   that this binding does not use; `invalidName`; `readOnly`; what ``beginWrite()`` throws.
    @inlinable
    public func openDatabase<Key, Value>(
        named name: String?, of keyType: Key.Type, _ valueType: Value.Type, create: Bool = false
    ) throws -> Database<Key, Value> {
        Database(try openHandle(name, create: create), name: name)
    }

    /// A database that was opened before; nil if none of that name was.
    package func openedDatabase<Key, Value>(
        named name: String, of keyType: Key.Type, _ valueType: Value.Type
    ) -> Database<Key, Value>? {
        databases.handle(named: name).map { Database($0, name: name) }
    }

    @usableFromInline
    func openHandle(_ name: String?, create: Bool) throws -> DatabaseHandle {
        if let handle = databases.handle(named: name) {
            try requireOwnProcess("mdb_dbi_open")
            return handle
        }
        guard options.isReadOnly else { return try write { txn in try txn.openHandle(name, create: create) } }
        guard !create else { throw LMDBError(.readOnly, in: "mdb_dbi_open", detail: name) }
        return try openWithoutWriting(name)
    }

    /// Opens a database in a read-only environment.
    private func openWithoutWriting(_ name: String?) throws(LMDBError) -> DatabaseHandle {
        try DatabaseTable.check(name)
        try openInReader([name])
        if let handle = databases.handle(named: name) { return handle }
        throw LMDBError(.engine(.notFound), in: "mdb_dbi_open", detail: name.map { "database \($0)" })
    }

    /// Opens several databases in one read transaction, and skips those that do not exist. Opening them later costs
    /// nothing. Does nothing if one of them is open already.
    ///
    /// - Parameter names: Their names; `nil` for the unnamed database.
    /// - Throws: ``LMDBError``: `damaged` when a name cannot be read; what ``beginRead()`` throws.
    package func openExisting(_ names: [String?]) throws(LMDBError) {
        if names.contains(where: { databases.handle(named: $0) != nil }) { return }
        try openInReader(names)
    }

    private func openInReader(_ names: [String?]) throws(LMDBError) {
        try retryingReads("mdb_dbi_open") { () throws(LMDBError) in
            try requireOwnProcess("mdb_dbi_open")
            // Exclusively, because LMDB does not allow two transactions to open databases at the same time. The read
            // transaction is committed, because only that keeps the handles. That also frees its reader slot.
            try gate.exclusively("mdb_dbi_open", timeout: options.resizeTimeout) { () throws(LMDBError) in
                // SAFETY: the environment is open and nobody else uses it.
                let transaction = try beginReader()
                var opened: [(name: String?, index: UInt32)] = []
                do throws(LMDBError) {
                    let reader = try reader(of: transaction)
                    for name in names where databases.handle(named: name) == nil {
                        if let index = try openIfThere(name, transaction, reader) { opened.append((name, index)) }
                    }
                } catch {
                    Engine.abort(transaction)
                    throw error
                }
                try Engine.commit(transaction)
                databases.publish(
                    opened.map { name, index in
                        DatabaseTable.Opened(name: name, handle: databases.register(index, named: name))
                    })
            }
        }
    }

    /// Opens a database in a read transaction; nil if it does not exist.
    private func openIfThere(
        _ name: String?, _ transaction: OpaquePointer, _ reader: TreeReader?
    ) throws(LMDBError) -> UInt32? {
        do throws(LMDBError) {
            if let name, let reader, let pages {
                try name.withUTF8Bytes { bytes throws(LMDBError) in try WriteGuard.checkName(bytes, reader, pages) }
            }
            return try Engine.openDatabase(transaction, name, create: false)
        } catch {
            if error.kind == .engine(.notFound) { return nil }
            throw error
        }
    }
}

extension WriteTransaction {
    /// Opens a database in this transaction. Others can use it once this one has committed; if it aborts, the
    /// database and its handle are gone.
    ///
    /// - Parameters:
    ///   - name: The name; `nil` for the unnamed database. With named databases, put nothing into the unnamed.
    ///   - keyType: The type of the keys.
    ///   - valueType: The type of the values.
    ///   - create: Whether to make it when it does not exist.
    /// - Returns: The database.
    /// - Throws: ``LMDBError``: as for ``Environment/openDatabase(named:of:_:create:)``.
    @inlinable
    public mutating func openDatabase<Key, Value>(
        named name: String?, of keyType: Key.Type, _ valueType: Value.Type, create: Bool = false
    ) throws(LMDBError) -> Database<Key, Value> {
        Database(try openHandle(name, create: create), name: name)
    }

    @usableFromInline
    mutating func openHandle(_ name: String?, create: Bool) throws(LMDBError) -> DatabaseHandle {
        try DatabaseTable.check(name)
        if let known = environment.databases.handle(named: name) { return known }
        if let known = opened.last(where: { $0.name == name })?.handle, (try? core.check(known, "")) != nil {
            return known
        }
        try protect(name: name, isWrite: create)
        let index = try writing { core throws(LMDBError) in
            // SAFETY: the transaction is live and on its thread, and it is the only one that opens databases.
            try Engine.openDatabase(core.handle, name, create: create)
        }
        let handle = environment.databases.register(index, named: name)
        opened.append(DatabaseTable.Opened(name: name, handle: handle))
        return handle
    }

    /// Deletes all entries of a database.
    ///
    /// - Parameter database: The database, which stays.
    /// - Throws: ``LMDBError``: `staleDatabase`, `engine`.
    public mutating func clear<Key, Value>(_ database: Database<Key, Value>) throws(LMDBError) {
        try core.check(database.handle, "mdb_drop")
        try protectAll(database.handle)
        try writing { core throws(LMDBError) in
            // SAFETY: the transaction is live and on its thread, the database was checked.
            try Engine.drop(core.handle, database.handle.index)
        }
    }
}

extension DatabaseTable {
    /// Refuses names that C would cut off or LMDB would reject.
    static func check(_ name: String?) throws(LMDBError) {
        guard let name else { return }
        if name.isEmpty || name.utf8.contains(0) { throw LMDBError(.invalidName(name), in: "mdb_dbi_open") }
    }
}
