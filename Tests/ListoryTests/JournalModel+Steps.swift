// The rules of the protocol of the journal: what each process, the system and the device may do next.

extension JournalModel {
    /// A rule that is broken.
    enum Flaw: CaseIterable, Sendable {
        /// Follows an entry without looking at the log before it.
        case followsAnyEntry
        /// Writes without looking whether the database has another head; whether there is a next entry.
        case ignoresHead, ignoresNextEntry
        /// Acknowledges a commit when its entry is written and not synced.
        case acknowledgesBeforeSync
        /// Opens a store without draining what it finds; begins in the journal after finding it empty.
        case opensWithoutDraining, opensInJournal
        /// Publishes an end that nobody has published without making it durable; only with a sync.
        case publishesWithoutSync, publishesAfterSync
        /// Restarts the journal before its drain is durable; after the drain of another process of which that is not known.
        case restartsBeforeDurable, restartsAfterUnknownDrain
        /// Writes behind an entry whose sync failed.
        case writesBehindFailure
        /// Discards a commit without clearing its entry; without clearing it again; without looking at the database.
        case discardsWithoutClearing, clearsOnce, discardsWithoutHead
        /// Clears an entry that failed here and that another process has continued.
        case clearsContinuedEntry
        /// Compares logs by their lengths only.
        case comparesVersionsOnly
        /// Opens the store without the lock while others have it open; does not look there whether the end is published; does not
        /// publish what it has written again.
        case opensBesideOthers, opensUnpublished, recoversInSilence
    }

    private func has(_ flaw: Flaw) -> Bool { !flaws.isEmpty && flaws.contains(flaw) }
}

// MARK: - Reading

extension JournalModel {
    /// Follows the entries from the head of the database, to the end of a log or as far as they go.
    func follow(_ stored: Log, _ slots: Slots, through end: Log? = nil) -> Found {
        var found = Found(stored)
        var slot = 0
        while slot < bounds.slots {
            if let end, found.head.count >= end.count { return found }
            guard let entry = slots[slot].entry else { break }
            if continues(entry, found.head) || has(.followsAnyEntry) {
                found.head = found.head + entry.newest
                found.end = slot + 1
            } else if found.head != stored || entry.before.count > found.head.count {
                break
            }
            // An entry before the first one that continues the database is drained already.
            slot += 1
        }
        while slot < bounds.slots {
            if let entry = slots[slot].entry, entry.count > found.head.count { found.isBehindLoss = true }
            slot += 1
        }
        return found
    }

    private func continues(_ entry: Log, _ head: Log) -> Bool {
        entry.before == head || has(.comparesVersionsOnly) && entry.before.count == head.count
    }

    /// Whether the log ends where a process left it.
    private func agrees(_ me: Process, _ state: State) -> Bool {
        if state.database.value != me.stored && !has(.ignoresHead) { return false }
        if me.end >= bounds.slots || has(.ignoresNextEntry) { return true }
        guard let next = state.journal[me.end].value.entry, continues(next, me.head) else { return true }
        // The entry may be its own, and not in the log.
        return me.failed == Place(slot: me.end, after: next) && !isContinued(me, state)
    }

    /// Whether another process took an entry for complete that could not be appended.
    private func isContinued(_ me: Process, _ state: State) -> Bool {
        guard let failed = me.failed else { return false }
        if state.published.head.count > me.head.count { return true }
        if state.database.value != me.stored && !has(.discardsWithoutHead) { return true }
        if state.journal[failed.slot].value.entry != failed.after || failed.slot + 1 >= bounds.slots { return false }
        return state.journal[failed.slot + 1].value.entry?.before == failed.after
    }
}

// MARK: - Writing

extension JournalModel.State {
    fileprivate mutating func sync() {
        database.sync()
        for slot in 0..<3 { journal[slot].sync() }
    }

    /// Publishes the end that a process knows, if anybody is there, and acknowledges its commit, if that is in the log.
    fileprivate mutating func publish(_ index: Int) {
        let me = processes[index]
        if hasNeighbours(index) {
            if me.head.count > published.head.count { published.head = me.head }
            published.stored = max(published.stored, me.stored.count)
            promise(me.head)
        }
        acknowledge(index)
    }

    fileprivate mutating func acknowledge(_ index: Int) {
        let me = processes[index]
        if me.commit == 0 || !me.head.contains(me.commit) { return }
        promise(me.head)
        processes[index].commit = 0
    }

