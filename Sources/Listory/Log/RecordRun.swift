// Consecutive records on their way to the log, in one buffer. Queueing a commit copies its record and keeps no
// reference, so releasing the buffer is one deallocation on any thread. Only a large first record is shared, because
// copying it takes longer than counting a reference.
//
// Always holds: the records are those of the versions `first`, `first` + 1, … in order.

import ListModel

/// Records of commits in the order of their versions.
struct RecordRun {
    /// The end of a record, and its number of events.
    private struct Entry {
        var end: Int
        var eventCount: Int
    }

    /// The version of the first record.
    let first: Version
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    /// No records yet.
    ///
    /// - Parameters:
    ///   - first: the version of the first record that will be added.
    ///   - size: the capacity in bytes.
    init(first: Version, reserving size: Int = 0) {
        self.first = first
        bytes.reserveCapacity(size)
        entries.reserveCapacity(size / 64)
    }

    var count: Int { entries.count }
    /// The bytes of all records.
    var size: Int { bytes.count }

    /// Adds the record of the next version.
    mutating func append(_ commit: Commit) {
        precondition(commit.version.rawValue == first.rawValue + UInt64(count), "commits are queued in order")
        if bytes.isEmpty && commit.record.count >= RecordRun.sharedSize {
            bytes = commit.record
            entries.append(Entry(end: bytes.count, eventCount: commit.eventCount))
        } else {
            commit.record.withUnsafeBytes { append($0, eventCount: commit.eventCount) }
        }
    }

    /// The size from which a record is shared.
    private static let sharedSize = 64 << 10

    /// Adds the record of the next version.
    mutating func append(_ record: UnsafeRawBufferPointer, eventCount: Int) {
        bytes.append(contentsOf: record)
        entries.append(Entry(end: bytes.count, eventCount: eventCount))
    }

    /// Adds records of another run, the first of which has the next version.
    mutating func append(_ other: RecordRun, _ range: Range<Int>) {
        precondition(range.isEmpty || other.version(range.lowerBound) == version(count), "records follow each other")
        let shift = bytes.count - other.end(of: range.lowerBound)
        other.withRecords(range) { bytes.append(contentsOf: $0) }
        entries.reserveCapacity(entries.count + range.count)
        for index in range {
            let entry = other.entries[index]
            entries.append(Entry(end: entry.end + shift, eventCount: entry.eventCount))
        }
    }

    /// How many events the record at an index has.
    func eventCount(_ index: Int) -> Int { entries[index].eventCount }

    /// The version of the record at an index.
    func version(_ index: Int) -> Version { Version(first.rawValue + UInt64(index)) }

    /// The bytes of the records of a range.
    func size(of range: Range<Int>) -> Int { range.isEmpty ? 0 : end(of: range.upperBound) - end(of: range.lowerBound) }

    /// The end of the records before an index.
    private func end(of index: Int) -> Int { index == 0 ? 0 : entries[index - 1].end }

    /// Calls `body` with the bytes of the records of a range.
    func withRecords<Result>(
        _ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let (start, end) = (end(of: range.lowerBound), end(of: range.upperBound))
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }

    /// Calls `body` with the record at an index.
    func withRecord<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withRecords(index..<index + 1, body)
    }

    /// The record at an index; a copy, unless it is large and the only one.
    func record(_ index: Int) -> [UInt8] {
        count == 1 && bytes.count >= RecordRun.sharedSize ? bytes : withRecord(index) { Array($0) }
    }

    /// The index of the record of a version, if it is in the run.
    func index(of version: Version) -> Int? {
        guard version >= first, version.rawValue - first.rawValue < UInt64(count) else { return nil }
        return Int(version.rawValue - first.rawValue)
    }
}

extension Diagnostics.Report {
    /// The records of a run after a version were appended.
    static func flushed(_ run: RecordRun, after version: Version) -> Diagnostics.Report {
        let first = Int(version.next.rawValue - run.first.rawValue)
        return .flushed(commits: UInt64(run.count - first), bytes: run.size(of: first..<run.count))
    }
}
