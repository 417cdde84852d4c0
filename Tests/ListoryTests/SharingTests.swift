// Tests the store of a replica: pending commits, and what becomes of them when commits of others come before them. The shared log is
// an array of records.

import Foundation
import LMDB
@testable @_spi(Sync) import Listory
@testable import ListModel
import TestSupport
import Testing

@Suite("The store of a replica")
struct SharingTests {
    /// A log that appends records only at its end, as an engine does.
    struct Log {
        var records: [[UInt8]] = []

        func after(_ version: Version) -> ArraySlice<[UInt8]> { records[Int(version.rawValue)...] }

        /// - Returns: whether the log ended there.
        mutating func append(_ new: [[UInt8]], after version: Version) -> Bool {
            guard records.count == Int(version.rawValue) else { return false }
            records += new
            return true
        }
    }

    /// A replica and its edits.
    private final class Replica {
        let fixture: StoreFixture
        private(set) var store: UntypedStore
        var edits: RandomEdits

        init(seed: UInt64, _ options: @escaping (inout StoreOptions) -> Void) throws {
            fixture = try StoreFixture(options)
            store = fixture.store
            edits = RandomEdits(seed: seed)
            try store.beginSharing()
        }

        func edit(origin: String) throws {
            let operation = edits.next(try ReferenceList(store.snapshot, store.source))
            _ = try? store.edit("Edit", origin: origin) { try $0.apply(operation) }
        }

        func reopen() throws {
            let options = store.options
            try store.close()
            store = try UntypedStore.open(at: fixture.path, options: options)
        }

        /// Reads what others have appended; then sends some of its own.
        func pull(_ log: Log) throws {
            let rest = Array(log.after(try #require(store.confirmed).version))
            let known = try store.confirm(rest)
            try store.receive(Array(rest.dropFirst(known)))
        }

        func push(_ log: inout Log, _ count: Int) throws -> Bool {
            let records = Array(try store.pendingRecords(atMost: .max).records.prefix(count))
            guard log.append(records, after: try #require(store.confirmed).version) else { return false }
            return true
        }
    }

    @Test("Replicas that edit, undo, and exchange their commits in any order end with one log and the same rows")
    func convergence() throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        for run in 0..<20 * Soak.factor {
            let comment: Comment = "seed \(seed), run \(run)"
            var log = Log()
            let replicas = try (0..<Int.random(in: 2...4, using: &generator)).map { _ in
                let seed = generator.next()
                return try Replica(seed: seed) { options in
                    if seed % 2 == 0 { CheckpointTests.packing(&options) }
                    options.undoScope = .origin
                }
            }
            do {
                for _ in 0..<60 {
                    let number = Int.random(in: 0..<replicas.count, using: &generator)
                    let (replica, origin) = (replicas[number], "user \(number % 2)")
                    switch Int.random(in: 0..<10, using: &generator) {
                    case 0...4: try replica.edit(origin: origin)
                    case 5: _ = try? replica.store.undo(origin: origin)
                    case 6: _ = try? replica.store.redo(origin: origin)
                    case 7: try replica.pull(log)
                    case 8:
                        try replica.pull(log)
                        // Its answer may be lost: then the next pull finds the commits.
                        _ = try replica.push(&log, Int.random(in: 0...8, using: &generator))
                    default: try replica.reopen()
                    }
                }
                for replica in replicas {
                    try replica.pull(log)
                    #expect(try replica.push(&log, .max), comment)
                }
                try replicas[0].pull(log)
                let hash = try replicas[0].store.snapshot.stateHash
                for replica in replicas {
                    try replica.pull(log)
                    #expect(try replica.store.pendingCount == 0, comment)
                    let count = UInt64(log.records.count)
                    #expect(try replica.store.version.rawValue == count, comment)
                    for version in 1...max(1, count) where count > 0 {
                        #expect(
                            try replica.store.sharedRecord(of: Version(version)) == log.records[Int(version) - 1],
                            comment)
                    }
                    #expect(try replica.store.snapshot.stateHash == hash, comment)
                    try replica.store.close()
                    #expect(try StoreVerification(path: replica.fixture.path).stateHash == hash, comment)
                }
            } catch {
                Issue.record(error, comment)
                return
            }
        }
    }

