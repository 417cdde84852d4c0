// Tests keeping a part of the history: what is to go goes when the store is closed or opened next, and nothing else does.

import Foundation
import LMDB
@testable import Listory
import ListModel
import TestSupport
import Testing

@Suite("Keeping a part of the history")
struct RetentionTests {
    /// A store with random edits, one a second, and the hash of each version.
    struct Story: ~Copyable {
        let fixture: StoreFixture
        let clock = TestTime()
        var store: UntypedStore
        var edits: RandomEdits
        var rows = ReferenceList()
        var hashes = [UntypedSnapshot.empty.stateHash]
        var path: String { fixture.path }

        init(seed: UInt64) throws {
            let clock = clock
            fixture = try StoreFixture { options in
                CheckpointTests.eager(&options)
                options.now = { clock.now }
                if seed % 2 == 1 {
                    options.unpackedCount = 30
                    (options.packing.groupCount, options.packing.freeSize) = (7, 0)
                }
            }
            store = fixture.store
            edits = RandomEdits(seed: seed, targetCount: 30)
        }

        mutating func edit(_ count: Int) throws {
            for _ in 0..<count {
                clock.advance(milliseconds: edits.generator.oneIn(20) ? -5_000 : 1_000)
                let history = try store.history
                switch Int.random(in: 0..<8, using: &edits.generator) {
                case 0 where history.undoCount > 0: try store.undo()
                case 1 where history.redoCount > 0: try store.redo()
                default:
                    let operation = edits.next(rows)
                    guard (try? store.edit("Edit", { try $0.apply(operation) })) != nil else { continue }
                }
                guard try store.version.rawValue == UInt64(hashes.count) else { continue }
                rows = try ReferenceList(store.snapshot, GroupSource(base: store.source))
                hashes.append(try store.snapshot.stateHash)
            }
            try store.waitUntilDurable()
        }

        mutating func reopen() throws {
            try store.close()
            store = try UntypedStore.open(at: path, options: store.options)
        }

        var files: Set<String> {
            get throws { Set(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)) }
        }

