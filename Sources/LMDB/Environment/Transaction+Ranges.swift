// Scanning ranges of entries without copying them.
//
// Always holds: each entry is passed once, in the order of the keys' bytes; the bytes are those in the map, or in a copy of the
// page, and valid only during the closure.

extension Transaction where Self: ~Copyable {
    /// Calls a closure with every entry.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - reverse: Whether to go from the greatest key to the least.
    ///   - body: Gets the bytes of key and value, valid during the call only; returns whether to go on.
    /// - Throws: ``LMDBError``: `staleDatabase`, `engine`; what `body` throws.
    /// - Complexity: O(log n) for the first entry, O(1) amortised for each further one.
    public func forEach<Key, Value>(
        in database: Database<Key, Value>, reverse: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try scan(database.handle, ByteRange(), reverse, body)
    }

    /// Calls a closure with every entry whose key is one of a range of numbers.
    ///
    /// ```swift
    /// try txn.forEach(in: log, range: 10...20) { key, value in
    ///     total += value.count
    ///     return true
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - range: Which keys.
    ///   - reverse: Whether to go from the greatest key to the least.
    ///   - body: Gets the bytes of key and value, valid during the call only; returns whether to go on.
    /// - Throws: ``LMDBError``: `staleDatabase`, `engine`; what `body` throws.
    /// - Complexity: O(log n) for the first entry, O(1) amortised for each further one.
    public func forEach<Value>(
        in database: Database<UInt64, Value>, range: ClosedRange<UInt64>, reverse: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try range.lowerBound.withEncodedBytes { lower in
            try range.upperBound.withEncodedBytes { upper in
                try scan(database.handle, ByteRange(lower: lower, upper: upper), reverse, body)
            }
        }
    }

    /// As ``forEach(in:range:reverse:_:)``, with the size of each value instead of its bytes. A large value is not read: the system would
    /// read its first page from the disk, and those around it.
    ///
    /// - Parameter body: Gets the bytes of the key, valid during the call only, and the size; returns whether to go on.
    package func forEachSize<Value>(
        in database: Database<UInt64, Value>, range: ClosedRange<UInt64>,
        _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
    ) throws {
        let core = core
        // LMDB itself, which reads what the transaction has written, has no such call.
        guard let reader = core.unwritten else {
            return try forEach(in: database, range: range) { try body($0, $1.count) }
        }
        try core.check(database.handle, "mdb_cursor_open")
        var cursor = try cursor(reader, database.handle)
        try range.lowerBound.withEncodedBytes { lower in
            try range.upperBound.withEncodedBytes { upper in
                var isFound = try cursor.go(.atOrAfter, key: lower)
                while isFound, let node = try cursor.node(), TreeReader.compare(node.key, upper) <= 0 {
                    guard try body(node.key, node.valueSize) else { return }
                    isFound = try cursor.go(.next)
                }
            }
        }
    }

    /// A cursor that copies pages if their memory is given back.
    private func cursor(_ reader: TreeReader, _ database: DatabaseHandle) throws -> EntryCursor {
        let name = core.name(database)
        guard let pages = reader.copying else { return EntryCursor(reader, try reader.root(named: name)) }
        let root = try withUnsafeTemporaryAllocation(byteCount: pages.pageSize, alignment: pages.pageSize) { page in
            try reader.root(named: name, PageBuffer(pages, page))
        }
        return EntryCursor(reader, root, copies: true)
    }

    private func scan(
        _ database: DatabaseHandle, _ range: ByteRange, _ reverse: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let core = core
        try core.check(database, "mdb_cursor_open")
        // The transaction is borrowed for the whole scan, and a write needs it mutable. So no write can move the
        // entries.
        if let reader = core.unwritten {
            var cursor = try cursor(reader, database)
            guard let pages = reader.copying else { return try range.scan(&cursor, reverse, body) }
            try range.scan(&cursor, reverse) { key, value in
                // A large value has pages of its own, which are read in the map.
                let isInPage =
                    UInt(bitPattern: key.baseAddress) / UInt(pages.pageSize)
                    == UInt(bitPattern: value.baseAddress) / UInt(pages.pageSize)
                if !isInPage { pages.noteMapping(ofValue: value.count) }
                let continues = try body(key, value)
                pages.unloadIfDue()
                return continues
            }
        } else {
            var cursor = try ScanCursor(core, database)
            try range.scan(&cursor, reverse, body)
        }
    }
}

/// A range of keys as bytes, valid while the typed bounds are. Without bounds it has all keys.
struct ByteRange {
    var lower: UnsafeRawBufferPointer?
    var upper: UnsafeRawBufferPointer?

    /// Calls `body` with the entries of the range, until it returns false.
    @inline(__always)
    func scan(
        _ cursor: inout some Moving, _ reverse: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var entry = reverse ? try last(&cursor) : try first(&cursor)
        while let found = entry {
            guard reverse ? isAboveLower(found.key) : isBelowUpper(found.key) else { return }
            guard try body(found.key, found.value) else { return }
            entry = try cursor.move(reverse ? .previous : .next, key: nil)
        }
    }

    @inline(__always)
    private func isAboveLower(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let lower else { return true }
        return TreeReader.compare(key, lower) >= 0
    }

    @inline(__always)
    private func isBelowUpper(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let upper else { return true }
        return TreeReader.compare(key, upper) <= 0
    }

    /// Moves a cursor to the first entry that is not below the range.
    private func first(_ cursor: inout some Moving) throws(LMDBError) -> RawEntry? {
        guard let lower else { return try cursor.move(.first, key: nil) }
        return try cursor.move(.atOrAfter, key: lower)
    }

    /// Moves a cursor to the last entry that is not above the range.
    func last(_ cursor: inout some Moving) throws(LMDBError) -> RawEntry? {
        guard let upper, let entry = try cursor.move(.atOrAfter, key: upper) else {
            return try cursor.move(.last, key: nil)
        }
        return isBelowUpper(entry.key) ? entry : try cursor.move(.previous, key: nil)
    }
}
