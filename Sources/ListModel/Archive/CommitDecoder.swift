// Unpacks a block commit by commit: the header of each record, and the contents.
// `CommitDecoder+Events.swift` unpacks the events.
//
// Always holds: `context` equals the packer's at the same place. All values are checked, and `budget` bounds what
// damaged bytes can request.

/// The header of a commit, for a listing of the log.
package struct PackedCommit: Sendable {
    /// The version that the commit made.
    package let version: Version
    /// Why it was made.
    package let cause: Commit.Cause
    /// The name of the user's action.
    package let name: String
    /// Who made it.
    package let origin: String
    /// When it was made.
    package let time: Timestamp
    /// Which history it belongs to.
    package let tracking: Tracking
    /// Whether it is discardable.
    package let isDiscardable: Bool
    /// Its mark in the history of its scope.
    package let mark: HistoryMark
    /// How many events it has.
    package let eventCount: Int
}

/// A content that lies in a block.
struct PackedContent {
    /// Which affix it has; 0 is none.
    var affix: Int
    /// Where the rest lies, in the block.
    var body: Range<Int>
    /// Where the content lies in the record, and how long it is there.
    var offset: Int
    var length: Int
}

/// Unpacks the commits of a block in order.
struct CommitDecoder: ~Copyable {
    let block: PackedBlock
    var columns: [ColumnReader]
    var literals: RecordReader
    var context: PackingContext
    /// The contents of the event that was unpacked last, in the order of the record; nil stands for a reference.
    var newContents: [PackedContent?] = []

    private let names: [String]
    private let origins: [String]
    private var annotations: AnnotationUnpacking?
    /// How many bytes of records may still come.
    private var budget: Int
    /// Where the next content lies, in the block.
    private var contentOffset: Int
    /// Where the last content of the present commit ends, in the record.
    private var contentEnd = 0

    init(_ block: PackedBlock) throws {
        let columns = try PackedColumn.allCases.map { try block.reader($0) }
        let literals = try block.reader(block.literals)
        var reader = try block.reader(block.names)
        let names = try reader.readNames()
        let origins = try reader.readNames()
        annotations = reader.isAtEnd ? nil : try AnnotationUnpacking(reader, block.names.upperBound)
        self.block = block
        self.columns = columns
        self.literals = literals
        self.names = names
        self.origins = origins
        context = PackingContext(first: block.first)
        budget = block.recordBytes
        contentOffset = block.contents.lowerBound
    }

    @inline(__always)
    mutating func next(_ column: PackedColumn) throws -> Int64 { try columns[column.rawValue].next() }

    /// An error in a value that was just read.
    func error(_ column: PackedColumn, _ what: String, expected: String, found: String) -> RecordError {
        let error = columns[column.rawValue].error(what, expected: expected, found: found)
        return RecordError(version: context.version, offset: error.offset, problem: error.problem)
    }

    /// An index, as a difference from its prediction.
    @inline(__always)
    mutating func readIndex(_ column: PackedColumn, predicted: Int64, _ what: StaticString) throws -> Int {
        let value = predicted &+ (try next(column))
        // Far more than any list has, and far from overflow.
        guard value >= 0 && value < 1 << 48 else {
            throw error(column, "\(what)", expected: "an index", found: String(value))
        }
        return Int(value)
    }

    /// Counts bytes that the record must have at least.
    @inline(__always)
    mutating func spend(_ column: PackedColumn, _ bytes: Int) throws {
        guard bytes <= budget else {
            throw error(column, "size", expected: "\(block.recordBytes) bytes of records", found: "more")
        }
        budget &-= bytes
    }
}

// MARK: - Commits

extension CommitDecoder {
    /// Unpacks the header of the next commit.
    mutating func nextCommit() throws -> PackedCommit {
        try spend(.causes, RecordLayout.variable + 3)
        let version = context.version
        let origin = try readString(.origins, origins)
        let (cause, flags, mark) = try readHistory(version, origin)
        context.time &+= try next(.times)
        let name = try readString(.names, names)
        let eventCount = try next(.eventCounts) &+ 1
        guard eventCount >= (cause.isMove ? 0 : 1) && eventCount <= budget else {
            throw error(.eventCounts, "number of events", expected: "1 to \(budget)", found: String(eventCount))
        }
        context.contentCount &+= try next(.contentCounts)
        guard context.contentCount >= 0 && context.contentCount <= budget else {
            let found = String(context.contentCount)
            throw error(.contentCounts, "number of contents", expected: "at most \(budget)", found: found)
        }
        context.remainingContents = Int(context.contentCount)
        contentEnd = 0
        return PackedCommit(
            version: version, cause: cause, name: name, origin: origin,
            time: Timestamp(microseconds: context.time), tracking: flags.tracking ?? .untracked,
            isDiscardable: flags.contains(.isDiscardable), mark: mark, eventCount: Int(eventCount))
    }

    /// Ends a commit whose events were unpacked.
    mutating func endCommit(_ commit: PackedCommit) throws {
        guard context.remainingContents == 0 else {
            throw error(
                .contentCounts, "number of contents", expected: String(context.contentCount),
                found: "\(context.remainingContents) fewer")
        }
        context.endCommit(commit.mark)
    }

