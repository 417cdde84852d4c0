// Extends the index of touches. Each time, the new commits become a segment, together with the segments before it that are
// not much larger.
//
// Always holds: a segment is complete before the catalog names it; the rows of a segment are deleted after the catalog has
// stopped naming it. So the index is sound whenever the process ends.

import LMDB
import ListModel

extension TouchDatabase {
    /// Calls a closure with the records of a range of versions, in order.
    typealias Records = (ClosedRange<UInt64>, (Version, UnsafeRawBufferPointer) throws -> Void) throws -> Void

    /// Whether what is indexed stays in the log, as the transaction sees it in which it would count as indexed.
    typealias Hold = (borrowing WriteTransaction) throws -> Bool

    /// Adds the commits up to a version that is durable, if they are many. An index that is missing or damaged is made anew.
    ///
    /// - Parameters:
    ///   - recordBytes: the size of all records up to now; nil to add the commits also if they are few.
    ///   - holds: whether the commits stay in the log; if not, nothing is added.
    /// - Returns: whether the index has all of the commits, or need not have them yet.
    @discardableResult
    func extend(
        through last: Version, _ recordBytes: UInt64?, _ limits: TouchLimits, _ records: Records,
        if holds: Hold = { _ in true }
    ) throws -> Bool {
        let known = try catalog()
        if let recordBytes {
            let indexed = known?.recordBytes ?? 0
            if indexed <= recordBytes && recordBytes - indexed < UInt64(limits.interval) { return true }
        } else if let end = known?.last, end >= last {
            return true
        }
        // The index ends before a damaged commit, and is itself sound. If that counted as damage of the index, each checkpoint would
        // rebuild all of it.
        do { return try extendNow(through: last, recordBytes, limits, records, holds) } catch
            where error is DamagedTouches || (error as? LMDBError)?.saysDamage == true
        {
            try clear()
            return try extendNow(through: last, recordBytes, limits, records, holds)
        }
    }

    private func extendNow(
        through last: Version, _ recordBytes: UInt64?, _ limits: TouchLimits, _ records: Records, _ holds: Hold
    ) throws -> Bool {
        var catalog = try prepare(limits)
        var next = (catalog.last ?? start).next
        // Of a long log, the rest is left to the next checkpoints.
        for _ in 0..<limits.runCount where next <= last {
            let first = next
            var run = TouchRun()
            var size = 0
            while next <= last && run.count < limits.runSize {
                // A commit may have very many touches, so only half as many commits as are expected to fit are read at once.
                let mean = run.count / max(1, first.distance(to: next)) + 1
                let count = next == first ? 1 : UInt64((limits.runSize - run.count) / mean / 2 + 1)
                let end = min(last.rawValue, next.rawValue + count - 1)
                // Most commits touch one row.
                run.reserve(Int(end - next.rawValue) + 1)
                try records(next.rawValue...end) { version, record in
                    size += record.count
                    try run.add(record, of: version)
                }
                next = Version(end + 1)
            }
            if let recordBytes {
                if next > last { catalog.recordBytes = recordBytes }
            } else {
                catalog.recordBytes &+= UInt64(size)
            }
            run.sort()
            try add(run, first...next.previous, &catalog, limits, holds)
            // The pages of an import would stay in memory.
            if size > limits.unloadedSize { checkpoints.environment.unloadPages() }
        }
        return next > last
    }

    /// The catalog to continue with, once what an interrupted process has left is deleted.
    private func prepare(_ limits: TouchLimits) throws -> TouchCatalog {
        guard var catalog = try catalog(), let rows = try rows(create: false) else {
            try clear()
            return TouchCatalog()
        }
        let unfinished = TouchCatalog.keys(of: catalog.nextNumber).lowerBound...UInt64.max
        if let key = try checkpoints.reading({ try $0.lastKey(in: rows) }), unfinished.contains(key) {
            try deleteRows(unfinished, limits)
        }
        try deleteRetired(&catalog, limits)
        return catalog
    }