        /// Checks that every version from the oldest on is as it was, and its content can be read.
        func check(_ oldest: Version, _ comment: Comment) throws {
            try #require(store.oldestVersion == oldest, comment)
            try #require(try store.version.rawValue == UInt64(hashes.count - 1), comment)
            for number in Int(oldest.rawValue)..<hashes.count {
                let snapshot = try store.snapshot(at: Version(UInt64(number)))
                try #require(snapshot.stateHash == hashes[number], comment)
                for section in snapshot.sections {
                    for row in section.items { _ = try store.source.content(of: row.content) }
                }
            }
            if oldest > .empty {
                #expect(throws: ListError.droppedVersion(.empty, oldest: oldest), comment) {
                    try store.snapshot(at: .empty)
                }
            }
            try #require(try ReferenceList(store.snapshot, GroupSource(base: store.source)) == rows, comment)
        }
    }

    /// Another process that has the file open.
    static func reader(of path: String) throws -> ChildProcess {
        let child = try ChildProcess("StoreWriter", [path, "reads"])
        #expect(child.firstLine() == "reading")
        return child
    }

    @Test(
        "A successor takes the place when the store is closed, with the commits that were made since", arguments: 0..<8)
    func closing(seed: UInt64) throws {
        var story = try Story(seed: seed)
        var oldest = Version.empty
        for round in 0..<4 {
            let comment: Comment = "seed \(seed), round \(round)"
            try story.edit(120)
            let kept = Retention(steps: 20 + Int(seed))
            let before = oldest
            oldest = try story.store.oldestVersion(keptBy: kept)
            try #require(try story.store.trim(kept, atLeast: 10), comment)
            try #require(story.files.contains("list.listory-successor"), comment)
            // The log of the open store stays as it is.
            try story.edit(Int(seed) * 9)
            try story.check(before, comment)
            try story.reopen()
            try story.check(oldest, comment)
            try #require(
                story.files.isSubset(of: ["list.listory", "list.listory-lock", "list.listory-processes"]), comment)
        }
        while try story.store.history.undoCount > 0 { try story.store.undo() }
        try story.store.close()
        _ = try StoreVerification(path: story.path)
    }

    @Test("No successor is written of a file that nothing can replace, because it has a second name")
    func severalNames() throws {
        var story = try Story(seed: 0)
        try story.edit(120)
        let (store, kept) = (story.store, Retention(steps: 20))
        let other = story.path + "-too"
        try FileManager.default.linkItem(atPath: story.path, toPath: other)
        var count = 0
        let error = #expect(throws: ListError.self) { try store.trim(kept, atLeast: 10) { count += 1 } }
        #expect(error?.code == "notPermitted" && count == 0)
        try FileManager.default.removeItem(atPath: other)
        let isWritten = try store.trim(kept, atLeast: 10) { count += 1 }
        #expect(isWritten && count > 0)
        try store.close()
    }

    @Test("The newest steps are kept whole, however much others have edited during a step")
    func wholeSteps() throws {
        let fixture = try StoreFixture { $0.undoScope = .origin }
        let store = fixture.store
        func toggle(_ id: Int64, _ origin: String) throws {
            try store.edit("Check", origin: origin) { try $0.toggle(.item(.integer(id))) }
        }
        try fixture.fill(3)
        for _ in 0..<60 { try toggle(1, "ben") }
        let beginning = try store.version
        try store.beginGroup(origin: "anna")
        try toggle(0, "anna")
        for _ in 0..<30 { try toggle(1, "ben") }
        try toggle(2, "anna")
        try store.endGroup(origin: "anna")
        #expect(try store.oldestVersion(keptBy: Retention(steps: 5)) == beginning)
        #expect(try store.oldestVersion(keptBy: Retention(steps: 0)) == store.version)
        try #require(try store.trim(Retention(steps: 5), atLeast: 10))
        try store.close()
        let again = try UntypedStore.open(at: fixture.path, options: store.options)
        try again.undo(origin: "anna")
        #expect(try again.snapshot.sections[0].items.map(\.isChecked) == [false, false, false])
        try again.close()
    }

    @Test("After a kill, the successor takes the place when the store is opened", arguments: 0..<4)
    func killed(seed: UInt64) throws {
        var story = try Story(seed: seed)
        try story.edit(150)
        let kept = Retention(steps: 30)
        let oldest = try story.store.oldestVersion(keptBy: kept)
        try #require(try story.store.trim(kept, atLeast: 10))
        try story.edit(40)
        // A kill leaves the files as they are.
        let folder = try TemporaryFolder()
        for name in ["list.listory", "list.listory-successor"] {
            try FileManager.default.copyItem(atPath: story.fixture.folder.file(name), toPath: folder.file(name))
        }
        let options = story.store.options
        try story.store.close()
        let path = folder.file("list.listory")
        // Whoever only reads takes the file as it is.
        var reading = options
        reading.isReadOnly = true
        let reader = try UntypedStore.open(at: path, options: reading)
        #expect(reader.oldestVersion == .empty)
        try reader.close()
        story.store = try UntypedStore.open(at: path, options: options)
        try story.check(oldest, "seed \(seed)")
        #expect(!Platform.exists(path + "-successor"))
        try story.store.close()
        _ = try StoreVerification(path: path)
    }

    @Test("A successor of another log is removed, and nothing is lost")
    func foreign() throws {
        var story = try Story(seed: 1)
        try story.edit(100)
        var other = try Story(seed: 2)
        try other.edit(60)
        try #require(try other.store.trim(Retention(steps: 10), atLeast: 10))
        let successor = other.fixture.folder.file("list.listory-successor")
        for damage in ["other log", "no store", "longer log"] {
            let path = story.fixture.folder.file("list.listory-successor")
            if damage == "no store" {
                try Data("no store".utf8).write(to: URL(fileURLWithPath: path))
            } else {
                try FileManager.default.copyItem(atPath: successor, toPath: path)
            }
            try story.reopen()
            try story.check(.empty, "\(damage)")
            #expect(!Platform.exists(path))
            if damage == "no store" {
                try other.edit(200)
                try other.reopen()
                try #require(try other.store.trim(Retention(steps: 10), atLeast: 10))
            }
        }
        try story.store.close()
        try other.store.close()
    }

    @Test("A successor that lacks a commit does not take the place")
    func editedMeanwhile() throws {
        var story = try Story(seed: 6)
        try story.edit(100)
        try #require(try story.store.trim(Retention(steps: 10), atLeast: 10))
        let caughtUp = try #require(story.store.catchUpSuccessor())
        // As another process may do it between closing and replacing.
        let successor = story.path + "-successor"
        try FileManager.default.moveItem(atPath: successor, toPath: story.path + "-later")
        try story.edit(5)
        try story.store.close()
        try FileManager.default.moveItem(atPath: story.path + "-later", toPath: successor)
        story.store.put(caughtUp)
        var options = story.store.options
        options.isReadOnly = true
        let reader = try UntypedStore.open(at: story.path, options: options)
        #expect(try reader.oldestVersion == .empty && reader.snapshot.stateHash == story.hashes.last)
        try reader.close()
    }

    @Test("What an undo or a restore brings back after the successor was written is in it", arguments: 0..<4)
    func broughtBack(seed: UInt64) throws {
        var story = try Story(seed: seed)
        try story.edit(150)
        let kept = Retention(steps: 5)
        let oldest = try story.store.oldestVersion(keptBy: kept)
        try #require(try story.store.trim(kept, atLeast: 10))
        func note() throws {
            story.rows = try ReferenceList(story.store.snapshot, GroupSource(base: story.store.source))
            story.hashes.append(try story.store.snapshot.stateHash)
        }
        for version in stride(from: 5, to: oldest.rawValue, by: 20) {
            if try story.store.restore(Version(version)) != nil { try note() }
        }
        for _ in 0..<20 where try story.store.history.undoCount > 0 {
            try story.store.undo()
            try note()
        }
        try story.reopen()
        try story.check(oldest, "seed \(seed)")
        try story.store.close()
        _ = try StoreVerification(path: story.path)
    }

    @Test("While a reader of another process has the file open, the successor waits")
    func otherProcess() throws {
        var story = try Story(seed: 3)
        try story.edit(100)
        let kept = Retention(steps: 10)
        let oldest = try story.store.oldestVersion(keptBy: kept)
        try #require(try story.store.trim(kept, atLeast: 10))
        let child = try Self.reader(of: story.path)
        try story.reopen()
        try story.check(.empty, "with a reader")
        // It is not written again meanwhile.
        #expect(try !story.store.trim(kept, atLeast: 10))
        #expect(Platform.exists(story.path + "-successor"))
        child.kill()
        try story.reopen()
        try story.reopen()
        try story.check(oldest, "without")
        try story.store.close()
    }

    @Test("Erasing and compacting remove a successor, which has what is to go; if they are refused, it stays")
    func erasing() throws {
        var story = try Story(seed: 4)
        try story.edit(100)
        try #require(try story.store.trim(Retention(steps: 10), atLeast: 10))
        let (path, newest) = (story.path, try story.store.version)
        let child = try Self.reader(of: path)
        try story.store.close()
        // A store that is open elsewhere is not even read.
        #expect(throws: ListError.inUse(path: path)) {
            try UntypedStore.erase(Erasure(rows: ["no row"]), at: path) { _ in Issue.record("it is at work") }
        }
        child.kill()
        #expect(throws: ListError.unknownVersion(newest.next, head: newest)) {
            try UntypedStore.compact(at: path, Compaction(keeping: .from(newest.next)))
        }
        #expect(Platform.exists(path + "-successor"))
        try UntypedStore.erase(Erasure(rows: ["no row"]), at: path)
        #expect(!Platform.exists(path + "-successor"))
    }

    @Test("States of projections that were stored since are kept")
    func projections() throws {
        var list = try ProjectedStore(seed: 1)
        for _ in 0..<60 { try list.commit() }
        try list.store.waitUntilDurable()
        try #require(try list.store.trim(Retention(steps: 5), atLeast: 10))
        for _ in 0..<20 { try list.commit() }
        try list.check("before")
        try list.reopen()
        #expect(list.store.oldestVersion > .empty)
        #expect(try list.store.projection(EditsPerDay.self).beginning == .empty)
        try list.check("after")
        try list.store.close()
    }

    @Test("A state of a projection that is stored while a successor is written does not spoil it")
    func projectionMeanwhile() throws {
        var list = try ProjectedStore(seed: 2)
        for _ in 0..<30 { try list.commit() }
        let store = list.store
        while try store.version < 1_200 {
            let id = UntypedID.integer(Int64(try store.version.rawValue) + 10_000)
            try store.edit("Insert") { try $0.insertSection(NewSection(id: id)) }
        }
        let projection = try store.projection(EditsPerDay.self)
        let isWritten = try store.trim(Retention(steps: 250), atLeast: 10) {
            try store.edit("Meanwhile") { $0.annotate("note", with: [1]) }
            try store.waitUntilDurable()
            try projection.checkpoint()
        }
        #expect(isWritten)
        try store.close()
        let opened = try UntypedStore.open(at: list.path, options: store.options)
        #expect(opened.oldestVersion > .empty)
        #expect(try opened.projection(EditsPerDay.self).beginning == .empty)
        try opened.close()
    }

    @Test("A projection that the app has asked for and not used lacks nothing of what goes")
    func idleProjection() throws {
        var list = try ProjectedStore(seed: 3)
        for _ in 0..<30 { try list.commit() }
        try list.store.projection(EditsPerDay.self).checkpoint()
        try list.reopen()
        _ = try list.store.projection(EditsPerDay.self)
        for _ in 0..<60 { try list.commit() }
        try list.store.waitUntilDurable()
        try #require(try list.store.trim(Retention(steps: 5), atLeast: 10))
        try list.reopen()
        #expect(list.store.oldestVersion > .empty)
        #expect(try list.store.projection(EditsPerDay.self).beginning == .empty)
        #expect(try list.store.projection(EditsPerDay.self).value.counts == list.edited.counts)
        try list.store.close()
    }

    /// A projection without a value.
    private struct Failing: Projection, Codable {
        struct Refusal: Error {}

        static let name = "failing"
        static let version = 1

        mutating func apply(_ event: ListEvent, in context: EventContext) throws { throw Refusal() }
    }

    @Test("Nothing goes while a projection that the app has asked for fails")
    func failingProjection() throws {
        var story = try Story(seed: 2)
        try story.edit(60)
        _ = try story.store.projection(Failing.self)
        #expect(throws: ProjectionError.self) { try story.store.trim(Retention(steps: 5), atLeast: 10) }
        #expect(!Platform.exists(story.path + "-successor"))
        try story.store.close()
    }

    @Test("A content that a salvaged store has lost stays in a successor that has it")
    func lostBefore() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        var options = fixture.store.options
        options.durability = .immediate
        try fixture.fill(10)
        func toggle(_ count: Int64, in store: UntypedStore) throws {
            for number in 0..<count { try store.edit("Toggle") { try $0.toggle(.item(.integer(number % 10))) } }
        }
        try toggle(60, in: fixture.store)
        try fixture.store.close()
        try UntypedStore.compact(at: fixture.path, Compaction(keeping: .from(20)))
        var store = try UntypedStore.open(at: fixture.path, options: options)
        try toggle(5, in: store)
        try #require(try store.trim(Retention(steps: 10), atLeast: 10))
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try FileManager.default.moveItem(atPath: fixture.path + "-successor", toPath: path + "-successor")
        try store.close()
        try RepairTests.spoil("contents", in: fixture.path)
        #expect(try UntypedStore.salvage(from: fixture.path, to: path).unreadableCount == 1)
        store = try UntypedStore.open(at: path, options: options)
        #expect(store.oldestVersion > 20)
        try store.undo()
        let rows = try ReferenceList(store.snapshot, GroupSource(base: store.source))
        #expect(rows.sections[0].items.map(\.content) == (0..<10).map { Array("row \($0)".utf8) })
        try store.close()
    }

    @Test("A successor with an earlier beginning than the file is removed")
    func compacted() throws {
        var story = try Story(seed: 2)
        try story.edit(100)
        try #require(try story.store.trim(Retention(steps: 20), atLeast: 10))
        let (successor, kept) = (story.path + "-successor", story.path + "-kept")
        try FileManager.default.moveItem(atPath: successor, toPath: kept)
        try story.store.close()
        let oldest = try #require(Version(UInt64(story.hashes.count - 2)) as Version?)
        // By a build that knows nothing of successors.
        var compaction = Compaction(keeping: .from(oldest))
        compaction.isPacked = false
        try UntypedStore.compact(at: story.path, compaction)
        try FileManager.default.moveItem(atPath: kept, toPath: successor)
        story.store = try UntypedStore.open(at: story.path, options: story.store.options)
        try story.check(oldest, "compacted")
        #expect(!Platform.exists(successor))
        try story.store.close()
    }

    @Test("Bounds that keep more than a successor remove it")
    func loosened() throws {
        var story = try Story(seed: 3)
        try story.edit(100)
        try #require(try story.store.trim(Retention(steps: 10), atLeast: 10))
        try story.store.keep(Retention(steps: 8))
        #expect(Platform.exists(story.path + "-successor"))
        // Also while another process has the file open.
        let child = try Self.reader(of: story.path)
        try story.store.keep(Retention())
        #expect(!Platform.exists(story.path + "-successor"))
        child.kill()
        try story.reopen()
        try story.check(.empty, "kept")
        try story.store.close()
        #expect(throws: ListError.closed) { try story.store.keep(Retention()) }
    }

    @Test("A successor that lacks what is to be kept is removed at the next look")
    func tooStrict() throws {
        var story = try Story(seed: 2)
        try story.edit(100)
        try #require(try story.store.trim(Retention(steps: 10), atLeast: 10))
        #expect(try !story.store.trim(Retention(), atLeast: 10))
        #expect(!Platform.exists(story.path + "-successor"))
        try story.store.close()
    }

    @Test("A successor that has too much itself is written again")
    func again() throws {
        var story = try Story(seed: 4)
        try story.edit(60)
        let kept = Retention(steps: 5)
        try #require(try story.store.trim(kept, atLeast: 10))
        let first = try #require(story.store.oldestVersionOfSuccessor)
        try #require(try !story.store.trim(kept, atLeast: 10))
        try story.edit(60)
        try #require(try story.store.trim(kept, atLeast: 10))
        let second = try #require(story.store.oldestVersionOfSuccessor)
        #expect(second > first)
        try story.reopen()
        try story.check(second, "again")
        try story.store.close()
    }

    @Test("What is kept is what the bounds say", arguments: 0..<6)
    func bounds(seed: UInt64) throws {
        var story = try Story(seed: seed)
        try story.edit(120)
        let store = story.store
        let head = try store.version.rawValue
        let commits = try (1...head).map { try store.commit(Version($0)) }
        let sizes = try (1...head).map { try store.source.withRecord(of: Version($0)) { $0.count } }
        for _ in 0..<20 {
            let count = Int.random(in: 0...60, using: &story.edits.generator)
            // Of the commits after it, as many begin a step.
            let steps = try store.oldestVersion(keptBy: Retention(steps: count))
            let begun = commits[Int(steps.rawValue)...].count { !$0.cause.isMove && !$0.continuesStep }
            #expect(begun == count || (steps == .empty && begun < count), "seed \(seed)")
            let bytes = Int.random(in: 0...sizes.reduce(0, +), using: &story.edits.generator)
            let unpackings = store.past.unpackings
            let size = Int(try store.oldestVersion(keptBy: Retention(recordBytes: bytes)).rawValue)
            #expect(store.past.unpackings <= unpackings + 1, "seed \(seed)")
            #expect(sizes[size...].reduce(0, +) <= bytes, "seed \(seed)")
            #expect(size == 0 || sizes[(size - 1)...].reduce(0, +) > bytes, "seed \(seed)")
            let age = Int64.random(in: 0...100, using: &story.edits.generator)
            let aged = Int(try store.oldestVersion(keptBy: Retention(age: .seconds(age))).rawValue)
            let now = story.clock.now
            let then = now.microseconds - age * 1_000_000
            // A time that is still to come says nothing.
            let mayGo = commits.prefix { $0.time.microseconds <= then || $0.time > now }
            let old = mayGo.lastIndex { $0.time.microseconds <= then }
            #expect(aged == old.map { $0 + 1 } ?? 0, "seed \(seed)")
            let all = try store.oldestVersion(keptBy: Retention(steps: count, recordBytes: bytes))
            #expect(all == max(steps, Version(UInt64(size))), "seed \(seed)")
        }
        #expect(try store.oldestVersion(keptBy: Retention()) == .empty)
        #expect(try store.oldestVersion(keptBy: Retention(steps: 0)) == store.version)
        let packedCount = try store.statistics().packedCommitCount
        #expect(packedCount > 0 || seed % 2 == 0, "seed \(seed)")
        try store.close()
    }

    @Test("A commit with a time that is still to come keeps none of those after it, and stays if it is the newest")
    func wrongTimes() throws {
        var story = try Story(seed: 0)
        let year: Int64 = 365 * 86_400_000
        let kept = Retention(age: .seconds(50))
        try story.edit(20)
        story.clock.advance(milliseconds: year)
        try story.edit(5)
        story.clock.advance(milliseconds: -year)
        try story.edit(50)
        story.clock.advance(milliseconds: 200_000)
        let (store, path) = (story.store, story.path)
        let last = try store.version
        #expect(try store.oldestVersion(keptBy: kept) == last)
        #expect(try store.oldestVersion(keptBy: Retention(age: .seconds(10_000))) == .empty)
        story.clock.advance(milliseconds: year)
        try store.edit("Later") { try $0.insertSection(NewSection(id: "of next year")) }
        try store.waitUntilDurable()
        story.clock.advance(milliseconds: -year)
        #expect(try store.oldestVersion(keptBy: kept) == last)
        try store.close()
        let time = Timestamp(microseconds: story.clock.now.microseconds - 50_000_000)
        let report = try UntypedStore.compact(at: path, Compaction(keeping: .since(time)), options: store.options)
        #expect(report.oldestVersion == last && report.version == last.next)
    }

    @Test("Nothing is written before as many commits can go as stay")
    func threshold() throws {
        var story = try Story(seed: 0)
        try story.edit(100)
        let head = try story.store.version.rawValue
        let half = try story.store.version(ofBytes: 0).rawValue
        #expect(half == head)
        #expect(try !story.store.trim(Retention(), atLeast: 1))
        #expect(try !story.store.trim(Retention(steps: 0), atLeast: head + 1))
        #expect(try !story.store.trim(Retention(steps: 1_000), atLeast: 1))
        #expect(try story.store.trim(Retention(steps: 0), atLeast: head))
        try story.store.close()
    }

    @Test("Closing ends what is being written; edits go on meanwhile")
    func stopping() throws {
        var story = try Story(seed: 5)
        try story.edit(200)
        struct Stopped: Error {}
        var calls = 0
        #expect(throws: (any Error).self) {
            try story.store.trim(Retention(steps: 10), atLeast: 10) {
                calls += 1
                // In the middle of it, the store is edited.
                try story.store.edit("Edit") { _ = $0.annotate("note", with: [1]) }
                throw Stopped()
            }
        }
        #expect(calls == 1)
        #expect(try story.files.isSubset(of: ["list.listory", "list.listory-lock", "list.listory-processes"]))
        try story.store.keep(Retention(steps: 10))
        try story.store.keep(Retention(steps: 20))
        try story.store.close()
        var options = story.store.options
        options.isReadOnly = true
        let reader = try UntypedStore.open(at: story.path, options: options)
        #expect(throws: ListError.readOnly) { try reader.keep(Retention()) }
        try reader.close()
    }
}
