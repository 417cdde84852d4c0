// Tests two processes that edit one store: every acknowledged edit stays; others may be refused.

import Foundation
import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("Two processes that edit one store", .serialized)
struct ContentionTests {
    @Test("They open, edit and close it repeatedly: no acknowledged commit is lost, and the store verifies")
    func contention() throws {
        let seed = Soak.seed
        let outcome = try Self.contend(seed, seconds: 60)
        print("two processes, seed \(seed): \(outcome)")
        Soak.count(60)
        #expect(outcome.lost == 0, "seed \(seed): \(outcome)")
        #expect(outcome.endings.isEmpty, "seed \(seed): \(outcome)")
        #expect(outcome.answered.allSatisfy { $0 > 100 }, "seed \(seed): \(outcome)")
        #expect(outcome.problem == nil, "seed \(seed): \(outcome)")
    }

    @Test("Without the lock between finding commits and moving them, some are lost: the test above can fail")
    func control() throws {
        let seed = Soak.seed
        for round in 0..<15 as Range<UInt64> {
            // What they leave may be so damaged that it cannot be opened.
            let outcome = try? Self.contend(seed &+ 2 &* round, seconds: 4, ["early"])
            guard let outcome, outcome.lost == 0, outcome.problem == nil else { return }
        }
        Issue.record("seed \(seed): nothing was lost, so losses would not be noticed")
    }

    /// The results of two processes that edit one file.
    private struct Outcome: CustomStringConvertible {
        /// How many commits were acknowledged to each process, and how many of those are missing or different in the
        /// file.
        var answered: [Int] = []
        var lost = 0
        /// The reasons why goes ended early, with counts.
        var endings: [String] = []
        /// The problem that verifying found.
        var problem: String?

        var description: String {
            "answered \(answered), lost \(lost), \(problem ?? "sound"); ended: \(endings.joined(separator: "; "))"
        }
    }

    private static func contend(_ seed: UInt64, seconds: Int, _ arguments: [String] = []) throws -> Outcome {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        // Small, so that it is often full.
        try UntypedStore.create(at: path) { $0.journal.size = (16 << 10) - JournalOptions.pageHeaderSize }.close()
        let processes = try [("first", 400), ("second", 3)].enumerated().map { index, process in
            try ChildProcess(
                "StoreWriter",
                [
                    "contend", path, process.0, "\(seed &+ UInt64(index))", "\(seconds)", "\(process.1)",
                    folder.file(process.0),
                ] + arguments)
        }
        var outcome = Outcome()
        for (process, name) in zip(processes, ["first", "second"]) {
            let (code, output) = process.finish()
            if code != 0 { outcome.endings.append("process ended with \(code)") }
            outcome.endings += output.split(separator: "\n").map { "\(name) \($0)" }
        }
        let store = try UntypedStore.open(at: path) { $0.isReadOnly = true }
        let checksums = try Answers.checksums(store)
        try store.close()
        for name in ["first", "second"] {
            // A process that crashed has written nothing: its end is among the endings.
            let answers = (try? Data(contentsOf: URL(fileURLWithPath: folder.file(name)))) ?? Data()
            let (answered, lost) = Answers.count(answers, in: checksums)
            outcome.answered.append(answered)
            outcome.lost += lost
        }
        do { _ = try StoreVerification(path: path) } catch { outcome.problem = "\(error)" }
        return outcome
    }
}

@Suite("A process that comes in between")
struct InterleavingTests {
    /// A file of which the newest commit is in the journal, and the process that has made it and waits for `step`.
    private static func begin(_ folder: TemporaryFolder) throws -> (path: String, other: ChildProcess) {
        let path = folder.file("list.listory")
        try UntypedStore.create(at: path).close()
        let other = try ChildProcess("StoreWriter", [path, "steps"])
        // The first commit of a process goes into the database.
        for number in 1...2 { _ = try step(number, path, other) }
        return (path, other)
    }

    @Test(
        "A commit that is made while another process opens the store is kept",
        arguments: [(true, false), (false, false), (false, true)])
    func opening(isKnown: Bool, isControl: Bool) throws {
        let folder = try TemporaryFolder()
        let (path, other) = try Self.begin(folder)
        var options = StoreOptions()
        options.journal.isFoundEarly = isControl
        // Otherwise the other process is heard later.
        options.isKnownToOthers = isKnown
        let said = Locked("")
        options.journal.whenFound = {
            let line = try? Self.step(3, path, other)
            said.withLock { $0 = line ?? "" }
        }
        let store = try UntypedStore.open(at: path, options: options)
        #expect(said.withLock { $0 }.hasPrefix("3 "), "the other process was told that its commit is durable")
        try store.edit("Mine") { try $0.insertSection(NewSection(id: "mine")) }
        try store.close()
        _ = other.kill()
        let after = try UntypedStore.open(at: path)
        #expect(try after.commit(Version(3)).name == (isControl ? "Mine" : "write 3"))
        #expect(try after.version == (isControl ? Version(3) : Version(4)))
        try after.close()
        _ = try StoreVerification(path: path)
    }

