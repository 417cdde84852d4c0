// Tests the store of a replica when reads fail, other processes come and go, rules or annotations are in the way, or old history is
// dropped: nothing stops it, and nothing of the user is lost.

import Dispatch
import Foundation
import LMDB
@testable @_spi(Sync) import Listory
@testable import ListModel
import TestSupport
import Testing

extension SharingTests {
    @Test("After another process has come and gone, what it published does not stop a replica")
    func oldNews() throws {
        let (files, a, b, sent) = try sent(1..<2)
        var log = sent
        try b.receive(log.records)
        // It publishes where the log ends; afterwards nobody publishes anything, because nobody is there.
        _ = try ChildProcess("StoreWriter", [files[1].path, "idle"]).lines()
        try insert(2, b)
        try insert(9, a)
        try send(a, &log)
        let (rest, isDone) = (Array(log.records[1...]), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            _ = try? b.receive(rest)
            isDone.signal()
        }
        try #require(isDone.wait(timeout: .now() + 60) == .success, "receiving goes on for ever")
        #expect(try Set(ids(b)) == [1, 2, 9])
        #expect(try !b.group.isBehind())
        withExtendedLifetime(files) {}
    }

    @Test("A process that is there learns of a commit that is replaced by another one of the same version")
    func equalVersion() throws {
        let (fixture, a) = try store()
        let other = try ChildProcess("StoreWriter", [fixture.path, "steps"])
        try Data().write(to: URL(fileURLWithPath: "\(fixture.path)-step1"))
        while try a.version < 1 { usleep(200) }
        try setFirstAside(a)
        #expect(try a.group.published() == a.group.head)
        #expect(try a.version == 1 && !a.group.isBehind())
        _ = other.kill()
    }

    @Test(
        "An annotation that looks like the id of a commit hides no commit of another replica",
        arguments: [1, 2])
    func annotatedIdentifiers(count: Int64) throws {
        let (first, second) = (try StoreFixture(), try StoreFixture())
        let (a, b) = (first.store, second.store)
        func insertAnnotated(_ id: Int64, _ store: UntypedStore) throws {
            try store.edit("Insert") { list in
                if list.state.sectionCount == 0 { try list.insertSection(NewSection(id: 0, title: "")) }
                try list.insert(NewRow(id: .integer(id), content: [1]), at: .end(ofSection: 0))
                // As an app could with earlier builds.
                list.annotate(own: CommitAnnotation.identifier, with: [1])
            }
        }
        for id in 0..<count { try insertAnnotated(id, a) }
        for id: Int64 in 10..<12 { try insertAnnotated(id, b) }
        try a.beginSharing()
        try b.beginSharing()
        var log = Log()
        try send(a, &log)
        try b.receive(log.records)
        #expect(try Set(ids(b)) == Set((0..<count).map { .integer($0) } + [10, 11]))
        #expect(try b.setAsideCommits.isEmpty && b.pendingCount == 2)
    }

    @Test("What is undone before it was sent takes nothing back that others did to the same rows meanwhile")
    func undoneMeanwhile() throws {
        var (files, a, b, log) = try sent(1..<4)
        try b.receive(log.records)
        // Both check row 1 and delete row 2; one of them undoes that.
        for store in [a, b] {
            try store.edit("Edit", origin: store === a ? "a" : "b") { list in
                try list.setChecked(true, for: .items(store === a ? [1, 3] : [1]))
                try list.delete(.item(2))
            }
        }
        try a.undo(origin: "a")
        #expect(try ids(a) == [1, 2, 3])
        try send(b, &log)
        let rebased = try a.receive(Array(log.records[3...]))
        #expect(rebased.map(\.commit.cause) == [.edit, .undo(of: 5)])
        let rows = try a.snapshot.sections[0].items
        #expect(rows.map(\.id) == [1, 3] && rows.map(\.isChecked) == [true, false])
        withExtendedLifetime(files) {}
    }

