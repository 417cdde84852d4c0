// A process that edits a store while everything that it does to the store's folder is recorded, for the tests of power
// cuts.
//
//     RecordedWriter WORK FOLDER RECORD SEED COUNT [SYNCS FAILURES]
//
// With SYNCS, the syncs after that many others fail, FAILURES of them. The writer then tries again, or closes the store
// without the commits that could not be appended.
//
// WORK says what is done:
// - edit: COUNT random commits to `recorded.listory`, alone and in groups, small and large, with checkpoints and pauses
//   between them;
// - together: COUNT commits of each of eight threads and eight tasks, which wait for durability at the same time;
// - create: COUNT new stores, with one or two commits each;
// - compact: compactions of `recorded.listory` with commits between them;
// - copy: copies and backups of `recorded.listory` while it is edited;
// - erase: a content of `recorded.listory` that was deleted or updated before is erased, or dropped by a compaction;
// - holes, careless-holes: COUNT transactions on a file of LMDB, which a power cut may take back one transaction. Between them, free pages
//   are given back; those that are still needed too, if it is careless.
//
// What is reported as durable is marked in the record: the name of the store, a version and its hash. `discarded` is
// marked before the name if the store was closed without the commits after the version. `erased` is marked with a content that a
// compaction has dropped.

import Dispatch
import Foundation
import LMDB
import ListModel
import Listory
import TestSupport
import WriteRecorder

@main
enum RecordedWriter {
    static let arguments = CommandLine.arguments
    static let folder = arguments[2]
    static let count = Int(arguments[5])!
    static let name = "recorded.listory"
    static var path: String { "\(folder)/\(name)" }

    static func main() async throws {
        precondition(write_recorder_begin(folder, arguments[3]) == 0, "the record cannot be written")
        if arguments.count > 7 { write_recorder_fail_syncs(Int32(arguments[6])!, Int32(arguments[7])!) }
        var generator = SeededGenerator(seed: UInt64(arguments[4])!)
        switch arguments[1] {
        case "edit": try edit(&generator)
        case "together": try await editTogether()
        case "create": try create(&generator)
        case "compact": try compact(&generator)
        case "copy": try copy(&generator)
        case "erase": try erase(&generator)
        case "holes": try makeHoles(&generator, isCareless: false)
        case "careless-holes": try makeHoles(&generator, isCareless: true)
        default: preconditionFailure("no work")
        }
    }

    static func options() -> StoreOptions {
        var options = StoreOptions()
        // Small, so that it is often full.
        options.journal.size = (8 << 10) - 16
        options.journal.storeDelay = .milliseconds(5)
        options.checkpoints.interval = 64
        options.checkpoints.nodeWeight = 0
        options.checkpoints.touches.interval = 0
        options.checkpoints.touches.runSize = 16
        options.checkpoints.touches.bucketSize = 4
        options.checkpoints.touches.fanOut = 4
        options.checkpoints.touches.sliceSize = 256
        options.checkpoints.touches.deletionSize = 3
        options.unpackedCount = 12
        options.packing.groupCount = 8
        (options.packing.freeSize, options.packing.givesBackAlways) = (0, true)
        return options
    }

    static func mark(_ name: String, _ version: Version, _ hash: StateHash) {
        write_recorder_mark("\(name) \(version) \(hash)")
    }

