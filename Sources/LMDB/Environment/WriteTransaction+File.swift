// Writes directly into the data file, without LMDB: inside a large value, where LMDB itself never writes.
//
// LMDB changes pages by copying them. The pages of a large value are an exception: they are written when the value is
// put, and then neither moved nor written until the value is put again or deleted, and no reader sees it any more. So a
// large value can serve as a private part of the file, such as a journal, in which a change needs only one write and
// one sync.
//
// Always holds: the descriptor is the environment's own, so no lock is lost; bytes are written only inside a value that
// is committed; the lock of the write transaction keeps other writers out meanwhile.

extension WriteTransaction {
    /// Overwrites a part of a large value in place in the file, at once.
    ///
    /// This is **not** part of the transaction: the bytes are visible at once, in all snapshots that have the value,
    /// and they stay if the transaction is aborted. They are durable after ``sync()``, or after a commit that syncs;
    /// until then a power cut may leave any part of them.
    ///
    /// ```swift
    /// let txn = try environment.beginWrite()
    /// try txn.overwriteInPlace(bytes, at: 0, ofValueForKey: 1, in: journals)
    /// try txn.sync()
    /// txn.abort()
    /// ```
    ///
    /// - Parameters:
    ///   - bytes: What is written.
    ///   - offset: Where in the value, in bytes.
    ///   - key: The key of the value.
    ///   - database: Its database.
    /// - Throws: ``LMDBError``: `notInPlace` when there is no such value, it is too short for the bytes, or too small to
    ///   have pages of its own (those above half a page have), or was put in this transaction; nothing was written then.
    ///   `engine` for errors of the device: some of the bytes may have been written.
    /// - Complexity: O(log n + bytes).
    public func overwriteInPlace<Key, Value>(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, ofValueForKey key: Key, in database: Database<Key, Value>
    ) throws {
        let value = try key.withEncodedBytes { try lookup($0, in: database.handle) }
        guard let value else { throw LMDBError(.notInPlace(reason: "there is none"), in: "pwrite") }
        guard offset >= 0, offset <= value.count, bytes.count <= value.count - offset else {
            throw LMDBError(
                .notInPlace(reason: "\(bytes.count) bytes at \(offset) are not within its \(value.count)"), in: "pwrite"
            )
        }
        let place = try filePlace(of: value)
        // SAFETY: the bytes are inside of a value on pages of its own, which are in the file. LMDB writes those pages
        // only if the value is put again or deleted, by a write transaction: and the only one that lives is this one.
        try Engine.check(Platform.write(try Engine.descriptor(environment.handle), bytes, at: place + offset), "pwrite")
    }

    /// Makes everything durable that was written to the file.
    ///
    /// Values that this transaction has put are not in the file before its commit.
    ///
    /// - Throws: ``LMDBError``: `engine` for errors of the device.
    public func sync() throws(LMDBError) {
        // SAFETY: the transaction keeps the environment open.
        try Engine.synchronize(environment.handle)
    }

    /// The offset in the file of a value on pages of its own, in bytes.
    private func filePlace(of value: UnsafeRawBufferPointer) throws(LMDBError) -> Int {
        // SAFETY: the transaction keeps the environment open and its map where it is.
        let pageSize = try Engine.statistics(environment.handle).pageSize
        let lastPage = try Engine.information(environment.handle).lastPage
        let header = MetaPage.headerSize
        // LMDB puts every value of more than half a page on pages of its own.
        guard value.count > pageSize / 2, let start = value.baseAddress else {
            throw LMDBError(.notInPlace(reason: "it has no pages of its own"), in: "pwrite")
        }
        // SAFETY: pages of a value begin with a header, in the map and in memory that is allocated for them.
        let found = UnsafeRawBufferPointer(start: start - header, count: header)
        let number = found.loadUnaligned(fromByteOffset: PageOffset.pgno, as: UInt64.self)
        let flags = found.loadUnaligned(fromByteOffset: PageOffset.flags, as: UInt16.self)
        let pages = found.loadUnaligned(fromByteOffset: PageOffset.pages, as: UInt32.self)
        // Pages that are not in the file yet have a flag more.
        guard flags == 0x04, number >= 2, number <= UInt64(lastPage), value.count + header <= Int(pages) * pageSize
        else { throw LMDBError(.notInPlace(reason: "it was put just now"), in: "pwrite") }
        return Int(number) * pageSize + header
    }
}
