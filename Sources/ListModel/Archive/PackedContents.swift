// The contents of a block, in chunks that are compressed by themselves, so that one content can be read alone.
//
// Always holds: contents are in the order of the log; those of a commit are in one chunk; in its record, a content begins
// after the one before it ends.

/// Collects the contents of a block.
struct ContentWriter {
    /// The chunks: how many commits each has.
    private(set) var chunks: [(commitCount: Int, plain: [UInt8])] = []
    private var columns = ColumnWriter()
    private var (commitCount, byteCount) = (0, 0)

    /// Adds the contents of the next commit.
    mutating func append(_ contents: [Range<Int>], of record: UnsafeRawBufferPointer) {
        columns.put(.contentCounts, UInt64(contents.count))
        var end = 0
        for content in contents {
            columns.put(.contentGaps, next: Int64(content.lowerBound - end))
            columns.put(.contentLengths, next: Int64(content.count))
            columns.put(.contentBytes, bytes: UnsafeRawBufferPointer(rebasing: record[content]))
            end = content.upperBound
            byteCount += content.count
        }
        commitCount += 1
        if byteCount >= PackedLimits.chunkBytes || commitCount == PackedLimits.chunkCommits { endChunk() }
    }

    /// Completes the last chunk.
    mutating func endChunk() {
        if commitCount == 0 { return }
        chunks.append((commitCount, columns.plain(.contents)))
        (columns, commitCount, byteCount) = (ColumnWriter(), 0, 0)
    }
}

/// Reads the contents of a block, commit by commit.
struct ContentReader {
    private let block: PackedBlock
    private var columns: ColumnReader
    /// The commit after those of the chunk that was unpacked last.
    private var end: Int
    /// The next commit, counted from the first of the block.
    private var commit: Int
    /// How many contents of the present commit are still to come, and where the last one ended in the record.
    private(set) var remaining = 0
    private var place = 0

    /// - Parameter commit: a commit of the block; reading begins with it, or with others before it.
    init(_ block: PackedBlock, near commit: Int = 0) throws {
        self.block = block
        let chunk = block.contents(of: commit)
        (columns, self.commit, end) = (try block.reader(chunk), chunk.commits.lowerBound, chunk.commits.upperBound)
    }

    /// Begins the next commit, and returns its number.
    mutating func beginCommit() throws -> Int {
        if commit == end {
            let chunk = block.contents(of: commit)
            (columns, end) = (try block.reader(chunk), chunk.commits.upperBound)
        }
        remaining = try columns.count(.contentCounts, eachIn: .contentLengths)
        place = 0
        commit += 1
        return commit - 1
    }

    /// Ends the commit, of which all contents were read.
    func endCommit() throws {
        guard remaining == 0 else {
            throw columns.error(.contentCounts, "number of contents", expected: "\(remaining) fewer", found: "more")
        }
    }

    /// The next content of the commit: where it lies in the record, and its bytes, valid until another commit begins.
    mutating func next() throws -> (offset: Int, bytes: UnsafeRawBufferPointer) {
        guard remaining > 0 else {
            throw columns.error(.contentCounts, "number of contents", expected: "more", found: "as many as were read")
        }
        remaining -= 1
        let gap = try columns.following(.contentGaps)
        let length = try columns.following(.contentLengths)
        let most = Int64(PackedLimits.recordBytes - place)
        // A byte before it says what it is.
        guard gap > 0, length >= 0, gap <= most, length <= most - gap else {
            throw columns.error(.contentLengths, "content", expected: "one in its record", found: "\(gap), \(length)")
        }
        let offset = place + Int(gap)
        place = offset + Int(length)
        return (offset, try columns.bytes(.contentBytes, Int(length)))
    }
}

extension PackedBlock {
    /// Calls `body` with the bytes that `reference` points to, valid only until it returns.
    ///
    /// - Throws: ``RecordError`` if the block is damaged or holds no content at that place, or what `body` throws.
    /// - Complexity: that of unpacking a chunk: some 20 microseconds.
    package func withContent<Result>(
        of reference: ContentReference, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        _ = try checkedEnd(reference.version)
        let commit = Int(reference.version.rawValue - first.rawValue)
        var reader = try ContentReader(self, near: commit)
        while try reader.beginCommit() < commit { while reader.remaining > 0 { _ = try reader.next() } }
        while reader.remaining > 0 {
            let content = try reader.next()
            if content.offset == Int(reference.offset) && content.bytes.count == Int(reference.length) {
                return try withExtendedLifetime(reader) { try body(content.bytes) }
            }
        }
        throw RecordError(
            version: reference.version, offset: Int(reference.offset),
            problem: .invalid(what: "content", expected: "one of \(reference.length) bytes", found: "none"))
    }
}
