// What the processes of a schedule do.

import LMDB
import ListModel
import Listory
import Scheduler
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

enum Work: String {
    /// Threads that edit one store, wait for durability, take checkpoints, read and close it, and one that opens it again.
    case threads
    /// Threads that only make deferred and immediate commits, with a timer that rings at once.
    case waiting
    /// Processes that create, open and close one store.
    case opening
    /// Processes that edit one store, one after the other or at once.
    case processes
    /// Processes that have one store open at the same time and edit it, until all show the same.
    case neighbours
    /// For the scheduler itself: threads that add to a number in a file, without a lock.
    case race
    /// The same with a lock.
    case lockedRace
    /// For the scheduler itself: two threads that take two locks, each in its own order.
    case deadlock

    /// Whether its processes are killed and stopped.
    var isKilled: Bool { self == .threads || self == .opening || self == .processes || self == .neighbours }

    func processCount(_ generator: inout SeededGenerator) -> Int {
        switch self {
        case .opening, .processes, .neighbours: Int.random(in: 2...3, using: &generator)
        case .lockedRace: 2
        default: 1
        }
    }

    /// Makes the store that the work begins with; 0 if that succeeds.
    func prepare(_ path: String) -> Int32 {
        switch self {
        case .opening, .deadlock: return 0
        case .race, .lockedRace:
            Files.write([0, 0, 0, 0, 0, 0, 0, 0], path)
            return 0
        case .threads, .waiting, .processes, .neighbours:
            var options = StoreOptions()
            options.journal.size = (8 << 10) - 16
            do {
                let store = try UntypedStore.create(at: path, options: options)
                try store.edit("Begin") { try $0.insertSection(NewSection(id: "rows", title: "Rows")) }
                try store.close()
                return 0
            } catch {
                print("the preparation: \(error)")
                return 1
            }
        }
    }

    func run(_ session: Session, _ process: Int, _ generator: inout SeededGenerator) {
        switch self {
        case .threads: editInThreads(session, &generator)
        case .waiting: waitInThreads(session, &generator)
        case .opening: openRepeatedly(session, process, &generator)
        case .processes: editInProcesses(session, process, &generator)
        case .neighbours: editTogether(session, process, &generator)
        case .race: count(session, nil)
        case .lockedRace: count(session, session.path + "-lock")
        case .deadlock: takeTwoLocks()
        }
    }

    // MARK: - Threads

    private func editInThreads(_ session: Session, _ generator: inout SeededGenerator) {
        let options = session.storeOptions(&generator)
        guard
            let store = attempt(
                session, { try session.open(options) { try UntypedStore.open(at: session.path, options: options) } })
        else { return session.wrong("the store cannot be opened") }
        let seed = generator.next()
        let closer = generator.oneIn(2) ? generator.below(4) : -1
        onThreads(generator.oneIn(2) ? 3 : 4) { index in
            var generator = SeededGenerator(seed: seed &+ UInt64(index))
            var editor = Editor(session, store, "\(index)")
            for _ in 0..<Int.random(in: 2...6, using: &generator) {
                _ = attempt(session) { try editor.act(&generator) }
            }
            if index == closer {
                close(session, store)
                reopen(session, options, "\(index) again", &generator)
            }
            editor.acknowledge()
        }
        close(session, store)
    }

