// Calls LMDB's C functions on entries and cursors. No other file calls them.
//
// Always holds: keys and values are passed as the caller's own bytes; nothing is copied or allocated here.
// Bytes that come back lie in LMDB's map and are valid until the transaction writes or ends.

import CLMDB

extension MDB_val {
    /// LMDB's view of the caller's bytes.
    @inline(__always)
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        // SAFETY: LMDB does not write through the pointer; the C type only lacks `const`.
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    @inline(__always)
    fileprivate var bytes: UnsafeRawBufferPointer {
        // SAFETY: LMDB sets both fields together: the pointer has that many readable bytes.
        UnsafeRawBufferPointer(start: mv_data, count: mv_size)
    }
}

extension Engine {
    /// The value of a key, or `nil` when there is none.
    @inline(__always)
    static func get(
        _ transaction: OpaquePointer, _ index: UInt32, _ key: UnsafeRawBufferPointer
    ) throws(LMDBError) -> UnsafeRawBufferPointer? {
        var keyValue = MDB_val(key)
        var value = MDB_val()
        let code = mdb_get(transaction, index, &keyValue, &value)
        if code == MDB_SUCCESS { return value.bytes }
        if code == MDB_NOTFOUND { return nil }
        throw LMDBError(code: code, in: "mdb_get")
    }

    /// Puts a value; `false` if the key exists and the mode keeps the old value, or if the mode requires an order that
    /// the key does not have.
    @inline(__always)
    static func put(
        _ transaction: OpaquePointer, _ index: UInt32,
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isLast: Bool
    ) throws(LMDBError) -> Bool {
        var keyValue = MDB_val(key)
        var dataValue = MDB_val(value)
        let code = mdb_put(transaction, index, &keyValue, &dataValue, isLast ? UInt32(MDB_APPEND) : 0)
        if code == MDB_SUCCESS { return true }
        if code == MDB_KEYEXIST { return false }
        throw LMDBError(code: code, in: "mdb_put")
    }

    /// Reserves space for a value and returns it. The caller fills it before the transaction is used again.
    static func reserve(
        _ transaction: OpaquePointer, _ index: UInt32, _ key: UnsafeRawBufferPointer, _ count: Int
    ) throws(LMDBError) -> UnsafeMutableRawBufferPointer {
        var keyValue = MDB_val(key)
        var dataValue = MDB_val(mv_size: count, mv_data: nil)
        try check(mdb_put(transaction, index, &keyValue, &dataValue, UInt32(MDB_RESERVE)), "mdb_put")
        // SAFETY: after success LMDB has set the pointer to `count` writable bytes on a dirty page.
        return UnsafeMutableRawBufferPointer(start: dataValue.mv_data, count: count)
    }

    /// Deletes a key; `false` when there is none.
    static func delete(
        _ transaction: OpaquePointer, _ index: UInt32, _ key: UnsafeRawBufferPointer
    ) throws(LMDBError) -> Bool {
        var keyValue = MDB_val(key)
        let code = mdb_del(transaction, index, &keyValue, nil)
        if code == MDB_SUCCESS { return true }
        if code == MDB_NOTFOUND { return false }
        throw LMDBError(code: code, in: "mdb_del")
    }
}

// MARK: - Cursors

/// A key and its value, where they lie in the map.
struct RawEntry {
    let key: UnsafeRawBufferPointer
    let value: UnsafeRawBufferPointer
}

extension Engine {
    /// Where a cursor goes.
    enum Movement {
        case first, last, next, previous, atOrAfter

        fileprivate var operation: MDB_cursor_op {
            switch self {
            case .first: MDB_FIRST
            case .last: MDB_LAST
            case .next: MDB_NEXT
            case .previous: MDB_PREV
            case .atOrAfter: MDB_SET_RANGE
            }
        }
    }

    static func openCursor(_ transaction: OpaquePointer, _ index: UInt32) throws(LMDBError) -> OpaquePointer {
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(transaction, index, &cursor), "mdb_cursor_open")
        guard let cursor else { throw LMDBError(.engine(.outOfMemory), in: "mdb_cursor_open") }
        return cursor
    }

    /// Closes a cursor whose transaction is still live.
    static func closeCursor(_ cursor: OpaquePointer) {
        mdb_cursor_close(cursor)
    }

    /// Moves a cursor and returns the entry it is on, or `nil` when there is none in that place.
    @inline(__always)
    static func move(
        _ cursor: OpaquePointer, _ movement: Movement, key: UnsafeRawBufferPointer? = nil
    ) throws(LMDBError) -> RawEntry? {
        var keyValue = key.map { MDB_val($0) } ?? MDB_val()
        var value = MDB_val()
        let code = mdb_cursor_get(cursor, &keyValue, &value, movement.operation)
        if code == MDB_SUCCESS { return RawEntry(key: keyValue.bytes, value: value.bytes) }
        if code == MDB_NOTFOUND { return nil }
        throw LMDBError(code: code, in: "mdb_cursor_get")
    }
}

// MARK: - The map

extension Engine {
    /// Where LMDB has mapped the file, which it does not tell: the same key is in its map and in another map of the file.
    ///
    /// - Parameters:
    ///   - transaction: one that has written nothing, because pages that it writes are not in the map.
    ///   - key: the first key of the database without a name, in the other map.
    ///   - start: where the other map begins.
    /// - Returns: nil if it is not known.
    static func mapStart(
        _ transaction: OpaquePointer, from key: UnsafeRawPointer, in start: UnsafeRawPointer
    ) throws(LMDBError) -> UnsafeRawPointer? {
        let cursor = try openCursor(transaction, 1)
        defer { closeCursor(cursor) }
        guard let own = try move(cursor, .first)?.key.baseAddress else { return nil }
        let found = own - (key - start)
        return UInt(bitPattern: found) % UInt(Platform.pageSize) == 0 ? found : nil
    }
}
