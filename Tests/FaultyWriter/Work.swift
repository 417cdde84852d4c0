// What is done to stores while calls fail. Each kind of work goes on after an error as an app would: it tries again, and in
// the end closes the store without what could not be appended.

import Dispatch
import ListModel
@_spi(Sync) import Listory
import Synchronization
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

enum Work: String {
    /// Edits alone and in groups, undo, a checkpoint, closing.
    case edit
    /// The same in a store that a killed process left with commits in its journal.
    case recover
    /// A new store.
    case create
    /// Narrow nodes, small slices, no memory: checkpoints of which most are interrupted, and snapshots that are kept.
    case checkpoints
    /// A compaction, and edits after it.
    case compact
    /// Rows are erased, and edits after it.
    case erase
    /// A copy, and edits of both files.
    case copy
    /// A replica receives commits, alone and before its own.
    case receive

    /// The name of the store; a copy is `copy`.
    static let name = "list.listory"

    /// Makes the store that the work begins with.
    func prepare(_ session: Session) throws {
        if self == .create { return }
        let store = try UntypedStore.create(at: session.path(Work.name), options: options)
        if self == .receive {
            try store.beginSharing()
            try store.receive(try shared(session)[..<3].map(\.record))
            return try store.close()
        }
        let count = (isRewritten ? 14 : self == .checkpoints ? 30 : 6) + Int(session.seed % 4)
        for number in 0..<count { _ = try insert(store, session, number, .immediate) }
        if isRewritten {
            try store.undo(3)
            _ = try insert(store, session, count, .immediate)
        }
        // Otherwise as if the process had been killed.
        if self != .recover { try store.close() }
    }

    func run(_ session: Session) throws {
        switch self {
        case .edit, .recover, .create, .checkpoints, .receive:
            // An opening that fails must not prevent the next one.
            if try !use(session) { _ = try use(session) }
        case .compact, .erase:
            if !session.attempt({ try rewrite(session) }) { session.attempt { try rewrite(session) } }
            _ = try use(session)
        case .copy: try copy(session)
        }
    }