    /// Clears an entry that is not in the log.
    fileprivate mutating func clear(_ failed: JournalModel.Place?, isRepeated: Bool) {
        guard let failed else { return }
        let value = journal[failed.slot].value
        // The device may have an entry that is cleared here.
        if value.after == failed.after || value.after == JournalModel.Log() && isRepeated {
            journal[failed.slot].write(JournalModel.Slot())
        }
    }
}

// MARK: - Steps

extension JournalModel {
    /// Collects the states that may follow a state.
    final class Steps {
        private let isNamed: Bool
        private(set) var found: [(what: String, state: State)] = []

        init(isNamed: Bool) { self.isNamed = isNamed }

        func add(_ what: @autoclosure () -> String, _ state: State) { found.append((isNamed ? what() : "", state)) }
    }

    /// The name of a process.
    static func name(_ index: Int) -> String { ["A", "B", "C"][index] }

    /// Adds the states that may follow a state.
    func next(_ state: State, _ steps: Steps) {
        for index in 0..<3 {
            step(state, index, steps)
            if state.kills > 0 && state.processes[index].step != .closed {
                var new = state
                new.kills -= 1
                new.processes[index] = Process()
                steps.add("\(Self.name(index)) is killed", new)
            }
        }
        if state.powerCuts > 0 {
            var new = state
            new.powerCuts -= 1
            new.processes = Three(Process())
            new.published = Published()
            new.shown = new.promised
            leave(new, isCut: true, "the power fails", steps)
        }
    }

    /// A sync fails.
    private func failSync(_ state: State, _ index: Int, _ steps: Steps, _ change: (inout State) -> Void) {
        if state.failures == 0 { return }
        var new = state
        new.failures -= 1
        change(&new)
        leave(new, isCut: false, "\(Self.name(index))'s sync fails", steps)
    }

    /// Of what is not durable, the device has any part: the head or not; an entry, a part of it, or nothing.
    private func leave(_ state: State, isCut: Bool, _ what: String, _ steps: Steps) {
        func leaveSlots(_ slot: Int, _ state: State) {
            if slot == bounds.slots {
                let slots = (0..<bounds.slots).map { state.journal[$0].durable.text }.joined(separator: " ")
                return steps.add("\(what); the device has \(state.database.durable.commits), journal \(slots)", state)
            }
            let stored = state.journal[slot]
            var kept = [stored.durable]
            if stored.isDirty { kept += [stored.value, Slot()] }
            for (number, left) in kept.enumerated() where !kept[..<number].contains(left) {
                var new = state
                if isCut { new.journal[slot].cut(left) } else { new.journal[slot].failSync(left) }
                leaveSlots(slot + 1, new)
            }
        }
        var kept = [state.database.durable]
        if state.database.isDirty { kept.append(state.database.value) }
        for left in kept {
            var new = state
            if isCut { new.database.cut(left) } else { new.database.failSync(left) }
            leaveSlots(0, new)
        }
    }