    private func waitInThreads(_ session: Session, _ generator: inout SeededGenerator) {
        var options = session.storeOptions(&generator)
        (options.deferredDelay, options.checkpoints) = (.zero, .never)
        let found = attempt(session) {
            try session.open(options) { try UntypedStore.open(at: session.path, options: options) }
        }
        guard let store = found else { return session.wrong("the store cannot be opened") }
        let seed = generator.next()
        onThreads(4) { index in
            var generator = SeededGenerator(seed: seed &+ UInt64(index))
            var editor = Editor(session, store, "\(index)")
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                _ = attempt(session) { try editor.edit(generator.oneIn(2) ? .deferred : .immediate, &generator) }
            }
        }
        close(session, store)
    }

    private func reopen(
        _ session: Session, _ options: StoreOptions, _ name: String, _ generator: inout SeededGenerator
    ) {
        guard
            let store = attempt(
                session, { try session.open(options) { try UntypedStore.open(at: session.path, options: options) } })
        else { return }
        var editor = Editor(session, store, name)
        for _ in 0..<2 { _ = attempt(session) { try editor.act(&generator) } }
        close(session, store)
        editor.acknowledge()
    }

    // MARK: - Processes

    private func openRepeatedly(_ session: Session, _ process: Int, _ generator: inout SeededGenerator) {
        for round in 0..<Int.random(in: 1...3, using: &generator) {
            let options = session.storeOptions(&generator)
            let kind = generator.below(3)
            let store = attempt(session) {
                try session.open(options) {
                    switch kind {
                    case 0: try UntypedStore.create(at: session.path, options: options)
                    case 1: try UntypedStore.open(at: session.path, options: options)
                    default:
                        try UntypedStore.openOrCreate(at: session.path, options: options)
                    }
                }
            }
            guard let store else { continue }
            var editor = Editor(session, store, "\(process) \(round)")
            for _ in 0..<generator.below(3) { _ = attempt(session) { try editor.edit(nil, &generator) } }
            close(session, store)
            editor.acknowledge()
        }
    }

    private func editInProcesses(_ session: Session, _ process: Int, _ generator: inout SeededGenerator) {
        // In some schedules, one process edits much, so that others often come in between.
        let isLong = process == 0 && session.seed % 2 == 0
        for round in 0..<Int.random(in: 1...3, using: &generator) {
            var options = session.storeOptions(&generator)
            options.isReadOnly = !isLong && generator.oneIn(5)
            // While no other process has it open, the file is replaced. Two such processes would share their scratch files.
            if process == 1 && generator.oneIn(6) {
                var compaction = Compaction()
                compaction.unpackedCount = generator.below(4)
                _ = attempt(session) { try UntypedStore.compact(at: session.path, compaction, options: options) }
                continue
            }
            if isLong { options.journal.storeDelay = .seconds(3_600) }
            let found = attempt(session) {
                try session.open(options) { try UntypedStore.open(at: session.path, options: options) }
            }
            guard let store = found else { continue }
            if options.isReadOnly {
                _ = attempt(session) { try session.show(store) }
            } else {
                var editor = Editor(session, store, "\(process) \(round)")
                for _ in 0..<Int.random(in: isLong ? 5...20 : 1...5, using: &generator) {
                    guard attempt(session, { try editor.act(&generator) }) != nil else { break }
                }
                close(session, store)
                editor.acknowledge()
                continue
            }
            close(session, store)
        }
    }

    private func editTogether(_ session: Session, _ process: Int, _ generator: inout SeededGenerator) {
        var options = session.storeOptions(&generator)
        // One of them edits.
        options.isReadOnly = process > 0 && generator.oneIn(5)
        let found = attempt(session) {
            try session.open(options) { try UntypedStore.open(at: session.path, options: options) }
        }
        guard let store = found else { return }
        let follower = generator.oneIn(2) ? Follower(session, store) : nil
        let seed = generator.next()
        onThreads(options.isReadOnly ? 0 : Int.random(in: 1...2, using: &generator)) { index in
            var generator = SeededGenerator(seed: seed &+ UInt64(index))
            var editor = Editor(session, store, "\(process) \(index)")
            for _ in 0..<Int.random(in: 2...8, using: &generator) {
                _ = attempt(session) { try editor.act(&generator) }
            }
            _ = attempt(session) { try store.waitUntilDurable() }
            editor.acknowledge()
        }
        // One that is stopped for long lets the others fail; they try again by themselves.
        wait(seconds: 600) { store.appendFailure == nil }
        if !options.isReadOnly { _ = attempt(session) { try store.waitUntilDurable() } }
        schedule_add(Note.ended.rawValue, store.durableVersion.rawValue, 0)
        schedule_meet()
        let newest = schedule_greatest(Note.ended.rawValue)
        // Updates bring the commits of others; those of a killed process a moment later.
        _ = attempt(session) {
            for round in 0..<200 where try round < 20 || store.version.rawValue < newest {
                // Time alone would not do: timers also ring while threads can still run, and these may be the ones that
                // follow the others.
                schedule_calm()
                usleep(100_000)
            }
        }
        schedule_calm()
        schedule_meet()
        _ = attempt(session) {
            let snapshot = try store.snapshot
            schedule_add(Note.agreed.rawValue, snapshot.version.rawValue, snapshot.stateHash.rawValue)
        }
        schedule_meet()
        close(session, store)
        follower?.finish()
    }

    /// Waits until something holds, for a limited time.
    private func wait(seconds: Int64, _ isTrue: () throws -> Bool) rethrows {
        let end = ContinuousClock.now + .seconds(seconds)
        while try !isTrue() && ContinuousClock.now < end { usleep(10_000) }
    }

    // MARK: - Closing and errors

    private func close(_ session: Session, _ store: UntypedStore) {
        for _ in 0..<50 {
            do { return try store.close() } catch ListError.closed {
                return
            } catch ListError.failed(let error as LMDBError) {
                // Another thread reads.
                guard case .closeBlocked = error.kind else { return check(session, error) }
                usleep(1_000)
            } catch ListError.appendFailed(_, let cause) {
                check(session, cause)
                _ = attempt(session) { try store.close(discardingUnappended: true) }
                return
            } catch {
                return check(session, error)
            }
        }
        session.wrong("the store cannot be closed, because it is read from for ever")
    }

    /// Runs something; errors that the other threads and processes explain are no problem.
    private func attempt<Result>(_ session: Session, _ body: () throws -> Result) -> Result? {
        do { return try body() } catch {
            check(session, error)
            return nil
        }
    }

    private func check(_ session: Session, _ error: any Error) {
        if !isExpected(session, error) { session.wrong("threw \(error)") }
    }

    private func isExpected(_ session: Session, _ error: any Error) -> Bool {
        switch error {
        case ListError.appendFailed(_, let cause), ListError.failed(let cause): isExpected(session, cause)
        case let error as ListError:
            switch self {
            case .threads, .waiting: ["closed", "inUse"].contains(error.code)
            case .opening:
                ["alreadyExists", "notFound", "notAStore", "busy", "inUse", "closed"].contains(error.code)
            case .neighbours: ["busy"].contains(error.code)
            // The last one is for a compaction.
            default: ["busy", "inUse", "closed", "writtenElsewhere"].contains(error.code)
            }
        case let error as LMDBError where self != .threads:
            switch error.kind {
            // A process is stopped.
            case .writerBusy: true
            // A process was killed while it wrote the first pages; others may have finished the file since.
            case .damaged, .engine(.invalid): self == .opening && session.options.kill_count > 0
            default: false
            }
        default: false
        }
    }

    // MARK: - The scheduler itself

    /// Two threads add 1 to a number in a file, three times each.
    private func count(_ session: Session, _ lock: String?) {
        onThreads(2) { _ in
            let file = open(session.path, O_RDWR)
            let locked = lock.map { open($0, O_RDWR | O_CREAT, 0o600) }
            for _ in 0..<3 {
                if let locked { flock(locked, LOCK_EX) }
                var number: UInt64 = 0
                pread(file, &number, 8, 0)
                number += 1
                pwrite(file, &number, 8, 0)
                if let locked { flock(locked, LOCK_UN) }
            }
        }
    }

    private func takeTwoLocks() {
        let (first, second) = (Monitor(), Monitor())
        onThreads(2) { index in
            for _ in 0..<3 {
                let (outer, inner) = index == 0 ? (first, second) : (second, first)
                outer.withLock { inner.withLock {} }
            }
        }
    }
}
