// Reading single entries.
//
// Always holds: only a type's own decoder copies bytes, and where the memory of pages is given back, the page that has
// them is copied; the bytes are passed to closures only.

extension Transaction where Self: ~Copyable {
    /// The value of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - database: The database.
    /// - Returns: The value; `nil` when there is none.
    /// - Throws: ``LMDBError``: `keyEmpty`, `keyTooLong`, `staleDatabase`, `engine`; what the value's decoder throws.
    /// - Complexity: O(log n) in the number of entries.
    @inlinable
    public func get<Key, Value>(_ key: Key, in database: Database<Key, Value>) throws -> Value? {
        try withValue(forKey: key, in: database) { try $0.map { try Value.decode($0) } }
    }

    /// Calls a closure with the bytes of a key's value, which are not copied unless the memory of pages is given back.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - database: The database.
    ///   - body: Gets the bytes, valid during the call only, or `nil` when there is no such key.
    /// - Returns: What `body` returns.
    /// - Throws: As ``get(_:in:)``, and what `body` throws.
    /// - Complexity: O(log n) in the number of entries.
    @inlinable
    public func withValue<Key, Value, Result>(
        forKey key: Key, in database: Database<Key, Value>,
        _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) throws -> Result {
        try key.withEncodedBytes { keyBytes in
            let size = core.copySize
            if size == 0 { return try body(try lookup(keyBytes, in: database.handle)) }
            return try withUnsafeTemporaryAllocation(byteCount: size, alignment: size) { page in
                try body(try lookup(keyBytes, in: database.handle, copying: page))
            }
        }
    }

    /// Calls a closure with the entry of a key or, if there is none, with that of the greatest key before it.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - database: The database.
    ///   - body: Gets the key and the bytes of the value, valid during the call only, or `nil` if there is no such entry.
    /// - Returns: What `body` returns.
    /// - Throws: As ``withValue(forKey:in:_:)``.
    /// - Complexity: O(log n) in the number of entries.
    @inlinable
    package func withEntry<Value, Result>(
        atOrBefore key: UInt64, in database: Database<UInt64, Value>,
        _ body: ((key: UInt64, value: UnsafeRawBufferPointer)?) throws -> Result
    ) throws -> Result {
        try key.withEncodedBytes { keyBytes in
            let size = core.copySize
            if size == 0 { return try body(try entry(atOrBefore: keyBytes, in: database.handle)) }
            return try withUnsafeTemporaryAllocation(byteCount: size, alignment: size) { page in
                try body(try entry(atOrBefore: keyBytes, in: database.handle, copying: page))
            }
        }
    }

    /// Whether a key is there.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - database: The database.
    /// - Returns: Whether it is there.
    /// - Throws: As ``get(_:in:)``, except that nothing is decoded.
    @inlinable
    public func contains<Key, Value>(_ key: Key, in database: Database<Key, Value>) throws -> Bool {
        try withValue(forKey: key, in: database) { $0 != nil }
    }

    /// The number of entries.
    ///
    /// - Parameter database: The database.
    /// - Returns: How many entries it has in this snapshot.
    /// - Throws: ``LMDBError``: `staleDatabase`, `engine`.
    /// - Complexity: O(1).
    public func count<Key, Value>(in database: Database<Key, Value>) throws(LMDBError) -> Int {
        try statistics(of: database).entries
    }

    /// The shape of a database's tree.
    ///
    /// - Parameter database: The database.
    /// - Returns: Its numbers in this snapshot.
    /// - Throws: ``LMDBError``: `staleDatabase`, `engine`.
    /// - Complexity: O(1).
    public func statistics<Key, Value>(of database: Database<Key, Value>) throws(LMDBError) -> Statistics {
        try core.check(database.handle, "mdb_stat")
        // LMDB has a copy of what the meta page said of the unnamed database; the page may have a newer version by now.
        if let reader = core.unwritten, let name = core.name(database.handle) {
            guard let record = try reader.record(named: name) else {
                throw LMDBError(.engine(.notFound), in: "mdb_stat")
            }
            return WriteGuard.statistics(record, reader.pageSize)
        }
        try core.writeGuard?.check(nil, in: database.handle.index, named: core.name(database.handle))
        // SAFETY: the transaction is live as long as the value exists; the database was checked.
        return try Engine.statistics(core.handle, database.handle.index)
    }

