// The commits of a block without their events: what is in the headers of their records and does not follow from the state.
// They are compressed in chunks of some hundred commits, so that one header can be read without those of the whole block.
//
// Always holds: what was read is possible at its version; whether it is what was packed, the checksum of the last record
// shows.

/// The header of a packed commit.
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

/// The strings of some columns, numbered in the order of their first use.
struct StringNumbers {
    private let column: PackedColumn
    // Keyed by identifier, because strings of different bytes can be equal.
    private var numbers: [UntypedID: Int] = [:]

    /// - Parameter column: where the strings are written.
    init(in column: PackedColumn) { self.column = column }

    /// The number of a string, which is added to the column of strings if it is new.
    mutating func number(of string: String, in columns: inout ColumnWriter) -> Int {
        if let number = numbers[.string(string)] { return number }
        let number = numbers.count
        numbers[.string(string)] = number
        var string = string
        columns.code(&string, column, column)
        return number
    }
}

extension ColumnReader {
    /// All strings of a column.
    ///
    /// - Parameter most: how many there are at most.
    mutating func strings(_ column: PackedColumn, atMost most: Int) throws -> [String] {
        var strings: [String] = []
        while !isAtEnd(column) {
            guard strings.count < most else {
                throw error(column, "string", expected: "one for each use at most", found: "more")
            }
            strings.append(try string(column, count(column, eachIn: column)))
        }
        return strings
    }
}

/// Collects the headers of the commits of a block.
struct HeaderWriter {
    /// The chunks: how many commits each has.
    private(set) var chunks: [(commitCount: Int, plain: [UInt8])] = []
    private var columns = ColumnWriter()
    private var strings = StringNumbers(in: .strings)
    private var commitCount = 0
    private let chunkSize: Int

    /// - Parameter chunkSize: how many commits a chunk has.
    init(chunkSize: Int) { self.chunkSize = chunkSize }

    /// Adds the header of the next commit.
    mutating func append(_ commit: PackedCommit) {
        columns.put(.causes, UInt64(commit.cause.number))
        if let target = commit.cause.target { columns.put(.targets, commit.version.rawValue - target.rawValue) }
        var flags = RecordFlags(commit.tracking, isDiscardable: commit.isDiscardable)
        if case .node(let node) = commit.mark.entry, node.continues { flags.insert(.continues) }
        columns.put(.flags, UInt64(flags.rawValue))
        columns.put(.times, next: commit.time.microseconds)
        columns.put(.names, UInt64(strings.number(of: commit.name, in: &columns)))
        columns.put(.origins, UInt64(strings.number(of: commit.origin, in: &columns)))
        columns.put(.eventCounts, UInt64(commit.eventCount))
        if commit.tracking != .untracked {
            columns.put(.steps, next: commit.mark.entry.steps)
            for (index, word) in commit.mark.entry.words(at: commit.version).enumerated() {
                columns.put(.places(index), next: Int64(bitPattern: word))
            }
        }
        commitCount += 1
        if commitCount == chunkSize { endChunk() }
    }

    /// Completes the last chunk.
    mutating func endChunk() {
        if commitCount == 0 { return }
        chunks.append((commitCount, columns.plain(.headers)))
        (columns, strings, commitCount) = (ColumnWriter(), StringNumbers(in: .strings), 0)
    }
}

