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
            // Another server may have answered, which has taken over and lacks the confirmed end. Some engines notice that themselves.
            var isOther = true
            do {
                entries = try await log.entries(after: number, maximumBytes: options.batchBytes)
                isOther = entries.first.map { $0.link != first.checksum } ?? false
            } catch SharedLogError.damaged where !isAgain {}
            if isOther && !isAgain { return try await entriesBehind(confirmed, isAgain: true) }
        }
        return (first.position, entries)
    }

    /// Reads on behind entries that fill a batch, until there are as many bytes as the pending commits have: those are made again each time
    /// that others are received. Not for long: until they are received, nobody sees them, and
    /// a process that is killed has to read them again.
    func gather(_ entries: inout [LogEntry]) async {
        let pending = min(store.pendingRecordBytes, 64 << 20)
        let deadline = ContinuousClock.now + .seconds(5)
        var (last, bytes) = (entries[...], 0)
        while true {
            let count = last.reduce(0) { $0 + $1.encodedCount }
            bytes += count
            guard count > options.batchBytes / 2, bytes < pending, ContinuousClock.now < deadline, !Task.isCancelled
            else { return }
            // What goes wrong is met again behind these entries, which are received before that.
            guard let next = try? await log.entries(after: last.last!.number, maximumBytes: options.batchBytes),
                (try? LogChain.verify(next, after: last.last!.position)) != nil
            else { return }
            entries += next
            last = next[...]
        }
    }

    /// Whether the log ends at a position behind which it has nothing to read. If it ends later, it is read again: it may have grown.
    ///
    /// - Throws: ``SharedLogError/damaged(_:expected:found:)`` if it does not end later, and has ended there for as long as an unavailable
    ///   log is left alone. Until then, it throws ``SharedLogError/unavailable(cause:)``, which ends the exchange: a server that lacks the
    ///   entry may have answered after one that has it, and soon both have the same. The latter is also thrown if it ends at the same
    ///   later position as before.
    func isEnd(_ position: LogPosition) async throws -> Bool {
        let end = try await log.end()
        if end == position {
            otherEnd = nil
            return true
        }
        let before = otherEnd?.position == end ? otherEnd : nil
        let now = ContinuousClock.now
        otherEnd = before ?? (end, now)
        if end.number > position.number && before == nil { return false }
        if end.number <= position.number, let before, before.since.duration(to: now) >= options.retryPause {
            throw SharedLogError.damaged(.end, expected: "\(position)", found: "\(end)")
        }
        throw SharedLogError.unavailable(cause: "the log ends at \(end), and has nothing behind \(position)")
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
