// The index of touches in the file: which commits changed which row. A row of `meta` lists its segments.
//
// The index follows from the log. It is extended after each checkpoint; later commits are read from the log.
//
// Always holds: the commits up to the last indexed one are in exactly one segment each; what is damaged is never used.

import LMDB
import ListModel

/// The stored index of touches of a file.
final class TouchDatabase: Sendable {
    let checkpoints: CheckpointDatabase
    /// The version after which the index begins: the last whose commit may be in a packed block. The index of packed commits
    /// would be larger than they are.
    let start: Version
    /// The database, once it was opened.
    private let opened = Locked(Opened())

    private struct Opened: Sendable {
        var rows: Database<UInt64, [UInt8]>?
    }

    init(_ checkpoints: CheckpointDatabase, _ base: LogBase) {
        self.checkpoints = checkpoints
        start = max(base.version, base.sealed)
    }

    /// The rows of all segments; nil if the file has none and `create` is false.
    func rows(create: Bool) throws -> Database<UInt64, [UInt8]>? {
        try opened.withLock { opened in
            if let rows = opened.rows { return rows }
            do {
                opened.rows = try checkpoints.environment.openDatabase(
                    named: LogFormat.touchDatabase, of: UInt64.self, [UInt8].self, create: create)
            } catch let error as LMDBError where error.kind == .engine(.notFound) {}
            return opened.rows
        }
    }

    /// The catalog; nil if there is none, or it is damaged or of another log.
    func catalog() throws -> TouchCatalog? { try checkpoints.reading { try catalog($0) } }

    /// The bytes of its pages.
    func byteCount() throws -> Int {
        guard try hasCatalog(), let rows = try rows(create: false) else { return 0 }
        let found = try checkpoints.reading { try $0.statistics(of: rows) }
        return found.pageSize * (found.branchPages + found.leafPages + found.overflowPages)
    }

    /// Whether there is a catalog, sound or not.
    func hasCatalog() throws -> Bool {
        try checkpoints.reading { try $0.contains(LogFormat.touchCatalogKey, in: checkpoints.meta) }
    }

    private func catalog(_ txn: borrowing some Transaction & ~Copyable) throws -> TouchCatalog? {
        let catalog = try txn.withValue(forKey: LogFormat.touchCatalogKey, in: checkpoints.meta) { row in
            row.flatMap { TouchCatalog($0) }
        }
        guard let catalog, catalog.segments.first.map({ $0.first == start.next }) ?? true else { return nil }
        return catalog
    }
}

/// A row of the index is damaged: the index has to be made again.
struct DamagedTouches: Error {}

// MARK: - Reading

extension TouchDatabase {
    /// What the index has of some rows and sections.
    struct Found {
        /// The last indexed commit; the version after which the index begins if none is.
        var last: Version
        /// The touches of each fingerprint, the newest first.
        var touches: [[Touch]]
    }

    /// The touches of some fingerprints.
    ///
    /// - Returns: nothing, up to ``start``, if there is no index, or what is needed of it is damaged.
    /// - Complexity: O(log n) buckets for each fingerprint.
    func touches(of fingerprints: [UInt32]) throws -> Found {
        let nothing = Found(last: start, touches: fingerprints.map { _ in [] })
        // Most stores are too small for an index; opening its database would wait for a writer.
        do {
            guard try hasCatalog(), let rows = try rows(create: false) else { return nothing }
            return try checkpoints.reading { txn in
                guard let catalog = try catalog(txn), let last = catalog.last else { return nothing }
                var found = Found(last: last, touches: nothing.touches)
                for segment in catalog.segments.reversed() {
                    for (index, fingerprint) in fingerprints.enumerated() {
                        let bucket = segment.bucket(of: fingerprint)
                        found.touches[index] += try touches(segment, bucket, of: fingerprint, rows, txn)
                    }
                }
                return found
            }
        } catch  where error is DamagedTouches || error.saysDamage {
            // If this fails, the next search finds the damage again.
            if !checkpoints.environment.options.isReadOnly { try? distrust() }
            return nothing
        }
    }

    /// The touches of a bucket, or of one fingerprint in it.
    private func touches(
        _ segment: TouchCatalog.Segment, _ bucket: Int, of fingerprint: UInt32? = nil,
        _ rows: Database<UInt64, [UInt8]>, _ txn: borrowing ReadTransaction
    ) throws -> [Touch] {
        try txn.withValue(forKey: segment.key(bucket), in: rows) { row in
            guard let row else { return [] }
            guard let touches = TouchCoding.touches(row, segment, bucket, of: fingerprint) else {
                throw DamagedTouches()
            }
            return touches
        }
    }

    /// A stored segment, for a merge or a check. Reading it throws ``DamagedTouches``.
    func input(_ segment: TouchCatalog.Segment, _ rows: Database<UInt64, [UInt8]>) -> TouchInput {
        TouchInput(segment) { [self] bucket in
            try checkpoints.reading { txn in try touches(segment, bucket, rows, txn) }
        } deletions: { [checkpoints] chunk in
            try checkpoints.reading { txn in
                try txn.withValue(forKey: segment.key(segment.bucketCount + chunk), in: rows) { row in
                    guard let versions = row.flatMap({ TouchCoding.deletions($0, segment, chunk) }) else {
                        throw DamagedTouches()
                    }
                    return versions
                }
            }
        }
    }
}