    @Test("Commits that were sent are confirmed unless they were made again meanwhile")
    func sentAndMadeAgain() throws {
        let (files, a, b, log) = try sent(1..<2)
        for id: Int64 in 2..<5 { try insert(id, b) }
        let unchanged = try a.pendingRecords(atMost: .max)
        #expect(unchanged.count == 0 && unchanged.records.isEmpty)
        // As if b had appended its commits to a log that had lost the one of a.
        let pending = try b.pendingRecords(atMost: .max, prefix: 7)
        #expect(pending.count == 3 && pending.records == (0..<3).map { Array(pending[$0].dropFirst()) })
        #expect((0..<3).allSatisfy { pending[$0].first == 7 })
        let first = try b.pendingRecords(atMost: pending.records[0].count)
        let rest = try b.pendingRecords(after: first, atMost: .max)
        #expect(first.records + rest.records == pending.records)
        #expect(try b.confirm(rest) == 0, "the first ones come first")
        #expect(try b.receive(log.records).count == 3)
        #expect(try b.pendingRecords(after: first, atMost: .max).count == 0, "the first one was made again")
        #expect(try b.confirm(pending) == 0)
        #expect(b.confirmed?.version == 1)
        let sent = try b.pendingRecords(atMost: .max)
        let second = try SharedPosition(record: sent.records[1], version: 3).checksum
        try b.setAside([second: "too large"])
        #expect(try b.confirm(sent) == 1, "the second is another one now")
        let last = try b.pendingRecords(atMost: .max)
        #expect(try b.confirm(last) == 2)
        #expect(try b.confirmed?.version == b.version)
        for file in files { try file.store.close() }
    }

    // MARK: Parts

    func store(_ options: (inout StoreOptions) -> Void = { _ in }) throws -> (StoreFixture, UntypedStore) {
        let fixture = try StoreFixture {
            $0.undoScope = .origin; options(&$0)
        }
        try fixture.store.beginSharing()
        return (fixture, fixture.store)
    }

    /// A clock that calls a function, once: a store asks it in the middle of its work.
    func calling(once function: Locked<(@Sendable () -> Void)?>) -> @Sendable () -> Timestamp {
        {
            function.withLock { call in
                defer { call = nil }
                return call
            }?()
            return Timestamp(microseconds: 1_000_000)
        }
    }

