// Writing single entries.
//
// Always holds: every write is `mutating`, so no closure can hold bytes of the map meanwhile. If the map was full, that
// is noted, so that the transaction is repeated and not committed.

extension WriteTransaction {
    /// Puts a value; one that is there is replaced.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, of 1 to ``Environment/maximumKeySize`` bytes.
    ///   - database: The database.
    /// - Throws: ``LMDBError``: `keyEmpty`, `keyTooLong`, `staleDatabase`, `engine`.
    /// - Complexity: O(log n) in the number of entries; no allocation by the binding.
    @inlinable
    public mutating func put<Key, Value>(
        _ value: Value, forKey key: Key, in database: Database<Key, Value>
    ) throws {
        try value.withEncodedBytes { try put(bytes: $0, forKey: key, in: database) }
    }

    /// Puts bytes where they are as the value of a key; one that is there is replaced.
    ///
    /// - Parameters:
    ///   - bytes: The value's bytes, in the encoding of the database's value type.
    ///   - key: The key, of 1 to ``Environment/maximumKeySize`` bytes.
    ///   - database: The database.
    /// - Throws: As ``put(_:forKey:in:)``.
    @inlinable
    public mutating func put<Key, Value>(
        bytes: UnsafeRawBufferPointer, forKey key: Key, in database: Database<Key, Value>
    ) throws {
        _ = try key.withEncodedBytes { try store(bytes, $0, database.handle, isLast: false) }
    }

    /// Puts bytes where they are as the value of a key at the end.
    ///
    /// - Parameters:
    ///   - bytes: The value's bytes, in the encoding of the database's value type.
    ///   - key: A key that is greater, byte by byte, than all keys in the database.
    ///   - database: The database.
    /// - Throws: As ``put(_:forKey:in:)``, and if the key is not greater.
    @inlinable
    public mutating func append<Key, Value>(
        bytes: UnsafeRawBufferPointer, forKey key: Key, in database: Database<Key, Value>
    ) throws {
        guard try key.withEncodedBytes({ try store(bytes, $0, database.handle, isLast: true) }) else {
            throw LMDBError(.keyOutOfOrder, in: "mdb_put")
        }
    }

    /// Reserves space for a value in its page and lets a closure fill it. An existing value is replaced.
    ///
    /// - Parameters:
    ///   - count: The size of the value, in bytes.
    ///   - key: The key.
    ///   - database: The database.
    ///   - body: Fills the whole space; bytes that it does not write are unspecified.
    /// - Returns: What `body` returns.
    /// - Throws: As ``put(_:forKey:in:)``, and what `body` throws.
    /// - Warning: When `body` throws, the entry exists with the bytes written so far: let the error end the
    ///   transaction, or delete the key.
    @inlinable
    public mutating func put<Key, Value, Result>(
        reserving count: Int, forKey key: Key, in database: Database<Key, Value>,
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) throws -> Result {
        let room = try key.withEncodedBytes { try reserve(count, $0, database.handle) }
        return try body(room)
    }

    /// Deletes a key and its value.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - database: The database.
    /// - Returns: Whether it was there.
    /// - Throws: As ``put(_:forKey:in:)``.
    @inlinable @discardableResult
    public mutating func delete<Key, Value>(_ key: Key, in database: Database<Key, Value>) throws -> Bool {
        try key.withEncodedBytes { try remove($0, database.handle) }
    }
}

// MARK: - Untyped

extension WriteTransaction {
    @usableFromInline
    mutating func store(
        _ value: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ database: DatabaseHandle, isLast: Bool
    ) throws(LMDBError) -> Bool {
        try core.check(database, "mdb_put")
        try core.check(key, "mdb_put")
        try protect(isLast ? nil : key, database)
        return try writing { core throws(LMDBError) in
            // SAFETY: the transaction is live and on its thread; key and database were checked.
            try Engine.put(core.handle, database.index, key, value, isLast: isLast)
        }
    }

    @usableFromInline
    mutating func reserve(
        _ count: Int, _ key: UnsafeRawBufferPointer, _ database: DatabaseHandle
    ) throws(LMDBError) -> UnsafeMutableRawBufferPointer {
        try core.check(database, "mdb_put")
        try core.check(key, "mdb_put")
        guard count >= 0 else {
            throw LMDBError(.engine(.badValueSize), in: "mdb_put", detail: "\(count) bytes asked for")
        }
        try protect(key, database)
        return try writing { core throws(LMDBError) in
            // SAFETY: the transaction is live and on its thread; key, database and count were checked.
            try Engine.reserve(core.handle, database.index, key, count)
        }
    }

    @usableFromInline
    mutating func remove(
        _ key: UnsafeRawBufferPointer, _ database: DatabaseHandle
    ) throws(LMDBError) -> Bool {
        try core.check(database, "mdb_del")
        try core.check(key, "mdb_del")
        try protect(key, database)
        return try writing { core throws(LMDBError) in
            // SAFETY: the transaction is live and on its thread; key and database were checked.
            try Engine.delete(core.handle, database.index, key)
        }
    }

    /// Runs a call that writes, and notes if the map was full.
    @inline(__always)
    mutating func writing<Result>(
        _ body: (TransactionCore) throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        do throws(LMDBError) {
            return try body(core)
        } catch {
            if error.code == .mapFull { isMapFull = true }
            throw error
        }
    }
}
