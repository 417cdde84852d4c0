// Where the rows of a section come from: pieces of what it was at first, and of runs that were inserted later. Each piece is some
// consecutive rows of one source, so events can be followed without reading any row.
//
// Always holds: no piece and no chunk is empty; the count of a chunk is the rows of its pieces.

/// Consecutive rows of one source.
struct RowPiece: Equatable {
    /// Where rows come from.
    enum Source: Equatable {
        /// A section of the list that the events begin with.
        case section(Int)
        /// The event of this number, which inserted them.
        case event(Int)
    }

    let source: Source
    /// The first of them in the source.
    var offset: Int
    var count: Int
    /// What happened to all of them since.
    var isToggled = false
    var isCollapseToggled = false
    var depth = 0
    /// The number of the event that gave them their content, if it is not that of the source.
    var update: Int?

    /// Some of the rows, counted from the first.
    fileprivate func rows(_ range: Range<Int>) -> RowPiece {
        var part = self
        (part.offset, part.count) = (offset + range.lowerBound, range.count)
        return part
    }
}

/// The pieces of a section, in the order of its rows.
struct PieceList {
    private struct Chunk {
        var pieces: [RowPiece]
        var count: Int
    }

    /// The most pieces of a chunk. To find a row, the chunks and then the pieces of one are passed over.
    private let capacity: Int
    private var chunks: [Chunk] = []
    /// How many rows there are.
    private(set) var count = 0

    /// A section of the list that the events begin with.
    init(section: Int, count: Int, capacity: Int) {
        self.capacity = capacity
        if count > 0 { insert([RowPiece(source: .section(section), offset: 0, count: count)], at: 0) }
    }

    /// Takes rows out.
    ///
    /// - Parameters:
    ///   - start: the first of them.
    ///   - count: how many; all of them are there.
    mutating func take(_ start: Int, _ count: Int) -> [RowPiece] {
        precondition(start >= 0 && count >= 0 && count <= self.count - start, "rows that are there")
        var taken: [RowPiece] = []
        var rest = count
        var (chunk, index, skipped) = place(of: start)
        while rest > 0 {
            if index == chunks[chunk].pieces.count { (chunk, index) = (chunk + 1, 0) }
            let piece = chunks[chunk].pieces[index]
            let end = min(piece.count, skipped + rest)
            taken.append(piece.rows(skipped..<end))
            let left = [piece.rows(0..<skipped), piece.rows(end..<piece.count)].filter { $0.count > 0 }
            chunks[chunk].pieces.replaceSubrange(index...index, with: left)
            chunks[chunk].count -= end - skipped
            rest -= end - skipped
            // What stays before the rows is passed over.
            index += skipped > 0 ? 1 : 0
            skipped = 0
        }
        self.count -= count
        if chunks.contains(where: { $0.count == 0 }) { chunks.removeAll { $0.count == 0 } }
        return taken
    }

    /// Puts rows in.
    ///
    /// - Parameter start: the place of the first, at most behind all rows.
    mutating func insert(_ pieces: [RowPiece], at start: Int) {
        precondition(start >= 0 && start <= count, "a place in the section")
        let added = pieces.reduce(0) { $0 + $1.count }
        if added == 0 { return }
        if chunks.isEmpty { chunks.append(Chunk(pieces: [], count: 0)) }
        var (chunk, index, skipped) = place(of: start)
        if skipped > 0 {
            let piece = chunks[chunk].pieces[index]
            let parts = [piece.rows(0..<skipped), piece.rows(skipped..<piece.count)]
            chunks[chunk].pieces.replaceSubrange(index...index, with: parts)
            index += 1
        }
        chunks[chunk].pieces.insert(contentsOf: pieces, at: index)
        chunks[chunk].count += added
        count += added
        while chunks[chunk].pieces.count > capacity {
            let half = Array(chunks[chunk].pieces.suffix(capacity / 2))
            chunks[chunk].pieces.removeLast(half.count)
            let moved = half.reduce(0) { $0 + $1.count }
            chunks[chunk].count -= moved
            chunks.insert(Chunk(pieces: half, count: moved), at: chunk + 1)
        }
    }

    /// Changes what is known of some rows.
    mutating func change(_ start: Int, _ count: Int, _ body: (inout RowPiece) -> Void) {
        var pieces = take(start, count)
        for index in pieces.indices { body(&pieces[index]) }
        insert(pieces, at: start)
    }

    /// The piece of a row, and how many of its rows are before that; behind the last piece of a chunk if there is no such row.
    private func place(of row: Int) -> (chunk: Int, index: Int, skipped: Int) {
        var (chunk, rest) = (0, row)
        while chunk < chunks.count - 1 && rest >= chunks[chunk].count {
            rest -= chunks[chunk].count
            chunk += 1
        }
        guard chunk < chunks.count else { return (0, 0, 0) }
        var index = 0
        while index < chunks[chunk].pieces.count && rest >= chunks[chunk].pieces[index].count {
            rest -= chunks[chunk].pieces[index].count
            index += 1
        }
        return (chunk, index, rest)
    }
}