    /// Ends a commit whose events are skipped.
    mutating func skipEvents(_ commit: PackedCommit) { context.endCommit(commit.mark) }

    private mutating func readHistory(
        _ version: Version, _ origin: String
    ) throws -> (Commit.Cause, RecordFlags, HistoryMark) {
        context.cause &+= try next(.causes)
        context.flags &+= try next(.flags)
        guard let number = UInt8(exactly: context.cause), number <= 5 else {
            throw error(.causes, "cause", expected: "0 to 5", found: String(context.cause))
        }
        guard let bits = UInt16(exactly: context.flags), bits & ~RecordFlags.known == 0,
            let tracking = RecordFlags(rawValue: bits).tracking
        else { throw error(.flags, "flags", expected: "known ones", found: String(context.flags)) }
        let flags = RecordFlags(rawValue: bits)
        let scope = tracking.scope { origin }
        let cause = try readCause(number, version, scope ?? .shared)
        guard let scope else { return (cause, flags, HistoryMark(scope: nil, entry: .untracked)) }
        var entry = context.predictedEntry(cause, continues: flags.contains(.continues), in: scope)
        if try next(.histories) != 0 {
            entry = try readEntry(entry, isNode: !cause.isMove, flags, version)
        }
        return (cause, flags, HistoryMark(scope: scope, entry: entry))
    }

    private mutating func readCause(
        _ number: UInt8, _ version: Version, _ scope: HistoryScope
    ) throws -> Commit.Cause {
        if number == 0 { return .edit }
        let target = Int64(context.predictedTarget(number, scope).rawValue) &+ (try next(.targets))
        guard target >= 0 && target < version.rawValue,
            let cause = Commit.Cause(number: number, target: Version(UInt64(target)))
        else { throw error(.targets, "target", expected: "a version before \(version)", found: String(target)) }
        return cause
    }

    private mutating func readEntry(
        _ predicted: HistoryEntry, isNode: Bool, _ flags: RecordFlags, _ version: Version
    ) throws -> HistoryEntry {
        let guesses = predicted.words(at: version)
        let steps = predicted.steps &+ (try next(.historyParts))
        guard steps >= 0 && steps <= version.rawValue else {
            throw error(.historyParts, "number of steps", expected: "at most \(version)", found: String(steps))
        }
        let shape = HistoryEntry.Shape(isNode: isNode, continues: flags.contains(.continues), steps: Int(steps))
        var index = 0
        var values = columns[PackedColumn.historyParts.rawValue]
        let failure = values
        defer { columns[PackedColumn.historyParts.rawValue] = values }
        return try HistoryEntry(shape, at: version) {
            defer { index += 1 }
            return (index < guesses.count ? guesses[index] : 0) &+ UInt64(bitPattern: try values.next())
        } fail: { what, found in
            failure.error("\(what)", expected: "one of this log", found: String(found))
        }
    }

    private mutating func readString(_ column: PackedColumn, _ strings: [String]) throws -> String {
        let value = try next(column)
        guard value >= 0 && value < strings.count else {
            throw error(column, "name", expected: "one of \(strings.count)", found: String(value))
        }
        return strings[Int(value)]
    }
}

// MARK: - Contents

extension CommitDecoder {
    /// Unpacks where the next content of the commit is.
    mutating func readNewContent() throws -> ContentReference {
        guard context.remainingContents > 0 else {
            throw error(.contentTags, "content", expected: "\(context.contentCount) in the commit", found: "more")
        }
        let isFirst = context.remainingContents == Int(context.contentCount)
        let offset: Int64
        if isFirst {
            context.contentStart &+= try next(.contentStarts)
            offset = context.contentStart
        } else {
            offset = Int64(contentEnd) &+ (try next(.contentGaps))
        }
        let affix = try next(.contentAffixes)
        let bodyLength = try next(.contentLengths)
        let content = try block.content(
            affix: affix, bodyLength: bodyLength, bodyOffset: contentOffset, offset: offset, after: contentEnd,
            columns[PackedColumn.contentStarts.rawValue])
        try spend(.contentLengths, content.length)
        contentEnd = content.offset + content.length
        contentOffset = content.body.upperBound
        context.remainingContents -= 1
        newContents.append(content)
        return ContentReference(
            version: context.version, offset: UInt32(content.offset), length: UInt32(content.length),
            hash: block.withBytes(of: content) { ContentReference.hash(of: $0) })
    }
}

// MARK: - Annotations

extension CommitDecoder {
    /// Unpacks an annotation.
    mutating func readAnnotation() throws -> PackedEvent {
        guard let annotation = try annotations?.next(&context.annotations, atMost: budget) else {
            throw error(.kinds, "kind of event", expected: "another, without annotations", found: "an annotation")
        }
        try spend(.kinds, annotation.name.utf8.count + annotation.value.count)
        return .annotated(name: annotation.name, value: annotation.value)
    }
}

extension RecordReader {
    /// Reads a table of names.
    mutating func readNames() throws -> [String] {
        let count = try readCount("a number of names")
        return try (0..<count).map { _ in try readString("a name") }
    }
}
