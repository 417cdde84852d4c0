// One schedule: what its processes and threads do, and what they write down.

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

/// The kinds of what processes write down.
enum Note: UInt32 {
    /// A commit was reported as durable: its version, and the checksum of its record.
    case acknowledged
    /// The rows of a durable version: the version, and their hash.
    case shown
    /// A store was opened: the number of calls before, and its version.
    case opened
    /// What a process that has a store open with others has made durable in the end: the version.
    case ended
    /// What it shows when all have ended: the version, and the hash of the rows.
    case agreed
}

final class Session: Sendable {
    let work: Work
    let path: String
    let seed: UInt64
    let flags: Set<String>

    init(_ work: Work, path: String, seed: UInt64, flags: Set<String>) {
        (self.work, self.path, self.seed, self.flags) = (work, path, seed, flags)
    }

    var options: schedule_options {
        var options = schedule_options()
        var generator = SeededGenerator(seed: seed)
        options.seed = seed
        options.process_count = Int32(work.processCount(&generator))
        if !flags.contains("unkilled") && work.isKilled {
            if generator.oneIn(2) {
                options.kill_count = options.process_count
                options.kill_rate = Int32([100, 400, 2_000].randomElement(using: &generator)!)
            }
            if options.process_count > 1 && generator.oneIn(3) { options.stop_rate = 300 }
        }
        if flags.contains("deaf") { options.loss_rate = 8 }
        if flags.contains("unlocked") { options.ignores_shared_locks = 1 }
        return options
    }

    /// What a process does.
    func run(_ process: Int) {
        var generator = SeededGenerator(seed: seed &+ UInt64(process) &* 0x9E37_79B9)
        _ = generator.next()
        work.run(self, process, &generator)
    }

    // MARK: - What is written down

    func wrong(_ text: String) { schedule_say(text) }

    func acknowledge(_ commit: Commit) {
        schedule_add(Note.acknowledged.rawValue, commit.version.rawValue, commit.checksum)
    }

    /// Opens the store, and writes down which version it has.
    func open(_ options: StoreOptions, _ body: () throws -> UntypedStore) throws -> UntypedStore {
        let begin = schedule_now()
        let store = try body()
        schedule_add(Note.opened.rawValue, begin, try store.version.rawValue)
        // Neither a kill nor another process makes a checkpoint unusable.
        if store.recovery.wasRebuilt { wrong("the newest checkpoint could not be used") }
        return store
    }

    /// Reads all rows, and writes down the hash if they are durable.
    func show(_ store: UntypedStore) throws {
        // Read first, because a later commit of another process may get the version of an own one that is not durable.
        let durable = store.durableVersion
        let snapshot = try store.snapshot
        var count = 0
        for section in snapshot.sections {
            for item in section.items {
                try store.source.withContent(of: item.content) { count += $0.count > 0 ? 1 : 0 }
            }
        }
        if snapshot.version <= durable {
            schedule_add(Note.shown.rawValue, snapshot.version.rawValue, snapshot.stateHash.rawValue)
        }
    }

    // MARK: - Options

    /// How a store is opened: any way that leads to edges.
    func storeOptions(_ generator: inout SeededGenerator) -> StoreOptions {
        var options = StoreOptions()
        options.journal.size = (8 << 10) - 16
        // The same for all processes: one without a journal does not look for those of others.
        options.journal.isUsed = seed % 8 != 0
        options.journal.storeDelay = [.microseconds(50), .milliseconds(5), .seconds(3_600)].randomElement(
            using: &generator)!
        options.deferredDelay = [.zero, .microseconds(100), .milliseconds(20)].randomElement(using: &generator)!
        options.durability = generator.oneIn(3) ? .deferred : .immediate
        options.lockTimeout = generator.oneIn(3) ? .milliseconds(2) : .seconds(5)
        options.maximumPendingBytes = generator.oneIn(4) ? 200 : 256 << 10
        options.coalescing = .never
        options.checkpoints.isBackground = generator.oneIn(2)
        if generator.oneIn(2) {
            options.checkpoints.interval = Int.random(in: 2...12, using: &generator)
            options.checkpoints.nodeWeight = 0
            options.checkpoints.maximumSpacing = 24
            options.checkpoints.sliceSize = 256
            options.checkpoints.touches.interval = 0
            options.checkpoints.touches.runSize = 16
            options.checkpoints.touches.bucketSize = 4
            options.checkpoints.touches.fanOut = 4
            options.checkpoints.touches.sliceSize = 256
            options.checkpoints.touches.deletionSize = 3
            options.limits = TreeLimits(leafCapacity: 4, innerCapacity: 4)
            options.memoryBudget = 1
            options.unpackedCount = 6
            (options.packing.groupCount, options.packing.givesBackAlways) = (3, true)
        } else if generator.oneIn(2) {
            options.checkpoints = .never
        }
        options.journal.isUnchecked = flags.contains("blind")
        options.isKnownToOthers = !flags.contains("blind")
        return options
    }
}

