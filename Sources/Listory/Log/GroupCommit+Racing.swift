// What the queue does when another process has appended first: it gives up its commits, and takes those that replace them.
//
// Always holds: nobody leads between `pause` and `resume`, so the end of the log that this process knows and the queue change
// together; each queued commit is replaced by exactly one, so a waiter's version only shifts.

import LMDB
import ListModel
import Synchronization

extension GroupCommit {
    /// The queued commits, and the end of the log before them.
    struct Queue {
        var head: LogPosition
        var commits: [Commit]
    }

    /// Waits until nobody leads, lets nobody lead, and returns the queue.
    func pause() throws -> Queue {
        let run = monitor.withLock {
            // A background leader could continue for ever.
            state.moverCount += 1
            while state.isLed { monitor.wait(state.groupCount & 1) }
            state.moverCount -= 1
            state.isLed = true
            state.catchingUp = Platform.currentThread
            state.shiftBefore = state.shift
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
            if replacing { state.revision += 1 }
            // That is not shown before it is known what has become of the queue.
            state.head = head
            let empty = RecordRun(first: head.version.next)
            (state.writing, state.waiting) = (empty, empty)
            state.shift += shift
            for index in state.tasks.indices {
                state.tasks[index].version = Version(state.tasks[index].version.rawValue + shift)
            }
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
        monitor.withLock {
            if state.shownRows.count == GroupCommit.shownCount {
                state.shownRows.removeFirst(GroupCommit.shownCount / 2)
            }
            state.shownRows.append(rows)
        }
    }

    /// The rows of a version between commits that the calling thread makes again.
    func shownRows(at version: Version) -> UntypedSnapshot? {
        monitor.withLock {
            guard state.catchingUp == Platform.currentThread, let first = state.shownRows.first?.version,
                version >= first, version.rawValue - first.rawValue < state.shownRows.count
            else { return nil }
            return state.shownRows[Int(version.rawValue - first.rawValue)]
        }
    }

    /// How many versions are kept while commits are made again. An undo of an earlier one is made again as a merge.
    private static let shownCount = 2_048

    /// Takes back a replacement of the queue.
    func putBack(_ queue: Queue) {
        monitor.withLock {
            // Zero if the queue was not replaced.
            let shift = state.shift - state.shiftBefore
            state.shift -= shift
            state.revision += 1
            for index in state.tasks.indices {
                state.tasks[index].version = Version(state.tasks[index].version.rawValue - shift)
            }
            advance(to: queue.head)
            var run = RecordRun(first: queue.head.version.next)
            for commit in queue.commits { run.append(commit) }
            (state.writing, state.waiting) = (RecordRun(first: queue.head.version.next), run)
        }
    }

    /// Lets threads lead again, and wakes all waiters.
    ///
    /// - Parameter leads: whether the calling thread appends the queue before. It has the writer's lock, so it cannot lose.
    func resume(leading leads: Bool = false) {
        monitor.withLock {
            advance(to: state.head)
            (state.isLost, state.catchingUp) = (false, nil)
            state.shownRows = []
            // Who sleeps for which group is not known any more: all look for themselves.
            state.groupCount &+= 1
            (state.threadCount, state.hasTimekeeper) = (0, false)
            // If all queued commits were found in the log, nobody else tells that they are.
            let isDone = state.isEmpty && (!state.tasks.isEmpty || hasFailed)
            if leads || isDone { lead(.thread) } else { state.isLed = false }
            if !state.tasks.isEmpty { queueFlush() }
        }
        monitor.broadcast(0)
        monitor.broadcast(1)
    }

    /// Whether another process has been quicker so often that the queue should be appended with its lock held throughout.
    var isUnlucky: Bool { monitor.withLock { state.lossCount > 1 } }

    /// Whether some commits are not durable yet.
    var isPending: Bool { monitor.withLock { !state.isEmpty } }

    /// Waits until it is known what has become of the queue. The lock is held.
    ///
    /// - Returns: whether it had to.
    @discardableResult
    func waitForRacer() -> Bool {
        var hasWaited = false
        while let thread = state.catchingUp, thread != Platform.currentThread {
            monitor.wait(state.groupCount & 1)
            hasWaited = true
        }
        return hasWaited
    }

    /// Whether another process has appended commits that this one has not read.
    func isBehind() throws -> Bool {
        if monitor.withLock({ state.isLost }) { return true }
        // It may be older than this log: nobody publishes anything while no other process is there.
        guard let end = try published(), end != monitor.withLock({ state.knownEnd }) else { return false }
        if end.version > durableVersion { return true }
        // Another process may have replaced the last commits of a replica by as many. Who only reads may not know yet that it is one.
        return (log.confirmed.end != nil || log.environment.options.isReadOnly) && end != head
    }

    /// The end of the log that a process has published last.
    func published() throws -> LogPosition? { try log.journal.table?.published()?.head }

    /// Notes what was published before the end of the log was looked for while nobody wrote.
    func noteKnown(_ end: LogPosition?) { monitor.withLock { state.knownEnd = end } }

    /// Notes what has become of commits, which are in the queue again, or in the log if they are pending ones of a replica.
    func note(_ rebased: [RebasedCommit]) {
        monitor.withLock {
            let race = (state.rebased.last?.race ?? 0) + 1
            state.rebased.append(contentsOf: rebased.map { (race, $0) })
            // A queued commit is made again a few times at most. Pending commits of a replica may be many, and are made again each time
            // that commits of others come, so of very many of them only the last time is remembered.
            let limit = max(GroupCommit.rememberedCount, 8 * state.waiting.count, rebased.count)
            if state.rebased.count > limit { state.rebased.removeFirst(state.rebased.count - limit) }
        }
    }

    /// How many commits are remembered that were made again.
    private static let rememberedCount = 4_096

    /// The commit that replaced one that was queued; the same if it was not made again.
    func successor(of commit: Commit) -> Commit { successor(of: commit, []).commit }

    /// The commit that replaced one that was queued, and what has become of versions before it: if their commits were queued as well,
    /// they were made again with it.
    func successor(of commit: Commit, _ versions: [Version]) -> (commit: Commit, versions: [Version]) {
        monitor.withLock {
            waitForRacer()
            var (found, versions) = (commit, versions)
            for (index, (race, rebased)) in state.rebased.enumerated()
            where rebased.version == found.version && rebased.before == found.checksum {
                versions = versions.map { version in
                    // Those that were made again together follow one another.
                    let place = index - Int(clamping: found.version.rawValue &- version.rawValue)
                    guard place >= 0, state.rebased[place].race == race,
                        state.rebased[place].made.version == version
                    else { return version }
                    return state.rebased[place].made.commit.version
                }
                found = rebased.commit
            }
            return (found, versions)
        }
    }

    /// How far commits have been shifted.
    var shift: UInt64 { monitor.withLock { state.shift } }

    /// How often commits were replaced. As long as this stays, a version is the same commit.
    var revision: UInt64 { monitor.withLock { state.revision } }

    /// The version that the commit has now which this process made as a version, as far as that is known. If another
    /// process has made that version since, the later of the two. The lock is held, and no commits are made again.
    func presentVersion(_ version: Version) -> Version {
        var found = version
        for (_, rebased) in state.rebased where rebased.version == found { found = rebased.commit.version }
        return found
    }

    /// Sets who makes commits again.
    func setRacer(_ racer: (any Racer)?) { monitor.withLock { state.racer = racer } }
}

extension GroupCommit.State {
    /// Puts a group that was not appended, or only in part, back in the queue.
    mutating func putBack() {
        let first = Int(head.version.next.rawValue - writing.first.rawValue)
        guard first < writing.count else { return }
        var run = RecordRun(first: head.version.next, reserving: writing.size + waiting.size)
        run.append(writing, first..<writing.count)
        run.append(waiting, 0..<waiting.count)
        (writing, waiting) = (RecordRun(first: head.version.next), run)
    }
}

/// Where the contents of commits are that were made again: snapshots may still refer to the records that were given up.
final class SupersededContents: Sendable {
    private let state = Locked(State())
    private let isUsed = Atomic<Bool>(false)

