// What the lock of `GroupCommit` protects: the queue and who leads, and in structs of their own who waits, how appending goes, which
// timers run, the race with other processes, and what has become of commits that were made again.
//
// `race` and `rebases` matter only if others commit too: other processes, or other devices by way of a shared log. `GroupCommit+Racing` has
// their functions.

import ListModel

extension GroupCommit {
    /// The state of the queue, which is read and written with `monitor` locked.
    ///
    /// Always holds: the versions of `waiting` follow those of `writing`; what of these is not durable yet begins right behind `head`.
    struct State {
        /// The head of the durable part of the log.
        var head: LogPosition
        /// The group that is being written; commits up to `head` are written already.
        var writing: RecordRun
        /// The commits after those.
        var waiting: RecordRun
        /// How many groups were taken; also the number of the present group.
        var groupCount = 0

        /// Whether a thread leads.
        var isLed = false
        /// How many threads wait until nobody leads: before they have gone on, nobody begins to append. Draining may come first.
        var moverCount = 0
        /// Whether a background flush was requested and has not taken its group yet.
        var isFlushQueued = false
        /// Whether the store was released. A timer would keep its file open for nothing.
        var isLetGo = false
        /// Whether the store has discarded the commits that are not in the file.
        var isStopped = false

        var waiters = Waiters()
        var attempts = Attempts()
        var timers = Timers()
        var race = Race()
        var rebases = Rebases()
    }

    /// The tasks and threads that wait for commits to become durable.
    ///
    /// Always holds: a task is resumed by the thread that takes it out of `tasks`, so exactly once.
    struct Waiters {
        /// Tasks that wait for a version.
        var tasks: [WaitingTask] = []
        /// How many threads sleep for a commit of `waiting`.
        var threadCount = 0
        /// Whether one of them wakes up by itself when the gathering ends.
        var hasTimekeeper = false
        /// Which writers may share the next sync.
        var gathering = Gathering()
    }

    /// How appending goes.
    ///
    /// Always holds: there is a `failure` if and only if no attempt has succeeded since the last one that failed.
    struct Attempts {
        /// How many attempts failed, to append or to make commits again before that.
        var failureCount = 0
        /// Why the last one failed; nil if it did not.
        var failure: ListError?
        /// How often an attempt was scheduled since appending last succeeded.
        var retryCount = 0
    }

    /// The timers that run; nil for those that do not.
    ///
    /// Always holds: a running timer keeps the queue until it rings, or until its reference is taken.
    struct Timers {
        /// Flushes the queue.
        var flush: StoreTimer?
        /// Drains the journal.
        var store: StoreTimer?
        /// Tries again what could not be appended.
        var retry: StoreTimer?
    }

    /// The race with other processes.
    ///
    /// Always holds: while it is lost, or a thread makes commits again, nobody appends, except that thread.
    struct Race {
        /// Whether another process has appended first: the queue waits until its commits are made again.
        var isLost = false
        /// How often in a row that has happened.
        var lossCount = 0
        /// What was published before the end of the log was last looked for: no news any more.
        var knownEnd: LogPosition?
        /// Makes the queued commits again.
        var racer: (any Racer)?
        /// The thread that makes commits again, or reads their rows again; nil if none does.
        var catchingUp: UInt?
        /// The last rows between commits that are being made again, one version after another.
        var shownRows: [UntypedSnapshot] = []
    }

    /// What has become of commits that were made again.
    ///
    /// Always holds: each commit that was replaced has one successor; those that were made again together follow one another in `commits`.
    struct Rebases {
        /// How many commits of other processes came before commits that were queued then. A waiter knows the version that its
        /// commit had when it began to wait; the commit's version has grown as much as this number since.
        var shift: UInt64 = 0
        /// The same number when the queue was last paused.
        var shiftBefore: UInt64 = 0
        /// How often commits were replaced: since then, a version may be another commit than before.
        var revision: UInt64 = 0
        /// The commits that were made again, the newest last, each with the number of the race in which it was.
        var commits: [(race: Int, made: RebasedCommit)] = []
    }

    /// A task that wants to be told when a version is durable.
    struct WaitingTask {
        var version: Version
        let continuation: UnsafeContinuation<Void, any Error>
    }
}

extension GroupCommit.State {
    /// An empty queue.
    init(head: LogPosition) {
        let empty = RecordRun(first: head.version.next)
        self.init(head: head, writing: empty, waiting: empty)
    }

    /// The version of the newest commit, appended or not.
    var newest: Version { Version(waiting.first.rawValue + UInt64(waiting.count) - 1) }

    /// Whether everything is in the file.
    var isEmpty: Bool { head.version >= newest }

    /// Whether some commits of the last group could not be appended.
    var hasLeftover: Bool { head.version.next < waiting.first }

    /// Whether no thread may become the leader.
    var isBusy: Bool { isLed || moverCount > 0 || race.isLost }

    /// The condition that signals that a version may have become durable.
    func condition(of version: Version) -> Int {
        (version < waiting.first ? groupCount : groupCount &+ 1) & 1
    }

    /// Takes all queued commits as the group to write.
    mutating func takeGroup() {
        writing = waiting
        waiting = RecordRun(first: waiting.version(waiting.count), reserving: min(writing.size, 1 << 20))
        groupCount &+= 1
        waiters.forgetThreads()
        waiters.gathering.beginGroup()
    }

    /// Puts a group that was not appended, or only in part, back in the queue.
    mutating func putBack() {
        let first = Int(head.version.next.rawValue - writing.first.rawValue)
        guard first < writing.count else { return }
        var run = RecordRun(first: head.version.next, reserving: writing.size + waiting.size)
        run.append(writing, first..<writing.count)
        run.append(waiting, 0..<waiting.count)
        (writing, waiting) = (RecordRun(first: head.version.next), run)
    }

    /// Drops what is queued.
    mutating func dropQueue() {
        let empty = RecordRun(first: head.version.next)
        (writing, waiting) = (empty, empty)
    }
}

extension GroupCommit.Waiters {
    /// Whether a background flush has work that no other thread will do: tasks wait, or there is a complete group whose
    /// threads all sleep.
    var needsBackground: Bool { !tasks.isEmpty || (threadCount > 0 && gathering.remaining == .zero) }

    /// Counts no thread any more: who sleeps now has been taken with the group, or looks for itself.
    mutating func forgetThreads() { (threadCount, hasTimekeeper) = (0, false) }

    /// Takes out the tasks that wait for a version or an earlier one.
    mutating func takeTasks(through version: Version) -> [GroupCommit.WaitingTask] {
        let taken = tasks.isEmpty ? [] : tasks.filter { $0.version <= version }
        if !taken.isEmpty { tasks.removeAll { $0.version <= version } }
        return taken
    }

    /// Takes out all tasks.
    mutating func takeTasks() -> [GroupCommit.WaitingTask] {
        defer { tasks = [] }
        return tasks
    }

    /// Lets the tasks wait for later versions, because commits of others have come before theirs.
    mutating func moveTasks(forward shift: UInt64) {
        for index in tasks.indices { tasks[index].version = Version(tasks[index].version.rawValue + shift) }
    }

    /// The opposite of ``moveTasks(forward:)``.
    mutating func moveTasks(back shift: UInt64) {
        for index in tasks.indices { tasks[index].version = Version(tasks[index].version.rawValue - shift) }
    }
}