    @Test(
        "The first edit after opening follows what another process has committed, to the journal or the database",
        arguments: [false, true])
    func firstEdit(isKnown: Bool) throws {
        for count in 2...3 {
            let folder = try TemporaryFolder()
            let (path, other) = try Self.begin(folder)
            // One that is not known is not told, and has to look.
            var options = StoreOptions()
            options.isKnownToOthers = isKnown
            let store = try UntypedStore.open(at: path, options: options)
            #expect(store.recovery.journalCommitCount == 1)
            // The first of these goes into the database, because the journal was moved; the second into the journal.
            for number in 3...count + 1 { #expect(try Self.step(number, path, other).hasPrefix("\(number) ")) }
            let commit = try store.edit("Mine") { try $0.insertSection(NewSection(id: "mine")) }
            #expect(commit?.version == Version(UInt64(count + 2)))
            #expect(try store.commit(Version(UInt64(count + 1))).name == "write \(count + 1)")
            try store.close()
            _ = other.kill()
            #expect(try StoreVerification(path: path).version == Version(UInt64(count + 2)))
        }
    }

    @Test(
        "An opening finds what is acknowledged, though the journal is drained and written over while it reads",
        arguments: [false, true])
    func drainedWhileReading(isReadOnly: Bool) throws {
        let folder = try TemporaryFolder()
        let (path, other) = try Self.begin(folder)
        var options = StoreOptions()
        options.isReadOnly = isReadOnly
        let next = Locked(3)
        options.journal.whenReading = {
            let number = next.withLock { next in
                defer { next += 1 }
                return next
            }
            _ = try? ChildProcess("StoreWriter", [path, "idle"]).finish()
            _ = try? Self.step(number, path, other)
        }
        let store = try UntypedStore.open(at: path, options: options)
        #expect(next.withLock { $0 } > 3)
        #expect(store.recovery.lostVersion == nil)
        #expect(try store.version >= Version(3))
        try store.close()
        _ = other.kill()
    }

    @Test("An opening finds what is acknowledged, though an entry is half written over the drained ones while it reads")
    func halfWrittenWhileReading() throws {
        let folder = try TemporaryFolder()
        let (path, other) = try Self.begin(folder)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let entry = try #require(
            stride(from: 0, to: bytes.count, by: Journal.sectorSize).first { offset in
                bytes[offset...].withUnsafeBytes { JournalEntry($0) } != nil
            })
        let isFirst = Locked(true)
        var options = StoreOptions()
        options.isReadOnly = true
        // Otherwise the other process is heard later.
        options.isKnownToOthers = false
        options.journal.whenReading = {
            if !isFirst.withLock({ $0 }) { return }
            isFirst.withLock { $0 = false }
            _ = try? ChildProcess("StoreWriter", [path, "idle"]).finish()
            let file = FileHandle(forWritingAtPath: path)
            try? file?.seek(toOffset: UInt64(entry))
            try? file?.write(contentsOf: Data(count: 64))
            try? file?.close()
        }
        let store = try UntypedStore.open(at: path, options: options)
        #expect(!isFirst.withLock { $0 })
        #expect(try store.version == Version(2))
        try store.close()
        _ = other.kill()
    }