    private struct State: Sendable {
        var places: [ContentReference: ContentReference] = [:]
        /// Those that were noted before these.
        var olderPlaces: [ContentReference: ContentReference] = [:]
        /// How often older ones were forgotten.
        var turns = 0
        /// Commits of which a part was left out, so that some contents are nowhere else; the newest last.
        var commits: [Commit] = []
    }

    /// A number that changes before places are forgotten that were noted since it changed last. Whoever keeps rows for long has to read
    /// them again by then.
    var age: Int { isUsed.load(ordering: .acquiring) ? state.withLock { $0.turns } : 0 }

    /// How many places are kept, and once more as many older ones: who shows a snapshot gets a newer one soon.
    static let placeCount = 1 << 16
    /// How many commits are kept of which a part was left out, and how many bytes they have together at most.
    static let (commitCount, commitBytes) = (1_024, 16 << 20)

    /// Adds contents, and commits of which a part was left out.
    func note(_ places: [ContentReference: ContentReference], _ commits: [Commit]) {
        if places.isEmpty && commits.isEmpty { return }
        isUsed.store(true, ordering: .releasing)
        state.withLock { state in
            // A list with very many pending contents moves all of them each time.
            if state.places.count >= max(SupersededContents.placeCount, 8 * places.count) {
                (state.olderPlaces, state.places) = (state.places, [:])
                state.turns += 1
            }
            for (old, new) in places { state.places[old] = new }
            var bytes = 0
            let all = state.commits + commits
            let kept = all.suffix(SupersededContents.commitCount).reversed().prefix { commit in
                bytes += commit.record.count
                return bytes <= SupersededContents.commitBytes || bytes == commit.record.count
            }
            state.commits = Array(kept.reversed())
        }
    }

    /// Where a content is now; nil if it was not moved.
    func place(of content: ContentReference) -> ContentReference? {
        guard isUsed.load(ordering: .acquiring) else { return nil }
        return state.withLock { $0.places[content] ?? $0.olderPlaces[content] }
    }

    /// A content that is nowhere else; nil if there is none.
    func bytes(of content: ContentReference) -> [UInt8]? {
        guard isUsed.load(ordering: .acquiring) else { return nil }
        let commits = state.withLock { state in state.commits.filter { $0.version == content.version } }
        for commit in commits.reversed() {
            let found = try? commit.record.withUnsafeBytes { record in
                let bytes = try content.content(in: record)
                try content.check(bytes)
                return Array(bytes)
            }
            if let found { return found }
        }
        return nil
    }
}
