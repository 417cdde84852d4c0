// Catches up with other processes that edit the same store: reads their commits, and makes the queued commits of this process
// again on top of them. `Docs/Design/Processes.md` has the steps; `GroupCommit+Racing` says what has become of a version afterwards.
//
// It is an object of its own because the watch on the process table refers to it weakly, and an object that was ever referred
// to weakly is counted slowly from then on.
//
// Always holds: afterwards the rows are those of the published end of the log and of the queue; if it throws, the queue is as
// before, and the rows are read again before they are used.

import Dispatch
import LMDB
import ListModel

/// Makes the queued commits of a store again after another process has appended first.
final class StoreRacer: Racer {
    private let turn: Locked<Void>
    private let head: Locked<UntypedStore.Head>
    let group: GroupCommit
    let checkpointer: Checkpointer?
    let options: StoreOptions
    private let listener = Locked<Int?>(nil)
    private let retries = Locked(Retries())

    /// What follows an attempt to catch up that failed.
    private struct Retries: Sendable {
        var isScheduled = false
        /// How many attempts have failed in a row.
        var count = 0
    }

    init(
        _ turn: Locked<Void>, _ head: Locked<UntypedStore.Head>, _ group: GroupCommit, _ checkpointer: Checkpointer?,
        _ options: StoreOptions
    ) {
        (self.turn, self.head, self.group, self.checkpointer, self.options) = (turn, head, group, checkpointer, options)
    }

    /// Begins to catch up whenever another process has appended.
    func start() {
        group.setRacer(self)
        guard let table = group.log.journal.table else { return }
        let number = table.listen { [weak self] in self?.hear() }
        listener.withLock { $0 = number }
        // What was appended before the watch began.
        hear()
    }

    /// Stops listening. The group may still need it to append what is queued.
    func stop() {
        guard let number = listener.withLock({ $0.take() }) else { return }
        group.log.journal.table?.removeListener(number)
    }

    /// Another process may have appended.
    private func hear() {
        do {
            if try group.isBehind() {
                // Commits of this process would be made again each time. Appending them does that as well, and only until it
                // succeeds.
                if group.isPending { _ = try? group.flush(through: nil) }
                // They may have been in the log before those of the other process.
                try catchUp()
                checkpointer?.giveUpRoleSoon()
            } else if group.log.confirmed.end != nil {
                // Another process may have confirmed commits, which leads to no new ones.
                checkpointer?.giveUpRoleSoon()
            }
            retries.withLock { $0.count = 0 }
        } catch {
            hearAgain()
        }
    }