    /// Adds the next steps of a process.
    private func step(_ state: State, _ index: Int, _ steps: Steps) {
        let me = state.processes[index]
        func go(
            _ what: @autoclosure () -> String, _ change: (inout State, inout Process) -> Void,
            _ then: (inout State) -> Void = { _ in }
        ) {
            steps.add("\(Self.name(index)) \(what())", Self.changed(state, index, change, then))
        }
        switch me.step {
        case .closed:
            if state.operations == 0 || state.isLocked { return }
            go("opens the store") { new, me in
                new.operations -= 1
                // What is left of processes that have ended means nothing.
                if !new.hasNeighbours(index) { new.published = Published() }
                me.step = .opening
            }
        case .opening:
            go("looks whether the journal is empty") { new, me in
                me.stored = new.database.value
                let isEmpty = (0..<bounds.slots).allSatisfy { new.journal[$0].value.after.count <= me.stored.count }
                let isAlone = !new.hasNeighbours(index) || has(.opensBesideOthers)
                me.step = isEmpty && isAlone ? .lookedWithoutLock : .recovering
            }
        case .lookedWithoutLock:
            go("looks whether the database is the same") { new, me in
                guard me.stored == new.database.value else { return me.step = .recovering }
                // Nobody knows whether a drain is durable.
                me.know(Found(me.stored), isDirect: !has(.opensInJournal))
                me.step = .idle
                new.show(me.head)
            }
        case .recovering:
            if state.isLocked { return }
            let found = follow(state.database.value, state.slots)
            // Whoever wrote it may have been killed before it was durable.
            let isPublished =
                !state.hasNeighbours(index) || state.published.head.count >= found.head.count || has(.opensUnpublished)
            if found.head == found.stored && isPublished || has(.opensWithoutDraining) {
                return go("is open with \(found.head.commits)") { new, me in
                    me.know(found, isDirect: found.head == found.stored)
                    me.step = .idle
                    new.show(me.head)
                }
            }
            go("drains what it found: writes the head") { new, me in
                new.sync()
                new.database.write(found.head)
                me.step = .recovered
            }
            failSync(state, index, steps) { $0.processes[index] = Process() }
        case .recovered:
            go("has drained what it found") { new, me in
                new.database.sync()
                me.know(Found(new.database.value), isDirect: false)
                me.step = .idle
                new.show(me.head)
            } _: {
                if !has(.recoversInSilence) { $0.publish(index) }
            }
        case .idle:
            idle(state, index, steps)
        case .writing:
            go("writes the rest of \(me.commit)") { new, me in
                new.journal[me.end].write(Slot(after: me.head + me.commit, isWhole: true))
                me.step = .written
                if has(.acknowledgesBeforeSync) { new.promise(me.head + me.commit) }
            }
            if state.failures > 0 {
                go("cannot write the rest of \(me.commit)") { new, me in
                    new.failures -= 1
                    me.fail()
                }
            }
        case .written:
            go("syncs \(me.commit)") { new, me in
                new.sync()
                me.advance()
                me.step = .synced
            }
            failSync(state, index, steps) { new in
                guard has(.writesBehindFailure) else { return new.processes[index].fail() }
                new.processes[index].advance()
                (new.processes[index].commit, new.processes[index].step) = (0, .idle)
            }
        case .synced:
            go("publishes and acknowledges \(me.commit)") {
                $1.step = .idle
            } _: {
                $0.publish(index)
            }
            cannotPublish(state, index, steps)
        case .transaction where me.failed != nil:
            go("clears its failed entry") { new, me in
                new.clear(me.failed, isRepeated: !has(.clearsOnce))
                me.step = .cleaned
            }
        case .transaction, .cleaned:
            go("syncs, and writes the head") { new, me in
                new.sync()
                new.database.write(me.appends ? me.head + me.commit : me.head)
                me.step = .committed
            }
            failSync(state, index, steps) { $0.processes[index].step = .idle }
        case .committed:
            go("has committed") { new, me in
                if me.appends || !has(.restartsBeforeDurable) { new.database.sync() }
                me.know(Found(new.database.value), isDirect: false)
                me.step = .publishing
            }
        case .publishing:
            go("publishes the end of the log") {
                $1.step = .idle
            } _: {
                $0.publish(index)
            }
            cannotPublish(state, index, steps)
        case .finding:
            if state.isLocked { return }
            go("takes the lock to find the end") { new, me in
                if !isContinued(me, new) { new.clear(me.failed, isRepeated: !has(.clearsOnce)) }
                me.step = .found
            }
        case .found, .foundDurable, .foundAgain:
            find(state, index, steps)
        case .cleared:
            go("discards \(me.commit)") { new, me in
                new.sync()
                new.discarded = new.discarded + me.commit
                me = Process()
            }
            failSync(state, index, steps) { $0.processes[index] = Process() }
        case .woken:
            go("reads the journal") { new, me in
                me.copy = new.slots
                me.step = .copied
            }
        case .copied:
            catchUp(state, index, steps)
        }
    }

    private static func changed(
        _ state: State, _ index: Int, _ change: (inout State, inout Process) -> Void,
        _ then: (inout State) -> Void = { _ in }
    ) -> State {
        var (new, me) = (state, state.processes[index])
        change(&new, &me)
        new.processes[index] = me
        then(&new)
        return new
    }

    private func idle(_ state: State, _ index: Int, _ steps: Steps) {
        let me = state.processes[index]
        func go(_ what: @autoclosure () -> String, _ change: (inout State, inout Process) -> Void) {
            steps.add("\(Self.name(index)) \(what())", Self.changed(state, index, change))
        }
        if state.published.head.count > me.head.count {
            go("is woken") { new, me in (me.target, me.step) = (new.published, .woken) }
        }
        if state.isLocked { return }
        if me.commit != 0 {
            append(state, index, "tries again", steps)
        } else if state.operations > 0 {
            var new = state
            new.operations -= 1
            new.commitCount += 1
            new.processes[index].commit = new.commitCount
            append(new, index, "appends", steps)
        }
        if state.operations > 0 && me.head != me.stored {
            let agrees = agrees(me, state)
            go("drains: \(agrees ? "begins a transaction" : "the log has moved")") { new, me in
                new.operations -= 1
                (me.step, me.appends) = (agrees ? .transaction : .finding, false)
            }
        }
        if me.commit != 0 && me.failed != nil {
            if isContinued(me, state) {
                return go("cannot discard \(me.commit), which another process took") { $1 = Process() }
            }
            go("clears its failed entry to discard \(me.commit)") { new, me in
                if !has(.discardsWithoutClearing) { new.clear(me.failed, isRepeated: !has(.clearsOnce)) }
                me.step = .cleared
            }
        }
    }