    @Test("A commit that is given up elsewhere, where it was pending as well, is set aside here, once")
    func givenUpElsewhere() throws {
        let (first, a) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        for id: Int64 in 2...3 { try insert(id, a) }
        let path = first.folder.file("restored.listory")
        try a.backup(to: path)
        let restored = try UntypedStore.open(at: path)
        let given = try setFirstAside(restored)
        let isAppended = try log.append([restored.pendingRecords(atMost: .max).records[0]], after: 1)
        #expect(isAppended)
        try restored.close()
        let rebased = try a.receive([log.records[1]])
        #expect(rebased.first?.reason == "too large")
        #expect(try a.setAsideCommits.map(\.commit.record) == [given.record] && ids(a) == [1, 3])
        try send(a, &log)
        #expect(try a.setAsideCommits.count == 1 && a.pendingCount == 0)
    }

    @Test("A pending commit of which a part is left out is kept as it was, once, and the rest of it is in the list")
    func partLeftOut() throws {
        let (files, a, b, sent) = try sent(1..<4)
        var log = sent
        try b.receive(log.records)
        try a.edit("Three rows") { list in
            for id: Int64 in 1...3 { try list.update(.integer(id), content: [20 + UInt8(id)]) }
        }
        let made = try a.pendingRecords(atMost: .max).records[0]
        try b.edit("One row") { try $0.update(2, content: [9]) }
        try send(b, &log)
        let rebased = try a.receive(Array(log.records[3...]))
        #expect(rebased.map(\.conflicts) == [[MergeConflict(.item(2), .changed)]] && rebased[0].reason == nil)
        #expect(try ReferenceList(a.snapshot, a.source).sections[0].items.map(\.content) == [[21], [9], [23]])
        let aside = try #require(a.setAsideCommits.first)
        #expect(aside.commit.record == made)
        #expect(aside.reason == "a part was left out: row 2 was changed since")
        // It is made again, and nothing else is left out.
        try insert(4, b)
        try send(b, &log)
        try a.receive(Array(log.records[4...]))
        #expect(try a.setAsideCount == 1 && a.pendingCount == 1)
        withExtendedLifetime(files) {}
    }

    @Test("A rule that others have broken gives up a commit, and does not stop the replica")
    func brokenByOthers() throws {
        let (first, a) = try store {
            $0.rules = [ListRule("two") { change, _ in change.after.itemCount > 2 ? "many" : nil }]
        }
        let (second, b) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try b.receive(log.records)
        for id: Int64 in 2..<5 { try insert(id, b) }
        try send(b, &log)
        try insert(5, a)
        let rebased = try a.receive(Array(log.records[1...]))
        #expect(rebased.count == 1 && rebased.first?.reason != nil)
        #expect(try ids(a) == [1, 2, 3, 4] && a.setAsideCommits.count == 1)
        try send(a, &log)
        withExtendedLifetime((first, second)) {}
    }

