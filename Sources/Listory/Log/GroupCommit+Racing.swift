// What the queue does when another process has appended first: it gives up its commits, and takes those that replace them.
//
// What has become of a version that somebody noted before commits were made again? Each question is answered in one place:
//
//     is it still the same commit?                 `revision`: as long as that stays, it is (`StoreMoment`)
//     which version has its commit now?            `Rebases.version(_:since:)`, if the shift was noted when the commit was queued;
//                                                  `Rebases.presentVersion(of:)` if not, as long as that is remembered
//     which commit has replaced its commit?        `Rebases.successor(of:_:)`, as long as that is remembered
//     where are the contents of its record now?    `SupersededContents`, as long as that is remembered
//     what is left of it, and why not all?         `RebasedCommit`, in the update for readers; in a replica also `SetAsideCommit`
//
// A commit is *shifted* if others come before it, *rebased* if it is made again behind them: then its *successor* replaces it. In a
// replica, another process may have replaced commits that were in the log; `StoreRacer.ReplacedContents` says what is known of these.
//
// Always holds: nobody leads between `pause` and `resume`, so the end of the log that this process knows and the queue change
// together; each queued commit is replaced by exactly one, so a waiter's version only shifts.

import LMDB
import ListModel

/// Makes the queued commits of a store again after another process has appended first.
protocol Racer: AnyObject, Sendable {
    /// Reads the commits of other processes, and makes the queued ones again.
    ///
    /// - Throws: ``LostRace`` if the calling thread holds the store's lock.
    func catchUp() throws
}

// MARK: - The queue while commits are made again

extension GroupCommit {
    /// The queued commits, and the end of the log before them.
    struct Queue {
        var head: LogPosition
        var commits: [Commit]
    }

    /// Waits until nobody leads, lets nobody lead, and returns the queue.
    func pause() throws -> Queue {
        let run = monitor.withLock {
            waitUntilNobodyLeads()
            state.isLed = true
            state.race.catchingUp = Platform.currentThread
            state.rebases.shiftBefore = state.rebases.shift
            state.putBack()
            return (state.head, state.waiting)
        }
        do {
            let commits = try (0..<run.1.count).map { index in
                try Commit(record: run.1.record(index), version: run.1.version(index))
            }
            return Queue(head: run.0, commits: commits)
        } catch {
            resume()
            throw error
        }
    }

    /// Replaces the queue.
    ///
    /// - Parameters:
    ///   - head: the end of the log now.
    ///   - shift: how many commits of others came before the queued ones.
    ///   - replacing: whether commits are replaced that somebody may have read.
    func replaceQueue(after head: LogPosition, shift: UInt64, replacing: Bool) {
        monitor.withLock {
            if replacing { state.rebases.revision += 1 }
            // Not with `advance`: it is not shown before it is known what has become of the queue.
            state.head = head
            state.dropQueue()
            state.rebases.shift += shift
            state.waiters.moveTasks(forward: shift)
        }
    }

    /// Lets the queue begin at an earlier end of the log, behind which commits are about to be replaced: until ``resume(leading:)``, what
    /// is read behind it comes from the queue. The queue is empty.
    func rewind(to head: LogPosition) {
        replaceQueue(after: head, shift: 0, replacing: head.version < durableVersion)
        monitor.withLock { advance(to: head) }
        past.clear()
    }

    /// The queue, which nobody appends meanwhile.
    func queued() -> RecordRun { monitor.withLock { state.waiting } }

    /// Adds a commit that replaces a queued one.
    func requeue(_ commit: Commit) { monitor.withLock { state.waiting.append(commit) } }

    /// Lets the thread that makes commits again read the rows of a version that is not in the log yet: the next one after those that were
    /// shown before.
    func showRows(_ rows: UntypedSnapshot) {
        monitor.withLock { state.race.show(rows) }
    }

    /// The rows of a version between commits that the calling thread makes again.
    func shownRows(at version: Version) -> UntypedSnapshot? {
        monitor.withLock { state.race.rows(at: version) }
    }

    /// Makes the queue what it was when it was paused.
    func restore(_ queue: Queue) {
        monitor.withLock {
            // Zero if the queue was not replaced.
            let shift = state.rebases.shift - state.rebases.shiftBefore
            state.rebases.shift -= shift
            state.rebases.revision += 1
            state.waiters.moveTasks(back: shift)
            advance(to: queue.head)
            state.dropQueue()
            for commit in queue.commits { state.waiting.append(commit) }
        }
    }

    /// Lets threads lead again, and wakes all waiters.
    ///
    /// - Parameter leads: whether the calling thread appends the queue before. It has the writer's lock, so it cannot lose.
    func resume(leading leads: Bool = false) {
        monitor.withLock {
            advance(to: state.head)
            state.race.end()
            // Who sleeps for which group is not known any more: all look for themselves.
            state.groupCount &+= 1
            state.waiters.forgetThreads()
            // If all queued commits were found in the log, nobody else tells that they are.
            let isDone = state.isEmpty && (!state.waiters.tasks.isEmpty || hasFailed)
            if leads || isDone { lead(.thread) } else { state.isLed = false }
            if !state.waiters.tasks.isEmpty { queueFlush() }
        }
        wakeAll()
    }

    // MARK: What is known of other processes, and of commits that were made again

    /// Whether another process has been quicker so often that the queue should be appended with its lock held throughout.
    var isUnlucky: Bool { monitor.withLock { state.race.lossCount > 1 } }

    /// Whether some commits are not durable yet.
    var isPending: Bool { monitor.withLock { !state.isEmpty } }

