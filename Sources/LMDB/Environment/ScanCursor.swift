// The cursor that the rest of the binding uses: it reads the file if the transaction has written nothing, otherwise it
// is LMDB's.
//
// Always holds: LMDB reads only pages that the transaction's guard has checked.

/// A place in a database.
final class ScanCursor: Moving {
    private var tree: EntryCursor?
    /// LMDB's cursor, if there is one.
    let engine: OpaquePointer?
    private let database: UInt32
    private let name: UnsafeRawBufferPointer?
    private let writeGuard: WriteGuard?
    private var key: UnsafeRawBufferPointer?

    /// - Parameters:
    ///   - core: a transaction that is live as long as the cursor.
    ///   - database: a database that was checked.
    ///   - isWriting: whether the cursor is used to write; the whole database was checked then.
    init(_ core: TransactionCore, _ database: DatabaseHandle, isWriting: Bool = false) throws(LMDBError) {
        self.database = database.index
        name = core.name(database)
        writeGuard = isWriting ? nil : core.writeGuard
        if let reader = core.unwritten {
            engine = nil
            tree = EntryCursor(reader, try reader.root(named: name))
        } else {
            try writeGuard?.check(nil, in: database.index, named: name)
            // SAFETY: the transaction is live; the database and the pages that LMDB reads were checked.
            engine = try Engine.openCursor(core.handle, database.index)
        }
    }

    deinit {
        // SAFETY: opened in `init`, closed only here, and the transaction outlives the cursor.
        if let engine { Engine.closeCursor(engine) }
    }

    func move(_ movement: Engine.Movement, key wanted: UnsafeRawBufferPointer? = nil) throws(LMDBError) -> RawEntry? {
        guard let engine else { return try tree?.move(movement, key: wanted) }
        if let writeGuard {
            switch movement {
            case .first: try writeGuard.check(.init(start: nil, count: 0), in: database, named: name)
            case .last: try writeGuard.check(nil, in: database, named: name)
            case .next: try writeGuard.check(key ?? .init(start: nil, count: 0), in: database, named: name)
            case .previous: try writeGuard.check(key, in: database, named: name)
            case .current: break
            default: try writeGuard.check(wanted, in: database, named: name)
            }
        }
        // SAFETY: the cursor and its transaction are live.
        let entry = try Engine.move(engine, movement, key: wanted)
        if let entry { key = entry.key }
        return entry
    }
}