    /// Makes a commit that is not durable yet.
    @discardableResult
    static func insert(_ id: String, _ size: Int, _ store: UntypedStore, _ durability: Durability = .deferred) throws
        -> Commit
    {
        let item = NewRow(
            id: .string(id), content: [UInt8](repeating: UInt8(truncatingIfNeeded: id.utf8.count), count: size))
        return try store.edit("Insert", durability: durability) { list in
            if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: "rows", title: "Rows")) }
            try list.insert(item, at: .end(ofSection: "rows"))
        }!
    }

    // MARK: - Edits

    /// Closes a store without the commits that could not be written.
    private static func discard(_ store: UntypedStore) throws {
        do { try store.close(discardingUnappended: true) } catch ListError.discardFailed { return }
        // Commits that were durable before are marked already, or were not acknowledged.
        write_recorder_mark("discarded \(name) \(store.durableVersion) -")
    }

    private static func edit(_ generator: inout SeededGenerator) throws {
        let store = try UntypedStore.open(at: path, options: options())
        let before = try store.version
        mark(name, before, try store.snapshot.stateHash)
        var failureCount = 0
        for number in 0..<count {
            for part in 0..<(generator.oneIn(4) ? Int.random(in: 2...6, using: &generator) : 1) {
                let size = generator.oneIn(12) ? 6_000 : Int.random(in: 0...200, using: &generator)
                // After a failure, edits are refused until an attempt succeeds.
                do { try insert("\(arguments[4]) \(number) \(part)", size, store) } catch ListError.appendFailed {
                    break
                }
            }
            // Of commits that are not in the log yet.
            if generator.oneIn(12) { try? store.checkpoint() }
            do { try store.waitUntilDurable() } catch ListError.appendFailed {
                failureCount += 1
                if failureCount == 3 || generator.oneIn(2) { return try discard(store) }
                do { try store.waitUntilDurable() } catch ListError.appendFailed { continue }
            }
            mark(name, try store.version, try store.snapshot.stateHash)
            // Verifying finds a name whose version is lost.
            if generator.oneIn(10) { _ = try? store.addName("\(arguments[4]) \(number)") }
            if generator.oneIn(30) { try? store.checkpoint() }
            if generator.oneIn(8) { wait(milliseconds: 7) }
        }
        if generator.oneIn(2) { try? store.close() }
    }

    private static func wait(milliseconds: Int) {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while ContinuousClock.now < end {}
    }

    // MARK: - Threads and tasks

    private static func editTogether() async throws {
        // What is acknowledged before its sync is then marked before it as well.
        write_recorder_delay_syncs(1_000)
        let store = try UntypedStore.open(at: path, options: options())
        let threads = DispatchGroup()
        for writer in 0..<8 {
            threads.enter()
            Thread {
                for step in 0..<count {
                    let isImmediate = step % 2 == writer % 2
                    let commit = try! insert(
                        "thread \(writer) \(step)", 20, store, isImmediate ? .immediate : .deferred)
                    if !isImmediate { try! store.waitUntilDurable(commit.version) }
                    mark(name, commit.version, commit.stateHash)
                }
                threads.leave()
            }.start()
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for writer in 0..<8 {
                tasks.addTask {
                    for step in 0..<count {
                        let commit = try insert("task \(writer) \(step)", 20, store)
                        try await store.durable(commit.version)
                        mark(name, commit.version, commit.stateHash)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        await withCheckedContinuation { done in threads.notify(queue: .global()) { done.resume() } }
    }

    // MARK: - Whole files

    private static func create(_ generator: inout SeededGenerator) throws {
        for number in 0..<count {
            let name = "created\(number)"
            let store =
                generator.oneIn(2)
                ? try UntypedStore.create(at: "\(folder)/\(name)", options: options())
                : try UntypedStore.openOrCreate(at: "\(folder)/\(name)", options: StoreOptions())
            for part in 0..<Int.random(in: 1...2, using: &generator) {
                let commit = try insert("\(part)", 20, store, .immediate)
                mark(name, commit.version, commit.stateHash)
            }
            if generator.oneIn(2) { try store.close() }
        }
    }

    private static func compact(_ generator: inout SeededGenerator) throws {
        for round in 0..<count {
            let store = try UntypedStore.open(at: path, options: options())
            for step in 0..<Int.random(in: 2...12, using: &generator) {
                let commit = try insert("\(arguments[4]) \(round) \(step)", 40, store, .immediate)
                mark(name, commit.version, commit.stateHash)
            }
            let (newest, hash) = (try store.version, try store.snapshot.stateHash)
            try store.close()
            var compaction = Compaction()
            if generator.oneIn(2) { compaction.kept = .from(Version(newest.rawValue / 2)) }
            compaction.unpackedCount = 3
            try UntypedStore.compact(at: path, compaction)
            // The new file is the store from now on, though nothing was written to it since.
            mark(name, newest, hash)
        }
    }

    private static func erase(_ generator: inout SeededGenerator) throws {
        for round in 0..<count {
            // Random, so that packing cannot hide it.
            let letters = (0..<32).map { _ in Character(UnicodeScalar(UInt8.random(in: 97...122, using: &generator))) }
            let secret = String(letters)
            let store = try UntypedStore.open(at: path, options: options())
            try insert("kept \(round)", 40, store)
            let content = [UInt8](String(repeating: secret, count: round % 3 == 2 ? 200 : 1).utf8)
            let id = UntypedID.string("erased \(round)")
            try store.edit("Insert") { list in
                try list.insert(NewRow(id: id, content: content), at: .end(ofSection: "rows"))
            }
            // In a checkpoint as well, sometimes.
            if generator.oneIn(2) { try store.checkpoint() }
            let isDeleted = generator.oneIn(2)
            let commit = try store.edit("Erase") { list in
                if isDeleted { try list.delete(.items([id])) } else { try list.update(id, content: []) }
            }!
            mark(name, commit.version, commit.stateHash)
            try store.close()
            if generator.oneIn(2) {
                try UntypedStore.erase(Erasure(rows: [id]), at: path)
            } else {
                var compaction = Compaction(keeping: .from(commit.version))
                compaction.isPacked = generator.oneIn(2)
                try UntypedStore.compact(at: path, compaction)
            }
            write_recorder_mark("erased \(secret)")
        }
    }

    private static func makeHoles(_ generator: inout SeededGenerator, isCareless: Bool) throws {
        var options = Environment.Options()
        options.durability = .noMetaSync
        let environment = try Environment.open(path: "\(folder)/holes", options: options)
        // As a store does before its first transaction: until then, a power cut may leave one meta page of two.
        try environment.syncNewFile()
        let rows = try environment.openDatabase(named: "rows", of: UInt64.self, [UInt8].self, create: true)
        var values = ListedValues()
        for _ in 0..<count {
            let changes = values.change(&generator)
            try environment.write { txn in
                for (key, value) in changes {
                    if let value {
                        try txn.put(value, forKey: key, in: rows)
                    } else {
                        _ = try txn.delete(key, in: rows)
                    }
                }
            }
            var place: FreePagePlace?
            while try environment.giveBackFreePages(&place, within: .milliseconds(1), isCareless: isCareless) {}
            // Many images are of the moment after a mark.
            write_recorder_mark("holes \(values.numbers[0]) -")
        }
    }

    private static func copy(_ generator: inout SeededGenerator) throws {
        let store = try UntypedStore.open(at: path, options: options())
        for round in 0..<count {
            for step in 0..<Int.random(in: 1...6, using: &generator) {
                let commit = try insert("\(arguments[4]) \(round) \(step)", 40, store, .immediate)
                mark(name, commit.version, commit.stateHash)
            }
            let copy = "copy\(round)"
            if round % 2 == 0 {
                try store.copy(to: "\(folder)/\(copy)")
            } else {
                try store.backup(to: "\(folder)/\(copy)")
            }
            mark(copy, try store.version, try store.snapshot.stateHash)
        }
    }
}
