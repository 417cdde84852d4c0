// LMDB's own cursor, for scans in a transaction that has written something.
//
// Always holds: LMDB reads only pages that the transaction's guard has checked.

/// A place in a database that LMDB reads.
final class ScanCursor: Moving {
    private let engine: OpaquePointer
    private let database: UInt32
    private let name: UnsafeRawBufferPointer?
    private let writeGuard: WriteGuard?
    private var key: UnsafeRawBufferPointer?

    /// - Parameters:
    ///   - core: a transaction that is live as long as the cursor.
    ///   - database: a database that was checked.
    init(_ core: TransactionCore, _ database: DatabaseHandle) throws(LMDBError) {
        self.database = database.index
        name = core.name(database)
        writeGuard = core.writeGuard
        try writeGuard?.check(nil, in: database.index, named: name)
        // SAFETY: the transaction is live; the database and the pages that LMDB reads were checked.
        engine = try Engine.openCursor(core.handle, database.index)
    }

    deinit {
        // SAFETY: opened in `init`, closed only here, and the transaction outlives the cursor.
        Engine.closeCursor(engine)
    }

    func move(_ movement: Engine.Movement, key wanted: UnsafeRawBufferPointer? = nil) throws(LMDBError) -> RawEntry? {
        switch movement {
        case .first: try writeGuard?.check(.init(start: nil, count: 0), in: database, named: name)
        case .last: try writeGuard?.check(nil, in: database, named: name)
        case .next: try writeGuard?.check(key ?? .init(start: nil, count: 0), in: database, named: name)
        case .previous: try writeGuard?.check(key, in: database, named: name)
        case .atOrAfter: try writeGuard?.check(wanted, in: database, named: name)
        }
        // SAFETY: the cursor and its transaction are live.
        let entry = try Engine.move(engine, movement, key: wanted)
        if let entry { key = entry.key }
        return entry
    }
}
