// Packs commits into the columns of a block: the headers of records, and the block as a whole.
// `CommitEncoder+Events.swift` packs the events.
//
// Always holds: a packed commit follows from its values and the state alone (`ExactCommit`); `context` equals the
// decoder's at the same place.

/// Packs commits into the columns of a block.
struct CommitEncoder: ~Copyable {
    let first: Version
    private let checksumBefore: UInt64

    /// The values of each column.
    private var columns = [[Int64]](repeating: [], count: PackedColumn.allCases.count)
    var literals = ByteWriter()
    var context: PackingContext
    /// For the remaining contents of the present event: whether they are new.
    var isNew: ArraySlice<Bool> = []
    /// The remaining contents of the present commit in its record.
    private var ranges: ArraySlice<Range<Int>> = []
    private var contentEnd = 0

    private var contents = ContentPacking()
    var annotations = AnnotationPacking()
    private var names = NameTable()
    private var origins = NameTable()

    private(set) var commitCount = 0
    private(set) var recordBytes = 0
    private var eventCount = 0
    private var checksum: UInt64 = 0
    private var stateHash = StateHash(rawValue: 0)

    /// Strings, numbered in the order of their first use.
    struct NameTable {
        private(set) var names: [String] = []
        // Keyed by identifier, because strings of different bytes can be equal.
        private var numbers: [UntypedID: Int] = [:]

        mutating func number(of name: String) -> Int64 {
            if let number = numbers[.string(name)] { return Int64(number) }
            numbers[.string(name)] = names.count
            names.append(name)
            return Int64(names.count - 1)
        }
    }

    /// An encoder of a block that begins with the commit of a version.
    init(first: Version, checksumBefore: UInt64) {
        self.first = first
        self.checksumBefore = checksumBefore
        context = PackingContext(first: first)
    }

    @inline(__always)
    mutating func put(_ column: PackedColumn, _ value: Int64) { columns[column.rawValue].append(value) }

    /// Packs the next commit.
    mutating func append(_ commit: ExactCommit, _ record: UnsafeRawBufferPointer) {
        let header = commit.header
        put(.origins, origins.number(of: commit.origin))
        let mark = HistoryMark(scope: header.tracking.scope { commit.origin }, entry: header.entry)
        putHistory(header, mark.scope)
        put(.times, header.time.microseconds &- context.time)
        context.time = header.time.microseconds
        put(.names, names.number(of: commit.name))
        put(.eventCounts, Int64(header.eventCount) - 1)
        put(.contentCounts, Int64(commit.contents.count) - context.contentCount)
        context.contentCount = Int64(commit.contents.count)
        context.remainingContents = commit.contents.count
        contentEnd = 0
        ranges = commit.contents[...]
        isNew = commit.isNew[...]
        for event in commit.events { putEvent(event) }
        for range in commit.contents { contents.append(UnsafeRawBufferPointer(rebasing: record[range])) }
        context.endCommit(mark)
        commitCount += 1
        eventCount += header.eventCount
        recordBytes += record.count
        checksum = header.checksum
        stateHash = header.stateHash
    }

    private mutating func putHistory(_ header: RecordHeader, _ scope: HistoryScope?) {
        let (cause, version) = (header.cause, context.version)
        let number = cause.number
        put(.causes, Int64(number) - context.cause)
        context.cause = Int64(number)
        let flags = Int64(header.flags.rawValue)
        put(.flags, flags - context.flags)
        context.flags = flags
        if let target = cause.target {
            put(.targets, Int64(target.rawValue) - Int64(context.predictedTarget(number, scope ?? .shared).rawValue))
        }
        guard let scope else { return }
        let entry = header.entry
        let predicted = context.predictedEntry(cause, continues: header.flags.contains(.continues), in: scope)
        if entry == predicted { return put(.histories, 0) }
        put(.histories, 1)
        // Steps first, then the rest as in the record, each as a difference from its prediction.
        put(.historyParts, entry.steps &- predicted.steps)
        let guesses = predicted.words(at: version)
        for (index, word) in entry.words(at: version).enumerated() {
            put(.historyParts, Int64(bitPattern: word &- (index < guesses.count ? guesses[index] : 0)))
        }
    }

    /// Packs where the next content is, which is new.
    mutating func putNewContent() {
        guard let range = ranges.popFirst() else { preconditionFailure("every new content has a range") }
        if contentEnd == 0 {
            put(.contentStarts, Int64(range.lowerBound) - context.contentStart)
            context.contentStart = Int64(range.lowerBound)
        } else {
            put(.contentGaps, Int64(range.lowerBound - contentEnd))
        }
        contentEnd = range.upperBound
        context.remainingContents -= 1
    }
}

// MARK: - The block

extension CommitEncoder {
    /// The block of the commits that were appended, of which there is at least one.
    ///
    /// - Complexity: O(values + bytes of contents).
    consuming func finish() -> [UInt8] {
        let (affixes, choices, lengths) = contents.withAffix()
        columns[PackedColumn.contentAffixes.rawValue] = choices
        columns[PackedColumn.contentLengths.rawValue] = lengths
        var parts = ByteWriter()
        var sizes: [Int] = []
        for values in columns {
            let start = parts.count
            ColumnWriter(values).write(to: &parts)
            sizes.append(parts.count - start)
        }
        sizes.append(literals.count)
        literals.withBytes { parts.write(raw: $0) }
        let start = parts.count
        for table in [names.names, origins.names] {
            parts.write(count: table.count)
            for name in table { parts.write(name) }
        }
        annotations.write(to: &parts)
        sizes.append(parts.count - start)
        contents.write(affixes, choices, to: &parts)

        var writer = ByteWriter()
        writeHeader(affixes, to: &writer)
        for size in sizes { writer.write(count: size) }
        parts.withBytes { writer.write(raw: $0) }
        let first = first.rawValue
        writer.patch(writer.withBytes { PackedLayout.checksum($0, first: first) }, at: 0)
        return writer.withBytes { Array($0) }
    }

    private borrowing func writeHeader(_ affixes: [ContentPacking.Affix], to writer: inout ByteWriter) {
        writer.write(fixed: UInt64(0))
        writer.write(fixed: first.rawValue)
        writer.write(fixed: checksumBefore)
        writer.write(fixed: checksum)
        writer.write(fixed: stateHash.rawValue)
        for count in [commitCount, eventCount, recordBytes] { writer.write(fixed: UInt32(count)) }
        writer.write(byte: PackedLimits.currentFormat)
        writer.write(count: affixes.count)
        for affix in affixes {
            for half in [affix.prefix, affix.suffix] {
                writer.write(byte: UInt8(half.count))
                half.withUnsafeBytes { writer.write(raw: $0) }
            }
        }
    }
}