    var options: StoreOptions {
        var options = StoreOptions()
        options.journal.size = (8 << 10) - 16
        options.journal.storeDelay = .seconds(3_600)
        options.retryDelay = .seconds(3_600)
        options.checkpoints.isBackground = false
        options.coalescing = .never
        if self == .checkpoints {
            options.checkpoints.interval = 6
            options.checkpoints.nodeWeight = 0
            options.checkpoints.maximumSpacing = 24
            options.checkpoints.sliceSize = 256
            options.checkpoints.touches.interval = 0
            options.checkpoints.touches.runSize = 16
            options.checkpoints.touches.bucketSize = 4
            options.checkpoints.touches.fanOut = 4
            options.checkpoints.touches.sliceSize = 256
            options.checkpoints.touches.deletionSize = 3
            options.unpackedCount = 12
            options.packing.groupCount = 5
            (options.packing.freeSize, options.packing.givesBackAlways) = (0, true)
            options.limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)
            options.memoryBudget = 1
        }
        return options
    }

    /// Inserts a row whose size depends on the seed.
    private func insert(
        _ store: UntypedStore, _ session: Session, _ number: Int, _ durability: Durability, isLarge: Bool = false
    ) throws -> Commit {
        try store.edit("Insert", durability: durability) { list in
            try insert(into: &list, session, number, isLarge: isLarge)
        }!
    }

    private func insert(
        into list: inout UntypedEditor, _ session: Session, _ number: Int, isLarge: Bool = false
    ) throws {
        let random = (session.seed >> 8) &+ UInt64(number) &* 7_919
        // Too large for the journal, or any other size.
        let size = isLarge ? 8_200 + Int(random % 9_000) : Int(random % 300)
        let content = Array("row \(number)".utf8) + [UInt8](repeating: 7, count: size)
        if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: "rows", title: "Rows")) }
        let item = NewRow(id: .string("\(list.state.version) \(number)"), content: content)
        try list.insert(item, at: .end(ofSection: "rows"))
        try list.toggle(.item(item.id))
    }

    // MARK: - Editing

    /// Opens the store, edits or receives, and closes it.
    ///
    /// - Returns: whether it could be opened.
    private func use(_ session: Session) throws -> Bool {
        var opened: UntypedStore?
        session.attempt {
            opened =
                self == .create
                ? try UntypedStore.openOrCreate(at: session.path(Work.name), options: options)
                : try UntypedStore.open(at: session.path(Work.name), options: options)
        }
        guard let store = opened else { return false }
        if self == .receive {
            try receive(store, session)
        } else {
            edit(store, session)
            close(store, session)
        }
        return true
    }

    private func edit(_ store: UntypedStore, _ session: Session) {
        // An edit that could not be saved returns too.
        func acknowledge(_ commit: Commit?) {
            guard let commit, commit.version <= store.durableVersion else { return }
            session.durable(Work.name, commit.version, commit.stateHash)
        }
        // What was read when the store was opened.
        session.attempt {
            let snapshot = try store.snapshot
            if snapshot.version <= store.durableVersion {
                session.durable(Work.name, snapshot.version, snapshot.stateHash)
            }
        }
        for number in 0..<3 { session.attempt { acknowledge(try insert(store, session, 100 + number, .immediate)) } }
        session.attempt { acknowledge(try insert(store, session, 200, .immediate, isLarge: true)) }
        session.attempt { acknowledge(try store.undo().commit) }
        session.attempt {
            var commit: Commit?
            for number in 0..<3 { commit = try insert(store, session, 300 + number, .deferred) }
            // Once more if it failed, as an app does whose user presses a button.
            if !session.attempt({ try store.waitUntilDurable() }) { try store.waitUntilDurable() }
            acknowledge(commit)
        }
        let kept = try? store.snapshot
        let hash = kept?.stateHash
        if self == .checkpoints {
            for number in 0..<16 {
                session.attempt {
                    try store.edit("Toggle", durability: .deferred) { list in
                        try list.toggle(.at(ListIndexPath(section: 0, item: number * 7 % 24)))
                    }
                }
            }
        }
        session.attempt { try store.checkpoint() }
        session.attempt { acknowledge(try insert(store, session, 400, .immediate)) }
        if session.isPassing { expectSaved(store, session) }
        session.attempt {
            _ = try store.snapshot(at: max(Version(3), store.oldestVersion)).sections.map { $0.items.map(\.id) }
        }
        // It is of one version, whatever was evicted and read again, or says that it is unreadable.
        if let kept, let hash {
            let ids = kept.sections.flatMap { $0.items.map(\.id) }
            if ids.count != kept.itemCount || kept.stateHash != hash { session.wrong("a kept snapshot has changed") }
        }
    }

    /// Expects that a store whose file has failed for a moment saves and reads again.
    private func expectSaved(_ store: UntypedStore, _ session: Session) {
        do {
            // The error may come only now, and through two descriptors of the file.
            for _ in 0..<2 {
                _ = try? store.waitUntilDurable()
                _ = try? store.checkpoint()
            }
            try store.waitUntilDurable()
            try store.checkpoint()
        } catch { session.wrong("does not save again: \(error)") }
    }

    /// - Returns: whether it is closed.
    @discardableResult
    private func close(_ store: UntypedStore, _ session: Session) -> Bool {
        if session.attempt({ try store.close() }) { return true }
        guard session.attempt({ try store.close(discardingUnappended: true) }) else { return false }
        session.discarded(Work.name, store.durableVersion)
        return true
    }

    /// Has the store open while `other` runs, and edits it afterwards, in transactions too.
    func stay(_ session: Session, _ other: (UntypedStore) throws -> Void) throws {
        let store = try UntypedStore.open(at: session.path(Work.name), options: options)
        try other(store)
        for number in 0..<2 {
            let commit = try insert(store, session, 600 + number, .immediate, isLarge: number == 1)
            try store.waitUntilDurable()
            session.durable(Work.name, commit.version, commit.stateHash)
        }
        try store.checkpoint()
        try store.close()
    }

    // MARK: - Whole files

    /// Whether the file is written anew.
    private var isRewritten: Bool { self == .compact || self == .erase }

    private func rewrite(_ session: Session) throws {
        if self == .erase {
            try UntypedStore.erase(Erasure(rows: ["1 1", "5 5"]), at: session.path(Work.name))
            return
        }
        var compaction = Compaction(keeping: .from(Version(6)))
        compaction.unpackedCount = 1 + Int(session.seed % 7)
        compaction.checkpointSpacing = 16
        try UntypedStore.compact(at: session.path(Work.name), compaction)
    }

    private func copy(_ session: Session) throws {
        let store = try UntypedStore.open(at: session.path(Work.name), options: options)
        for number in 0..<2 {
            session.attempt {
                let commit = try insert(store, session, number, .immediate)
                try store.waitUntilDurable()
                session.durable(Work.name, commit.version, commit.stateHash)
            }
        }
        for _ in 0..<2 {
            let isCopied = session.attempt {
                try store.copy(to: session.path("copy"))
                session.durable("copy", try store.version, try store.snapshot.stateHash)
            }
            if isCopied { break }
            // What failed has left nothing behind, so it can be tried again.
        }
        edit(store, session)
        close(store, session)
    }

    // MARK: - Sharing

    /// The commits of a shared log: the same in each fork.
    private func shared(_ session: Session) throws -> [Commit] {
        var list = MemoryList()
        return try (0..<12).map { number in
            try list.commit { try insert(into: &$0, session, 1_000 + number, isLarge: number == 8) }!
        }
    }

    /// Brings a replica up to a commit of the shared log.
    private func exchange(_ store: UntypedStore, _ commits: ArraySlice<Commit>) throws {
        let confirmed = Int(store.confirmed!.version.rawValue)
        let rest = commits.dropFirst(confirmed).map(\.record)
        try store.receive(Array(rest.dropFirst(store.confirm(rest))))
    }

    /// Receives commits, edits, and closes the replica.
    private func receive(_ store: UntypedStore, _ session: Session) throws {
        let commits = try shared(session)
        var readers = [try? store.updates()]
        var isWhole = false
        // The ninth commit does not fit into the journal. Behind the tenth and the eleventh, own ones are pending.
        for count in [4, 5, 6, 8, 9, 10, 11, 12] {
            isWhole = session.attempt {
                if !session.attempt({ try exchange(store, commits[..<count]) }) {
                    // The app goes on, with another view, and the replica tries once more.
                    readers.append(try? store.updates())
                    if count % 2 == 0 { session.attempt { _ = try insert(store, session, 200 + count, .deferred) } }
                    try exchange(store, commits[..<count])
                }
                session.durable(Work.name, Version(UInt64(count)), commits[count - 1].stateHash)
            }
            guard count == 10 || count == 11 else { continue }
            session.attempt { _ = try insert(store, session, 100 + count, count == 10 ? .immediate : .deferred) }
        }
        let hash = try? store.snapshot.stateHash
        // Updates end when the store is closed.
        guard close(store, session) else { return }
        for updates in readers.compactMap(\.self) {
            let seen = Work.last(of: updates, session)
            // Whatever a reader was told before an error, at the end it has the rows of the store.
            if isWhole, let hash, seen != hash { session.wrong("a reader has \(seen), the store \(hash)") }
        }
    }

    /// The hash of the last rows of updates that end. Each update leads from the rows of the one before to its own.
    private static func last(of updates: UntypedUpdates, _ session: Session) -> StateHash {
        let seen = Mutex((last: updates.initial.stateHash, gaps: 0))
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            for await update in updates {
                seen.withLock { seen in
                    if update.previous.stateHash != seen.last { seen.gaps += 1 }
                    if update.versions.upperBound != update.snapshot.version { seen.gaps += 1 }
                    seen.last = update.snapshot.stateHash
                }
            }
            isDone.signal()
        }
        isDone.wait()
        let (last, gaps) = seen.withLock { $0 }
        if gaps > 0 { session.wrong("\(gaps) updates of a reader do not follow the one before") }
        return last
    }

    // MARK: - Afterwards

    /// Opens what is left without faults, and compares it with what was acknowledged. Every line of the report is a
    /// problem.
    func check(_ session: Session, _ acknowledgements: [Acknowledged]) throws {
        var stores: Set<String> = Set(acknowledgements.map(\.store))
        stores.insert(Work.name)
        for name in stores {
            session.attempt {
                try checkStore(session, name, acknowledgements.filter { $0.store == name })
            }
        }
    }

    private func checkStore(_ session: Session, _ name: String, _ acknowledgements: [Acknowledged]) throws {
        let path = session.path(name)
        let store =
            self == .create && acknowledgements.isEmpty
            ? try UntypedStore.openOrCreate(at: path, options: options)
            : try UntypedStore.open(at: path, options: options)
        let newest = try store.version
        if let lost = store.recovery.lostVersion { session.wrong("version \(lost) of \(name) is said to be lost") }
        for found in acknowledgements {
            if found.version > newest {
                session.wrong("version \(found.version) of \(name) was acknowledged and is lost")
            } else if !found.isLast, found.version > store.oldestVersion,
                try store.commit(found.version).stateHash.description != found.hash
            {
                session.wrong("version \(found.version) of \(name) has another hash")
            }
        }
        // A process that opened it after that has reported it.
        if let last = acknowledgements.last, last.isLast, newest > last.version {
            session.wrong("version \(newest) of \(name) was discarded after \(last.version), and came back")
        }
        // Each commit has inserted a row and checked it.
        for section in try store.snapshot.sections where self != .checkpoints {
            if section.items.contains(where: { !$0.isChecked }) { session.wrong("a commit of \(name) is partial") }
        }
        if self == .receive {
            try exchange(store, shared(session)[...])
            if store.confirmed?.version != 12 { session.wrong("\(String(describing: store.confirmed)) is confirmed") }
        }
        _ = try insert(store, session, 500, .immediate)
        try store.checkpoint()
        try store.close()
        _ = try StoreVerification(path: path)
    }

    /// Opens the store on a disk that is still full: what it throws does not matter.
    func reopen(_ session: Session) throws {
        let store = try UntypedStore.open(at: session.path(Work.name), options: options)
        defer { try? store.close(discardingUnappended: true) }
        _ = try store.snapshot.sections.map { $0.items.map(\.id) }
    }

    /// Cuts the file off while it is open. Everything that is done then either works or throws an error with a type.
    func shorten(_ session: Session, to length: Int, isChecked: Bool) throws {
        let path = session.path(Work.name)
        var options = options
        options.trustsPages = !isChecked
        let store = try UntypedStore.open(at: path, options: options)
        _ = try insert(store, session, 1, .immediate)
        guard truncate(path, length) == 0 else { return session.wrong("the file could not be cut off") }
        // The length is looked at once in a while.
        usleep(20_000)
        edit(store, session)
        close(store, session)
    }
}