    /// Waits until it is known what has become of the queue. The lock is held.
    ///
    /// - Returns: whether it had to.
    @discardableResult
    func waitForRacer() -> Bool {
        var hasWaited = false
        while state.race.isCatchingUpElsewhere {
            monitor.wait(state.groupCount & 1)
            hasWaited = true
        }
        return hasWaited
    }

    /// Whether another process has appended commits that this one has not read.
    func isBehind() throws -> Bool {
        if monitor.withLock({ state.race.isLost }) { return true }
        // It may be older than this log: nobody publishes anything while no other process is there.
        guard let end = try published(), end != monitor.withLock({ state.race.knownEnd }) else { return false }
        if end.version > durableVersion { return true }
        // Another process may have replaced the last commits of a replica by as many. Who only reads may not know yet that it is one.
        return (log.confirmed.end != nil || log.environment.options.isReadOnly) && end != head
    }

    /// The end of the log that a process has published last.
    func published() throws -> LogPosition? { try log.journal.table?.published()?.head }

    /// Notes what was published before the end of the log was looked for while nobody wrote.
    func noteKnown(_ end: LogPosition?) { monitor.withLock { state.race.knownEnd = end } }

    /// Notes what has become of commits, which are in the queue again, or in the log if they are pending ones of a replica.
    func note(_ rebased: [RebasedCommit]) {
        monitor.withLock { state.rebases.note(rebased, queuedCount: state.waiting.count) }
    }

    /// The commit that replaced one that was queued; the same if it was not made again.
    func successor(of commit: Commit) -> Commit { successor(of: commit, []).commit }

    /// The commit that replaced one that was queued, and what has become of versions before it: if their commits were queued as well,
    /// they were made again with it.
    func successor(of commit: Commit, _ versions: [Version]) -> (commit: Commit, versions: [Version]) {
        monitor.withLock {
            waitForRacer()
            return state.rebases.successor(of: commit, versions)
        }
    }

    /// How far commits have been shifted.
    var shift: UInt64 { monitor.withLock { state.rebases.shift } }

    /// How often commits were replaced. As long as this stays, a version is the same commit.
    var revision: UInt64 { monitor.withLock { state.rebases.revision } }

    /// Sets who makes commits again.
    func setRacer(_ racer: (any Racer)?) { monitor.withLock { state.race.racer = racer } }
}

// MARK: - What the state has of it

extension GroupCommit.Race {
    /// Whether the calling thread makes commits again.
    var isCatchingUpHere: Bool { catchingUp == Platform.currentThread }

    /// Whether another thread makes commits again.
    var isCatchingUpElsewhere: Bool { catchingUp.map { $0 != Platform.currentThread } ?? false }

    /// Adds the rows of the next version between commits that are made again.
    mutating func show(_ rows: UntypedSnapshot) {
        if shownRows.count == Self.shownCount { shownRows.removeFirst(Self.shownCount / 2) }
        shownRows.append(rows)
    }

    /// How many versions are kept while commits are made again. An undo of an earlier one is made again as a merge.
    private static let shownCount = 2_048

    /// The rows of a version between commits that the calling thread makes again; nil if there is none.
    func rows(at version: Version) -> UntypedSnapshot? {
        guard isCatchingUpHere, let first = shownRows.first?.version,
            version >= first, version.rawValue - first.rawValue < shownRows.count
        else { return nil }
        return shownRows[Int(version.rawValue - first.rawValue)]
    }

    /// Nobody makes commits again any more, and leaders may append.
    mutating func end() { (isLost, catchingUp, shownRows) = (false, nil, []) }
}

extension GroupCommit.Rebases {
    /// The version that a commit has now which had a version when commits had been shifted by `shift`.
    func version(_ version: Version, since shift: UInt64) -> Version {
        Version(version.rawValue + (self.shift - shift))
    }

    /// The version that the commit has now which this process made as a version, as far as that is remembered. If another
    /// process has made that version since, the later of the two. No commits are made again meanwhile.
    func presentVersion(of version: Version) -> Version {
        var found = version
        for (_, rebased) in commits where rebased.version == found { found = rebased.commit.version }
        return found
    }

    /// The commit that replaced one, as far as that is remembered, and what has become of versions before it.
    func successor(of commit: Commit, _ versions: [Version]) -> (commit: Commit, versions: [Version]) {
        var (found, versions) = (commit, versions)
        for (index, (race, rebased)) in commits.enumerated()
        where rebased.version == found.version && rebased.before == found.checksum {
            versions = versions.map { version in
                let place = index - Int(clamping: found.version.rawValue &- version.rawValue)
                guard place >= 0, commits[place].race == race, commits[place].made.version == version
                else { return version }
                return commits[place].made.commit.version
            }
            found = rebased.commit
        }
        return (found, versions)
    }

    /// Adds commits that were made again.
    ///
    /// - Parameter queuedCount: how many commits are in the queue now.
    mutating func note(_ rebased: [RebasedCommit], queuedCount: Int) {
        let race = (commits.last?.race ?? 0) + 1
        commits.append(contentsOf: rebased.map { (race, $0) })
        // A queued commit is made again a few times at most. Pending commits of a replica may be many, and are made again each time
        // that commits of others come, so of very many of them only the last time is remembered.
        let limit = max(Self.rememberedCount, 8 * queuedCount, rebased.count)
        if commits.count > limit { commits.removeFirst(commits.count - limit) }
    }

    /// How many commits are remembered that were made again.
    private static let rememberedCount = 4_096
}
