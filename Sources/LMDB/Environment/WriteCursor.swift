// Cursors of write transactions.
//
// Always holds: a write leaves the cursor on the entry it wrote; after a deletion it is on the following entry.

/// A place in a database, for reading and writing.
public struct WriteCursor<Key: DatabaseCodable, Value: DatabaseCodable>: ~Copyable, CursorNavigation {
    /// For the binding's own use.
    public let core: CursorCore
    /// Whether a write failed because the map was full.
    fileprivate(set) var isMapFull = false

    init(_ transaction: TransactionCore, _ database: DatabaseHandle) throws(LMDBError) {
        try transaction.check(database, "mdb_cursor_open")
        core = CursorCore(cursor: try ScanCursor(transaction, database, isWriting: true), transaction: transaction)
    }

    private var handle: OpaquePointer {
        guard let engine = core.cursor.engine else {
            preconditionFailure("a transaction that writes reads through LMDB")
        }
        return engine
    }
}

extension WriteTransaction {
    /// Runs a closure with a cursor for reading and writing.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - body: Gets the cursor, which is on no entry at first. The transaction cannot be used meanwhile.
    /// - Returns: What `body` returns.
    /// - Throws: ``LMDBError``: `staleDatabase`, `damaged`, `engine`; what `body` throws.
    /// - Complexity: O(entries) beyond `body`: all pages of the database are checked before.
    public mutating func withWriteCursor<Key, Value, Result>(
        in database: Database<Key, Value>, _ body: (inout WriteCursor<Key, Value>) throws -> Result
    ) throws -> Result {
        try core.check(database.handle, "mdb_cursor_open")
        // A cursor may go anywhere.
        try protectAll(database.handle)
        var cursor = try WriteCursor<Key, Value>(core, database.handle)
        defer { isMapFull = isMapFull || cursor.isMapFull }
        return try body(&cursor)
    }
}

extension WriteCursor {
    /// Puts a value, replacing one that is there, and goes to it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, of 1 to ``Environment/maximumKeySize`` bytes.
    /// - Throws: ``LMDBError``: `keyEmpty`, `keyTooLong`, `engine`.
    public mutating func put(_ value: Value, forKey key: Key) throws {
        _ = try store(value, key, .overwrite)
    }

    /// Puts a value unless the key is there, and goes to it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    /// - Returns: Whether it was put; `false` when the key was there, and is unchanged.
    /// - Throws: As ``put(_:forKey:)``.
    public mutating func insert(_ value: Value, forKey key: Key) throws -> Bool {
        try store(value, key, .insert)
    }

    /// Puts a value at the end, and goes to it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: A key that is greater, byte by byte, than all keys in the database.
    /// - Throws: ``LMDBError``: `keyOutOfOrder` when it is not; else as ``put(_:forKey:)``.
    public mutating func append(_ value: Value, forKey key: Key) throws {
        guard try store(value, key, .append) else { throw LMDBError(.keyOutOfOrder, in: "mdb_cursor_put") }
    }

    /// Deletes the entry that the cursor is on. Then `next()` is the following entry, so that a loop over `next()`
    /// that deletes visits every entry once.
    ///
    /// - Warning: `current()` is the following entry as well; after a look at it, `next()` is the one after that.
    ///
    /// - Throws: ``LMDBError``: `engine(.notFound)` when the cursor is on no entry.
    public mutating func delete() throws(LMDBError) {
        guard try isOnEntry() else { throw LMDBError(.engine(.notFound), in: "mdb_cursor_del") }
        do throws(LMDBError) {
            // SAFETY: the cursor and its transaction are live as long as the closure that has the cursor runs.
            try Engine.delete(handle)
        } catch {
            if error.code == .mapFull { isMapFull = true }
            throw error
        }
    }

    private mutating func store(_ value: Value, _ key: Key, _ mode: Engine.PutMode) throws -> Bool {
        do {
            return try key.withEncodedBytes { keyBytes in
                try core.transaction.check(keyBytes, "mdb_cursor_put")
                return try value.withEncodedBytes { valueBytes in
                    // SAFETY: as in `delete`; the key was checked.
                    try Engine.put(handle, keyBytes, valueBytes, mode)
                }
            }
        } catch let error as LMDBError where error.code == .mapFull {
            isMapFull = true
            throw error
        }
    }

    /// Whether the cursor is on an entry.
    private func isOnEntry() throws(LMDBError) -> Bool {
        do throws(LMDBError) {
            return try move(.current) != nil
        } catch let error where error.code == .invalidArgument {
            return false
        }
    }
}
