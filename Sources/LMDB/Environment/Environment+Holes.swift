// Gives the disk space of free pages back while the file is in use: the pages become holes in it.
//
// LMDB lists the pages that are free, with the transaction that freed them. A page becomes a hole only if LMDB itself could
// overwrite it now: no reader and no meta page that a power cut may leave needs it. When LMDB uses the page again, it
// writes all of it. `Docs/Design/Packing.md` says more.
//
// Always holds: the list is read with the writer's lock held, so nobody uses a free page meanwhile; nothing but free pages changes,
// and the list stays as it is.

/// A place in the list of free pages.
package struct FreePagePlace: Sendable {
    /// The transaction that freed the pages of a record.
    fileprivate var transaction: UInt64
    /// How many pages of the record were passed over.
    fileprivate var count: Int
    /// The transaction with which the round ends. Pages that it and later ones have freed wait for the next round.
    fileprivate let end: UInt64
}

extension Environment {
    /// How many bytes a hole has at most. It takes a file system up to half a millisecond to make one of this size.
    private static let holeSize = 1 << 20

    /// Makes holes of free pages, from a place in their list on.
    ///
    /// If a call of the system fails, the file system is taken for one that makes no holes, until the file is opened again.
    ///
    /// - Parameters:
    ///   - place: where to begin, nil for the beginning; afterwards, where to go on.
    ///   - limit: after how much time no further hole is begun.
    ///   - isCareless: whether pages that a reader or a power cut may need become holes too: loses data. For tests, which must
    ///     see that.
    /// - Returns: whether there may be more. It does nothing, and returns false, without checks of the pages.
    /// - Throws: ``LMDBError``: as ``beginWrite()``; `damaged`. The holes made before stay.
    /// - Complexity: O(records of the list before the place) and O(pages that become holes).
    package func giveBackFreePages(
        _ place: inout FreePagePlace?, within limit: Duration, isCareless: Bool = false
    ) throws(LMDBError) -> Bool {
        guard makesHoles.load(ordering: .relaxed) else { return false }
        return try giveBack(try beginWrite(), &place, until: .now + limit, isCareless)
    }

    /// - Parameter txn: keeps others from writing, and writes nothing.
    private func giveBack(
        _ txn: borrowing WriteTransaction, _ place: inout FreePagePlace?, until time: ContinuousClock.Instant,
        _ isCareless: Bool
    ) throws(LMDBError) -> Bool {
        guard let reader = txn.core.reader, let pages else { return false }
        // A page in use that a damaged list has would be lost. Later slices are of the records that were checked, or of sound transactions.
        if place == nil { try WriteGuard(reader, pages).checkFreeList() }
        // The rule by which LMDB uses free pages again (`mdb_find_oldest`). The version before the newest is what a power cut
        // may leave.
        let newest = reader.transaction
        let oldest = min(newest, Engine.oldestReader(handle).map { UInt64($0) } ?? newest)
        let end = isCareless ? newest + 1 : min(oldest, place?.end ?? oldest)
        var next = place ?? FreePagePlace(transaction: 0, count: 0, end: end)
        defer { place = next }
        var cursor = EntryCursor(reader, TreeRoot(try reader.metaPage().free), copies: true)
        var entry = try cursor.move(.first)
        while let record = entry {
            let pages = try FreePages(record, reader)
            guard pages.transaction < end else { return false }
            if pages.transaction > next.transaction { (next.transaction, next.count) = (pages.transaction, 0) }
            while pages.transaction == next.transaction,
                let run = pages.run(&next.count, atMost: Environment.holeSize / reader.pageSize)
            {
                guard try makeHole(run, reader.pageSize) else { return false }
                if ContinuousClock.now >= time { return true }
            }
            entry = try cursor.move(.next)
        }
        return false
    }

    /// Makes a hole of pages; whether that is possible.
    private func makeHole(_ pages: Range<Int>, _ pageSize: Int) throws(LMDBError) -> Bool {
        let descriptor = try Engine.descriptor(handle)
        guard case .success(let status) = Platform.status(of: descriptor) else { return false }
        // A part of a block has no disk space of its own.
        let block = status.blockSize
        let start = (pages.lowerBound * pageSize + block - 1) / block * block
        let end = pages.upperBound * pageSize / block * block
        if start >= end || Platform.makeHole(descriptor, start..<end) == 0 { return true }
        makesHoles.store(false, ordering: .relaxed)
        return false
    }
}

/// A record of the list of free pages: the pages that one transaction has freed, and nobody has used since, descending.
private struct FreePages {
    let transaction: UInt64
    private let numbers: UnsafeRawBufferPointer
    private let count: Int
    /// The pages of the file end here. A free page that was never written may be behind it.
    private let limit: Int

    /// - Parameter record: valid as long as the value is used.
    init(_ record: RawEntry, _ reader: TreeReader) throws(LMDBError) {
        let (key, value) = (record.key, record.value)
        let room = value.count / 8 - 1
        let count = room >= 0 ? value.loadUnaligned(as: UInt64.self) : .max
        guard key.count == 8, count <= UInt64(max(0, room)), let place = key.baseAddress else {
            throw reader.damage(
                "record of free pages", at: key.baseAddress ?? reader.start, "a key of 8 bytes, at most \(room) pages",
                "\(key.count), \(count)")
        }
        transaction = place.loadUnaligned(as: UInt64.self)
        numbers = UnsafeRawBufferPointer(rebasing: value.dropFirst(8))
        self.count = Int(count)
        limit = Int(reader.limit)
    }

    private subscript(index: Int) -> Int {
        Int(truncatingIfNeeded: numbers.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
    }

    /// The next pages that are neighbours; nil at the end.
    ///
    /// - Parameters:
    ///   - index: where they begin; afterwards, where they end.
    ///   - most: how many there are at most.
    func run(_ index: inout Int, atMost most: Int) -> Range<Int>? {
        // The first two pages are meta pages.
        while index < count, !(2..<limit).contains(self[index]) { index += 1 }
        guard index < count else { return nil }
        let last = self[index]
        var first = last
        index += 1
        while index < count, first > 2, self[index] == first - 1, last - first + 1 < most {
            first -= 1
            index += 1
        }
        return first..<last + 1
    }
}