    @Test(
        "A process that only hears of edits leaves checkpoints to the one that makes them, which continues from its last one",
        arguments: [Int.max, 40])
    func checkpoints(interval: Int) throws {
        let fixture = try StoreFixture {
            CheckpointTests.eager(&$0)
            $0.checkpoints.interval = interval
        }
        // The section that the other process edits.
        try fixture.store.edit("Begin") { list in
            try list.insertSection(NewSection(id: "rows", title: "Rows"))
            try list.insert(NewRow(id: "counter", content: []), at: .end(ofSection: "rows"))
        }
        try fixture.store.checkpoint()
        let before = fixture.store.checkpointVersion
        let database = try #require(fixture.store.checkpointer).database
        // As if it stood still.
        fixture.store.racer.stop()
        let other = try ChildProcess("StoreWriter", [fixture.path, "checkpoints"])
        for _ in 0..<60 { _ = other.read() }
        #expect(try database.newestVersion() == before, "the other process has not the role")
        fixture.store.racer.start()
        var count = 0
        while try database.newestVersion() == before && count < 20_000 {
            _ = other.read()
            count += 1
        }
        #expect(try database.newestVersion() > before, "the other process has taken the role")
        // This one takes it again when that one is gone.
        _ = other.kill()
        try fixture.store.edit("Toggle") { try $0.toggle(.item("counter")) }
        // If it was killed at the end of a transaction, LMDB's readers see what was before, until somebody writes.
        do { try fixture.store.checkpoint() } catch ListError.writtenElsewhere { try fixture.store.checkpoint() }
        #expect(try database.newestVersion() == fixture.store.version)
        try fixture.store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("Checkpoints are not written if a process has written to them that this one does not know of")
    func unknownWriter() throws {
        let fixture = try StoreFixture(CheckpointTests.onRequest)
        let database = try #require(fixture.store.checkpointer).database
        func toggle() throws { _ = try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        func revision() throws -> UInt64 { try database.environment.read { try database.revision($0) } }
        try fixture.fill(50)
        try fixture.store.checkpoint()
        let first = try revision()
        try toggle()
        try fixture.store.checkpoint()
        let second = try revision()
        #expect(second > first && first > 0, "each writer shows that it has written")
        try writeElsewhere(fixture.store)
        try toggle()
        let before = fixture.store.checkpointVersion
        let error = #expect(throws: ListError.self) { try fixture.store.checkpoint() }
        #expect(error?.code == "writtenElsewhere")
        #expect(try database.newestVersion() == before)
        // The next attempt reads what is there.
        try fixture.store.checkpoint()
        #expect(try fixture.store.checkpointVersion == fixture.store.version)
        try fixture.store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    /// Writes to the checkpoints as another process does, which perhaps finds that the newest one is damaged.
    private func writeElsewhere(_ store: UntypedStore, isDamaged: Bool = false) throws {
        let database = try #require(store.checkpointer).database
        let revision = try database.environment.read { try database.revision($0) }
        let row = withUnsafeBytes(of: (revision + 1).littleEndian) { Array($0) }
        try database.environment.write { txn in
            if isDamaged { _ = try txn.delete(LogFormat.locatorKey, in: database.meta) }
            try txn.put(row, forKey: LogFormat.revisionKey, in: database.meta)
        }
    }

    @Test("After another process has found damage, checkpoints are taken again once no snapshot needs the damaged ones")
    func damageFoundElsewhere() throws {
        let fixture = try StoreFixture {
            CheckpointTests.onRequest(&$0)
            $0.memoryBudget = 1
        }
        let store = fixture.store
        func toggle() throws { _ = try store.edit("Toggle") { try $0.toggle(.item(1)) } }
        try fixture.fill(50)
        try store.checkpoint()
        do {
            let kept = try store.snapshot
            try writeElsewhere(store, isDamaged: true)
            for code in ["writtenElsewhere", "damagedCheckpoint"] {
                try toggle()
                let error = #expect(throws: ListError.self) { try store.checkpoint() }
                #expect(error?.code == code)
            }
            #expect(kept.sections[0].items.map(\.id) == (0..<50).map { .integer($0) })
        }
        try toggle()
        let hash = try store.snapshot.stateHash
        try store.checkpoint()
        #expect(try store.checkpointVersion == store.version)
        try store.close()
        let reopened = try UntypedStore.open(at: fixture.path, options: store.options)
        #expect(!reopened.recovery.wasRebuilt && reopened.recovery.commitCount == 0)
        #expect(try reopened.snapshot.stateHash == hash)
        try reopened.close()
        _ = try StoreVerification(path: fixture.path)
    }

    @Test("A process that has rebuilt its rows takes checkpoints, also if another one has written to the damaged ones")
    func rebuiltBesideAnother() throws {
        let fixture = try StoreFixture(CheckpointTests.onRequest)
        try fixture.fill(50)
        try fixture.store.checkpoint()
        try fixture.store.close()
        try CheckpointTests.damage(fixture.path, 1)
        let store = try UntypedStore.open(at: fixture.path, options: fixture.store.options)
        #expect(store.recovery.wasRebuilt)
        try writeElsewhere(store)
        try store.checkpoint()
        #expect(try store.checkpointVersion == store.version)
        try store.close()
        let reopened = try UntypedStore.open(at: fixture.path, options: store.options)
        #expect(!reopened.recovery.wasRebuilt)
        try reopened.close()
    }

    @Test("A process that opens a store without editing takes no checkpoint")
    func idleProcess() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(100)
        try fixture.store.checkpoint()
        for round in 0..<3 {
            for id in 0..<5 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
            try fixture.store.waitUntilDurable()
            let other = try ChildProcess("StoreWriter", [fixture.path, "idle"])
            #expect(other.read() == "closed\n")
            _ = other.kill()
            try fixture.store.checkpoint()
            #expect(try fixture.store.checkpointVersion == fixture.store.version, "round \(round)")
        }
        try fixture.store.close()
        _ = try StoreVerification(path: fixture.path)
    }

    /// Lets the other process make a commit, and returns what it prints.
    private static func step(_ number: Int, _ path: String, _ other: ChildProcess) throws -> String {
        try Data().write(to: URL(fileURLWithPath: "\(path)-step\(number)"))
        return other.read()
    }
}

extension UntypedStore {
    /// Creates a store with the defaults, changed by `change`.
    fileprivate static func create(at path: String, _ change: (inout StoreOptions) -> Void) throws -> UntypedStore {
        var options = StoreOptions()
        change(&options)
        return try UntypedStore.create(at: path, options: options)
    }
}
