// Adopts commits of a shared log: takes the pending commits out of the log, appends those of other replicas, and makes the pending
// ones again on top of them. It is the rebase of `StoreRacer`, of commits that are durable here, in four steps: check what was received,
// make again what is pending, append both, settle.
//
// Always holds: afterwards the log is the shared one up to its end, followed by the pending commits that are not in it; if it throws,
// the log is as before, and the rows are read again before they are used. Readers that have received more then receive an update back.

import ListModel

extension StoreRacer {
    /// Appends commits of the shared log behind the confirmed end.
    ///
    /// - Parameters:
    ///   - records: their records, in order.
    ///   - position: what they follow; nil for the confirmed end.
    ///   - refused: why pending commits are given up, by their checksums.
    /// - Returns: what the pending commits have become, in order.
    /// - Throws: ``UnacceptableRecord``, ``MustRetreat``, ``EndMoved``; errors of the file.
    func receive(
        _ records: [[UInt8]], after position: SharedPosition? = nil, refused: [UInt64: String] = [:]
    ) throws -> [RebasedCommit] {
        try withHead { head in
            try catchingUp(&head) { head in
                do { return try receive(records, position, refused, &head) } catch is LostRace {
                    if head.failure != nil { try readAgain(&head) }
                    head.failure = nil
                    throw LostRace()
                }
            }
        }
    }

    /// What is received, and the pending commits that it is put before.
    private struct Reception {
        /// The confirmed end, which the commits of others follow.
        let start: LogPosition
        /// The commits of others.
        let foreign: [Commit]
        /// The end behind them, to which the confirmed end moves.
        let end: LogPosition
        /// The pending commits.
        let own: [Commit]
        /// Why some of these are given up, by their checksums.
        let refused: [UInt64: String]
        /// Whether readers have received the commits of others: they need not wait for the sync.
        var isPublished = false
    }

    /// What the pending commits have become.
    private struct Remade {
        /// The same, one by one.
        let rebased: [RebasedCommit]
        /// Where contents of the records are that were given up.
        let places: [ContentReference: ContentReference]
        /// The histories at the new confirmed end.
        let histories: HistoryTable
    }

    /// Checks, makes the pending commits again, appends, settles. A step that throws leaves the log as it was.
    private func receive(
        _ records: [[UInt8]], _ position: SharedPosition?, _ refused: [UInt64: String],
        _ head: inout UntypedStore.Head
    ) throws -> [RebasedCommit] {
        guard var reception = try check(records, position, refused) else { return [] }
        let (start, own) = (reception.start, reception.own)
        let queue = try group.pause()
        defer { group.resume() }
        precondition(queue.commits.isEmpty, "the queue was flushed, and nobody else edits")
        guard !own.isEmpty || start == queue.head else {
            throw ListError.headMismatch(
                what: "confirmed end", expected: "the end of the log, \(queue.head)", found: "\(start)")
        }
        let before = try own.isEmpty ? head.editor.state.histories : histories(at: start.version, head.known)
        let log = group.log
        let unjudged: Version = try own.isEmpty ? .empty : log.environment.read { try log.confirmed.confirmedOnce($0) }
        let failures = head.editor.failureCount
        let shown = head.observers.last
        do {
            let remade = try makeAgain(reception, before, unjudged: unjudged, &head)
            // Placeholders of rows that could not be read may have been compared.
            if let failure = head.editor.failure(since: failures) { throw failure.ofRows }
            let now = try append(&reception, remade.rebased, expecting: queue.head, &head)
            settle(reception, remade, from: queue.head, to: now, &head)
            return remade.rebased
        } catch {
            // Events do not fit placeholders of rows that could not be read: then the record is not to blame.
            let error = head.editor.failure(since: failures)?.ofRows ?? error
            group.restore(queue)
            group.past.clear()
            head.failure = error
            if reception.isPublished, let shown, let last = reception.foreign.last {
                head.observers.publish(shown, last, since: shown.version)
            }
            throw error
        }
    }

    /// Checks that the records follow the confirmed end, and that what stands behind that may be replaced. Afterwards the queue is empty,
    /// and the pending commits are in the database.
    ///
    /// - Returns: what is to be received; nil if there is nothing to do.
    /// - Throws: ``LostRace`` if another process has appended; as ``receive(_:after:refused:)``.
    private func check(
        _ records: [[UInt8]], _ position: SharedPosition?, _ refused: [UInt64: String]
    ) throws -> Reception? {
        let log = group.log
        _ = try group.flush(through: nil)
        // Another process may have moved the confirmed end behind what is known here.
        if try group.isBehind() { throw LostRace() }
        let start = log.confirmed.required
        if let position, position != SharedPosition(start) { throw EndMoved() }
        let (foreign, end) = try StoreRacer.checked(records, after: start)
        let own = try group.pending(after: start.version)
        if foreign.isEmpty && (refused.isEmpty || own.isEmpty) { return nil }
        if !own.isEmpty {
            try group.store()
            if try log.derivedEnd(checkpointer) > start.version { throw MustRetreat() }
        }
        return Reception(start: start, foreign: foreign, end: end, own: own, refused: refused)
    }

