// Writing into the data file past LMDB, where LMDB itself never writes: inside of a large value, and behind the end.
//
// LMDB copies a page before it changes it, but for the pages of a large value: they are written when the value is put,
// and then neither moved nor written again until it is put again or deleted and no reader sees it any more. And it
// never shortens the file. So bytes can be kept in the file that are made durable by the sync of the next commit, with
// its pages, and need no pages of their own.
//
// Always holds: the descriptor is the environment's own, so that no lock is lost, and a sync of the environment covers
// what was written; nothing is written but inside of a value that this transaction finds committed, or behind the end
// of the file; the lock of the write transaction keeps others out meanwhile.

extension WriteTransaction {
    /// Writes bytes over a part of a large value, where it lies in the file, at once.
    ///
    /// This is **not** part of the transaction: everybody sees the bytes at once, in all snapshots that have the value,
    /// and they stay when the transaction is aborted. They are durable when a transaction is that is committed later,
    /// this one for instance; until then a power cut may leave any part of them.
    ///
    /// ```swift
    /// try environment.write { txn in
    ///     try txn.overwriteInPlace(bytes, at: 0, ofValueForKey: 1, in: journals)
    ///     try txn.put(7, forKey: 2, in: numbers)
    /// }
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
    public mutating func overwriteInPlace<Key, Value>(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, ofValueForKey key: Key, in database: Database<Key, Value>
    ) throws {
        let value = try key.withEncodedBytes { try lookup($0, in: database.handle) }
        guard let value else { throw LMDBError(.notInPlace(reason: "there is none"), in: "pwrite") }
        guard offset >= 0, offset <= value.count, bytes.count <= value.count - offset else {
            throw LMDBError(
                .notInPlace(reason: "\(bytes.count) bytes at \(offset) are not within its \(value.count)"), in: "pwrite")
        }
        let place = try filePlace(of: value)
        // SAFETY: the bytes are inside of a committed value on pages of its own, whose place in the file was compared
        // with the file. LMDB writes those pages only if the value is put again or deleted, by a write transaction: and
        // the only one that lives is this one.
        try Engine.check(Platform.write(try Engine.descriptor(environment.handle), bytes, at: place + offset), "pwrite")
    }

    /// How long the file has to be for what is committed, in bytes.
    public var usedFileSize: Int {
        get throws(LMDBError) {
            // SAFETY: the environment is open, and its map stays while the transaction is live.
            try (Engine.information(environment.handle).lastPage + 1) * Engine.statistics(environment.handle).pageSize
        }
    }

    /// The length of the file, in bytes.
    public var fileSize: Int {
        get throws(LMDBError) {
            switch Platform.status(of: try Engine.descriptor(environment.handle)) {
            case .success(let status): return status.size
            case .failure(let error): throw LMDBError(code: error.number, in: "fstat", detail: environment.path)
            }
        }
    }

    /// Makes the file longer with zeros, so that the syncs of the next commits find room in it and need none from the
    /// file system, which takes longer.
    ///
    /// Does nothing beyond the size of the map, or if the file is that long already. Not part of the transaction.
    ///
    /// - Parameter size: How long the file is to be, in bytes.
    /// - Throws: ``LMDBError``: `engine` for errors of the device. The file may be longer then, and is as sound as before.
    /// - Complexity: O(bytes added).
    public mutating func growFile(to size: Int) throws(LMDBError) {
        // SAFETY: as in `usedFileSize`.
        let mapSize = try Engine.information(environment.handle).mapSize
        let descriptor = try Engine.descriptor(environment.handle)
        let end = min(size, mapSize)
        var start = try fileSize
        let zeros = [UInt8](repeating: 0, count: max(0, min(end - start, 64 << 10)))
        while start < end {
            let count = min(zeros.count, end - start)
            let code = zeros.withUnsafeBytes { zeros in
                // SAFETY: behind the end of the file there are no pages. LMDB writes some there only when this
                // transaction is committed, afterwards.
                Platform.write(descriptor, UnsafeRawBufferPointer(rebasing: zeros[..<count]), at: start)
            }
            try Engine.check(code, "pwrite")
            start += count
        }
    }

    /// Where in the file a value on pages of its own lies, in bytes.
    private func filePlace(of value: UnsafeRawBufferPointer) throws(LMDBError) -> Int {
        let pageSize = try Engine.statistics(environment.handle).pageSize
        let lastPage = try Engine.information(environment.handle).lastPage
        let header = MetaPage.headerSize
        // A map begins where a page of the system does, and those have at least 4 KiB.
        guard let start = value.baseAddress, UInt(bitPattern: start) % UInt(min(pageSize, 4_096)) == UInt(header) else {
            throw LMDBError(.notInPlace(reason: "it has no pages of its own"), in: "pwrite")
        }
        // SAFETY: no value lies closer to the beginning of a page, or of what is allocated for one, than its header.
        let found = UnsafeRawBufferPointer(start: start - header, count: header)
        let number = found.loadUnaligned(as: UInt64.self)
        let flags = found.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
        let pages = found.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
        guard flags == 0x04, number >= 2, number <= UInt64(lastPage), value.count + header <= Int(pages) * pageSize else {
            throw LMDBError(.notInPlace(reason: "it has no pages of its own, or was put just now"), in: "pwrite")
        }
        // What looked like a header must be one: the file has the same in that place.
        let place = Int(number) * pageSize
        var copy: (UInt64, UInt64) = (0, 0)
        let isSame = try withUnsafeMutableBytes(of: &copy) { copy throws(LMDBError) -> Bool in
            switch Platform.read(try Engine.descriptor(environment.handle), into: copy, at: place) {
            case .success(let count): return count == header && copy.elementsEqual(found)
            case .failure(let error): throw LMDBError(code: error.number, in: "pread", detail: environment.path)
            }
        }
        guard isSame else { throw LMDBError(.notInPlace(reason: "it has no pages of its own"), in: "pwrite") }
        return place + header
    }
}