    /// Takes the lock, checks, and begins to append.
    private func append(_ state: State, _ index: Int, _ verb: String, _ steps: Steps) {
        let me = state.processes[index]
        func go(_ what: String, _ change: (inout State, inout Process) -> Void) {
            steps.add("\(Self.name(index)) \(verb) \(me.commit): \(what)", Self.changed(state, index, change))
        }
        if !agrees(me, state) {
            go("the log has moved") { $1.step = .finding }
        } else if me.isDirect || me.end >= bounds.slots {
            go("begins a transaction") { ($1.step, $1.appends) = (.transaction, true) }
        } else {
            go("writes a part of the entry") { new, me in
                new.journal[me.end].write(Slot(after: me.head + me.commit))
                me.step = .writing
            }
        }
    }

    /// With the lock: makes the end durable, publishes it, and makes the own commit again behind it.
    private func find(_ state: State, _ index: Int, _ steps: Steps) {
        let found = follow(state.database.value, state.slots)
        func go(_ what: String, _ change: (inout State, inout Process) -> Void) {
            steps.add("\(Self.name(index)) \(what)", Self.changed(state, index, change))
        }
        guard state.processes[index].step == .found else {
            return go("knows the end") { new, me in
                if me.step == .foundAgain { new.database.sync() }
                me.know(found, isDirect: false)
                me.step = .publishing
            }
        }
        let isPublished =
            state.published.head.count >= found.head.count && state.published.stored >= found.stored.count
        if isPublished || has(.publishesWithoutSync) {
            return go("finds the end") { $1.step = .foundDurable }
        }
        if has(.publishesAfterSync) {
            return go("syncs what it found") { new, me in
                new.sync()
                me.step = .foundDurable
            }
        }
        // Who wrote it was killed, or its sync failed: then a sync now would not tell. So all of it is written again.
        go("drains what it found: writes the head") { new, me in
            new.sync()
            new.database.write(found.head)
            me.step = .foundAgain
        }
        failSync(state, index, steps) { $0.processes[index].step = .idle }
    }

    /// The process table cannot be written: what was appended is durable all the same.
    private func cannotPublish(_ state: State, _ index: Int, _ steps: Steps) {
        if state.failures == 0 { return }
        let new = Self.changed(state, index) { new, me in
            new.failures -= 1
            me.step = .idle
        } _: {
            $0.acknowledge(index)
        }
        steps.add("\(Self.name(index)) cannot publish the end of the log", new)
    }

    private func catchUp(_ state: State, _ index: Int, _ steps: Steps) {
        let me = state.processes[index]
        let found = follow(state.database.value, me.copy, through: me.target.head)
        let new = Self.changed(state, index) { new, me in
            me.copy = Slots(Slot())
            // An entry that was drained between the two reads is missing in both.
            if found.head.count < me.target.head.count { return me.step = .woken }
            let target = me.target
            me.target = Published()
            // A transaction whose process has not published it, and may have been killed.
            if found.head.count > target.head.count { return me.step = .finding }
            let (stored, isDirect, failed) = (me.stored, me.isDirect, me.failed)
            // Whether a drain is durable that this process has not seen end.
            let isUnknown = found.stored.count > target.stored && !has(.restartsAfterUnknownDrain)
            me.know(found, isDirect: found.stored == stored ? isDirect : isUnknown)
            if has(.clearsContinuedEntry) { me.failed = failed }
            me.step = .idle
        } _: { new in
            if new.processes[index].step == .idle { new.acknowledge(index) }
        }
        steps.add("\(Self.name(index)) reads the database", new)
    }
}

extension JournalModel.Process {
    /// The entry is in the log.
    fileprivate mutating func advance() {
        head = head + commit
        end += 1
    }

    /// The entry could not be written or synced: nothing is written behind it.
    fileprivate mutating func fail() {
        failed = JournalModel.Place(slot: end, after: head + commit)
        isDirect = true
        step = .idle
    }
}

extension JournalModel.Slot {
    var text: String { after == JournalModel.Log() ? "–" : "\(after.commits)\(isWhole ? "" : " in part")" }
}
