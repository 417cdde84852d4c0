// Scanning ranges of entries without copying them.
//
// Always holds: each entry is passed once, in the order of the keys' bytes; the bytes are those in the map, and valid
// only during the closure.

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

    /// Calls a closure with every entry whose key is in a range.
    ///
    /// ```swift
    /// try txn.forEach(in: log, range: 10...) { key, value in
    ///     total += value.count
    ///     return true
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - range: Which keys: a range of Swift's, or a ``KeyRange``.
    ///   - reverse: Whether to go from the greatest key to the least.
    ///   - body: Gets the bytes of key and value, valid during the call only; returns whether to go on.
    /// - Throws: ``LMDBError``: `keyEmpty` and `keyTooLong` for the bounds, `staleDatabase`, `engine`; what `body`
    ///   throws.
    /// - Complexity: O(log n) for the first entry, O(1) amortised for each further one.
    public func forEach<Key, Value>(
        in database: Database<Key, Value>, range: some KeyRangeConvertible<Key>, reverse: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let range = range.keyRange
        try range.lower.withBytes { lower in
            try range.upper.withBytes { upper in
                try scan(database.handle, ByteRange(lower: lower, upper: upper), reverse, body)
            }
        }
    }

    /// Calls a closure with every entry whose key is one of a range of numbers.
    ///
    /// Does the same as the general function, but without its generic types: the first use of such a type in a process
    /// takes the runtime longer than the scan.
    public func forEach<Value>(
        in database: Database<UInt64, Value>, range: ClosedRange<UInt64>, reverse: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        try range.lowerBound.withEncodedBytes { lower in
            try range.upperBound.withEncodedBytes { upper in
                let range = ByteRange(
                    lower: ByteRange.Bound(key: lower, isIncluded: true),
                    upper: ByteRange.Bound(key: upper, isIncluded: true))
                try scan(database.handle, range, reverse, body)
            }
        }
    }

    private func scan(
        _ database: DatabaseHandle, _ range: ByteRange, _ reverse: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let core = core
        try core.check(database, "mdb_cursor_open")
        if let key = range.lower?.key { try core.check(key, "mdb_cursor_get") }
        if let key = range.upper?.key { try core.check(key, "mdb_cursor_get") }
        // The transaction is borrowed for the whole scan, and a write needs it mutable. So no write can move the
        // entries.
        if let reader = core.unwritten {
            var cursor = EntryCursor(reader, try reader.root(named: core.name(database)))
            try range.scan(&cursor, reverse, body)
        } else {
            var cursor = try ScanCursor(core, database)
            try range.scan(&cursor, reverse, body)
        }
    }
}

/// A range of keys as bytes, valid while the typed bounds are.
private struct ByteRange {
    struct Bound {
        let key: UnsafeRawBufferPointer
        let isIncluded: Bool
    }

    var lower: Bound?
    var upper: Bound?

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
    func isAboveLower(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let lower else { return true }
        let order = TreeReader.compare(key, lower.key)
        return order > 0 || (order == 0 && lower.isIncluded)
    }

    @inline(__always)
    func isBelowUpper(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let upper else { return true }
        let order = TreeReader.compare(key, upper.key)
        return order < 0 || (order == 0 && upper.isIncluded)
    }

    /// Moves a cursor to the first entry that is not below the range.
    func first(_ cursor: inout some Moving) throws(LMDBError) -> RawEntry? {
        guard let lower else { return try cursor.move(.first, key: nil) }
        let entry = try cursor.move(.atOrAfter, key: lower.key)
        if let entry, !isAboveLower(entry.key) { return try cursor.move(.next, key: nil) }
        return entry
    }

    /// Moves a cursor to the last entry that is not above the range.
    func last(_ cursor: inout some Moving) throws(LMDBError) -> RawEntry? {
        guard let upper else { return try cursor.move(.last, key: nil) }
        guard let entry = try cursor.move(.atOrAfter, key: upper.key) else {
            return try cursor.move(.last, key: nil)
        }
        return isBelowUpper(entry.key) ? entry : try cursor.move(.previous, key: nil)
    }
}

extension KeyRange.Bound {
    fileprivate func withBytes(_ body: (ByteRange.Bound?) throws -> Void) throws {
        switch self {
        case .unbounded: try body(nil)
        case .including(let key): try key.withEncodedBytes { try body(.init(key: $0, isIncluded: true)) }
        case .excluding(let key): try key.withEncodedBytes { try body(.init(key: $0, isIncluded: false)) }
        }
    }
}