    @Test("Received commits that are in the file are shown, even if no reader is free")
    func noReader() throws {
        let (files, a, b, sent) = try sent(1..<2)
        var log = sent
        let updates = try b.updates()
        do {
            let jam = ReaderJam(b)
            _ = try? b.receive(log.records)
            withExtendedLifetime(jam) {}
        }
        #expect(try b.version == b.confirmed?.version)
        let known = try Int(#require(b.confirmed).version.rawValue)
        try insert(2, a)
        try send(a, &log)
        try b.receive(Array(log.records[known...]))
        #expect(try ids(b) == [1, 2])
        withExtendedLifetime((files, updates)) {}
    }

    @Test("A record is not to blame for rows that cannot be read for a moment")
    func unreadableRows() throws {
        let (first, a) = try store()
        let (second, joined) = try store {
            CheckpointTests.onRequest(&$0)
            $0.memoryBudget = 1
        }
        var log = Log()
        for id: Int64 in 1...40 { try insert(id, a) }
        try send(a, &log)
        try joined.receive(log.records)
        try joined.checkpoint()
        let options = joined.options
        try joined.close()
        let b = try UntypedStore.open(at: second.path, options: options)
        try insert(41, a)
        try send(a, &log)
        do {
            let jam = ReaderJam(b)
            #expect { try b.receive([log.records[40]]) } throws: { !($0 is UnacceptableRecord) }
            withExtendedLifetime(jam) {}
        }
        try b.receive([log.records[40]])
        #expect(try b.snapshot.stateHash == a.snapshot.stateHash)
        try b.close()
        withExtendedLifetime(first) {}
    }

    @Test("Of thousands of pending commits that are made again, the successor of each is known")
    func manySuccessors() throws {
        let (files, a, b, sent) = try sent(1..<2)
        var log = sent
        try b.receive(log.records)
        var made: [Commit] = []
        for _ in 0..<4_200 {
            made.append(try #require(try b.edit("Toggle", durability: .deferred) { try $0.toggle(.item(1)) }))
        }
        try insert(9, a)
        try send(a, &log)
        let rebased = try b.receive(Array(log.records[1...]))
        try #require(rebased.count == made.count)
        for index in [0, 100, made.count - 1] {
            #expect(b.successor(of: made[index]).version == rebased[index].commit.version, "\(index)")
        }
        // They are made again with each batch of others' commits, and not all of these times are remembered.
        try insert(10, a)
        try send(a, &log)
        let again = try b.receive(Array(log.records[2...]))
        let rememberedCount = b.group.monitor.withLock { b.group.state.rebases.commits.count }
        #expect(rememberedCount == made.count)
        #expect(b.successor(of: rebased[0].commit).version == again[0].commit.version)
        withExtendedLifetime(files) {}
    }

    // MARK: Old history

    @Test(
        "A file that drops old history keeps the commits that were set aside since it was written, and forgets the others"
    )
    func successor() throws {
        let (fixture, a) = try store { CheckpointTests.eager(&$0) }
        var log = Log()
        for id: Int64 in 1..<41 { try insert(id, a) }
        try send(a, &log)
        #expect(try a.trim(Retention(steps: 5), atLeast: 10))
        try insert(50, a)
        let pending = try a.pendingRecords(atMost: .max)
        let record = try Commit(record: pending.records[0], version: 41)
        try a.setAside([record.checksum: "too large"])
        try a.close()
        let b = try UntypedStore.open(at: fixture.path, options: a.options)
        #expect(b.oldestVersion > .empty)
        #expect(try b.setAsideCommits.map(\.commit.name) == ["Insert 50"])
        #expect(b.confirmed?.version == 40)
        try b.close()
    }

    @Test("A store that becomes a replica after old history was dropped beside it stays one, and keeps its history")
    func successorBeforeSharing() throws {
        let fixture = try StoreFixture { CheckpointTests.eager(&$0) }
        let a = fixture.store
        for id: Int64 in 1..<41 { try insert(id, a) }
        #expect(try a.trim(Retention(steps: 5), atLeast: 10))
        try a.beginSharing()
        try a.close()
        let b = try UntypedStore.open(at: fixture.path, options: a.options)
        #expect(b.confirmed?.version == .empty && b.oldestVersion == .empty)
        #expect(try b.pendingCount == 40)
        try b.close()
    }

    @Test("Old history is not dropped for good beside an edit that comes meanwhile")
    func editMeanwhile() throws {
        let now = Locked<(@Sendable () -> Void)?>(nil)
        let (fixture, a) = try store {
            CheckpointTests.eager(&$0)
            $0.now = calling(once: now)
        }
        var log = Log()
        for id: Int64 in 1..<41 { try insert(id, a) }
        try send(a, &log)
        now.withLock { $0 = { try? self.insert(50, a) } }
        _ = try a.trim(Retention(age: .seconds(1), steps: 5), atLeast: 10)
        #expect(try a.pendingCount == 1, "the edit came while history was looked at")
        try a.close()
        let b = try UntypedStore.open(at: fixture.path, options: a.options)
        let (second, c) = try store()
        try c.receive(log.records)
        try insert(60, c)
        try send(c, &log)
        try b.receive([log.records[40]])
        #expect(try Set(ids(b)).isSuperset(of: [50, 60]))
        try b.close()
        withExtendedLifetime(second) {}
    }

    @Test("While pending commits are being replaced, no old history is dropped")
    func trimmedMeanwhile() throws {
        let now = Locked<(@Sendable () -> Void)?>(nil)
        let (fixture, a) = try store {
            CheckpointTests.eager(&$0)
            $0.now = calling(once: now)
        }
        var log = Log()
        for id: Int64 in 1..<41 { try insert(id, a) }
        try send(a, &log)
        // Receiving lowers the durable version as well, until it has replaced them.
        a.group.rewind(to: LogPosition())
        now.withLock { $0 = { a.group.rewind(to: a.group.log.journal.head) } }
        #expect(try !a.trim(Retention(age: .seconds(1), steps: 5), atLeast: 10))
        #expect(a.durableVersion == 40)
        #expect(try a.trim(Retention(age: .seconds(1), steps: 5), atLeast: 10))
        withExtendedLifetime(fixture) {}
    }

    @Test("What a new replica begins with has no names of versions of this device")
    func snapshotNames() throws {
        let (fixture, a) = try store { CheckpointTests.eager(&$0) }
        var log = Log()
        for id: Int64 in 1..<41 { try insert(id, a) }
        try a.addName("private")
        try insert(41, a)
        try a.addName("newest")
        try send(a, &log)
        let path = fixture.folder.file("snapshot")
        #expect(try a.withSnapshot { copy, _ in try FileManager.default.copyItem(atPath: copy, toPath: path) } != nil)
        let b = try UntypedStore.open(at: path)
        #expect(try b.namedVersions.isEmpty && b.snapshot.stateHash == a.snapshot.stateHash)
        try b.close()
        #expect(try a.namedVersions.count == 2)
    }

    @Test("What follows a store sees that a pending commit was replaced by another one of the same version")
    func followers() throws {
        let (fixture, a) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        for id: Int64 in 2..<5 { try insert(id, a) }
        try a.edit("Delete") { try $0.delete(.item(3)) }
        let (list, trash) = (try UntypedLiveList(of: a, []), try UntypedLiveTrash(of: a))
        let counts = try a.projection(SectionCounts.self)
        func seen() throws -> ([UntypedID], [UntypedID], Int?, Int) {
            (
                try list.snapshot.sections.flatMap { $0.items.map(\.id) }, try trash.snapshot.rows.map(\.row.id),
                try counts.value.sections.first?.unchecked, try a.history(ofRow: 3, limit: 9).count
            )
        }
        #expect(try seen() == ([1, 2, 4], [3], 3, 2))
        let records = try a.pendingRecords(atMost: .max).records
        let version = try a.version
        try a.setAside([Commit(record: records[1], version: 3).checksum: "too large"])
        #expect(try a.version == version)
        #expect(try seen() == ([1, 2, 4], [], 3, 0))
        try setFirstAside(a)
        #expect(try seen() == ([1, 4], [], 2, 0))
        #expect(try list.indexPath(of: 4)?.item == 1)
        withExtendedLifetime(fixture) {}
    }

    /// Two replicas of one history, of which the first has inserted row 1.
    private func company() throws -> (files: [StoreFixture], a: UntypedStore, b: UntypedStore, log: Log) {
        let (first, a) = try store { $0.undoScope = .shared }
        let (second, b) = try store { $0.undoScope = .shared }
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try b.receive(log.records)
        return ([first, second], a, b, log)
    }

    @Test("A commit of another device becomes no part of an open group, whether it comes before or between")
    func groups() throws {
        for isBetween in [false, true] {
            var (files, a, b, log) = try company()
            try insert(20, b)
            try insert(2, a)
            if isBetween { try send(a, &log) }
            if isBetween { try b.receive(Array(log.records[1...])) }
            try a.beginGroup("Sort")
            try insert(3, a)
            if isBetween { try send(a, &log) }
            if isBetween { try b.receive(Array(log.records[2...])) }
            let count = log.records.count
            try send(b, &log)
            try a.receive(Array(log.records[count...]))
            try insert(4, a)
            try a.endGroup()
            let names = try (2...5).map { try a.commit(Version($0)).name }
            let expected =
                isBetween
                ? ["Insert 2", "Sort", "Insert 20", "Sort"] : ["Insert 20", "Insert 2", "Sort", "Sort"]
            #expect(names == expected)
            try a.undo()
            #expect(try Set(ids(a)) == (isBetween ? [1, 2, 3, 20] : [1, 2, 20]))
            withExtendedLifetime(files) {}
        }
    }

    @Test("A redo that is made again redoes the same step, although others have made another one at the same place")
    func redo() throws {
        var (files, a, b, log) = try company()
        try a.edit("Check") { try $0.setChecked(true, for: .item(1)) }
        try a.undo()
        try send(a, &log)
        try b.receive(Array(log.records[1...]))
        try insert(20, b)
        try b.undo()
        let count = log.records.count
        try send(b, &log)
        try a.redo()
        try a.receive(Array(log.records[count...]))
        #expect(try ids(a) == [1])
        #expect(try a.item(1)?.isChecked == true)
        withExtendedLifetime(files) {}
    }

    @Test("A group of commits that became pending while it was packed is not written")
    func packedMeanwhile() throws {
        let (fixture, a) = try store {
            $0.unpackedCount = 2
            $0.checkpoints.isBackground = false
            $0.packing.groupCount = 1_000
        }
        var log = Log()
        for id: Int64 in 1..<20 { try insert(id, a) }
        try send(a, &log)
        try a.group.store()
        let checkpointer = try #require(a.checkpointer)
        let group = try #require(try checkpointer.packer.nextGroup(of: 1))
        try a.retreat(to: .empty)
        #expect(throws: LostRace.self) { try checkpointer.packer.index(group, a, checkpointer) }
        #expect(try !checkpointer.packer.write(group))
        #expect(try a.group.log.derivedEnd(checkpointer) == .empty)
        withExtendedLifetime(fixture) {}
    }

    @Test("A damaged replica that is repaired is a replica with the same end, and has what was set aside")
    func repair() throws {
        let (fixture, a) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try a.checkpoint()
        try insert(2, a)
        try insert(3, a)
        let record = try setFirstAside(a)
        let (confirmed, hash) = (a.confirmed, try a.snapshot.stateHash)
        try a.group.log.noteEncrypted()
        try a.close()
        // Whatever the row has, the commits count as encrypted.
        try changeEnd(in: fixture.path, LogFormat.encryptedKey) { $0 = [2] }
        try RepairTests.spoil("nodes", in: fixture.path)
        let salvaged = fixture.folder.file("salvaged")
        try UntypedStore.salvage(from: fixture.path, to: salvaged)
        var options = StoreOptions()
        (options.checkpoints.interval, options.checkpoints.maximumSpacing) = (1, 1)
        let report = try UntypedStore.repair(at: fixture.path, options: options)
        #expect(report.wasRepaired)
        let b = try UntypedStore.open(at: fixture.path)
        #expect(b.confirmed == confirmed)
        #expect(try b.snapshot.stateHash == hash && b.pendingCount == 2)
        #expect(try b.setAsideCommits.map(\.commit.record) == [record.record])
        #expect(try b.setAsideCommits.map(\.reason) == ["too large"])
        #expect(try b.group.log.isEncrypted)
        // What is salvaged is no replica, and keeps the note, also when contents are erased from it.
        for isErased in [false, true] {
            if isErased { _ = try UntypedStore.erase(Erasure(rows: [.integer(1)]), at: salvaged) }
            let new = try UntypedStore.open(at: salvaged)
            #expect(try new.confirmed == nil && new.group.log.isEncrypted, "erased: \(isErased)")
            try new.close()
        }
        // Nothing that is derived from the log covers what is pending.
        let (other, c) = try store()
        try c.receive(log.records)
        try insert(30, c)
        try send(c, &log)
        try b.receive(Array(log.records[1...]))
        #expect(try Set(ids(b)) == [1, 3, 30] && b.pendingCount == 2)
        try b.close()
        withExtendedLifetime(other) {}
    }

    @Test(
        "Pending commits that were replaced take the place of damaged ones neither in a repair nor in a salvage",
        arguments: [([3], [1, 4]), ([3, 4], [1])] as [(Set<UInt64>, [UntypedID])])
    func repairWithReplacedCommits(damaged: Set<UInt64>, rows: [UntypedID]) throws {
        let (fixture, a) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        for id: Int64 in 2...4 { try insert(id, a) }
        try a.waitUntilDurable()
        let old = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        try setFirstAside(a)
        try a.close()
        try SalvageTests.damage(damaged, in: fixture.path)
        // As if the pages from before had not been used again.
        let new = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        try (new + old).write(to: URL(fileURLWithPath: fixture.path))
        // What is lost, and what would not be in the log without it.
        #expect(throws: ListError.notRepairable(commits: 2, contents: 0, names: 0)) {
            try UntypedStore.repair(at: fixture.path)
        }
        let path = fixture.folder.file("salvaged")
        let report = try UntypedStore.salvage(from: fixture.path, to: path)
        #expect(report.newestVersion == 4 && report.lostCommitCount == UInt64(damaged.count))
        let salvaged = try UntypedStore.open(at: path)
        #expect(try ids(salvaged) == rows)
        try salvaged.close()
    }

    @Test(
        "Up to where pending commits were confirmed once is kept by a repair, unless it is damaged or behind all commits",
        arguments: [([2, 0, 0, 0, 0, 0, 0, 0], 2), ([2, 0, 0, 0, 0, 0, 0, 1], 0), ([2], 0)] as [([UInt8], UInt64)])
    func repairOfConfirmedOnce(row: [UInt8], version: UInt64) throws {
        let (fixture, a) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try a.checkpoint()
        for id: Int64 in 2...3 { try insert(id, a) }
        try a.close()
        try changeEnd(in: fixture.path, LogFormat.confirmedOnceKey) { $0 = row }
        try RepairTests.spoil("nodes", in: fixture.path)
        #expect(try UntypedStore.repair(at: fixture.path).wasRepaired)
        let b = try UntypedStore.open(at: fixture.path)
        let confirmed = b.group.log.confirmed
        let once = try b.group.log.environment.read { try confirmed.confirmedOnce($0) }
        #expect(once == Version(version))
        try b.close()
    }

    /// Changes the confirmed end, or another row of it, in a file that nobody has open.
    private func changeEnd(
        in path: String, _ key: String = LogFormat.confirmedKey, _ change: (inout [UInt8]) -> Void
    ) throws {
        let environment = try Environment.open(path: path)
        defer { try? environment.close() }
        let meta = try environment.openDatabase(named: LogFormat.metaDatabase, of: String.self, [UInt8].self)
        try environment.write { txn in
            var row = try txn.get(key, in: meta) ?? []
            change(&row)
            try txn.put(row, forKey: key, in: meta)
        }
    }

    @Test(
        "A replica whose confirmed end is damaged is repaired as a replica, whose commits come back from the shared log",
        arguments: [(7, 0xFF), (8, 1), (0, 2), (0, 0xFF)] as [(Int, UInt8)])
    func repairWithoutEnd(place: Int, bits: UInt8) throws {
        let (fixture, a) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        for id: Int64 in 2...3 { try insert(id, a) }
        let hash = try a.snapshot.stateHash
        try a.close()
        // The version becomes too large, that of a pending commit, or one after the newest; or the checksum another.
        try changeEnd(in: fixture.path) { $0[place] ^= bits }
        var options = StoreOptions()
        (options.checkpoints.interval, options.checkpoints.maximumSpacing) = (1, 1)
        #expect(try UntypedStore.repair(at: fixture.path, options: options).wasRepaired)
        let b = try UntypedStore.open(at: fixture.path)
        try #require(b.confirmed?.version == .empty)
        #expect(try b.pendingCount == 3 && b.snapshot.stateHash == hash)
        // No checkpoint is in the way when others' commits come before the pending ones.
        let (other, c) = try store()
        try c.receive(log.records)
        try insert(30, c)
        try send(c, &log)
        #expect(try b.confirm(log.records) == 1)
        try b.receive(Array(log.records[1...]))
        #expect(try Set(ids(b)) == [1, 2, 3, 30] && b.pendingCount == 2)
        try b.close()
        withExtendedLifetime(other) {}
    }

    @Test("A confirmed end after the newest commit is damage: verification says so, and nothing is compacted")
    func endAfterTheNewest() throws {
        let (fixture, a) = try store()
        var log = Log()
        for id: Int64 in 1...3 { try insert(id, a) }
        try send(a, &log)
        try a.close()
        try changeEnd(in: fixture.path) { $0[0] = 4 }
        let error = ListError.headMismatch(what: "confirmed end", expected: "at most version 3", found: "version 4")
        #expect(throws: error) { try StoreVerification(path: fixture.path) }
        #expect(throws: error) { try UntypedStore.compact(at: fixture.path) }
    }

    @Test("Verifying a damaged replica ends, although another process edits it all the time")
    func damagedInUse() throws {
        struct Endless: Error {}
        let (fixture, a) = try store { $0.durability = .deferred }
        try a.edit("Begin") { list in
            try list.insertSection(NewSection(id: "rows"))
            try list.insert(NewRow(id: "counter", content: []), at: .end(ofSection: "rows"))
        }
        // So many that progress is told once before the damage is found.
        while try a.version < 4_096 { try a.edit("Check") { try $0.toggle(.item("counter")) } }
        let meta = a.group.log.meta
        try a.group.log.environment.write { try $0.put([1], forKey: LogFormat.setAsidePrefix + "1", in: meta) }
        try a.close()
        let other = try ChildProcess("StoreWriter", [fixture.path, "steps"])
        var count = 0
        do {
            _ = try StoreVerification(path: fixture.path) { _ in
                count += 1
                if count > 20 { throw Endless() }
                try Data().write(to: URL(fileURLWithPath: "\(fixture.path)-step\(4_096 + count)"))
                _ = other.firstLine()
            }
            Issue.record("no damage was found")
        } catch {
            #expect(count == 8, "\(error)")
        }
        _ = other.kill()
    }

    @Test("A damaged commit that was set aside is found, and stops neither compaction nor the others")
    func damagedAside() throws {
        let (fixture, a) = try store()
        var log = Log()
        try insert(1, a)
        try send(a, &log)
        try insert(2, a)
        try setFirstAside(a)
        try send(a, &log)
        let meta = a.group.log.meta
        let aside = try #require(a.setAsideCommits.first)
        try a.group.log.environment.write { txn in
            var row = aside.bytes
            row[row.count - 1] ^= 1
            try txn.put(row, forKey: aside.key, in: meta)
        }
        // A replica that says how many there are goes on, and shows those that can be read.
        try insert(3, a)
        let sound = try setFirstAside(a)
        try send(a, &log)
        #expect(try a.setAsideCount == 2)
        #expect(try a.setAsideCommits.map(\.commit.record) == [sound.record])
        try a.close()
        #expect(throws: (any Error).self) { try StoreVerification(path: fixture.path) }
        try UntypedStore.compact(at: fixture.path)
        let b = try UntypedStore.open(at: fixture.path)
        #expect(b.confirmed == a.confirmed)
        try b.close()
    }

    @Test("A replica learns where another process has moved the confirmed end, and takes nothing else for it")
    func movedEnd() throws {
        let (fixture, a) = try store()
        var log = Log()
        for id: Int64 in 1..<5 { try insert(id, a) }
        try send(a, &log)
        let (other, b) = try store()
        try b.receive(log.records)
        try insert(20, b)
        try send(b, &log)
        let known = try #require(a.confirmed)
        let earlier = try SharedPosition(record: log.records[1], version: 2)
        #expect(throws: EndMoved.self) { try a.receive(Array(log.records[4...]), after: earlier) }
        #expect(throws: EndMoved.self) { try a.retreat(to: 1, from: earlier) }
        #expect(a.confirmed == known)
        try a.group.store()
        // As another process would.
        let meta = a.group.log.meta
        let end = try #require(a.group.log.confirmed.end)
        let last = try Commit(record: log.records[3], version: 4)
        let moved = end.removing(last, after: try Commit(record: log.records[2], version: 3).checksum)
        try a.group.log.environment.write { try $0.put(moved.bytes, forKey: LogFormat.confirmedKey, in: meta) }
        #expect(a.confirmed?.version == 3)
        #expect(throws: EndMoved.self) { try a.retreat(to: 1, from: known) }
        #expect(try a.pendingCount == 1 && a.confirm(Array(log.records[3...])) == 1)
        try a.receive(Array(log.records[4...]), after: known)
        #expect(try a.snapshot.stateHash == b.snapshot.stateHash)
        withExtendedLifetime((fixture, other)) {}
    }
}
