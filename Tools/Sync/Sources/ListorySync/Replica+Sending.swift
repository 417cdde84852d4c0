// Sending: the pending commits become entries of the log.
//
// Always holds: what was sent is confirmed only when the log has taken it, as it is; one that the log does not take is set aside.

import ListModel
@_spi(Sync) import Listory
import SharedLog

extension Replica {
    /// Sends the pending commits. While some are on their way, those before them are confirmed, and the next ones are read.
    ///
    /// - Parameter refused: the position behind which the log has last taken nothing in this exchange.
    /// - Returns: whether any were sent, and the log ended at the position.
    func push(after position: LogPosition, _ refused: inout LogPosition?) async throws -> Bool {
        var next = try batch(after: position)
        if next.entries.isEmpty { return false }
        try noteEncrypted()
        if try store.pendingCount == next.entries.count {
            // Nothing is left to do meanwhile, and another task would cost a change of threads.
            guard try isAppended(next, await append(next), &refused) else { return false }
            _ = try confirm(next)
            return true
        }
        var unconfirmed: Batch?
        while let end = next.entries.last?.position, !Task.isCancelled {
            let sent = next
            async let answer = append(sent)
            // If some were made again meanwhile, by an edit that took its time, all that was sent comes back.
            let isUnchanged = try unconfirmed.map(confirm) ?? true
            next = try batch(after: end, behind: sent.pending)
            guard try isAppended(sent, await answer, &refused) else { return false }
            if unconfirmed == nil { published.change { $0.phase = .working } }
            guard isUnchanged else { return true }
            unconfirmed = sent
        }
        _ = try unconfirmed.map(confirm)
        return true
    }

    /// Appends commits to the log, without waiting for the executor of this replica.
    private nonisolated(nonsending) func append(_ batch: Batch) async -> Result<AppendResult, any Error> {
        do { return .success(try await log.append(batch.entries, after: batch.start)) } catch { return .failure(error) }
    }

    /// Whether commits were appended; one that the log does not take is set aside.
    private func isAppended(
        _ batch: Batch, _ answer: Result<AppendResult, any Error>, _ refused: inout LogPosition?
    ) throws -> Bool {
        do {
            if case .appended = try answer.get() {
                adaptBatches(didArrive: true)
                return true
            }
        } catch SharedLogError.tooLarge(let number, let bytes, let limit) {
            let record = batch.pending.records[Int(number - batch.start.number) - 1]
            // Nothing could take the place of a commit that has no changes any more.
            let commit = try Commit(record: record, version: Version(number))
            if try commit.annotation(named: CommitAnnotation.lostRace) != nil {
                throw SharedLogError.tooLarge(number: number, bytes: bytes, limit: limit)
            }
            try setAside(record, number, after: batch.start, "it has \(bytes) bytes, and the shared log takes \(limit)")
            tail = nil
            return false
        } catch let error as SharedLogError where error.isPassing {
            adaptBatches(didArrive: false)
            throw error
        }
        // What is there instead is read next. If there was nothing else, the log would refuse the same again, at once.
        if refused == batch.start {
            throw SharedLogError.unavailable(cause: "the log ends at \(batch.start), and takes nothing there")
        }
        // Others were faster. If they commit every few seconds, a batch has to arrive between two of theirs: on a slow line, a small one.
        if batch.entries.count > 1 { adaptBatches(didArrive: false, atLeast: 1) }
        refused = batch.start
        tail = nil
        return false
    }

    /// Sends more at once from now on, or less: on a slow line, fewer bytes may arrive in time.
    ///
    /// - Parameter least: what is not halved; by default so many bytes that smaller messages would hardly arrive sooner.
    func adaptBatches(didArrive: Bool, atLeast least: Int = 16 << 10) {
        sendBytes = didArrive ? min(options.batchBytes, sendBytes * 2) : max(min(least, sendBytes), sendBytes / 2)
    }

    /// Pending commits that are sent at once.
    private struct Batch {
        var start: LogPosition
        var pending: PendingRecords
        var entries: [LogEntry]
    }

    private func batch(after start: LogPosition, behind sent: PendingRecords? = nil) throws -> Batch {
        let pending = try store.pendingRecords(
            after: sent, atMost: sendBytes, overhead: codec.overhead + LogEntry.headerBytes,
            prefix: codec.prefix)
        // Another process may have moved the confirmed end: then it has to be read where they belong.
        guard pending.count == 0 || pending.startVersion.rawValue == start.number else {
            return Batch(start: start, pending: pending, entries: [])
        }
        let entries = try entries((0..<pending.count).lazy.map { pending[$0] }, after: start)
        return Batch(start: start, pending: pending, entries: entries)
    }

    /// - Returns: whether all of the commits are confirmed.
    private func confirm(_ batch: Batch) throws -> Bool {
        let wasDue = isSnapshotDue
        let isWhole = try store.confirm(batch.pending) == batch.entries.count
        if isSnapshotDue && !wasDue { isFirstToOffer = true }
        tail = isWhole ? batch.entries.last!.position : nil
        try noteCounts()
        return isWhole
    }

    private func setAside(
        _ record: [UInt8], _ number: UInt64, after position: LogPosition, _ reason: String
    ) throws {
        let checksum = try SharedPosition(record: record, version: Version(number)).checksum
        do { try store.setAside([checksum: reason]) } catch is MustRetreat {
            throw SyncProblem.forked(after: position.number)
        }
    }

    /// The entries of records that have the codec's prefix before them.
    func entries(
        _ records: some Collection<ArraySlice<UInt8>>, after position: LogPosition
    ) throws -> [LogEntry] {
        var end = position
        return try records.map { record in
            let entry = LogEntry(
                after: end, sharing: try codec.payload(prefixed: record, number: end.number + 1))
            end = entry.position
            return entry
        }
    }
}
