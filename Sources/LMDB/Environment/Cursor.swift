// Cursors. A cursor is a place in a database. It can be moved and read and, in a write transaction, written.
//
// Always holds: a cursor exists only inside the closure that it is made for, within its transaction. A write
// transaction has at most one cursor at a time, so nothing else writes while a cursor exists.

/// The functions of all cursors: move, and read the entry at the cursor.
public protocol CursorNavigation<Key, Value>: ~Copyable {
    /// The type of the keys.
    associatedtype Key: DatabaseCodable
    /// The type of the values.
    associatedtype Value: DatabaseCodable
    /// For the binding's own use.
    var core: CursorCore { get }
}

/// What a cursor needs. Only the binding makes and reads it.
public struct CursorCore {
    let cursor: ScanCursor
    let transaction: TransactionCore
}

/// A place in a database, for reading.
public struct Cursor<Key: DatabaseCodable, Value: DatabaseCodable>: ~Copyable, CursorNavigation {
    /// For the binding's own use.
    public let core: CursorCore

    init(_ transaction: TransactionCore, _ database: DatabaseHandle) throws(LMDBError) {
        try transaction.check(database, "mdb_cursor_open")
        core = CursorCore(cursor: try ScanCursor(transaction, database), transaction: transaction)
    }
}

extension Transaction where Self: ~Copyable {
    /// Runs a closure with a cursor for reading.
    ///
    /// ```swift
    /// let after = try txn.withCursor(in: log) { cursor in
    ///     try cursor.seek(atOrAfter: 10)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - body: Gets the cursor, which is on no entry at first.
    /// - Returns: What `body` returns.
    /// - Throws: ``LMDBError``: `staleDatabase`, `engine`; what `body` throws.
    public func withCursor<Key, Value, Result>(
        in database: Database<Key, Value>, _ body: (borrowing Cursor<Key, Value>) throws -> Result
    ) throws -> Result {
        let cursor = try Cursor<Key, Value>(core, database.handle)
        return try body(cursor)
    }
}

// MARK: - Moving

extension CursorNavigation where Self: ~Copyable {
    /// Goes to the least key.
    ///
    /// - Returns: The entry; `nil` when the database is empty.
    /// - Throws: ``LMDBError``; what the decoders throw.
    @discardableResult
    public func first() throws -> (key: Key, value: Value)? { try decode(try move(.first)) }

    /// Goes to the greatest key.
    ///
    /// - Returns: The entry; `nil` when the database is empty.
    /// - Throws: ``LMDBError``; what the decoders throw.
    @discardableResult
    public func last() throws -> (key: Key, value: Value)? { try decode(try move(.last)) }

    /// Goes to the next key; to the first from no entry.
    ///
    /// - Returns: The entry; `nil` when there is none, and the cursor stays.
    /// - Throws: ``LMDBError``; what the decoders throw.
    @discardableResult
    public func next() throws -> (key: Key, value: Value)? { try decode(try move(.next)) }

    /// Goes to the key before; to the last from no entry.
    ///
    /// - Returns: The entry; `nil` when there is none, and the cursor stays.
    /// - Throws: ``LMDBError``; what the decoders throw.
    @discardableResult
    public func previous() throws -> (key: Key, value: Value)? { try decode(try move(.previous)) }

    /// Goes to a key, or to the first one after it.
    ///
    /// - Parameter key: The key, of 1 to ``Environment/maximumKeySize`` bytes.
    /// - Returns: The entry; `nil` when all keys are less.
    /// - Throws: ``LMDBError``: `keyEmpty`, `keyTooLong`, `engine`; what the decoders throw.
    /// - Complexity: O(log n) in the number of entries.
    @discardableResult
    public func seek(atOrAfter key: Key) throws -> (key: Key, value: Value)? {
        try decode(try key.withEncodedBytes { try move(.atOrAfter, $0) })
    }

    /// Goes to a key.
    ///
    /// - Parameter key: The key, of 1 to ``Environment/maximumKeySize`` bytes.
    /// - Returns: The value; `nil` when there is no such key.
    /// - Throws: ``LMDBError``: `keyEmpty`, `keyTooLong`, `engine`; what the decoder throws.
    /// - Complexity: O(log n) in the number of entries.
    @discardableResult
    public func seek(exactly key: Key) throws -> Value? {
        try key.withEncodedBytes { try move(.exactly, $0) }.map { try Value.decode($0.value) }
    }

    /// The entry that the cursor is on.
    ///
    /// - Returns: The entry; `nil` when the cursor is on none.
    /// - Throws: ``LMDBError``; what the decoders throw.
    public func current() throws -> (key: Key, value: Value)? { try decode(try here()) }

    /// Calls a closure with the bytes of the entry that the cursor is on, without copying them.
    ///
    /// - Parameter body: Gets the bytes of key and value, valid during the call only.
    /// - Returns: What `body` returns; `nil` when the cursor is on no entry.
    /// - Throws: ``LMDBError``; what `body` throws.
    public func withCurrent<Result>(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        try here().map { try body($0.key, $0.value) }
    }

    private func here() throws(LMDBError) -> RawEntry? {
        do throws(LMDBError) {
            return try move(.current)
        } catch let error where error.code == .invalidArgument {
            // LMDB's answer when the cursor was never moved.
            return nil
        }
    }

    func move(
        _ movement: Engine.Movement, _ key: UnsafeRawBufferPointer? = nil
    ) throws(LMDBError) -> RawEntry? {
        if let key { try core.transaction.check(key, "mdb_cursor_get") }
        return try core.cursor.move(movement, key: key)
    }

    private func decode(_ entry: RawEntry?) throws -> (key: Key, value: Value)? {
        guard let entry else { return nil }
        return (try Key.decode(entry.key), try Value.decode(entry.value))
    }
}