    /// Tries again after a pause that grows, because nobody may append for a long time. A store that is closed has stopped listening.
    private func hearAgain() {
        let delay = retries.withLock { retries -> Duration? in
            if retries.isScheduled { return nil }
            defer { (retries.isScheduled, retries.count) = (true, min(retries.count + 1, Self.mostDoublings)) }
            return options.retryDelay * (1 << retries.count)
        }
        guard let delay else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(delay.timerNanoseconds)) { [weak self] in
            guard let self else { return }
            retries.withLock { $0.isScheduled = false }
            if listener.withLock({ $0 }) != nil { hear() }
        }
    }

    /// How often the pause doubles: with the default of half a second, to about a minute.
    private static let mostDoublings = 7

    func catchUp() throws {
        if turn.isHeldByCaller || head.isHeldByCaller { throw LostRace() }
        try withHead { head in
            guard try group.isBehind() else { return }
            try catchUp(&head)
            // If this fails, the rows stay as they are, further from their checkpoint.
            if let checkpointer, try checkpointer.shouldFollow { try? readAgain(&head) }
        }
    }

    /// Calls `body` with the protected state, with rows that could be read, when no edit is in progress.
    func withHead<Result>(_ body: (inout UntypedStore.Head) throws -> Result) throws -> Result {
        try turn.withLock { _ in
            try head.withLock { head in
                if head.isClosed { throw ListError.closed }
                reload(&head)
                if let failure = head.failure { throw failure }
                return try body(&head)
            }
        }
    }

    /// Reads the rows again if nodes could not be read, unless that was damage. If that fails as well, the error remains. No edit is
    /// in progress.
    func reload(_ head: inout UntypedStore.Head) {
        if head.failure == nil { return }
        // The numbers of a checkpoint that is being written refer to the present trees.
        if head.editor.state.pool.damage != nil || checkpointer?.isWriting == true { return }
        do {
            try readAgain(&head)
            head.failure = nil
        } catch {
            head.failure = error
        }
    }

    /// Catches up if the store is a replica, whose pending commits another process may have replaced: what refers to them could not be
    /// read.
    @inline(__always)
    func followReplica(_ head: inout UntypedStore.Head) throws {
        if group.log.confirmed.end != nil, try group.isBehind() { try catchUp(&head) }
    }

    /// Catches up, and continues from the newest checkpoint.
    func follow(_ head: inout UntypedStore.Head) throws {
        if try group.isBehind() { try catchUp(&head) }
        try readAgain(&head)
    }

    /// Reads the newest version again: the newest checkpoint, the commits after it, and the queued ones.
    func readAgain(_ head: inout UntypedStore.Head) throws {
        let queue = try group.pause()
        defer { group.resume() }
        try readAgain(queue, &head)
    }

    private func readAgain(
        _ queue: GroupCommit.Queue, _ head: inout UntypedStore.Head, isReplaced: Bool = false
    ) throws {
        var reloaded = try UntypedStore.Recovery.reload(
            group.log, queue.head, checkpointer?.database, after: head.editor.state.pool, options)
        var checksum = queue.head.checksum
        for commit in queue.commits {
            checksum = try commit.record.withUnsafeBytes {
                try reloaded.state.replay($0, previousChecksum: checksum)
            }
        }
        let newest = reloaded.newest
        // A change that has failed may have left another version, or the same with another commit.
        let isSame = reloaded.state.version == head.editor.state.version && checksum == head.editor.checksum
        if isReplaced || !isSame {
            head.editor.replace(reloaded.state, checksum: checksum)
        } else {
            head.editor.replace(reloaded.state)
        }
        if let newest { checkpointer?.adopt(newest) }
        // Only now the checkpoint before is not needed any more.
        try checkpointer?.database.locate(in: newest?.version)
    }

    /// Runs `body`, which may need that queued commits are durable, under the store's lock; again whenever another process has
    /// appended first.
    @inline(__always)
    func catchingUp<Result>(
        _ head: inout UntypedStore.Head, _ body: (inout UntypedStore.Head) throws -> Result
    ) throws -> Result {
        while true {
            do { return try body(&head) } catch is LostRace { try catchUp(&head) }
        }
    }

    func catchUp(_ head: inout UntypedStore.Head) throws {
        if options.isReadOnly { group.log.confirmed.learn() }
        let published = try group.published()
        let queue = try group.pause()
        // In a replica, another process may also replace commits, so nobody may write meanwhile. Who only reads cannot see to that: then
        // reading may fail, and is tried again.
        guard !options.isReadOnly, group.isUnlucky || group.log.confirmed.end != nil else {
            defer { group.resume() }
            try adopt(queue, &head) { try $0.refresh() }
            // If it is not what the file has, it is old, and stays so until the next commit.
            if options.isReadOnly { group.noteKnown(published) }
            return
        }
        // Nobody leads, so no thread of this process waits for the lock with what this one needs.
        var isDone = false
        defer { if !isDone { group.resume() } }
        try group.log.environment.whileNobodyWrites {
            try adopt(queue, &head) { try $0.findEnd() }
            group.noteKnown(published)
            isDone = true
            group.resume(leading: true)
        }
    }

    /// Adopts the end of the log, unless it is known already.
    private func adopt(
        _ queue: GroupCommit.Queue, _ head: inout UntypedStore.Head, _ findEnd: (Journal) throws -> LogPosition
    ) throws {
        let end = try findEnd(group.log.journal)
        if end == queue.head { return }
        do {
            try adopt(end, queue, &head)
            head.confirmed = group.log.confirmed.current
        } catch {
            group.restore(queue)
            head.failure = error
            throw error
        }
    }

    /// Reads the commits up to an end of the log, and makes those of the queue again.
    private func adopt(_ end: LogPosition, _ queue: GroupCommit.Queue, _ head: inout UntypedStore.Head) throws {
        // Another process may have taken an entry for complete whose sync failed here.
        let appended = try queue.commits.prefix { commit in
            try commit.version <= end.version && group.past.checksum(of: commit.version) == commit.checksum
        }
        let own = Array(queue.commits.dropFirst(appended.count))
        // Also a process that only reads may have seen commits whose sync then failed, and which were given up.
        let mayBeReplaced = group.log.confirmed.end != nil || options.isReadOnly
        if mayBeReplaced { group.log.forgetRecords() }
        if mayBeReplaced, queue.head.version > group.log.base.version,
            try end.version < queue.head.version || group.past.checksum(of: queue.head.version) != queue.head.checksum
        {
            return try adoptReplaced(end, queue, &head)
        }
        let failures = head.editor.failureCount
        var known = queue.head
        for commit in appended {
            commit.record.withUnsafeBytes {
                known.append($0, version: commit.version, eventCount: commit.eventCount)
            }
        }
        if known == end {
            group.replaceQueue(after: end, shift: 0, replacing: false)
            return own.forEach(group.requeue)
        }
        let before = try own.isEmpty ? head.editor.state.histories : histories(at: known.version, head.known)
        let rows = try head.editor.takeBack(own, to: before, checksum: known.checksum)
        try replay(after: known.version, through: end.version, &head)
        head.known = (end.version, head.editor.state.histories)
        let shift = end.version.rawValue - known.version.rawValue
        group.replaceQueue(after: end, shift: shift, replacing: !own.isEmpty)
        let (rebased, places) = try repeating(
            own, behind: own.isEmpty ? [] : Array(known.version.next..<end.version.next), rows, before, &head)
        // Placeholders of rows that could not be read may have been compared.
        if let failure = head.editor.failure(since: failures) { throw failure.ofRows }
        group.superseded.note(places, zip(own, rebased).filter { !$1.conflicts.isEmpty }.map(\.0))
        head.eventCount = end.eventCount + own.indices.reduce(0) { $0 + UInt64(rebased[$1].commit.eventCount) }
        note(end, since: known, head)
        group.note(rebased)
        if !own.isEmpty { options.diagnostics.report(.rebased(rebased, others: shift)) }
        try tell(since: known.version, rebased, &head)
    }

    /// Adopts a log in which another process has replaced pending commits of a replica: the newest rows are read again, and the commits
    /// of the queue are merged into them.
    private func adoptReplaced(_ end: LogPosition, _ queue: GroupCommit.Queue, _ head: inout UntypedStore.Head) throws {
        // No checkpoint has commits that are replaced.
        let derived = checkpointer?.newest?.version ?? .empty
        let shown = head.editor.snapshot()
        let rows = try head.editor.takeBack(
            queue.commits, to: head.editor.state.histories, checksum: queue.head.checksum)
        group.log.forgetRecords()
        group.past.clear()
        let version = queue.head.version
        // It may end earlier for a process that only reads and has no queue: it had seen a commit whose sync failed.
        let shift = end.version > version ? end.version.rawValue - version.rawValue : 0
        group.replaceQueue(after: end, shift: shift, replacing: true)
        try readAgain(GroupCommit.Queue(head: end, commits: []), &head, isReplaced: true)
        head.known = nil
        // Rows that are still shown refer to records that are gone; the same contents are in others now.
        var places: [ContentReference: ContentReference] = [:]
        shown.forEachNewRow { item in
            if item.content.version > derived, let now = head.editor.state.item(item.id),
                now.content.hash == item.content.hash, now.content.length == item.content.length
            {
                places[item.content] = now.content
            }
        }
        group.superseded.note(places, queue.commits)
        let (rebased, more) = try repeating(
            queue.commits, behind: nil, rows, HistoryTable(), &head,
            replaced: ReplacedContents(derived: derived, places: places))
        group.superseded.note(more, [])
        head.eventCount = end.eventCount + rebased.reduce(0) { $0 + UInt64($1.commit.eventCount) }
        group.note(rebased)
        if !rebased.isEmpty { options.diagnostics.report(.rebased(rebased, others: shift)) }
        // No checkpoint has a commit that was given up.
        var kept = max(derived, group.log.base.version)
        if let confirmed = head.confirmed, kept < confirmed.version, confirmed.version <= end.version,
            try group.past.checksum(of: confirmed.version) == confirmed.checksum
        {
            kept = confirmed.version
        }
        try tell(since: min(version, kept), rebased, &head)
    }

    private func replay(after version: Version, through last: Version, _ head: inout UntypedStore.Head) throws {
        var next = version.next
        while next <= last {
            let run = try group.records(of: next.rawValue...last.rawValue)
            for index in 0..<run.count {
                try run.withRecord(index) { try head.editor.replay($0, isLast: run.version(index) == last) }
            }
            next = run.version(run.count)
        }
    }

    /// The histories at a durable version.
    func histories(
        at version: Version, _ known: (version: Version, histories: HistoryTable)?
    ) throws -> HistoryTable {
        let newest = checkpointer?.newest.flatMap { $0.version <= version ? $0 : nil }
        // After the list was rebuilt, no other checkpoint can be used.
        let stored = try newest ?? checkpointer?.database.checkpoint(group.log.base.version)
        var (start, histories) = (stored?.version ?? group.log.base.version, stored?.histories ?? HistoryTable())
        if let known, known.version <= version, known.version > start { (start, histories) = known }
        while start < version {
            start = start.next
            histories.note(try group.historyMark(of: start), at: start)
        }
        return histories
    }

    func note(_ end: LogPosition, since known: LogPosition, _ head: borrowing UntypedStore.Head) {
        checkpointer?.note(
            commits: Int(clamping: end.version.rawValue &- known.version.rawValue),
            events: Int(clamping: end.eventCount &- known.eventCount),
            bytes: Int(clamping: end.recordBytes &- known.recordBytes), touched: head.editor.state.pool.touched,
            chunks: head.editor.state.dirtyChunkCount)
    }

    /// Sends the rows to the readers of updates, and wakes the others.
    func tell(since version: Version, _ rebased: [RebasedCommit], _ head: inout UntypedStore.Head) throws {
        if head.observers.hasReaders {
            let cause = try rebased.last?.commit ?? group.commit(head.editor.state.version)
            publish(cause, since: version, rebased, &head)
        }
        head.observers.signal()
    }

    /// Sends the rows to the readers of updates.
    ///
    /// - Parameter cause: the newest commit.
    func publish(
        _ cause: Commit, since version: Version, _ rebased: [RebasedCommit], _ head: inout UntypedStore.Head
    ) {
        guard head.observers.hasReaders else { return }
        head.observers.publish(head.editor.snapshot(), cause, since: version.next, rebased)
    }
}

extension Diagnostics.Report {
    /// Commits were made again.
    static func rebased(_ commits: [RebasedCommit], others: UInt64) -> Diagnostics.Report {
        .rebased(commits: commits.count, others: others, conflicting: commits.count { !$0.conflicts.isEmpty })
    }
}