    /// Lets the next checkpoint rebuild the index. A process without the checkpoint role may do that as well.
    func distrust() throws {
        try checkpoints.environment.write { txn in
            _ = try txn.delete(LogFormat.touchCatalogKey, in: checkpoints.meta)
        }
    }

    /// Deletes the whole index.
    private func clear() throws {
        guard let rows = try rows(create: true) else { return }
        try checkpoints.write { txn in
            try txn.clear(rows)
            try txn.delete(LogFormat.touchCatalogKey, in: checkpoints.meta)
        }
    }

    /// Adds the touches of the next commits, which are sorted.
    private func add(
        _ run: TouchRun, _ versions: ClosedRange<Version>, _ catalog: inout TouchCatalog, _ limits: TouchLimits,
        _ holds: Hold
    ) throws {
        guard let rows = try rows(create: true) else { throw DamagedTouches() }
        let merged = catalog.merged(with: UInt64(run.count), bucketSize: limits.bucketSize, fanOut: limits.fanOut)
        let inputs = [TouchInput(run, versions)] + merged.map { input($0, rows) }
        var slice = NodeSlice()
        let segment = try TouchMerge.write(inputs, as: catalog.nextNumber, bucketSize: limits.bucketSize) {
            key, bytes in
            slice.append(key, bytes)
            if slice.size >= limits.sliceSize {
                try checkpoints.write { [slice] txn in try txn.append(slice, to: rows) }
                slice.removeAll()
            }
        }
        guard segment.count == inputs.reduce(0, { $0 + $1.segment.count }) else { throw DamagedTouches() }
        catalog.segments.removeLast(merged.count)
        catalog.segments.append(segment)
        catalog.nextNumber += 1
        // A few rows are deleted at once, because each transaction waits for the disk.
        let isSmall = merged.reduce(0, { $0 + $1.rowCount }) <= limits.deletionSize
        if !isSmall { catalog.retired += merged.map(\.number) }
        let row = catalog.bytes
        try checkpoints.write { [slice] txn in
            guard try holds(txn) else { throw LostRace() }
            try txn.append(slice, to: rows)
            if isSmall {
                for segment in merged { try txn.deleteRows(TouchCatalog.keys(of: segment.number), Int.max, rows) }
            }
            try txn.put(row, forKey: LogFormat.touchCatalogKey, in: checkpoints.meta)
        }
        try deleteRetired(&catalog, limits)
    }

    /// Deletes the segments that were merged into others.
    private func deleteRetired(_ catalog: inout TouchCatalog, _ limits: TouchLimits) throws {
        if catalog.retired.isEmpty { return }
        for number in catalog.retired { try deleteRows(TouchCatalog.keys(of: number), limits) }
        catalog.retired = []
        let row = catalog.bytes
        try checkpoints.write { txn in
            try txn.put(row, forKey: LogFormat.touchCatalogKey, in: checkpoints.meta)
        }
    }

    /// Deletes rows, some in each transaction.
    private func deleteRows(_ keys: ClosedRange<UInt64>, _ limits: TouchLimits) throws {
        guard let rows = try rows(create: true) else { return }
        while try checkpoints.write({ try $0.deleteRows(keys, limits.deletionSize, rows) }) {}
    }
}

extension WriteTransaction {
    /// Deletes rows of the index of touches.
    ///
    /// - Returns: whether there may be more.
    @discardableResult
    fileprivate mutating func deleteRows(
        _ keys: ClosedRange<UInt64>, _ limit: Int, _ rows: Database<UInt64, [UInt8]>
    ) throws -> Bool {
        var found: [UInt64] = []
        try forEach(in: rows, range: keys) { key, _ in
            found.append(try UInt64.decode(key))
            return found.count < limit
        }
        for key in found { try delete(key, in: rows) }
        return found.count == limit
    }
}