/// The headers of one chunk of commits, or some of their columns.
package struct PackedHeaders: Sendable {
    /// Which columns are read: whoever needs a few of them waits half as long.
    package enum Columns: Sendable {
        /// What a list of commits shows: ``info(_:)``.
        case info
        /// What a replay needs: which history each commit has, and how many events.
        case events
        /// All: also the marks of commits in their histories.
        case all
    }

    /// The columns that were read.
    package let columns: Columns
    /// The version of the first commit.
    package let first: Version
    /// The names and origins.
    private let strings: [String]
    private var causes: [Commit.Cause] = []
    private var flags: [RecordFlags] = []
    private var times: [Int64] = []
    private var (names, origins): ([Int], [Int]) = ([], [])
    private var eventCounts: [Int] = []
    /// The places in histories.
    private var entries: [HistoryEntry] = []

    /// The versions of the commits.
    package var versions: Range<Version> { first..<Version(first.rawValue + UInt64(causes.count)) }

    /// Reads the headers of the commit of a block, and of those around it.
    fileprivate init(_ block: PackedBlock, near commit: Int, _ wanted: Columns) throws {
        self.columns = wanted
        let chunk = block.headers(of: commit)
        var columns = try block.reader(chunk)
        let count = chunk.commits.count
        first = Version(block.first.rawValue + UInt64(chunk.commits.lowerBound))
        strings = try columns.strings(.strings, atMost: 2 * count)
        causes = try Self.causes(&columns, first, count)
        let (causes, stringCount, most) = (causes, strings.count, PackedLimits.totalBytes)
        func numbersOfStrings(_ column: PackedColumn) throws -> [Int] {
            try columns.map(column, count: count, "string", expected: "one of \(stringCount)") { _, number in
                number < stringCount ? Int(number) : nil
            }
        }
        origins = try numbersOfStrings(.origins)
        if wanted != .events {
            names = try numbersOfStrings(.names)
            var time: Int64 = 0
            times = try columns.map(.times, count: count, "time", expected: "any") { _, difference in
                time &+= Int64(zigzag: difference)
                return time
            }
        }
        if wanted == .info { return }
        flags = try columns.map(.flags, count: count, "flags", expected: "known ones") { place, bits in
            guard bits <= RecordFlags.known, let tracking = RecordFlags(rawValue: UInt16(bits)).tracking,
                tracking != .untracked || !causes[place].isMove
            else { return nil }
            return RecordFlags(rawValue: UInt16(bits))
        }
        eventCounts = try columns.map(
            .eventCounts, count: count, "number of events",
            expected: "at most \(most), and 0 only of an undo, a redo or a go"
        ) { place, number in number <= most && (number > 0 || causes[place].isMove) ? Int(number) : nil }
        if wanted == .all { entries = try (0..<count).map { try entry(&columns, $0) } }
    }

    private static func causes(
        _ columns: inout ColumnReader, _ first: Version, _ count: Int
    ) throws -> [Commit.Cause] {
        var hasTargets = false
        let numbers = try columns.map(.causes, count: count, "cause", expected: "at most 5") { _, number in
            hasTargets = hasTargets || number > 0
            return number <= 5 ? UInt8(number) : nil
        }
        var causes = [Commit.Cause](repeating: .edit, count: count)
        guard hasTargets else { return causes }
        for (place, number) in numbers.enumerated() where number > 0 {
            let version = first.rawValue + UInt64(place)
            let distance = try columns.next(.targets)
            guard distance > 0, distance <= version,
                let cause = Commit.Cause(number: number, target: Version(version - distance))
            else {
                throw columns.error(
                    .targets, "target", expected: "an earlier version", found: "\(number), \(distance) before")
            }
            causes[place] = cause
        }
        return causes
    }

    private func entry(_ columns: inout ColumnReader, _ index: Int) throws -> HistoryEntry {
        if tracking(index) == .untracked { return .untracked }
        let version = Version(first.rawValue + UInt64(index))
        let steps = try columns.following(.steps)
        guard steps >= 0 && steps <= version.rawValue else {
            throw columns.error(.steps, "number of steps", expected: "at most \(version)", found: "\(steps)")
        }
        let shape = HistoryEntry.Shape(
            isNode: !causes[index].isMove, continues: flags[index].contains(.continues), steps: Int(steps))
        var place = 0
        return try HistoryEntry(shape, at: version) {
            defer { place += 1 }
            return UInt64(bitPattern: try columns.following(.places(place)))
        } fail: { what, found in
            RecordError(
                version: version, offset: 0,
                problem: .invalid(what: "\(what)", expected: "one of this log", found: String(found)))
        }
    }
}

// MARK: - One header

extension PackedHeaders {
    private func index(_ version: Version) -> Int {
        precondition(versions.contains(version), "the header is one of those that were read")
        return Int(version.rawValue - first.rawValue)
    }

    private func tracking(_ index: Int) -> Tracking {
        guard let tracking = flags[index].tracking else { preconditionFailure("flags are checked when they are read") }
        return tracking
    }

    private func mark(_ index: Int) -> HistoryMark {
        precondition(columns == .all, "marks were read")
        return HistoryMark(scope: tracking(index).scope { strings[origins[index]] }, entry: entries[index])
    }

    /// What a list of commits shows of one of them. Names and times were read.
    package func info(_ version: Version) -> CommitInfo {
        let index = index(version)
        return CommitInfo(
            version, causes[index], name: strings[names[index]], origin: strings[origins[index]], time(version))
    }

    /// When a commit was made. Times were read.
    package func time(_ version: Version) -> Timestamp { Timestamp(microseconds: times[index(version)]) }

    /// How many events a commit has. Their numbers were read.
    func eventCount(_ version: Version) -> Int { eventCounts[index(version)] }

    /// The mark of a commit in its history. All columns were read.
    package func mark(_ version: Version) -> HistoryMark { mark(index(version)) }

    /// The header of a commit. All columns were read.
    package func commit(_ version: Version) -> PackedCommit {
        let index = index(version)
        let info = info(version)
        return PackedCommit(
            version: version, cause: info.cause, name: info.name, origin: info.origin, time: info.time,
            tracking: tracking(index), isDiscardable: flags[index].contains(.isDiscardable), mark: mark(index),
            eventCount: eventCounts[index])
    }

    /// The last of some commits of each history, the newest first. What a replay needs was read.
    ///
    /// - Parameter known: histories of which no commit is wanted; afterwards with those of the result.
    func lastOfHistories(in wanted: Range<Version>, without known: inout Set<HistoryScope>) -> [Version] {
        var last: [Version] = []
        // Most commits have the history of the one after them.
        var after: (origin: Int, tracking: Tracking)?
        for version in versions.clamped(to: wanted).reversed() {
            let index = index(version)
            let (origin, tracking) = (origins[index], tracking(index))
            if let after, after == (origin, tracking) { continue }
            after = (origin, tracking)
            if let scope = tracking.scope({ strings[origin] }), known.insert(scope).inserted { last.append(version) }
        }
        return last
    }
}

extension PackedBlock {
    /// The headers of the commit of a version, and of those around it. Needs no state.
    ///
    /// - Parameter columns: what is read of them.
    /// - Throws: ``RecordError`` for damaged bytes, and if the version is not in the block.
    /// - Complexity: that of unpacking a chunk: some 20 microseconds.
    package func headers(near version: Version, _ columns: PackedHeaders.Columns = .all) throws -> PackedHeaders {
        _ = try checkedEnd(version)
        return try PackedHeaders(self, near: Int(version.rawValue - first.rawValue), columns)
    }
}