    /// Takes back the pending commits, and makes them again behind those of others. The rows and the queue are then what the log will have
    /// behind the confirmed end.
    ///
    /// - Parameters:
    ///   - before: the histories at the confirmed end.
    ///   - unjudged: the rules of the app do not judge commits up to this version.
    /// - Throws: ``UnacceptableRecord``; errors of the file. Then neither the rows nor the queue can be used.
    private func makeAgain(
        _ reception: Reception, _ before: HistoryTable, unjudged: Version, _ head: inout UntypedStore.Head
    ) throws -> Remade {
        let (own, foreign) = (reception.own, reception.foreign)
        let rows = try head.editor.takeBack(own, to: before, checksum: reception.start.checksum)
        // From here on, the queue has what stands behind the confirmed end.
        group.rewind(to: reception.start)
        var received: [[UInt8]: Commit] = [:]
        for commit in foreign {
            try StoreRacer.accepting(commit.version) {
                try commit.record.withUnsafeBytes { try head.editor.replay($0, isLast: true) }
                if !own.isEmpty { received[try commit.sharedIdentifier] = commit }
            }
            group.requeue(commit)
        }
        let histories = head.editor.state.histories
        // An own commit that is among those of the others: another replica has sent it, or made it again.
        func twin(of commit: Commit) throws -> Commit? {
            // Before the store was a replica, the app may have annotated something under the name of the id. The name of the commit
            // may be another: an undo has that of what is left of its step.
            guard let twin = received[try commit.sharedIdentifier],
                twin.origin == commit.origin, twin.time == commit.time
            else { return nil }
            return twin
        }
        // What twins have changed is known already.
        let twins = try Set(own.compactMap { try twin(of: $0)?.version })
        let others = own.isEmpty ? [] : foreign.map(\.version).filter { !twins.contains($0) }
        let (rebased, places) = try repeating(
            own, behind: others, rows, before, &head, unjudged: unjudged
        ) { commit in
            if let reason = reception.refused[commit.checksum] { return .givenUp(reason) }
            return try twin(of: commit).map { .isThere($0) }
        }
        return Remade(rebased: rebased, places: places, histories: histories)
    }

    /// Appends the queue, which replaces the pending commits, and moves the confirmed end.
    ///
    /// - Parameter known: the end of the log as this process knows it.
    /// - Returns: the new end.
    /// - Throws: ``LostRace``; errors of the file. Then the log is as before, but readers may have received the commits: see `isPublished`.
    private func append(
        _ reception: inout Reception, _ rebased: [RebasedCommit], expecting known: LogPosition,
        _ head: inout UntypedStore.Head
    ) throws -> LogPosition {
        let (log, start) = (group.log, reception.start)
        guard reception.own.isEmpty else {
            let setAside = try zip(reception.own, rebased).compactMap { old, new -> SetAsideCommit? in
                guard let reason = new.lossReason, try old.givenUpReason == nil else { return nil }
                return SetAsideCommit(commit: old, reason: reason)
            }
            return try log.replace(
                after: start, with: group.queued(), expecting: known, confirmed: reception.end, rebased,
                setAside: setAside)
        }
        let run = group.queued()
        let now = try log.append(run, 0..<run.count, after: start) {
            // The shared log has the commits, so readers need not wait for the sync of this file.
            if let last = reception.foreign.last { publish(last, since: start.version, rebased, &head) }
            reception.isPublished = true
        }
        log.confirmed.advance(to: reception.end)
        return now
    }

    /// Notes what was appended, and tells readers of it. Nothing throws any more.
    private func settle(
        _ reception: Reception, _ remade: Remade, from known: LogPosition, to now: LogPosition,
        _ head: inout UntypedStore.Head
    ) {
        let (start, end, foreign, own) = (reception.start, reception.end, reception.foreign, reception.own)
        let rebased = remade.rebased
        group.replaceQueue(after: now, shift: now.version.rawValue - known.version.rawValue, replacing: false)
        head.known = (end.version, remade.histories)
        head.eventCount = now.eventCount
        let left = zip(own, rebased).filter {
            $1.reason != nil || !$1.conflicts.isEmpty || $1.commit.version <= end.version
        }
        group.superseded.note(remade.places, left.map(\.0))
        group.past.clear()
        group.note(rebased)
        note(now, since: start, head)
        if !own.isEmpty { options.diagnostics.report(.rebased(rebased, others: UInt64(foreign.count))) }
        if !reception.isPublished, let last = rebased.last?.commit ?? foreign.last {
            publish(last, since: start.version, rebased, &head)
        }
        head.observers.signal()
    }

    /// The commits of records that follow an end, and the end behind them.
    private static func checked(_ records: [[UInt8]], after start: LogPosition) throws -> ([Commit], LogPosition) {
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

extension RebasedCommit {
    /// Why not all of the commit is left; nil if all is.
    fileprivate var lossReason: String? {
        if reason != nil || conflicts.isEmpty { return reason }
        let more = conflicts.count > 8 ? ", and \(conflicts.count - 8) more" : ""
        return "a part was left out: " + conflicts.prefix(8).map(\.description).joined(separator: ", ") + more
    }
}

extension GroupCommit {
    /// The durable commits behind a version.
    func pending(after version: Version) throws -> [Commit] { try pending(after: version, through: durableVersion) }

    func pending(after version: Version, through last: Version) throws -> [Commit] {
        var commits: [Commit] = []
        if version >= last { return commits }
        try forEachRecord(in: version.next.rawValue...last.rawValue) { version, record in
            commits.append(try Commit(record: Array(record), version: version))
        }
        return commits
    }
}
