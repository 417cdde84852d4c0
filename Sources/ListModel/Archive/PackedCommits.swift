// The commits of a block without their events: what is in the headers of their records and does not follow from the state.
//
// Always holds: what was read is possible at its version; whether it is what was packed, the checksum of the last record
// shows.

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

extension CommitInfo {
    /// The header of a packed commit.
    package init(_ commit: PackedCommit) {
        self.init(commit.version, commit.cause, name: commit.name, origin: commit.origin, commit.time)
    }
}

/// The strings of a block, numbered in the order of their first use.
struct StringNumbers {
    // Keyed by identifier, because strings of different bytes can be equal.
    private var numbers: [UntypedID: Int] = [:]

    /// The number of a string, which is added to the column of strings if it is new.
    mutating func number(of string: String, in columns: inout ColumnWriter) -> Int {
        if let number = numbers[.string(string)] { return number }
        let number = numbers.count
        numbers[.string(string)] = number
        var string = string
        string.withUTF8 {
            columns.put(.strings, UInt64($0.count))
            columns.put(.strings, bytes: UnsafeRawBufferPointer($0))
        }
        return number
    }
}

extension ColumnWriter {
    /// Writes the header of a commit.
    mutating func put(_ commit: PackedCommit, _ strings: inout StringNumbers) {
        put(.causes, UInt64(commit.cause.number))
        if let target = commit.cause.target { put(.targets, commit.version.rawValue - target.rawValue) }
        var flags = RecordFlags(commit.tracking, isDiscardable: commit.isDiscardable)
        if case .node(let node) = commit.mark.entry, node.continues { flags.insert(.continues) }
        put(.flags, UInt64(flags.rawValue))
        put(.times, next: commit.time.microseconds)
        put(.names, UInt64(strings.number(of: commit.name, in: &self)))
        put(.origins, UInt64(strings.number(of: commit.origin, in: &self)))
        put(.eventCounts, UInt64(commit.eventCount))
        if commit.tracking == .untracked { return }
        put(.steps, next: commit.mark.entry.steps)
        for (index, word) in commit.mark.entry.words(at: commit.version).enumerated() {
            put(.places(index), next: Int64(bitPattern: word))
        }
    }
}

/// Reads the headers of the commits of a block.
struct CommitReader {
    private var columns: ColumnReader
    let strings: [String]
    /// The version of the next commit.
    private(set) var version: Version

    init(_ block: PackedBlock) throws {
        columns = try block.reader(block.commits)
        var strings: [String] = []
        while !columns.isAtEnd(.strings) {
            guard strings.count < 2 * block.commitCount + block.eventCount else {
                throw columns.error(.strings, "string", expected: "one for each use at most", found: "more")
            }
            strings.append(try columns.string(.strings, columns.count(.strings, eachIn: .strings)))
        }
        self.strings = strings
        version = block.first
    }

    /// The header of the next commit.
    mutating func next() throws -> PackedCommit {
        let cause = try readCause()
        let (flags, tracking) = try readFlags(cause)
        let time = Timestamp(microseconds: try columns.following(.times))
        let name = strings[try columns.index(.names, in: strings)]
        let origin = strings[try columns.index(.origins, in: strings)]
        let eventCount = try readEventCount(cause)
        let entry = try tracking == .untracked ? .untracked : readEntry(isNode: !cause.isMove, flags)
        defer { version = version.next }
        return PackedCommit(
            version: version, cause: cause, name: name, origin: origin, time: time, tracking: tracking,
            isDiscardable: flags.contains(.isDiscardable),
            mark: HistoryMark(scope: tracking.scope { origin }, entry: entry), eventCount: eventCount)
    }

    /// The next commit, of which most is passed over.
    ///
    /// - Returns: how many events it has, and its history as a number: that of its origin, −1 for the shared one, nil for none.
    mutating func nextInBrief() throws -> (eventCount: Int, history: Int?) {
        let cause = try readCause()
        let (_, tracking) = try readFlags(cause)
        _ = (try columns.following(.times), try columns.next(.names))
        let origin = try columns.index(.origins, in: strings)
        let eventCount = try readEventCount(cause)
        version = version.next
        if tracking == .untracked { return (eventCount, nil) }
        _ = try columns.following(.steps)
        var index = 0
        try HistoryEntry.skipWords(isNode: !cause.isMove) {
            defer { index += 1 }
            return UInt64(bitPattern: try columns.following(.places(index)))
        }
        return (eventCount, tracking == .shared ? -1 : origin)
    }

    private mutating func readEventCount(_ cause: Commit.Cause) throws -> Int {
        let count = try columns.count(.eventCounts, eachIn: nil)
        guard count >= (cause.isMove ? 0 : 1) else {
            throw columns.error(.eventCounts, "number of events", expected: "1 or more", found: "\(count)")
        }
        return count
    }

    private mutating func readFlags(_ cause: Commit.Cause) throws -> (RecordFlags, Tracking) {
        let bits = try columns.next(.flags)
        guard bits <= RecordFlags.known, let tracking = RecordFlags(rawValue: UInt16(bits)).tracking,
            tracking != .untracked || !cause.isMove
        else {
            throw columns.error(.flags, "flags", expected: "known ones", found: "\(bits)")
        }
        return (RecordFlags(rawValue: UInt16(bits)), tracking)
    }

    private mutating func readCause() throws -> Commit.Cause {
        let number = try columns.next(.causes)
        guard number > 0 else { return .edit }
        let distance = try columns.next(.targets)
        guard number <= 5, distance > 0, distance <= version.rawValue,
            let cause = Commit.Cause(number: UInt8(number), target: Version(version.rawValue - distance))
        else {
            throw columns.error(
                .causes, "cause", expected: "one of an earlier version", found: "\(number), \(distance) before")
        }
        return cause
    }

    private mutating func readEntry(isNode: Bool, _ flags: RecordFlags) throws -> HistoryEntry {
        let steps = try columns.following(.steps)
        guard steps >= 0 && steps <= version.rawValue else {
            throw columns.error(.steps, "number of steps", expected: "at most \(version)", found: "\(steps)")
        }
        let shape = HistoryEntry.Shape(isNode: isNode, continues: flags.contains(.continues), steps: Int(steps))
        let version = version
        var index = 0
        return try HistoryEntry(shape, at: version) {
            defer { index += 1 }
            return UInt64(bitPattern: try columns.following(.places(index)))
        } fail: { what, found in
            RecordError(
                version: version, offset: 0,
                problem: .invalid(what: "\(what)", expected: "one of this log", found: String(found)))
        }
    }
}
