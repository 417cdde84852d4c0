// Tests several processes that have one store open and edit it at the same time.

import Foundation
import LMDB
import ListModel
import TestSupport
import Testing

@testable @_spi(Sync) import Listory

@Suite("Several processes that edit one store", .serialized)
struct NeighbourTests {
    /// What processes that edit one file have left.
    private struct Outcome {
        /// How many commits were acknowledged to all of them, and how many of those the log has not.
        var answered = 0
        var lost = 0
        var problem: String?
    }

    @Test(
        "Two to four processes edit and undo, some are killed or stopped: nothing is lost, and all show the same rows")
    func kills() throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        for run in 0..<10 {
            let count = Int.random(in: 2...4, using: &generator)
            let outcome = try Self.run(&generator, count: count, rounds: 20, [])
            let comment: Comment = "seed \(seed), run \(run): \(outcome)"
            #expect(outcome.answered > 0 && outcome.lost == 0, comment)
            #expect(outcome.problem == nil, comment)
        }
        Soak.count(10 * 20)
    }

    @Test("The control: processes that do not look whether others have written lose commits")
    func blind() throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let outcome = try? Self.run(&generator, count: 2, rounds: 1, ["blind"])
            guard let outcome, outcome.lost == 0, outcome.problem == nil else { return }
        }
        Issue.record("seed \(seed): nothing was lost, so losses would not be noticed")
    }

    @Test(
        "A process sees what another one commits, as one update each or several together, without asking",
        arguments: [false, true], [false, true])
    func updates(isReadOnly: Bool, isReplica: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        let new = try UntypedStore.create(at: path)
        if isReplica { try new.beginSharing() }
        try new.close()
        let store = try UntypedStore.open(at: path, options: StoreOptions { $0.isReadOnly = isReadOnly })
        let updates = try store.updates()
        let other = try ChildProcess("StoreWriter", [path, "steps"])
        var shown = updates.initial
        var iterator = updates.makeAsyncIterator()
        for number in 1...20 {
            try Data().write(to: URL(fileURLWithPath: "\(path)-step\(number)"))
            let update = try #require(await iterator.next())
            #expect(update.previous.version == shown.version && update.rebased.isEmpty)
            #expect(update.snapshot.version == Version(UInt64(number)) && update.cause.name == "write \(number)")
            #expect(update.versions == update.snapshot.version...update.snapshot.version)
            shown = update.snapshot
        }
        _ = other.kill()
        try store.close()
    }

    @Test(
        "A process that reads a commit whose sync has failed follows when that was given up and another takes its place"
    )
    func givenUp() throws {
        struct Failed: Error {}
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        func insert(_ id: Int64, _ store: UntypedStore, durability: Durability? = nil) throws {
            try store.edit("Insert", durability: durability) { list in
                if id == 1 { try list.insertSection(NewSection(id: "rows")) }
                try list.insert(NewRow(id: .integer(id), content: [1]), at: .end(ofSection: "rows"))
            }
        }
        let store = try UntypedStore.create(at: path, options: StoreOptions { $0.deferredDelay = .seconds(3_600) })
        for id: Int64 in 1...4 { try insert(id, store) }
        try insert(5, store, durability: .deferred)
        let group = store.group
        #expect(throws: Failed.self) {
            _ = try group.log.append(group.queued(), 0..<1, after: group.head) { throw Failed() }
        }
        let reader = try ChildProcess("StoreWriter", [path, "reads"])
        #expect(reader.firstLine() == "reading")
        try group.discardUnappended { try group.settle() }
        try? store.close(discardingUnappended: true)
        let next = try UntypedStore.open(at: path)
        for id: Int64 in 6...7 { try insert(id, next) }
        // The reader is told of both commits. On a busy machine, that takes a while.
        usleep(2_000_000)
        try Data().write(to: URL(fileURLWithPath: "\(path)-read"))
        #expect(reader.firstLine() == "5 4")
        _ = reader.kill()
        try next.close()
    }

    /// Makes a replica with three rows, none of which is confirmed.
    private func makeReplica(at path: String) throws {
        let new = try UntypedStore.create(at: path)
        try new.beginSharing()
        try new.edit("Begin") { try $0.insertSection(NewSection(id: "rows")) }
        for number: Int64 in 1...3 {
            try new.edit("Insert") {
                try $0.insert(NewRow(id: .integer(number), content: [1]), at: .end(ofSection: "rows"))
            }
        }
        try new.close()
    }

    /// Adds the row that the other process updates with every commit.
    private func begin(_ store: UntypedStore, origin: String = "", tracking: Tracking? = nil) throws {
        try store.edit("Begin", origin: origin, tracking: tracking) { list in
            try list.insertSection(NewSection(id: "rows", title: "Rows"))
            try list.insert(NewRow(id: "counter", content: []), at: .end(ofSection: "rows"))
        }
    }

    @Test("An edit that reads what another process has replaced meanwhile says so, and not that the file is damaged")
    func replacedInsideEdit() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try makeReplica(at: path)
        let store = try UntypedStore.open(at: path)
        let (row, version) = (try store.snapshot.sections[0].items[0], try store.version)
        var other: ChildProcess?
        #expect(throws: ListError.writtenElsewhere(expected: version, found: version)) {
            try store.edit("Read") { list in
                other = try ChildProcess("StoreWriter", [path, "replaces"])
                try #require(other?.firstLine() == "replaced \(version)")
                // Opening has read it.
                store.group.log.forgetRecords()
                _ = try list.source.content(of: row.content)
            }
        }
        try store.edit("Again") { list in
            #expect(list.state.item(1) == nil && list.state.item(2) != nil)
            try list.insert(NewRow(id: 4, content: [1]), at: .end(ofSection: "rows"))
        }
        #expect(try store.snapshot.sections[0].items.map(\.id) == [2, 3, 4])
        _ = other?.kill()
        try store.close()
    }

    @Test("A process sees that another one has replaced pending commits by as many", arguments: [false, true])
    func replacedByAsMany(isReadOnly: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try makeReplica(at: path)
        let store = try UntypedStore.open(at: path, options: StoreOptions { $0.isReadOnly = isReadOnly })
        let (shown, count) = (try store.snapshot, store.replacementCount)
        let updates = try store.updates()
        func ids() throws -> [UntypedID] { try store.snapshot.sections[0].items.map(\.id) }
        #expect(try ids() == [1, 2, 3])
        let other = try ChildProcess("StoreWriter", [path, "replaces"])
        #expect(other.firstLine() == "replaced \(shown.version)")
        for _ in 0..<400 where store.replacementCount == count { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try ids() == [2, 3] && store.snapshot.version == shown.version && store.replacementCount > count)
        var iterator = updates.makeAsyncIterator()
        let update = try #require(await iterator.next())
        #expect(update.previous.version == shown.version && update.versions == 1...shown.version)
        #expect(update.changeset.items.deleted.count == 1)
        _ = other.kill()
        try store.close()
    }

    @Test(
        "A process that cannot read for a moment shows what another one has committed meanwhile, without being asked",
        arguments: ["no reader is free", "its rows have to be read again"])
    func passingError(what: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        let store = try UntypedStore.create(at: path, options: StoreOptions { $0.retryDelay = .milliseconds(10) })
        let updates = try store.updates()
        var iterator = updates.makeAsyncIterator()
        let other = try ChildProcess("StoreWriter", [path, "steps"])
        try Data().write(to: URL(fileURLWithPath: "\(path)-step1"))
        #expect(await iterator.next()?.snapshot.version == Version(1))
        #expect(other.firstLine().hasPrefix("1 "))
        var jam: ReaderJam?
        if what == "no reader is free" {
            jam = ReaderJam(store)
        } else {
            store.head.withLock { $0.failure = LMDBError(.engine(.readersFull), in: "a test") }
        }
        try Data().write(to: URL(fileURLWithPath: "\(path)-step2"))
        #expect(other.firstLine().hasPrefix("2 "))
        if jam != nil { usleep(50_000) }
        withExtendedLifetime(jam) {}
        jam = nil
        #expect(await iterator.next()?.snapshot.version == Version(2))
        _ = other.kill()
        try store.edit("Own") { try $0.insertSection(NewSection(id: "own", title: "")) }
        #expect(store.durableVersion == Version(3))
        try store.close()
    }

    @Test(
        "An edit that lost the race is made again on the newest rows; its conflicts are in the update, its content can be read"
    )
    func conflicts() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        let options = StoreOptions { $0.deferredDelay = .seconds(3_600) }
        let store = try UntypedStore.create(at: path, options: options)
        try begin(store)
        let other = try ChildProcess("StoreWriter", [path, "steps"])
        let updates = try store.updates()
        var iterator = updates.makeAsyncIterator()
        let first = try #require(
            try store.edit("Insert", durability: .deferred) { list in
                try list.insert(NewRow(id: "mine", content: Array("mine".utf8)), at: .end(ofSection: "rows"))
            })
        let kept = try store.snapshot
        let second = try #require(
            try store.edit("Update", durability: .deferred) { try $0.update("counter", content: Array("lost".utf8)) })
        let lost = try #require(try store.item("counter")).content
        for _ in 0..<2 { _ = await iterator.next() }
        try Data().write(to: URL(fileURLWithPath: "\(path)-step2"))
        let update = try #require(await iterator.next())
        #expect(update.previous.version == Version(3) && update.snapshot.version == Version(4))
        #expect(update.versions == Version(2)...Version(4))
        #expect(update.rebased.map(\.version) == [first.version, second.version])
        #expect(update.rebased.map(\.commit.version) == [Version(3), Version(4)])
        #expect(update.rebased.map(\.conflicts) == [[], [MergeConflict(.item("counter"), .changed)]])
        #expect(store.successor(of: first).version == Version(3))
        try store.waitUntilDurable(first.version)
        #expect(store.durableVersion >= Version(3))
        // Snapshots from before refer to records that were given up.
        let mine = try #require(kept.sections[0].items.last)
        #expect(try store.source.content(of: mine.content) == Array("mine".utf8))
        #expect(try store.source.content(of: lost) == Array("lost".utf8))
        #expect(try store.commit(Version(4)).annotation(named: CommitAnnotation.lostRace) != nil)
        _ = other.kill()
        try store.close()
        #expect(try StoreVerification(path: path).version == Version(4))
    }

    @Test("The selection to restore is that of the undone commit, also if both were made again since")
    func selection() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        let store = try UntypedStore.create(at: path, options: StoreOptions { $0.deferredDelay = .seconds(3_600) })
        try begin(store)
        let other = try ChildProcess("StoreWriter", [path, "steps"])
        let updates = try store.updates()
        var iterator = updates.makeAsyncIterator()
        try store.edit("Type", durability: .deferred) { list in
            try list.insert(NewRow(id: "mine", content: [1]), at: .end(ofSection: "rows"))
            list.attachSelection(before: [1], after: [2])
        }
        let undone = try store.undo(durability: .deferred)
        let redone = try store.redo(durability: .deferred)
        #expect(undone.versions == [2] && redone.versions == [2])
        for _ in 0..<3 { _ = await iterator.next() }
        try Data().write(to: URL(fileURLWithPath: "\(path)-step2"))
        #expect(try #require(await iterator.next()).rebased.map(\.commit.version) == [3, 4, 5])
        #expect(try store.selection(after: undone) == [1])
        #expect(try store.selection(after: redone) == [2])
        // So it is if that happened before the undo returned, and made another commit of it.
        try store.edit("Type", durability: .immediate) { list in
            try list.insert(NewRow(id: "more", content: [1]), at: .end(ofSection: "rows"))
            list.attachSelection(before: [3], after: [4])
        }
        let late = try store.undo(durability: .deferred)
        for _ in 0..<2 { _ = await iterator.next() }
        try Data().write(to: URL(fileURLWithPath: "\(path)-step3"))
        #expect(try #require(await iterator.next()).rebased.map(\.commit.version) == [8])
        let made = store.group.successor(of: try #require(late.commit), late.versions)
        #expect(made.commit.cause == .revert(of: 6))
        #expect(try store.selection(after: late.replacing(made)) == [3])
        _ = other.kill()
        try store.close()
    }

    @Test("What a store that is released has queued is appended, also if another process was faster")
    func released() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        let new = try UntypedStore.create(at: path)
        try begin(new)
        try new.close()
        var store: UntypedStore? = try UntypedStore.open(
            at: path, options: StoreOptions { $0.deferredDelay = .seconds(3) })
        weak var group = store?.group
        let other = try ChildProcess("StoreWriter", [path, "steps"])
        for _ in 0..<1_000 where try store?.otherProcesses().isEmpty == true { usleep(10_000) }
        try store?.edit("Mine", durability: .deferred) { list in
            try list.insert(NewRow(id: "mine", content: [1]), at: .end(ofSection: "rows"))
        }
        store = nil
        try Data().write(to: URL(fileURLWithPath: "\(path)-step2"))
        #expect(other.firstLine().hasPrefix("2 "))
        for _ in 0..<2_000 where group != nil { usleep(10_000) }
        #expect(group == nil, "nothing keeps the file open")
        _ = other.kill()
        let end = try UntypedStore.open(at: path)
        #expect(try end.version == 3 && end.item("mine") != nil)
        try end.close()
    }

    @Test("A commit that is made again continues a history from before the log, also if no checkpoint can be used")
    func withoutCheckpoint() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        var store = try UntypedStore.create(at: path)
        try begin(store, origin: "anna", tracking: .own)
        try store.close()
        try UntypedStore.compact(at: path, Compaction(keeping: .from(1)))
        try OpeningTests.changeMeta(path, "locators", [1, 2, 3])
        store = try UntypedStore.open(at: path, options: StoreOptions { $0.deferredDelay = .seconds(3_600) })
        #expect(store.recovery.wasRebuilt)
        try store.edit("Mine", origin: "anna", tracking: .own, durability: .deferred) { list in
            try list.insert(NewRow(id: "mine", content: []), at: .end(ofSection: "rows"))
        }
        let other = try ChildProcess("StoreWriter", [path, "steps"])
        try Data().write(to: URL(fileURLWithPath: "\(path)-step2"))
        #expect(other.firstLine().hasPrefix("2 "))
        other.kill()
        try store.waitUntilDurable()
        #expect(try store.version == 3)
        try store.close()
        #expect(try StoreVerification(path: path).version == 3)
    }

    @Test("While another process keeps the lock, an edit stays in memory, the next one is refused; then all goes on")
    func stopped() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        let store = try UntypedStore.create(at: path, options: StoreOptions { $0.lockTimeout = .milliseconds(50) })
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "rows", title: "Rows")) }
        let other = try ChildProcess("LMDBTestHelper", ["hold-writer", path])
        #expect(other.firstLine() == "writing")
        other.stop()
        try store.edit("Mine") { try $0.insert(NewRow(id: 1, content: []), at: .end(ofSection: "rows")) }
        let refused = #expect(throws: ListError.self) {
            try store.edit("Again") { try $0.insert(NewRow(id: 2, content: []), at: .end(ofSection: "rows")) }
        }
        for error in [store.appendFailure, refused] {
            guard case .appendFailed(let durable, ListError.busy) = error else {
                Issue.record("another error: \(String(describing: error))")
                return
            }
            #expect(durable == Version(1))
        }
        #expect(try store.version == Version(2) && store.item(1) != nil, "the edit is in memory, once")
        other.kill()
        try store.waitUntilDurable()
        #expect(store.durableVersion == Version(2))
        try store.close()
        #expect(try StoreVerification(path: path).version == Version(2))
    }

    @Test("While another process keeps the lock, old versions can be read")
    func pastBesideStopped() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        let options = StoreOptions { options in
            CheckpointTests.eager(&options)
            options.lockTimeout = .milliseconds(50)
        }
        let store = try UntypedStore.create(at: path, options: options)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "rows", title: "Rows")) }
        for id: Int64 in 1...60 {
            try store.edit("Add") { try $0.insert(NewRow(id: .integer(id), content: []), at: .end(ofSection: "rows")) }
        }
        try store.waitUntilDurable()
        try store.checkpoint()
        let other = try ChildProcess("LMDBTestHelper", ["hold-writer", path])
        #expect(other.firstLine() == "writing")
        other.stop()
        for version: UInt64 in [3, 20, 45, 61] {
            #expect(try store.snapshot(at: Version(version)).itemCount == Int(version) - 1)
        }
        other.kill()
        try store.close()
    }

    @Test("Behind a reader that stands still, the file grows at most to twice what it would be")
    func standingReader() throws {
        let usual = try Self.size(hasReader: false)
        #expect(try Self.size(hasReader: true) < 2 * usual)
        #expect(try Self.size(hasReader: true, maximumLag: .max) > 2 * usual, "the control")
    }

    /// The size of a file after many small commits, each with the pauses and the checkpoints that make it grow.
    private static func size(hasReader: Bool, maximumLag: Int = 32) throws -> Int {
        let folder = try TemporaryFolder.inMemory()
        let path = folder.file("list.listory")
        let options = StoreOptions { options in
            options.maximumReaderLag = maximumLag
            // A store that packs gives free pages back when it is closed.
            options.unpackedCount = .max
            options.journal.storeDelay = .seconds(3_600)
            options.checkpoints.interval = 16
            options.checkpoints.nodeWeight = 0
        }
        let store = try UntypedStore.create(at: path, options: options)
        try store.edit("Begin") { try $0.insertSection(NewSection(id: "rows", title: "Rows")) }
        try store.checkpoint()
        let reader = try hasReader ? ChildProcess("LMDBTestHelper", ["hold-reader", path]) : nil
        if let reader { #expect(reader.firstLine() == "reading") }
        for number in 0..<4_000 {
            try store.edit("Insert") { list in
                let item = NewRow(id: .integer(Int64(number)), content: [UInt8](repeating: 7, count: 400))
                try list.insert(item, at: .end(ofSection: "rows"))
            }
            // As the timer does, which rings more or less often on another machine.
            if number % 16 == 0 && !store.group.log.isHeldBack { try store.group.store() }
        }
        reader?.kill()
        try store.close()
        return Platform.size(path)
    }

    /// Lets processes edit a new store in rounds. In each one, one to four times a process is killed or stopped; then all
    /// rest, and have to show the same.
    private static func run(
        _ generator: inout SeededGenerator, count: Int, rounds: Int, _ arguments: [String]
    ) throws -> Outcome {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try UntypedStore.create(at: path).close()
        for index in 0..<count { try Data().write(to: URL(fileURLWithPath: folder.file("answers\(index)"))) }
        func start(_ index: Int, _ round: Int) throws -> ChildProcess {
            var options = arguments
            if index % 2 == 1 { options.append("deferred") }
            if count == 3 { options.append("origins") }
            if generator.oneIn(2) { options.append("slow") }
            let seed = UInt64.random(in: .min ... .max, using: &generator)
            let answers = folder.file("answers\(index)")
            return try ChildProcess(
                "StoreWriter", ["neighbour", path, "p\(index)", "\(seed)", answers, "\(round)"] + options)
        }
        var outcome = Outcome()
        func say(_ word: String, _ text: String = "") throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)-\(word)"), options: .atomic)
        }
        // Folds the log without the library. With three processes, each has a history of its own.
        var model = ReferenceHistory()
        let scopes = (0..<count).map { count == 3 ? HistoryScope.origin("p\($0)") : .shared }
        var processes = try (0..<count).map { try start($0, 0) }
        for round in 0..<rounds {
            // In the control, none is killed, because that would be another fault.
            for _ in 0..<(arguments.isEmpty ? Int.random(in: 1...4, using: &generator) : 0) {
                usleep(UInt32.random(in: 0...40_000, using: &generator))
                let index = Int.random(in: 0..<count, using: &generator)
                if generator.oneIn(3) {
                    processes[index].stop()
                    usleep(UInt32.random(in: 0...30_000, using: &generator))
                    processes[index].proceed()
                } else {
                    processes[index].kill()
                    processes[index] = try start(index, round)
                }
            }
            if round == rounds - 1 { usleep(60_000) }
            try say("stop\(round)")
            for line in processes.map({ $0.firstLine() }) where line != "stopped" {
                outcome.problem = outcome.problem ?? "round \(round): a process has ended: \(line)"
            }
            // All rest, so the log ends here.
            let end = try UntypedStore.open(at: path) { $0.isReadOnly = true }
            let version = try end.version
            let rows = "\(version) \(try end.snapshot.stateHash)"
            if let problem = try model.add(end, through: version) { outcome.problem = outcome.problem ?? problem }
            try end.close()
            try say("compare\(round)", "\(version)")
            for (process, scope) in zip(processes, scopes) {
                let (shown, expected) = (process.firstLine(), "\(rows) \(model.undoState(scope))")
                if shown != expected {
                    outcome.problem = outcome.problem ?? "round \(round): \(shown), expected \(expected) in \(scope)"
                }
            }
            if round < rounds - 1 { try say("next\(round)") }
        }
        try say("close")
        for process in processes {
            let (code, output) = process.finish()
            if code != 0 { outcome.problem = outcome.problem ?? "a process ended with \(code): \(output)" }
        }
        let end = try UntypedStore.open(at: path) { $0.isReadOnly = true }
        let (version, checksums) = (try end.version, try Answers.checksums(end))
        try end.close()
        for index in 0..<count {
            let answers = try Data(contentsOf: URL(fileURLWithPath: folder.file("answers\(index)")))
            let (answered, lost) = Answers.count(answers, in: checksums)
            outcome.answered += answered
            outcome.lost += lost
        }
        do {
            let found = try StoreVerification(path: path)
            if found.version != version {
                outcome.problem = outcome.problem ?? "the log ends with version \(found.version)"
            }
            if outcome.problem == nil { outcome.problem = try undo(path, &model, Set(scopes)) }
        } catch { outcome.problem = outcome.problem ?? "\(error)" }
        return outcome
    }

    /// Undoes and repeats what the processes have left, and compares each step with the model.
    ///
    /// - Returns: what is wrong.
    private static func undo(
        _ path: String, _ model: inout ReferenceHistory, _ scopes: Set<HistoryScope>
    ) throws -> String? {
        let store = try UntypedStore.open(at: path) { $0.undoScope = scopes == [.shared] ? .shared : .origin }
        defer { try? store.close() }
        for scope in scopes {
            let origin = if case .origin(let name) = scope { name } else { "p0" }
            for isUndo in [false, true, false] {
                for _ in 0..<min(40, isUndo ? model.undoCount(scope) : model.redoCount(scope)) {
                    let done =
                        try isUndo
                        ? store.undo(origin: origin, onConflict: .skip, durability: .deferred)
                        : store.redo(origin: origin, onConflict: .skip, durability: .deferred)
                    if let problem = try model.add(store, through: store.version) { return problem }
                    let (history, place) = (try store.history(of: origin), model[scope])
                    let counts = [history.undoCount, history.redoCount]
                    guard done.commit != nil, history.position == place.position, history.tip == place.tip,
                        counts == [model.undoCount(scope), model.redoCount(scope)]
                    else { return "\(history) in \(scope), expected \(place)" }
                    // If there is only one history, each place in it has its own rows.
                    if scope != .shared { continue }
                    let hash = try place.position == .empty ? nil : store.commit(place.position).stateHash
                    if try store.snapshot.stateHash != hash ?? UntypedSnapshot.empty.stateHash {
                        return "other rows at \(place.position)"
                    }
                }
            }
        }
        return nil
    }
}

extension StoreOptions {
    /// The defaults, changed by `change`.
    fileprivate init(_ change: (inout StoreOptions) -> Void) {
        self.init()
        change(&self)
    }
}

extension ReferenceHistory {
    /// Adds the commits of a store that are not there yet.
    ///
    /// - Returns: what is wrong with one of them.
    fileprivate mutating func add(_ store: UntypedStore, through version: Version) throws -> String? {
        var problem: String?
        guard version > last else { return nil }
        try store.forEachCommit(in: last.next...version) { commit in problem = add(commit) ?? problem }
        return problem
    }

    /// As a process prints it: how many steps there are, and the last commit of the next one.
    fileprivate func undoState(_ scope: HistoryScope) -> String {
        let (undo, redo) = (undoStep(scope).first ?? .empty, redoStep(scope).last ?? .empty)
        return "\(undoCount(scope)) \(redoCount(scope)) \(undo) \(redo)"
    }
}
