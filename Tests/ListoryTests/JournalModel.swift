// The protocol of the journal as a small model: what processes do to the file and to the process table, step by step, and
// what the system and the device do with it. `JournalProtocolTests` goes through all interleavings.
//
// The log is the database followed by the entries of the journal, each of which states the log before it. A process writes
// with the writer's lock held, after it has checked that the log ends where it left it. It writes an entry behind the last
// one, syncs, publishes the new end in the process table, and acknowledges. Or it drains: a transaction adds the entries,
// and perhaps one commit, to the database. When that is durable, the next entry is written at the beginning. The rules are
// in `JournalModel+Steps`; `Flaw` breaks one of them at a time.
//
// A step is what no other process sees a part of: one read, one write, one sync, or what is decided with the lock held. A
// process can be killed and the power can fail between any two steps.
//
// Left out: the contents of commits (a commit is a number, so two logs are equal if and only if their checksums are); LMDB's
// pages (a transaction makes everything else durable, then changes the head with one write); time (a process that is stopped
// makes no step); readers (they read as an opening does, and show what is published).

/// The model, with the bounds of what happens in it.
struct JournalModel: Sendable {
    /// How much happens, in any order.
    struct Bounds: Sendable {
        /// How often a process begins to append or drain, or opens the store.
        var operations: Int
        /// How often a process is killed, a write or sync fails, and the power fails.
        var kills = 0
        var failures = 0
        var powerCuts = 0
        /// The size of the journal, in entries; at most 3.
        var slots = 2
    }

    var bounds: Bounds
    var flaws: Set<Flaw> = []
}

/// A log: the numbers of its commits; at most eight.
struct ModelLog: Equatable, Sendable {
    /// The newest commit is in the lowest four bits.
    private(set) var digits: UInt32 = 0

    var count: Int { (35 - digits.leadingZeroBitCount) / 4 }
    var commits: [UInt32] { (0..<count).reversed().map { digits >> UInt32(4 * $0) & 15 } }
    var newest: UInt32 { digits & 15 }
    /// The log without its newest commit.
    var before: ModelLog { ModelLog(digits: digits >> 4) }

    static func + (log: ModelLog, commit: UInt32) -> ModelLog { ModelLog(digits: log.digits << 4 | commit) }

    func begins(with other: ModelLog) -> Bool {
        count >= other.count && digits >> UInt32(4 * (count - other.count)) == other.digits
    }

    func contains(_ commit: UInt32) -> Bool {
        var rest = digits
        while rest != 0 {
            if rest & 15 == commit { return true }
            rest >>= 4
        }
        return false
    }

    var hasTwice: Bool {
        var (rest, found) = (digits, UInt32(0))
        while rest != 0 {
            if found & 1 << (rest & 15) != 0 { return true }
            found |= 1 << (rest & 15)
            rest >>= 4
        }
        return false
    }
}

extension JournalModel {
    typealias Log = ModelLog

    /// A part of the file: what processes see of it, and what the device has.
    struct Stored<Value: Equatable>: Equatable {
        private(set) var value: Value
        private(set) var durable: Value
        /// Whether the system has given up writing it after a failed sync. A later sync succeeds without it.
        private(set) var isGivenUp = false

        init(_ value: Value) { (self.value, durable) = (value, value) }

        var isDirty: Bool { value != durable && !isGivenUp }

        mutating func write(_ new: Value) { (value, isGivenUp) = (new, false) }
        mutating func sync() { if !isGivenUp { durable = value } }

        /// A sync fails, and the device has `left`.
        mutating func failSync(_ left: Value) { if isDirty { (durable, isGivenUp) = (left, true) } }

        /// The power fails, and the device has `left`.
        mutating func cut(_ left: Value) { (value, durable, isGivenUp) = (left, left, false) }
    }

    /// A place for an entry.
    struct Slot: Equatable {
        /// The log with the entry, which identifies the entry as its checksum does; empty if there is none.
        var after = Log()
        /// Whether the checksum is right. It is wrong while only a part of the entry is written.
        var isWhole = false

        var entry: Log? { isWhole ? after : nil }
    }

    /// The position of an entry that a process has written.
    struct Place: Equatable {
        var slot: Int
        var after: Log
    }

    /// What a process table says.
    struct Published: Equatable {
        /// The end of the log.
        var head = Log()
        /// How many of its commits are durable in the database.
        var stored = 0
    }

