// A snapshot as one sequence of rows, with conversions between offsets and index paths.
//
// Always holds: `starts` ascends. `starts[i]` is the offset of the first row of section i, which is its header if the
// layout has headers. For an empty section without a header it is the offset of the next row.

/// The rows of a snapshot in one sequence, as a view without sections shows them.
///
/// ```swift
/// let rows = snapshot.rows(in: .rowsWithHeaders)
/// let offset = rows.offset(of: ListIndexPath(section: 1, item: 0))
/// ```
public struct LaidOutRows: RandomAccessCollection, Sendable {
    /// The snapshot that has the rows.
    public let snapshot: UntypedSnapshot
    /// The layout of the sections.
    public let layout: RowLayout
    let starts: [Int]
    /// The number of rows, including headers.
    public let count: Int

    /// - Complexity: O(s) for s sections.
    init(_ snapshot: UntypedSnapshot, _ layout: RowLayout) {
        self.snapshot = snapshot
        self.layout = layout
        let headers = layout == .rowsWithHeaders ? 1 : 0
        var starts: [Int] = []
        starts.reserveCapacity(snapshot.sectionCount)
        var start = 0
        var cursor = TreeCursor(snapshot.tree)
        while let section = cursor.next() {
            starts.append(start)
            start += headers + section.itemCount
        }
        self.starts = starts
        count = start
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    /// The row at an offset.
    ///
    /// - Complexity: O(log n).
    public subscript(offset: Int) -> SequenceRow {
        switch place(at: offset) {
        case .header(let index):
            let section = snapshot.sections[index]
            return .header(id: section.id, title: section.title)
        case .item(let path):
            return .item(snapshot.sections[path.section].items[path.item])
        }
    }

    /// The place of an offset in `0 ..< count`.
    ///
    /// - Complexity: O(log s) for s sections.
    public func place(at offset: Int) -> RowPlace {
        precondition(offset >= 0 && offset < count, "offset outside the rows")
        // If several sections begin at the offset, the last one has the row; the others are empty.
        let section = starts.sortedIndex { $0 > offset } - 1
        let item = offset - starts[section] - (hasHeaders ? 1 : 0)
        return item < 0 ? .header(section: section) : .item(ListIndexPath(section: section, item: item))
    }

    /// The offset of the row at an index path, or nil if there is no such row.
    ///
    /// - Complexity: O(1).
    public func offset(of path: ListIndexPath) -> Int? {
        guard starts.indices.contains(path.section), path.item >= 0, path.item < itemCount(inSection: path.section)
        else { return nil }
        return itemOffset(path)
    }

    /// The offset of the header of a section, or nil if there is none in this layout.
    ///
    /// - Complexity: O(1).
    public func offset(ofHeader section: Int) -> Int? {
        hasHeaders && starts.indices.contains(section) ? starts[section] : nil
    }

    /// An iterator over the rows in order, O(1) each.
    public func makeIterator() -> LaidOutRowIterator { LaidOutRowIterator(self) }

    var hasHeaders: Bool { layout == .rowsWithHeaders }

    /// The offset of an existing row.
    func itemOffset(_ path: ListIndexPath) -> Int { starts[path.section] + (hasHeaders ? 1 : 0) + path.item }

    /// The number of items of a section.
    func itemCount(inSection section: Int) -> Int {
        (section + 1 < starts.count ? starts[section + 1] : count) - starts[section] - (hasHeaders ? 1 : 0)
    }
}

/// An iterator over the rows of a sequence.
public struct LaidOutRowIterator: IteratorProtocol {
    private let pool: NodePool
    private let hasHeaders: Bool
    private var sections: TreeCursor<SectionEntry>
    private var items: TreeCursor<UntypedRow>?

    init(_ rows: LaidOutRows) {
        pool = rows.snapshot.tree.pool
        hasHeaders = rows.hasHeaders
        sections = TreeCursor(rows.snapshot.tree)
    }

    public mutating func next() -> SequenceRow? {
        while true {
            if let item = items?.next() { return .item(item) }
            guard let section = sections.next() else { return nil }
            items = TreeCursor(section.items(pool))
            if hasHeaders { return .header(id: section.id, title: section.title) }
        }
    }
}

extension UntypedSnapshot {
    /// The rows in one sequence.
    ///
    /// - Complexity: O(s) for s sections; no rows are read.
    public func rows(in layout: RowLayout) -> LaidOutRows { LaidOutRows(self, layout) }
}

/// The layout of the sections of a list in one sequence of rows.
public enum RowLayout: Hashable, Sendable, CaseIterable {
    /// The rows of all sections, one after another.
    case rows
    /// The rows of all sections, with a row for its header before each section, even if the section has no rows.
    case rowsWithHeaders
}

/// The header or row at an offset of a sequence.
public enum RowPlace: Hashable, Sendable {
    /// The header of the section at an index.
    case header(section: Int)
    /// The row at an index path.
    case item(ListIndexPath)
}

/// A row of a sequence.
public enum SequenceRow: Equatable, Sendable {
    /// The header of a section.
    case header(id: UntypedID, title: String)
    /// An item.
    case item(UntypedRow)

    /// The identity of the row, which never changes.
    public var identity: RowIdentity {
        switch self {
        case .header(let id, _): .header(id)
        case .item(let item): .item(item.id)
        }
    }

    public static func == (left: SequenceRow, right: SequenceRow) -> Bool {
        switch (left, right) {
        case (.item(let left), .item(let right)): left == right
        case (.header(let leftID, let left), .header(let rightID, let right)):
            leftID == rightID && left.hasSameBytes(as: right)
        default: false
        }
    }
}

/// The identity of a row of a sequence. Sections and items are different cases, because a section and an item may have
/// the same id.
public enum RowIdentity: Hashable, Sendable {
    /// The header of the section with an id.
    case header(UntypedID)
    /// The item with an id.
    case item(UntypedID)
}
