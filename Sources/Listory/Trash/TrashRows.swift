// The rows that a view of the trash shows, as a value that shares its parts with earlier ones.
//
// Always holds: places ascend; the rows of `section` are those of the chunks; no chunk is empty.

import ListModel

/// The rows of a trash at one version, those that were deleted last first.
public struct UntypedTrashSnapshot: Sendable {
    /// The rows, as a list of one section, for a list view.
    public let core: UntypedSnapshot
    /// The rows, with where they were and who deleted them.
    public let rows: UntypedTrashedRows
    /// Whether these are all rows. Otherwise ``UntypedLiveTrash/loadMore(_:)`` reads further ones.
    public let isComplete: Bool

    /// The version.
    public var version: Version { core.version }
}

/// Rows of a trash, counted from 0.
public struct UntypedTrashedRows: RandomAccessCollection, Sendable {
    fileprivate let chunks: [[UntypedTrashedRow]]
    public let endIndex: Int

    public var startIndex: Int { 0 }

    /// The row at an index.
    ///
    /// - Complexity: O(n / 256).
    public subscript(index: Int) -> UntypedTrashedRow {
        var index = index
        for chunk in chunks {
            if index < chunk.count { return chunk[index] }
            index -= chunk.count
        }
        preconditionFailure("an index is less than the number of rows")
    }

    /// An iterator over the rows in order, O(1) each.
    public func makeIterator() -> FlattenSequence<[[UntypedTrashedRow]]>.Iterator { chunks.joined().makeIterator() }
}

/// The rows that a view has read.
struct TrashRows: Sendable {
    private var chunks: [[UntypedTrashedRow]] = []
    private var section = OneSection()
    private var places: [UntypedID: TrashPlace] = [:]

    var count: Int { places.count }

    private static let chunkSize = 256

    /// Adds rows that were deleted after all others.
    mutating func prepend(_ rows: [UntypedTrashedRow]) { insert(rows, beside: 0, isBefore: true) }

    /// Adds rows that were deleted before all others.
    mutating func append(_ rows: [UntypedTrashedRow]) { insert(rows, beside: chunks.count - 1, isBefore: false) }

    private mutating func insert(_ rows: [UntypedTrashedRow], beside chunk: Int, isBefore: Bool) {
        if rows.isEmpty { return }
        section.insert(rows.map(\.row), at: isBefore ? 0 : count)
        for row in rows { places[row.row.id] = row.place }
        if chunks.indices.contains(chunk), chunks[chunk].count + rows.count <= Self.chunkSize {
            chunks[chunk].insert(contentsOf: rows, at: isBefore ? 0 : chunks[chunk].count)
        } else {
            let new = stride(from: 0, to: rows.count, by: Self.chunkSize).map {
                Array(rows[$0..<min(rows.count, $0 + Self.chunkSize)])
            }
            chunks.insert(contentsOf: new, at: isBefore ? 0 : chunks.count)
        }
    }

    /// Removes a row, if it is there.
    ///
    /// - Returns: whether it was.
    /// - Complexity: O(log n + n / 256).
    mutating func remove(_ id: UntypedID) -> Bool {
        guard let place = places.removeValue(forKey: id) else { return false }
        let chunk = chunks.sortedIndex { $0[0].place > place } - 1
        let index = chunks[chunk].sortedIndex { $0.place >= place }
        section.remove(at: chunks[..<chunk].reduce(index) { $0 + $1.count })
        chunks[chunk].remove(at: index)
        if chunks[chunk].isEmpty {
            chunks.remove(at: chunk)
        } else if chunk + 1 < chunks.count && chunks[chunk].count + chunks[chunk + 1].count <= Self.chunkSize / 2 {
            chunks[chunk] += chunks.remove(at: chunk + 1)
        }
        return true
    }

    /// The rows as those of a version.
    mutating func snapshot(_ version: Version, isComplete: Bool) -> UntypedTrashSnapshot {
        UntypedTrashSnapshot(
            core: section.snapshot(version, section: "trash"),
            rows: UntypedTrashedRows(chunks: chunks, endIndex: count), isComplete: isComplete)
    }
}