    /// What a process does, and what it knows of the file.
    struct Process: Equatable {
        enum Step: UInt64, CaseIterable {
            case closed
            /// Opening: has joined the process table; has found the journal empty, without the lock; needs the lock;
            /// has written a head that includes what it found.
            case opening, lookedWithoutLock, recovering, recovered
            case idle
            /// With the lock: a part of the entry is written; all of it; it is synced.
            case writing, written, synced
            /// With the lock: has begun a transaction; has cleared a failed entry; has written the head.
            case transaction, cleaned, committed
            /// With the lock: has to publish what it has committed.
            case publishing
            /// The log has moved: needs the lock to find its end; has it; the end is durable; it is in a transaction.
            case finding, found, foundDurable, foundAgain
            /// Discarding, with the lock: has cleared the entry that failed.
            case cleared
            /// Catching up, without the lock: knows what is published; has read the journal.
            case woken, copied
        }

        var step = Step.closed
        /// The end of the database and the end of the log.
        var stored = Log()
        var head = Log()
        /// The slot of the next entry.
        var end = 0
        /// Whether the next commit goes into the database.
        var isDirect = true
        /// An entry that may be in the journal and not in the log, because writing or syncing it failed.
        var failed: Place?
        /// The commit that is to be appended; 0 if there is none.
        var commit: UInt32 = 0
        /// Whether the transaction appends it.
        var appends = false
        /// While catching up: what was published, and the copy of the journal.
        var target = Published()
        var copy = Slots(Slot())

        var hasLock: Bool {
            switch step {
            case .recovered, .writing, .written, .synced, .transaction, .cleaned, .committed, .found, .foundDurable,
                .foundAgain, .cleared, .publishing:
                true
            case .closed, .opening, .lookedWithoutLock, .recovering, .idle, .finding, .woken, .copied:
                false
            }
        }

        mutating func know(_ found: Found, isDirect: Bool) {
            (stored, head, end) = (found.stored, found.head, found.end)
            self.isDirect = isDirect
            failed = nil
        }
    }

    /// Three values without memory of their own.
    struct Three<Value> {
        private var values: (Value, Value, Value)

        init(_ value: Value) { values = (value, value, value) }

        subscript(index: Int) -> Value {
            get { index == 0 ? values.0 : index == 1 ? values.1 : values.2 }
            set {
                switch index {
                case 0: values.0 = newValue
                case 1: values.1 = newValue
                default: values.2 = newValue
                }
            }
        }
    }

    typealias Slots = Three<Slot>

    /// What following the journal finds.
    struct Found {
        var stored: Log
        var head: Log
        /// The slot behind the last entry.
        var end = 0
        /// Whether an entry is left over that is newer than the end of the log.
        var isBehindLoss = false

        init(_ stored: Log) { (self.stored, head) = (stored, stored) }
    }

    /// What is wrong.
    enum Problem: String {
        case lost = "a commit that was acknowledged or published is lost, or at another place"
        case takenBack = "a commit that was shown is gone without a power cut"
        case twice = "a commit is in the log twice"
        case returned = "a commit that was discarded is in the log"
        case falseLoss = "an entry looks as if commits before it were lost"
        case missed = "a process never hears of a commit that another one shows, unless somebody edits"
    }

    /// The file, the process table, the processes, and what was promised.
    struct State: Equatable {
        var processes: Three<Process>
        var database = Stored(Log() + 1)
        var journal = Three(Stored(Slot()))
        var published = Published()
        /// What was acknowledged or published.
        var promised = Log() + 1
        /// What an opening has shown.
        var shown = Log() + 1
        var discarded = Log()
        /// How many commits have a number.
        var commitCount: UInt32 = 1
        /// What may still happen.
        var (operations, kills, failures, powerCuts): (Int, Int, Int, Int)
        /// What a step has found wrong.
        var problem: Problem?

        /// Three processes have a store of one commit open, of which they know that it is durable in the database.
        init(_ bounds: Bounds) {
            (operations, kills) = (bounds.operations, bounds.kills)
            (failures, powerCuts) = (bounds.failures, bounds.powerCuts)
            var process = Process()
            process.step = .idle
            process.know(Found(Log() + 1), isDirect: false)
            processes = Three(process)
        }

        var isLocked: Bool { processes[0].hasLock || processes[1].hasLock || processes[2].hasLock }

        func hasNeighbours(_ index: Int) -> Bool {
            index != 0 && processes[0].step != .closed || index != 1 && processes[1].step != .closed
                || index != 2 && processes[2].step != .closed
        }

        /// The journal as processes see it.
        var slots: Slots {
            var slots = Slots(Slot())
            for index in 0..<3 { slots[index] = journal[index].value }
            return slots
        }
    }
}

// MARK: - What must hold

