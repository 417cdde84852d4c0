// The index of touches in the file: which commits changed which row. A row of `meta` lists its segments.
//
// The index follows from the log. It is extended after each checkpoint, and before commits are packed; later commits are read from the log.
//
// Always holds: the commits up to the last indexed one are in exactly one segment each; what is damaged is never used.

import LMDB
import ListModel

/// The stored index of touches of a file.
final class TouchDatabase: Sendable {
    let checkpoints: CheckpointDatabase
    /// The version after which the index begins: the last that a compaction may have packed. An index of those commits would be larger
    /// than they are.
    let start: Version
    /// The database, once it was opened.
    private let opened = Locked(Opened())

    private struct Opened: Sendable {
        var rows: Database<UInt64, [UInt8]>?
    }

    init(_ checkpoints: CheckpointDatabase, _ base: LogBase) {
        self.checkpoints = checkpoints
        start = max(base.version, base.lastPacked)
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

    /// Whether there is a catalog, sound or not, but for one of an earlier build.
    func hasCatalog() throws -> Bool {
        try checkpoints.reading { txn in
            try txn.withValue(forKey: LogFormat.touchCatalogKey, in: checkpoints.meta) { row in
                row.map { !TouchCatalog.isOfEarlierBuild($0) } ?? false
            }
        }
    }

    private func catalog(_ txn: borrowing some Transaction & ~Copyable) throws -> TouchCatalog? {
        let catalog = try txn.withValue(forKey: LogFormat.touchCatalogKey, in: checkpoints.meta) { row in
            row.flatMap { TouchCatalog($0) }
        }
        guard let catalog, catalog.segments.first.map({ $0.first == start.next }) ?? true else { return nil }
        return catalog
    }
}

/// Some consecutive landmarks: versions of commits that deleted rows or changed sections.
struct Landmarks: Sendable {
    /// The versions, the newest first.
    var versions: [Version]
    /// No other commit from this version on, up to where the search began, is one.
    var since: Version
}

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
        return try reading { catalog, rows, txn in
            var found = Found(last: catalog.last ?? start, touches: nothing.touches)
            for segment in catalog.segments.reversed() {
                for (index, fingerprint) in fingerprints.enumerated() {
                    let bucket = segment.bucket(of: fingerprint)
                    found.touches[index] += try touches(segment, bucket, of: fingerprint, rows, txn)
                }
            }
            return found
        } ?? nothing
    }

    /// The landmarks right before a version.
    ///
    /// - Returns: the last indexed commit, or ``start``; and unless the commit before the version is not indexed, some of the landmarks
    ///   before the version.
    /// - Complexity: O(log n) rows.
    func landmarks(before end: Version) throws -> (last: Version, found: Landmarks?) {
        try reading { catalog, rows, txn in
            let last = catalog.last ?? start
            guard let segment = catalog.segments.last(where: { $0.first < end }), end.previous <= last else {
                return (last, nil)
            }
            // The first chunk that has an older version.
            var (first, next) = (0, segment.landmarkCount)
            while first < next {
                let middle = (first + next) / 2
                let oldest = try landmarks(segment, middle, rows, txn).last
                if let oldest, oldest < end { next = middle } else { first = middle + 1 }
            }
            guard first < segment.landmarkCount else { return (last, Landmarks(versions: [], since: segment.first)) }
            let versions = try landmarks(segment, first, rows, txn)
            let isLast = first == segment.landmarkCount - 1
            return (
                last,
                Landmarks(
                    versions: versions.filter { $0 < end }, since: isLast ? segment.first : versions.last!)
            )
        } ?? (start, nil)
    }

    /// Calls `body` with the index.
    ///
    /// - Returns: nil if there is no index, or what `body` reads of it is damaged.
    private func reading<Result>(
        _ body: (TouchCatalog, Database<UInt64, [UInt8]>, borrowing ReadTransaction) throws -> Result
    ) throws -> Result? {
        // Most stores are too small for an index; opening its database would wait for a writer.
        do {
            guard try hasCatalog(), let rows = try rows(create: false) else { return nil }
            return try checkpoints.reading { txn in
                guard let catalog = try catalog(txn), catalog.last != nil else { return nil }
                return try body(catalog, rows, txn)
            }
        } catch  where error is DamagedTouches || error.saysDamage {
            // If this fails, the next search finds the damage again.
            if !checkpoints.environment.options.isReadOnly { try? distrust() }
            return nil
        }
    }

    private func landmarks(
        _ segment: TouchCatalog.Segment, _ chunk: Int, _ rows: Database<UInt64, [UInt8]>,
        _ txn: borrowing ReadTransaction
    ) throws -> [Version] {
        try txn.withValue(forKey: segment.key(segment.bucketCount + chunk), in: rows) { row in
            guard let versions = row.flatMap({ TouchCoding.landmarks($0, segment, chunk) }) else {
                throw DamagedTouches()
            }
            return versions
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
        } landmarks: { [self] chunk in
            try checkpoints.reading { txn in try landmarks(segment, chunk, rows, txn) }
        }
    }
}
