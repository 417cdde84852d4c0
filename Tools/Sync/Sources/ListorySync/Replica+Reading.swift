// Reading: which entries follow the confirmed commits, and whether the log ends behind them.
//
// Always holds: entries are returned with the position that they follow if the log has the last confirmed commit there.

import ListModel
@_spi(Sync) import Listory
import SharedLog

extension Replica {
    /// Reads some commits behind the confirmed end, if its entry is known: the link of the first one shows that the log continues from
    /// there, or without one the log's end.
    ///
    /// - Returns: the position of the confirmed end, and the entries; nil if it is not known, or the log does not continue from there.
    func entriesBehindTail(_ number: UInt64, isFirst: Bool) async throws -> (LogPosition, [LogEntry])? {
        guard let tail, tail.number == number else { return nil }
        let entries: [LogEntry]
        do { entries = try await log.entries(after: number, maximumBytes: options.batchBytes) } catch SharedLogError
            .damaged
        {
            // An engine that knows where it was may have met a log that was rolled back; looking again, it knows nothing.
            return nil
        }
        if let first = entries.first { return first.link == tail.checksum ? (tail, entries) : nil }
        if isFirst, try await log.end() != tail { return nil }
        return (tail, entries)
    }

    /// Reads the entry at the confirmed end, and some behind it.
    ///
    /// - Parameter isAgain: whether this is the second attempt.
    /// - Returns: the position of the confirmed end, and the entries behind it, which may not link to it; nil if the log has no such commit
    ///   there.
    func entriesBehind(
        _ confirmed: SharedPosition, isAgain: Bool = false
    ) async throws -> (LogPosition, [LogEntry])? {
        let number = confirmed.version.rawValue
        // With the last confirmed one.
        var entries = try await log.entries(after: number == 0 ? 0 : number - 1, maximumBytes: options.batchBytes)
        if number == 0 { return (.beginning, entries) }
        guard let first = entries.first, first.number == number, try checksum(of: first) == confirmed.checksum else {
            return nil
        }
        entries.removeFirst()
        // It may be all that fits, or all that the engine has read at once.
        if entries.isEmpty {
            entries = try await log.entries(after: number, maximumBytes: options.batchBytes)
            // Another server may have answered, which has taken over and lacks the confirmed end.
            if let next = entries.first, next.link != first.checksum, !isAgain {
                return try await entriesBehind(confirmed, isAgain: true)
            }
        }
        return (first.position, entries)
    }

    /// Whether the log ends at a position behind which it has nothing to read. If not, it is read again: it may have changed.
    ///
    /// - Parameter otherEnd: where it ended when it was last asked, if that was elsewhere.
    /// - Throws: ``SharedLogError`` if it ends in the same other place twice in a row.
    func isEnd(_ position: LogPosition, _ otherEnd: inout LogPosition?) async throws -> Bool {
        let end = try await log.end()
        let before = otherEnd
        otherEnd = end == position ? nil : end
        if otherEnd == nil { return true }
        guard end == before else { return false }
        // What is behind may come yet, if another server is asked for it.
        if end.number > position.number {
            throw SharedLogError.unavailable(cause: "the log ends at \(end), and has nothing behind \(position)")
        }
        throw SharedLogError.damaged(.end, expected: "\(position)", found: "\(end)")
    }

    /// The checksum of the record in an entry.
    func checksum(of entry: LogEntry) throws -> UInt64 {
        let record = try codec.bytes(entry.payload, number: entry.number)
        do { return try SharedPosition(record: record, version: Version(entry.number)).checksum } catch {
            throw SyncProblem.unacceptable(number: entry.number, cause: error)
        }
    }
}

extension SharedLog {
    /// The entry with a number, which is at least 1; nil if the log ends before it.
    func entry(_ number: UInt64) async throws -> LogEntry? {
        try await entries(after: number - 1, maximumBytes: 1).first
    }
}
