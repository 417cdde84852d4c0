// Adopts commits of a shared log: takes the pending commits out of the log, appends those of other replicas, and makes the pending
// ones again on top of them. It is the rebase of `StoreRacer`, of commits that are durable here.
//
// Always holds: afterwards the log is the shared one up to its end, followed by one commit for each that was pending; if it throws,
// the log is as before, and the rows are read again before they are used.

import ListModel

extension StoreRacer {
    /// Appends commits of the shared log behind the confirmed end.
    ///
    /// - Parameter records: their records, in order.
    /// - Returns: what the pending commits have become, in order.
    /// - Throws: ``UnacceptableRecord``; errors of the file.
    func receive(_ records: [[UInt8]]) throws -> [RebasedCommit] {
        try withHead { head in try catchingUp(&head) { try receive(records, &$0) } }
    }

    private func receive(_ records: [[UInt8]], _ head: inout UntypedStore.Head) throws -> [RebasedCommit] {
        let log = group.log
        _ = try group.flush(through: nil)
        try group.store()
        let start = log.confirmed.required
        let (foreign, end) = try StoreRacer.checked(records, after: start)
        if foreign.isEmpty { return [] }
        if let newest = checkpointer?.newest, newest.version > start.version {
            throw ListError.headMismatch(
                what: "newest checkpoint", expected: "at most the confirmed version \(start.version)",
                found: "\(newest.version)")
        }
        let queue = try group.pause()
        defer { group.resume() }
        precondition(queue.commits.isEmpty, "the queue was flushed, and nobody else edits")
        let own = try pending(after: start.version, through: queue.head.version)
        let before = try own.isEmpty ? head.editor.state.histories : histories(at: start.version, head.known)
        let failures = head.editor.failureCount
        let shift = UInt64(foreign.count)
        do {
            let rows = try head.editor.takeBack(own, to: before, checksum: start.checksum)
            // From here on, the queue has what stands behind the confirmed end.
            group.rewind(to: start, shift: shift)
            for commit in foreign {
                try StoreRacer.accepting(commit.version) {
                    try commit.record.withUnsafeBytes {
                        try head.editor.replay($0, isLast: commit.version == end.version)
                    }
                }
                group.requeue(commit)
            }
            let histories = head.editor.state.histories
            let (rebased, places) = try repeating(own, rows, before, shift, &head)
            // Placeholders of rows that could not be read may have been compared.
            if let failure = head.editor.failure(since: failures) { throw failure.ofRows }
            let now = try log.replace(after: start, with: group.queued(), confirmed: end)
            group.replaceQueue(after: now, shift: 0)
            head.known = (end.version, histories)
            head.eventCount = now.eventCount
            group.superseded.note(places, zip(own, rebased).filter { !$1.conflicts.isEmpty }.map(\.0))
            group.past.clear()
            group.note(rebased)
            note(end, since: start, head)
            if !own.isEmpty { options.diagnostics.report(.rebased(rebased, others: shift)) }
            try tell(since: start.version, rebased, &head)
            return rebased
        } catch {
            group.putBack(queue)
            head.failure = error
            throw error
        }
    }

    /// The pending commits.
    private func pending(after version: Version, through last: Version) throws -> [Commit] {
        var commits: [Commit] = []
        var next = version.next
        while next <= last {
            let run = try group.records(of: next.rawValue...last.rawValue)
            for index in 0..<run.count {
                commits.append(try Commit(record: run.record(index), version: run.version(index)))
            }
            next = run.version(run.count)
        }
        return commits
    }

    /// The commits of records that follow an end, and the end behind them.
    private static func checked(_ records: [[UInt8]], after start: LogHead) throws -> ([Commit], LogHead) {
        var end = start
        let commits = try records.map { record in
            let commit = try accepting(end.version.next) {
                try Commit(record: record, version: end.version.next, previousChecksum: end.checksum)
            }
            record.withUnsafeBytes { end.append($0, version: commit.version, eventCount: commit.eventCount) }
            return commit
        }
        return (commits, end)
    }

    /// Runs `body`, which throws an error of a file only if the file has failed.
    private static func accepting<Result>(_ version: Version, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as ListError where error.isRejection {
            throw UnacceptableRecord(version: version, cause: error)
        } catch let error as RecordError {
            throw UnacceptableRecord(version: version, cause: error)
        }
    }
}