/// What one thread does with a store: edits it, and acknowledges what is durable.
struct Editor {
    private let session: Session
    private let store: UntypedStore
    private let name: String
    private var number = 0
    private var pending: [Commit] = []

    init(_ session: Session, _ store: UntypedStore, _ name: String) {
        (self.session, self.store, self.name) = (session, store, name)
    }

    /// One edit, or something else that uses the store.
    mutating func act(_ generator: inout SeededGenerator) throws {
        switch Int.random(in: 0..<14, using: &generator) {
        case 0: try store.checkpoint()
        case 1:
            try store.waitUntilDurable()
            acknowledge()
        case 2: try session.show(store)
        case 3:
            do {
                let isUndo = generator.oneIn(2)
                let moved = try isUndo ? store.undo(onConflict: .skip) : store.redo(onConflict: .skip)
                if let commit = moved.commit { pending.append(commit) }
            } catch let error as ListError where error.isRejection {
                // There is nothing to undo or redo.
            }
        case 4: if let commit = pending.last { try store.waitUntilDurable(commit.version) }
        case 5: if let commit = pending.last { try waitInTask(commit) }
        case 6:
            let version = try store.version
            let past = Version(UInt64.random(in: store.oldestVersion.rawValue...version.rawValue, using: &generator))
            _ = try store.snapshot(at: past).sections.map(\.items.count)
        case 7...9: try edit(.deferred, &generator)
        default: try edit(generator.oneIn(2) ? .immediate : nil, &generator)
        }
        acknowledge()
    }

    mutating func edit(_ durability: Durability?, _ generator: inout SeededGenerator) throws {
        number += 1
        let isLarge = generator.oneIn(12)
        let item = NewRow(
            id: .string("\(name) \(number)"),
            content: Array("\(name) \(number)".utf8)
                + [UInt8](repeating: 7, count: isLarge ? 8_500 : generator.below(300)))
        let isDeleting = generator.oneIn(3)
        // Rows of other processes, which may change them at the same time.
        let (kind, place) = (session.work == .neighbours ? generator.below(8) : 8, generator.below(1_000))
        let commit = try store.edit(name, durability: durability) { list in
            if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: "rows", title: "Rows")) }
            let path = ListIndexPath(section: 0, item: place % max(1, list.state.itemCount))
            switch list.state.itemCount > 2 ? kind : 8 {
            case 0: return try list.update(at: path, content: item.content)
            case 1: return try list.move(.at(path), to: .end(ofSection: "rows"))
            case 2: return try list.delete(.at(path))
            case 3: return try list.toggle(.at(path))
            default: break
            }
            try list.insert(item, at: .end(ofSection: "rows"))
            try list.toggle(.item(item.id))
            if isDeleting && list.state.itemCount > 8 { try list.delete(.at(ListIndexPath(section: 0, item: 1))) }
        }
        guard let commit else { return }
        pending.append(commit)
        if session.flags.contains("early") { return acknowledgeAll() }
        if (durability ?? store.options.durability) == .immediate && commit.version > store.durableVersion {
            // Then it could not be saved, unless that has succeeded by now.
            if store.appendFailure == nil && commit.version > store.durableVersion {
                session.wrong("an edit has returned before its commit \(commit.version) was durable")
            }
        }
        acknowledge()
    }

    /// Writes down which commits are durable.
    mutating func acknowledge() {
        var left: [Commit] = []
        for commit in pending {
            // It may be made again, and then has another version, until it is durable.
            let successor = store.successor(of: commit)
            if successor.version <= store.durableVersion && store.successor(of: successor) === successor {
                session.acknowledge(successor)
            } else {
                left.append(commit)
            }
        }
        pending = left
    }

    private mutating func acknowledgeAll() {
        for commit in pending { session.acknowledge(commit) }
        pending = []
    }

    /// Waits for a commit as a task does.
    private func waitInTask(_ commit: Commit) throws {
        let result = Waiting()
        let store = store
        Task {
            do { try await store.durable(commit.version) } catch { result.set(error) }
            result.end()
        }
        try result.wait()
        if store.successor(of: commit).version > store.durableVersion {
            session.wrong("a task was told that commit \(commit.version) is durable, which it is not")
        }
    }
}

/// A task that follows the updates of a store, as a view does.
struct Follower {
    private let end = Waiting()

    init?(_ session: Session, _ store: UntypedStore) {
        guard let updates = try? store.updates() else { return nil }
        let end = end
        Task {
            var shown = updates.initial
            for await update in updates {
                if update.previous.version != shown.version || update.previous.stateHash != shown.stateHash {
                    session.wrong("an update begins with version \(update.previous.version), not \(shown.version)")
                }
                shown = update.snapshot
            }
            schedule_add(Note.agreed.rawValue, shown.version.rawValue, shown.stateHash.rawValue)
            end.end()
        }
    }

    /// Waits until it has seen the last update.
    func finish() { try? end.wait() }
}