    /// The greatest key.
    ///
    /// - Parameter database: The database.
    /// - Returns: The key; `nil` when the database is empty.
    /// - Throws: ``LMDBError``: `staleDatabase`, `engine`; what the key's decoder throws.
    /// - Complexity: O(log n) in the number of entries. The value is not decoded.
    @inlinable
    public func lastKey<Key, Value>(in database: Database<Key, Value>) throws -> Key? {
        var last: Key?
        try forEach(in: database, reverse: true) { key, _ in
            last = try Key.decode(key)
            return false
        }
        return last
    }

    /// The bytes of a key's value in the map; valid until the transaction writes or ends.
    @usableFromInline
    func lookup(
        _ key: UnsafeRawBufferPointer, in database: DatabaseHandle
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        let core = core
        try core.check(database, "mdb_get")
        try core.check(key, "mdb_get")
        if let reader = core.unwritten { return try reader.value(key, named: core.name(database)) }
        try core.writeGuard?.check(key, in: database.index, named: core.name(database))
        // SAFETY: the transaction is live as long as the value exists; key and database were checked.
        return try Engine.get(core.handle, database.index, key)
    }

    /// The bytes of a key's value, in the map or in a copy of a page.
    @usableFromInline
    func lookup(
        _ key: UnsafeRawBufferPointer, in database: DatabaseHandle, copying page: UnsafeMutableRawBufferPointer
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        let core = core
        guard let reader = core.unwritten, let pages = reader.copying else { return try lookup(key, in: database) }
        return try lookup(key, in: database, reader, copying: page, of: pages)
    }

    /// The entry of a number or of the greatest one before it; its value is in the map or in a copy of a page.
    @usableFromInline
    package func entry(
        atOrBefore key: UnsafeRawBufferPointer, in database: DatabaseHandle,
        copying page: UnsafeMutableRawBufferPointer? = nil
    ) throws(LMDBError) -> (key: UInt64, value: UnsafeRawBufferPointer)? {
        let core = core
        try core.check(database, "mdb_get")
        let found: RawEntry?
        if let reader = core.unwritten {
            let name = core.name(database)
            let buffer = reader.copying.flatMap { pages in page.map { PageBuffer(pages, $0) } }
            if let near = try reader.entryInLeaf(atOrBefore: key, named: name, copying: buffer) { return near }
            var cursor = EntryCursor(reader, try reader.root(named: name))
            found = try ByteRange(upper: key).last(&cursor)
        } else {
            var cursor = try ScanCursor(core, database)
            found = try ByteRange(upper: key).last(&cursor)
        }
        // In a damaged tree, the entry before another one may have a greater key.
        guard let found, let number = TreeReader.number(found.key), TreeReader.compare(found.key, key) <= 0 else {
            return nil
        }
        return (number, found.value)
    }

    fileprivate func lookup(
        _ key: UnsafeRawBufferPointer, in database: DatabaseHandle, _ reader: TreeReader,
        copying page: UnsafeMutableRawBufferPointer, of pages: PageMap
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        try core.check(database, "mdb_get")
        try core.check(key, "mdb_get")
        return try reader.value(key, named: core.name(database), copying: PageBuffer(pages, page))
    }
}

extension ReadTransaction {
    /// As ``Transaction/withValue(forKey:in:_:)``, for one of many values that are far from each other and were not read lately. The
    /// page is copied, which takes half as long as mapping it.
    package func withDistantValue<Key, Value, Result>(
        forKey key: Key, in database: Database<Key, Value>, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) throws -> Result {
        guard let reader = core.reader, let pages = environment.pages else {
            return try withValue(forKey: key, in: database, body)
        }
        return try key.withEncodedBytes { key in
            try withUnsafeTemporaryAllocation(byteCount: pages.pageSize, alignment: pages.pageSize) { page in
                try body(try lookup(key, in: database.handle, reader, copying: page, of: pages))
            }
        }
    }
}