extension JournalModel {
    /// What is wrong with a state; nil if nothing is.
    func problem(_ state: State) -> Problem? {
        if let problem = state.problem { return problem }
        let found = follow(state.database.value, state.slots)
        let log = found.head
        if !log.begins(with: state.promised) { return .lost }
        if !log.begins(with: state.shown) { return .takenBack }
        if log.hasTwice { return .twice }
        for commit in state.discarded.commits where log.contains(commit) { return .returned }
        // After two failed syncs, an entry that was cleared may be on the device behind one that was not written completely.
        if found.isBehindLoss && bounds.failures < 2 { return .falseLoss }
        if missesCommit(state) { return .missed }
        return nil
    }

    /// Whether all rest, and one shows a commit that another one is not told of. A failed write to the process table may cause that.
    private func missesCommit(_ state: State) -> Bool {
        if state.failures < bounds.failures { return false }
        var longest = 0
        for index in 0..<3 where state.processes[index].step != .closed {
            if state.processes[index].step != .idle { return false }
            longest = max(longest, state.processes[index].head.count)
        }
        return (0..<3).contains { index in
            let me = state.processes[index]
            return me.step == .idle && me.commit == 0 && me.head.count < longest
                && state.published.head.count <= me.head.count
        }
    }
}

extension JournalModel.State {
    /// What was acknowledged or published stays.
    mutating func promise(_ log: ModelLog) {
        if log.begins(with: promised) {
            promised = log
        } else if !promised.begins(with: log) {
            problem = .lost
        }
    }

    /// What was shown stays, unless the power fails.
    mutating func show(_ log: ModelLog) {
        if log.begins(with: shown) { shown = log } else { problem = .takenBack }
    }
}

// MARK: - Telling states apart

extension JournalModel.Three: Equatable where Value: Equatable {
    static func == (left: Self, right: Self) -> Bool { left.values == right.values }
}

extension JournalModel {
    /// A hash that is quick in a debug build.
    struct Digest {
        var value: UInt64 = 0

        mutating func add(_ word: UInt64) {
            value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
            value ^= value >> 29
        }

        mutating func add(_ slot: Slot) { add(UInt64(slot.after.digits) << 1 | (slot.isWhole ? 1 : 0)) }

        mutating func add(_ place: Place?) {
            add(place.map { UInt64($0.after.digits) << 2 | UInt64($0.slot) } ?? .max)
        }

        mutating func add(_ published: Published) { add(UInt64(published.head.digits) << 4 | UInt64(published.stored)) }
    }
}

extension JournalModel.Process {
    var digest: UInt64 {
        var digest = JournalModel.Digest()
        digest.add(UInt64(stored.digits) << 32 | UInt64(head.digits))
        digest.add(step.rawValue << 8 | UInt64(end) << 2 | (isDirect ? 2 : 0) | (appends ? 1 : 0))
        digest.add(UInt64(commit))
        digest.add(failed)
        digest.add(target)
        for index in 0..<3 { digest.add(copy[index]) }
        return digest.value
    }
}

extension JournalModel.State {
    /// The same with the processes in an order that does not depend on their names, and its hash.
    var sorted: (state: JournalModel.State, digest: UInt64) {
        var new = self
        var digests = (processes[0].digest, processes[1].digest, processes[2].digest)
        if digests.0 > digests.1 {
            (new.processes[0], new.processes[1]) = (new.processes[1], new.processes[0])
            digests = (digests.1, digests.0, digests.2)
        }
        if digests.1 > digests.2 {
            (new.processes[1], new.processes[2]) = (new.processes[2], new.processes[1])
            digests = (digests.0, digests.2, digests.1)
        }
        if digests.0 > digests.1 {
            (new.processes[0], new.processes[1]) = (new.processes[1], new.processes[0])
            digests = (digests.1, digests.0, digests.2)
        }
        var digest = JournalModel.Digest()
        digest.add(digests.0)
        digest.add(digests.1)
        digest.add(digests.2)
        digest.add(UInt64(database.value.digits) << 32 | UInt64(database.durable.digits))
        for index in 0..<3 {
            digest.add(journal[index].value)
            digest.add(journal[index].durable)
            digest.add(journal[index].isGivenUp ? 1 : 0)
        }
        digest.add(published)
        digest.add(UInt64(promised.digits) << 32 | UInt64(shown.digits))
        digest.add(UInt64(discarded.digits) << 32 | UInt64(commitCount))
        digest.add(UInt64(operations << 12 | kills << 8 | failures << 4 | powerCuts))
        return (new, digest.value)
    }
}