    /// Sends everything.
    func send(_ store: UntypedStore, _ log: inout Log) throws {
        let records = try store.pendingRecords(atMost: .max).records
        let isAppended = log.append(records, after: try #require(store.confirmed).version)
        #expect(isAppended)
        #expect(try store.confirm(records) == records.count)
    }

    /// Two replicas, of which the first has inserted rows and sent the commits.
    func sent(
        _ ids: Range<Int64>
    ) throws -> (files: [StoreFixture], a: UntypedStore, b: UntypedStore, log: Log) {
        let (first, a) = try store()
        let (second, b) = try store()
        var log = Log()
        for id in ids { try insert(id, a) }
        try send(a, &log)
        return ([first, second], a, b, log)
    }

    /// A copy of a file, as a process that is killed now would leave it.
    func copy(of file: StoreFixture) throws -> String {
        let copy = file.folder.file("copy \(UUID().uuidString)")
        try FileManager.default.copyItem(atPath: file.path, toPath: copy)
        return copy
    }

    func insert(_ id: Int64, _ store: UntypedStore, origin: String = "") throws {
        try store.edit("Insert \(id)", origin: origin) { list in
            if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: 0, title: "")) }
            try list.insert(NewRow(id: .integer(id), content: [UInt8(id)]), at: .end(ofSection: 0))
        }
    }

    /// Sets the first pending commit aside, as too large, and returns it as it was.
    @discardableResult
    func setFirstAside(_ store: UntypedStore) throws -> Commit {
        let pending = try store.pendingRecords(atMost: .max)
        let first = try Commit(record: pending.records[0], version: pending.startVersion.next)
        try store.setAside([first.checksum: "too large"])
        return first
    }

    func ids(_ store: UntypedStore) throws -> [UntypedID] {
        try store.snapshot.sections.flatMap { $0.items.map(\.id) }
    }

    @Test("Commits of others reach a reader of updates as one change, from what was shown to what is")
    func oneChange() async throws {
        let (first, a) = try store()
        let (second, b) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try b.receive(log.records)
        let updates = try b.updates()
        for id in 10..<13 { try insert(Int64(id), a) }
        try insert(20, b)
        try insert(21, b)
        try send(a, &log)
        let shown = try b.snapshot
        let rebased = try b.receive(Array(log.after(try #require(b.confirmed).version)))
        #expect(rebased.map(\.version) == [2, 3] && rebased.map(\.commit.version) == [5, 6])
        var iterator = updates.makeAsyncIterator()
        var seen: [UntypedUpdate] = []
        for _ in 0..<3 { seen.append(try #require(await iterator.next())) }
        #expect(seen[2].previous.stateHash == shown.stateHash)
        #expect(try seen[2].snapshot.stateHash == b.snapshot.stateHash)
        #expect(seen[2].rebased.count == 2)
        // What is still shown can be read, though its records were replaced.
        for item in shown.sections[0].items { _ = try b.source.content(of: item.content) }
        #expect(try ids(b) == [1, 20, 21, 10, 11, 12])
        withExtendedLifetime((first, second)) {}
    }

    @Test("A reader of updates gets every received commit, whether it goes into the journal or past it")
    func toldOnce() async throws {
        let (first, a) = try store()
        let (second, b) = try store { $0.journal.size = (8 << 10) - 16 }
        let updates = try b.updates()
        var log = Log()
        for (id, size) in [(1, 10), (2, 10_000), (3, 10)] {
            try a.edit("Insert") { list in
                if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: 0, title: "")) }
                let row = NewRow(id: .integer(Int64(id)), content: [UInt8](repeating: 7, count: size))
                try list.insert(row, at: .end(ofSection: 0))
            }
            try send(a, &log)
            try b.receive(Array(log.after(try #require(b.confirmed).version)))
        }
        try b.close()
        var versions: [Version] = []
        for await update in updates { versions.append(update.snapshot.version) }
        #expect(versions == [1, 2, 3])
        withExtendedLifetime((first, second)) {}
    }

    @Test("A pending commit that another replica has made again is recognised by its id, and not made twice")
    func twins() throws {
        let (first, a) = try store()
        let (second, b) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try b.receive(log.records)
        try insert(2, a)
        try insert(3, a)
        // The log has a commit of somebody else, and then the second one of a, made again: as if a had sent it, and had been restored from a
        // copy of its file.
        try insert(9, b)
        try send(b, &log)
        let path = first.folder.file("restored.listory")
        try a.backup(to: path)
        let restored = try UntypedStore.open(at: path)
        try restored.receive([log.records[1]])
        let again = try restored.pendingRecords(atMost: .max).records
        try restored.close()
        let isAppended = log.append([again[0]], after: 2)
        #expect(isAppended)
        let rebased = try a.receive(Array(log.records[1...]))
        #expect(rebased.map(\.commit.version) == [3, 4])
        #expect(try ids(a) == [1, 2, 3, 9])
        #expect(try a.pendingCount == 1 && a.version == 4)
        try a.undo()
        #expect(try ids(a) == [1, 2, 9])
        try a.redo()
        try send(a, &log)
        try b.receive(Array(log.records[2...]))
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash)
        withExtendedLifetime((first, second)) {}
    }

    @Test(
        "A commit that is set aside can be read with its reason, nothing waits behind it, and names move with their commits"
    )
    func settingAside() throws {
        let (fixture, a) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        for id in 2..<5 { try insert(Int64(id), a) }
        try a.addName("last")
        let record = try setFirstAside(a)
        #expect(try ids(a) == [1, 3, 4])
        #expect(try a.pendingCount == 3)
        let aside = try #require(a.setAsideCommits.first)
        #expect(aside.reason == "too large" && aside.commit.name == "Insert 2" && aside.commit.record == record.record)
        #expect(try a.version(named: "last") == 4)
        #expect(try a.snapshot(at: 4).stateHash == a.namedVersions[0].stateHash)
        try insert(9, a)
        // It is given up for good, and not again each time.
        let (second, b) = try store()
        try b.receive(log.records)
        try insert(7, b)
        try send(b, &log)
        try a.receive(Array(log.records[1...]))
        #expect(try a.setAsideCommits.count == 1)
        #expect(try a.commit(3).annotation(named: CommitAnnotation.lostRace) == Array("too large".utf8))
        #expect(try a.version(named: "last") == 5 && a.snapshot(at: 5).stateHash == a.namedVersions[0].stateHash)
        try a.close()
        let reopened = try UntypedStore.open(at: fixture.path)
        #expect(try reopened.setAsideCommits.count == 1 && ids(reopened) == [1, 3, 4, 9, 7])
        try reopened.forget(try #require(reopened.setAsideCommits.first))
        #expect(try reopened.setAsideCommits.isEmpty)
        try reopened.close()
        #expect(try StoreVerification(path: fixture.path).nameCount == 1)
        withExtendedLifetime(second) {}
    }

    @Test(
        "A rule that an edit breaks refuses it; one that it breaks behind others' commits sets it aside, and the rest goes on"
    )
    func rules() throws {
        let rules: [ListRule] = [
            .atMost(3), .unique("content") { Array($0) }, .moves("stays") { _, _, to in to != "closed" },
        ]
        let (first, a) = try store { $0.rules = rules }
        let (second, b) = try store { $0.rules = rules }
        var log = Log()
        try insert(1, a)
        #expect(throws: ListError.brokenRule(name: "unique content", reason: "rows 1 and 5").self) {
            try a.edit("Copy") { list in try list.insert(NewRow(id: 5, content: [1]), at: .end(ofSection: 0)) }
        }
        try a.edit("Close") { try $0.insertSection(NewSection(id: "closed", title: "")) }
        #expect(throws: ListError.self) {
            try a.edit("Move") { list in try list.move(.items([1]), to: .end(ofSection: "closed")) }
        }
        try send(a, &log)
        try b.receive(log.records)
        try insert(2, a)
        try insert(3, a)
        #expect(throws: ListError.self) { try insert(4, a) }
        try insert(12, b)
        try b.edit("Check") { try $0.setChecked(true, for: .items([1])) }
        try send(b, &log)
        let rebased = try a.receive(Array(log.records[2...]))
        #expect(rebased.map { $0.reason == nil } == [true, false])
        #expect(try ids(a) == [1, 2, 12] && a.setAsideCommits.map(\.commit.name) == ["Insert 3"])
        try send(a, &log)
        try b.receive(Array(log.records[4...]))
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash && b.setAsideCommits.isEmpty)
        withExtendedLifetime((first, second)) {}
    }

    @Test(
        "Confirmed commits that the log has lost become pending again, whatever is derived from them",
        arguments: [false, true])
    func retreat(isDerived: Bool) throws {
        let (fixture, a) = try store { if isDerived { CheckpointTests.packing(&$0) } }
        let (second, b) = try store()
        var log = Log()
        for id in 1..<100 { try insert(Int64(id), a) }
        try send(a, &log)
        if isDerived {
            try a.checkpoint()
            a.checkpointer?.packer.packRest(a)
            #expect(try a.group.log.packed.lastPacked() > 20)
        }
        // The log has lost most of it, and others went on from there.
        log.records.removeLast(79)
        try b.receive(log.records)
        try insert(200, b)
        try send(b, &log)
        var a2 = a
        if isDerived {
            #expect(throws: MustRetreat.self) { try a.retreat(to: 20) }
            try a.close()
            try UntypedStore.retreat(at: fixture.path, to: 20)
            a2 = try UntypedStore.open(at: fixture.path, options: a.options)
        } else {
            try a.retreat(to: 20)
        }
        #expect(try a2.confirmed?.version == 20 && a2.pendingCount == 79)
        let rebased = try a2.receive(Array(log.records[20...]))
        #expect(rebased.count == 79 && rebased.allSatisfy { $0.conflicts.isEmpty && $0.reason == nil })
        try send(a2, &log)
        try b.receive(Array(log.records[21...]))
        #expect(try b.snapshot.itemCount == 100 && b.snapshot.stateHash == a2.snapshot.stateHash)
        try a2.close()
        let verification = try StoreVerification(path: fixture.path)
        #expect(try verification.stateHash == b.snapshot.stateHash)
        withExtendedLifetime(second) {}
    }

    @Test(
        "What was confirmed before the log lost it is not judged again by who makes it pending, and what was made since is",
        arguments: [false, true])
    func retreatWithRules(isClosed: Bool) throws {
        let (fixture, first) = try store { $0.rules = [.atMost(3), .unique("content") { Array($0) }] }
        let (second, b) = try store()
        let (third, c) = try store()
        var log = Log()
        for id: Int64 in 1...5 { try insert(id, b) }
        try send(b, &log)
        try first.receive(log.records)
        log.records.removeLast(4)
        try c.receive(log.records)
        try insert(9, c)
        try send(c, &log)
        let a: UntypedStore
        if isClosed {
            try first.close()
            try UntypedStore.retreat(at: fixture.path, to: 1)
            a = try UntypedStore.open(at: fixture.path, options: first.options)
        } else {
            a = first
            try a.retreat(to: 1)
        }
        #expect(try a.receive([log.records[1]]).count == 4)
        #expect(try Set(ids(a)) == [1, 2, 3, 4, 5, 9] && a.setAsideCommits.isEmpty)
        // Before they are in the log again, another commit comes, beside which the last edit breaks a rule.
        try a.edit("As row 10") { try $0.update(2, content: [10]) }
        try insert(10, c)
        try send(c, &log)
        try a.receive([log.records[2]])
        #expect(try Set(ids(a)) == [1, 2, 3, 4, 5, 9, 10])
        #expect(try a.setAsideCommits.map(\.commit.name) == ["As row 10"])
        // New edits are judged as before.
        #expect(throws: ListError.self) { try insert(11, a) }
        try send(a, &log)
        try b.retreat(to: 1)
        try b.receive(Array(log.records[1...]))
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash && b.pendingCount == 0)
        withExtendedLifetime((fixture, second, third)) {}
    }

    @Test("A record that is forged, cut, repeated, or does not fit is refused, and nothing changes")
    func unacceptable() throws {
        let (files, a, b, log) = try sent(1..<4)
        try b.receive([log.records[0]])
        try insert(50, b)
        let before = try b.snapshot.stateHash
        var flipped = log.records[1]
        flipped[flipped.count / 2] ^= 1
        let forged: [[[UInt8]]] = [
            [flipped], [Array(log.records[1].dropLast())], [log.records[0]], [log.records[2]], [[]],
            [log.records[1], log.records[1]], [log.records[1], flipped],
        ]
        for records in forged {
            #expect(throws: UnacceptableRecord.self) { try b.receive(records) }
            #expect(try b.snapshot.stateHash == before && b.version == 2 && b.pendingCount == 1)
        }
        try b.receive(Array(log.records[1...]))
        #expect(try ids(b) == [1, 50, 2, 3])
        withExtendedLifetime(files) {}
    }

    @Test(
        "A replica is compacted and trimmed like other stores once nothing is pending, and stays one; its contents are not erased"
    )
    func maintenance() throws {
        let (fixture, a) = try store()
        var log = Log()
        for id in 1..<40 { try insert(Int64(id), a) }
        try a.close()
        #expect(throws: ListError.self) { try UntypedStore.compact(at: fixture.path) }
        var b = try UntypedStore.open(at: fixture.path)
        try send(b, &log)
        try b.close()
        try UntypedStore.compact(at: fixture.path)
        #expect(throws: ListError.self) { try UntypedStore.erase(Erasure(rows: [1]), at: fixture.path) }
        b = try UntypedStore.open(at: fixture.path)
        #expect(b.confirmed?.version == 39)
        try insert(41, b)
        #expect(try b.pendingCount == 1)
        try b.close()
    }

    @Test("A projection follows when pending commits are replaced")
    func projections() throws {
        let (first, a) = try store()
        let (second, b) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try b.receive(log.records)
        let counts = try b.projection(SectionCounts.self)
        try insert(2, b)
        #expect(try counts.value.sections[0].unchecked == 2)
        try insert(3, a)
        try a.edit("Delete") { try $0.delete(.items([1])) }
        try send(a, &log)
        try b.receive(Array(log.records[1...]))
        #expect(try counts.value.sections[0].unchecked == 2 && ids(b) == [2, 3])
        withExtendedLifetime((first, second)) {}
    }

    @Test("The confirmed end is in the file with the commits that replaced pending ones")
    func endIsInTheFile() throws {
        let (files, a, b, log) = try sent(1..<5)
        try insert(9, b)
        try b.receive(log.records)
        let copy = try copy(of: files[1])
        #expect(try UntypedStore.confirmed(at: copy)?.version == 4)
        withExtendedLifetime(files) {}
    }

    @Test("After a kill, commits that were received count as pending until they are read again")
    func endIsNotInTheFile() throws {
        let (files, a, b, log) = try sent(1..<5)
        try b.receive(log.records)
        #expect(try b.confirmed?.version == 4 && b.pendingCount == 0)
        let copy = try copy(of: files[1])
        let killed = try UntypedStore.open(at: copy)
        let confirmed = Int(killed.confirmed!.version.rawValue)
        #expect(try killed.version == 4 && killed.pendingCount == 4 - UInt64(confirmed))
        #expect(try killed.confirm(Array(log.records[confirmed...])) == 4 - confirmed)
        #expect(try killed.pendingCount == 0)
        try killed.close()
        #expect(try UntypedStore.confirmed(at: copy)?.version == 4)
        withExtendedLifetime(files) {}
    }

    @Test("A store that only receives writes its confirmed end into the file soon")
    func endIsSaved() async throws {
        let (files, a, b, log) = try sent(1..<5)
        try b.receive(log.records)
        var found: Version?
        for _ in 0..<200 where found != 4 {
            try await Task.sleep(for: .milliseconds(50))
            found = (try? UntypedStore.confirmed(at: copy(of: files[1])))??.version
        }
        #expect(found == 4, "after ten seconds")
        withExtendedLifetime(files) {}
    }

    @Test("What is not pending any more is not set aside, and nothing is written for it")
    func nothingToSetAside() throws {
        let (first, a) = try store()
        var log = Log()
        try insert(1, a)
        let checksum = try SharedPosition(record: a.pendingRecords(atMost: .max).records[0], version: 1).checksum
        try send(a, &log)
        try a.setAside([checksum: "it is too large"])
        try insert(2, a)
        #expect(try a.setAsideCommits.isEmpty && a.version == 2)
        let killed = try UntypedStore.open(at: copy(of: first))
        #expect(try killed.version == 2 && killed.recovery.lostVersion == nil)
        try killed.close()
    }

    @Test("A record whose hash is not that of the rows is refused")
    func forgedHash() throws {
        let (first, a) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try insert(2, a)
        // Made behind the same record, but with other rows.
        var list = MemoryList()
        try list.commit { editor in
            try editor.insertSection(
                NewSection(id: 0, items: [NewRow(id: 1, content: [1]), NewRow(id: 7, content: [7])]))
        }
        let last = try Commit(record: log.records[0], version: 1)
        var forger = UntypedEditor(ListState(from: list.editor.snapshot()), checksum: last.checksum, source: list.log)
        let draft = CommitDraft(name: "", time: Timestamp(microseconds: 0), tracking: .untracked)
        let forged = try forger.commit(draft) {
            try $0.insert(NewRow(id: 9, content: [9]), at: .at(ListIndexPath(section: 0, item: 0)))
        }
        #expect(throws: UnacceptableRecord.self) { try a.receive([try #require(forged).record]) }
        #expect(try ids(a) == [1, 2] && a.version == 2)
        // The pending commit is as before: the next one continues it.
        try insert(3, a)
        try send(a, &log)
        try a.close()
        #expect(try StoreVerification(path: first.path).version == 3)
    }

    @Test("Commits that a checkpoint covers are not replaced before it is removed")
    func derivedIsNotReplaced() throws {
        let fixture = try StoreFixture { CheckpointTests.onRequest(&$0) }
        for id in 1..<4 { try insert(Int64(id), fixture.store) }
        try fixture.store.checkpoint()
        try fixture.store.beginSharing()
        let (second, b) = try store()
        var log = Log()
        try insert(9, b)
        try send(b, &log)
        #expect(throws: MustRetreat.self) { try fixture.store.receive(log.records) }
        #expect(try ids(fixture.store) == [1, 2, 3])
        try fixture.store.close()
        try UntypedStore.retreat(at: fixture.path, to: .empty)
        let store = try UntypedStore.open(at: fixture.path)
        try store.receive(log.records)
        #expect(try Set(ids(store)) == [1, 2, 3, 9])
        withExtendedLifetime(second) {}
    }

    @Test("A store that was compacted can join a list that has commits of others, and lose a part of the log")
    func compactedBefore() throws {
        let fixture = try StoreFixture()
        for id in 1..<250 { try insert(Int64(id), fixture.store) }
        try fixture.store.close()
        var compaction = Compaction()
        compaction.unpackedCount = 20
        try UntypedStore.compact(at: fixture.path, compaction)
        let (second, b) = try store()
        var log = Log()
        try insert(255, b)
        try send(b, &log)
        var a = try UntypedStore.open(at: fixture.path)
        try a.beginSharing()
        #expect(throws: MustRetreat.self) { try a.receive(log.records) }
        try a.close()
        try UntypedStore.retreat(at: fixture.path, to: .empty)
        a = try UntypedStore.open(at: fixture.path)
        #expect(a.group.log.base.lastPacked == .empty)
        try a.receive(log.records)
        try send(a, &log)
        try a.close()
        #expect(try StoreVerification(path: fixture.path).version == Version(UInt64(log.records.count)))
        // Packed again; then the log loses what is in the middle of it.
        try UntypedStore.compact(at: fixture.path, compaction)
        log.records.removeLast(150)
        try UntypedStore.retreat(at: fixture.path, to: Version(UInt64(log.records.count)))
        a = try UntypedStore.open(at: fixture.path)
        #expect(try a.pendingCount == 150 && a.history(ofRow: 5).count == 1 && a.history(ofRow: 240).count == 1)
        try a.close()
        _ = try StoreVerification(path: fixture.path)
        withExtendedLifetime(second) {}
    }

    @Test("What was undone before others' commits came can be redone behind them")
    func redoBehindOthers() throws {
        let (first, a) = try store()
        let (second, b) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try b.receive(log.records)
        for id in 2..<5 { try insert(Int64(id), a, origin: "anna") }
        for _ in 0..<2 { try a.undo(origin: "anna") }
        try insert(9, b, origin: "ben")
        try send(b, &log)
        try a.receive(Array(log.records[1...]))
        #expect(try ids(a) == [1, 2, 9])
        for _ in 0..<2 { try a.redo(origin: "anna") }
        #expect(try ids(a) == [1, 2, 3, 4, 9])
        withExtendedLifetime((first, second)) {}
    }

    @Test("With rules, a store can be opened again at once after an edit that changed nothing")
    func rulesLetTheFileGo() throws {
        let (fixture, a) = try store {
            $0.rules = [.atMost(3)]
            CheckpointTests.eager(&$0)
        }
        for id in 1..<4 { try insert(Int64(id), a) }
        try a.close()
        let b = try UntypedStore.open(at: fixture.path, options: a.options)
        try b.edit("Nothing") { _ in }
        try b.close()
        try UntypedStore.open(at: fixture.path).close()
    }
}
