// Tests compaction: kept versions do not change, dropped content is not in the file, and the old file stays until the
// new one is complete.

import Foundation
import LMDB
@testable import Listory
import ListModel
import TestSupport
import Testing

@Suite("Compaction")
struct CompactionTests {
    /// The rows of a store at each version.
    private struct Past: ~Copyable {
        let fixture: StoreFixture
        var edits: RandomEdits
        var versions = [ReferenceList()]
        var hashes = [UntypedSnapshot.empty.stateHash]

        init(seed: UInt64) throws {
            fixture = try StoreFixture(CheckpointTests.eager)
            edits = RandomEdits(seed: seed)
        }

        /// Makes commits, among them undos and redos.
        mutating func edit(_ count: Int, in store: UntypedStore) throws {
            for _ in 0..<count {
                let history = try store.history
                switch Int.random(in: 0..<8, using: &edits.generator) {
                case 0 where history.undoCount > 0: try store.undo()
                case 1 where history.redoCount > 0: try store.redo()
                default:
                    let operation = edits.next(versions.last!)
                    var next = versions.last!
                    guard (try? next.apply(operation)) != nil else { continue }
                    guard try store.edit("Edit", { try $0.apply(operation) }) != nil else { continue }
                }
                versions.append(try ReferenceList(store.snapshot, GroupSource(base: store.source)))
                hashes.append(try store.snapshot.stateHash)
            }
        }
    }

    private static func options(_ seed: UInt64) -> StoreOptions {
        var options = StoreOptions()
        CheckpointTests.eager(&options)
        return options
    }

    /// Gives a file the same time, whenever it was changed, as file systems do that count in seconds.
    private static func setCoarseTime(_ path: String) throws {
        let time = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
    }

    @Test("A change that leaves the length and the time of the file as they were is noticed")
    func coarseTimes() throws {
        let fixture = try StoreFixture()
        try fixture.fill(10)
        // So that there are free pages for the change.
        for _ in 0..<20 {
            try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) }
            try fixture.store.checkpoint()
        }
        try fixture.store.close()
        let size = Platform.size(fixture.path)
        try Self.setCoarseTime(fixture.path)
        var isNamed = false
        let error = #expect(throws: ListError.self) {
            try UntypedStore.compact(at: fixture.path) { share in
                if share <= 0.6 || isNamed { return }
                isNamed = true
                do {
                    #expect(try ChildProcess("StoreWriter", [fixture.path, "race", "1"]).lines() == ["won 0"])
                    try Self.setCoarseTime(fixture.path)
                } catch { Issue.record(error) }
                #expect(Platform.size(fixture.path) == size)
            }
        }
        #expect(error?.code == "writtenElsewhere")
        let store = try UntypedStore.open(at: fixture.path)
        #expect(try store.namedVersions.map(\.name) == ["race 0"])
        try store.close()
    }

    @Test(
        "Kept versions and the steps of undo do not change, and the store can be edited",
        arguments: 1...8 as ClosedRange<UInt64>)
    func kept(seed: UInt64) throws {
        var past = try Past(seed: seed)
        let path = past.fixture.path
        try past.edit(300, in: past.fixture.store)
        let head = Version(UInt64(past.versions.count - 1))
        try past.fixture.store.close()
        var compaction = Compaction()
        compaction.unpackedCount = Int(seed % 3) * 20
        compaction.checkpointSpacing = [16, 64, 10_000][Int(seed % 3)]
        compaction.isPacked = seed % 4 != 0
        var oldest = Version.empty
        for round in 0..<3 {
            if round > 0 {
                oldest = Version(UInt64.random(in: oldest.rawValue...head.rawValue, using: &past.edits.generator))
                compaction.kept = .from(oldest)
            }
            let report = try UntypedStore.compact(at: path, compaction, options: Self.options(seed))
            #expect(report.oldestVersion == oldest && report.version.rawValue == UInt64(past.versions.count - 1))
            let store = try UntypedStore.open(at: path, options: Self.options(seed))
            try check(store, &past, oldest, "seed \(seed), round \(round)")
            try past.edit(30, in: store)
            try check(store, &past, oldest, "seed \(seed), round \(round), edited")
            try store.close()
            let verified = try StoreVerification(path: path)
            #expect(verified.stateHash == past.hashes.last)
        }
    }

    private func check(
        _ store: UntypedStore, _ past: inout Past, _ oldest: Version, _ comment: Comment
    ) throws {
        let source = GroupSource(base: store.source)
        try #require(try ReferenceList(store.snapshot, source) == past.versions.last!, comment)
        #expect(store.oldestVersion == oldest, comment)
        let head = try store.version
        for _ in 0..<25 {
            let version = Version(UInt64.random(in: oldest.rawValue...head.rawValue, using: &past.edits.generator))
            let snapshot = try store.snapshot(at: version)
            try #require(snapshot.stateHash == past.hashes[Int(version.rawValue)], comment)
            try #require(try ReferenceList(snapshot, source) == past.versions[Int(version.rawValue)], comment)
        }
        if oldest > .empty {
            let before = Version(oldest.rawValue - 1)
            #expect { try store.snapshot(at: before) } throws: { ($0 as? ListError)?.code == "droppedVersion" }
            #expect { try store.commit(oldest) } throws: { ($0 as? ListError)?.code == "droppedVersion" }
        }
        if oldest < head {
            var next = oldest.next
            try store.forEachCommit(in: oldest.next...head) { commit in
                #expect(commit.version == next && commit.stateHash == past.hashes[Int(next.rawValue)], comment)
                next = next.next
            }
        }
        // Undoes everything, and redoes it.
        let depth = try store.history.undoCount
        for _ in 0..<depth { try store.undo() }
        #expect(throws: ListError.self, comment) { try store.undo() }
        for _ in 0..<depth { try store.redo() }
        try #require(try store.snapshot.stateHash == past.hashes.last, comment)
        let added = try store.version.rawValue - head.rawValue
        for _ in 0..<added {
            past.versions.append(past.versions.last!)
            past.hashes.append(past.hashes.last!)
        }
        // The versions in between are not compared, but are counted.
        for version in head.rawValue + 1..<head.rawValue + 1 + added {
            let snapshot = try store.snapshot(at: Version(version))
            past.versions[Int(version)] = try ReferenceList(snapshot, source)
            past.hashes[Int(version)] = snapshot.stateHash
        }
    }

    @Test("Dropped content is no longer in the file, and kept content is")
    func erasing() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        let secret = Array("a secret that nobody should find".utf8)
        try fixture.fill(5)
        try fixture.store.edit("Write") { try $0.update(0, content: secret) }
        try fixture.store.edit("Erase") { try $0.update(0, content: []) }
        let oldest = try fixture.store.version
        try fixture.store.edit("Delete") { try $0.delete(.item(3)) }
        try fixture.store.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)).range(of: Data(secret)) != nil)
        try UntypedStore.compact(at: fixture.path, Compaction(keeping: .from(oldest)))
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)).range(of: Data(secret)) == nil)
        let store = try UntypedStore.open(at: fixture.path)
        #expect(try store.history.undoCount == 1)
        try store.undo()
        let row = try #require(try store.item(3))
        #expect(try store.source.content(of: row.content) == Array("row 3".utf8))
        #expect(throws: ListError.self) { try store.undo() }
    }

    @Test("Contents of dropped commits are written in parts, so that few of them are in memory at a time")
    func contentsInParts() throws {
        let fixture = try StoreFixture()
        try fixture.fill(64)
        let references = Set(try fixture.store.snapshot.sections[0].items.map(\.content))
        var options = StoreOptions()
        (options.journal.isUsed, options.isKnownToOthers) = (false, false)
        let log = try CommitLog(path: fixture.folder.file("new.listory"), mode: .create, options: options)
        defer { try? log.environment.close() }
        let content = [UInt8](repeating: 7, count: 1 << 18)
        // How many were read since the last transaction, and how many at most.
        var (transaction, count, most) = (0, 0, 0)
        let lost = try log.putContents(references) { _ in
            let last = try log.environment.information.lastTransaction
            if last != transaction { (transaction, count) = (last, 0) }
            count += 1
            most = max(most, count)
            return content
        }
        #expect(references.count == 64 && lost.isEmpty)
        #expect(most == 4)
    }

    @Test("A dry run reports what a compaction reports, and leaves the file as it is")
    func dryRun() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(10)
        for _ in 0..<99 { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        var compaction = Compaction(keeping: .from(Version(40)))
        compaction.isDryRun = true
        try fixture.store.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path))
        let planned = try UntypedStore.compact(at: fixture.path, compaction)
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == before)
        #expect(planned.oldestVersion == Version(40) && planned.bytesAfter < planned.bytesBefore)
        compaction.isDryRun = false
        #expect(try UntypedStore.compact(at: fixture.path, compaction) == planned)
    }

    @Test(
        "Files stay that a user has named like the store with an ending; what killed processes left goes, a successor not by a dry run"
    )
    func filesBeside() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(10)
        try fixture.store.close()
        let path = fixture.path
        let endings = [
            "compacting", "compacted", "repaired", "trimming", "claim", "scratch", "salvaging0", "salvaging-1",
        ]
        let own = endings.map { "\(path)-\($0)" }
        // A salvage may have begun further parts, and removed the first ones.
        let parts = ["~salvaging", "~salvaging-2", "~salvaging-10-lock", "~made~salvaging", "~made~salvaging-1"]
        let left = (["~making", "~making-processes", "~made", "-successor"] + parts).map { path + $0 }
        for name in own + left { try Data(name.utf8).write(to: URL(fileURLWithPath: name)) }
        var compaction = Compaction()
        compaction.isDryRun = true
        try UntypedStore.compact(at: path, compaction)
        #expect(Platform.exists(path + "-successor"))
        compaction.isDryRun = false
        try UntypedStore.compact(at: path, compaction)
        #expect(left.filter(Platform.exists) == [])
        try RepairTests.spoil("nodes", in: path)
        #expect(try UntypedStore.repair(at: path).wasRepaired)
        try UntypedStore.erase(Erasure(rows: [1]), at: path)
        // Nor does one that was killed leave anything beside a salvaged store.
        let salvaged = fixture.folder.file("salvaged")
        try Data().write(to: URL(fileURLWithPath: salvaged + "~salvaging-3"))
        try UntypedStore.salvage(from: path, to: salvaged)
        #if os(Linux)
        // A name that is equal as text is that of another file.
        let alike = fixture.folder.file("e\u{301}~salvaging")
        #expect(FileManager.default.createFile(atPath: alike, contents: Data()))
        try UntypedStore.salvage(from: path, to: fixture.folder.file("\u{E9}"))
        #expect(Platform.exists(alike))
        Platform.remove(alike)
        #endif
        for name in own { #expect(FileManager.default.contents(atPath: name) == Data(name.utf8)) }
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(names.filter { $0.contains("~") } == [])
    }

    @Test("The versions to keep can be given by a date or a size")
    func bounds() throws {
        let fixture = try StoreFixture { options in
            CheckpointTests.eager(&options)
            let clock = Counter()
            options.now = { Timestamp(microseconds: clock.next() * 1_000_000) }
        }
        try fixture.fill(10)
        for _ in 0..<99 { try fixture.store.edit("Toggle") { try $0.toggle(.item(1)) } }
        try fixture.store.close()
        let time = Timestamp(microseconds: 40_000_000)
        var report = try UntypedStore.compact(at: fixture.path, Compaction(keeping: .since(time)))
        #expect(report.oldestVersion == Version(39))
        #expect(report.droppedCount == 39)
        let store = try UntypedStore.open(at: fixture.path)
        let size = try store.commit(Version(100)).record.count
        try store.close()
        report = try UntypedStore.compact(at: fixture.path, Compaction(keeping: .recordBytes(size * 10 + 1)))
        #expect(report.oldestVersion == Version(90))
        report = try UntypedStore.compact(at: fixture.path, Compaction(keeping: .recordBytes(0)))
        #expect(report.oldestVersion == Version(100) && report.droppedCount == 10)
        let empty = try UntypedStore.open(at: fixture.path)
        #expect(try empty.history.undoCount == 0)
        try empty.edit("Toggle") { try $0.toggle(.item(1)) }
        try empty.undo()
        try empty.close()
        #expect(try StoreVerification(path: fixture.path).version == Version(102))
    }

    /// A clock that counts.
    private final class Counter: Sendable {
        private let value = Locked<Int64>(0)
        func next() -> Int64 {
            value.withLock { value in
                value += 1
                return value
            }
        }
    }

    @Test("Contents that a kept undo restores are kept, also if the oldest commit changed a row several times")
    func contentsOfTheBase() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(5)
        let texts = ["first", "second", "third"].map { Array("\($0) content of some length".utf8) }
        try fixture.store.edit("Write") { list in
            for text in texts { try list.update(0, content: text) }
            try list.insert(NewRow(id: 9, content: texts[0]), at: .end(ofSection: "today"))
            try list.update(9, content: texts[1])
        }
        let base = try fixture.store.version
        // Its events name every content that the commit of the base wrote.
        try fixture.store.undo()
        try fixture.store.redo()
        try fixture.store.close()
        for isPacked in [false, true] {
            var compaction = Compaction(keeping: .from(base))
            compaction.isPacked = isPacked
            compaction.unpackedCount = 1
            try UntypedStore.compact(at: fixture.path, compaction)
            let store = try UntypedStore.open(at: fixture.path)
            let newest = try store.version.rawValue
            for version in base.rawValue + 1...newest {
                let commit = try store.commit(Version(version))
                for event in try commit.events() {
                    var references: [ContentReference] = []
                    event.forEachContent { references.append($1) }
                    for reference in references where reference != .unreadable {
                        #expect(throws: Never.self, "version \(version)") { try store.source.content(of: reference) }
                    }
                }
            }
            let row = try #require(try store.item(0))
            #expect(try store.source.content(of: row.content) == texts[2])
            #expect(try store.source.content(of: try #require(try store.item(9)).content) == texts[1])
            try store.close()
            _ = try StoreVerification(path: fixture.path)
        }
    }

    @Test("A commit that is made while the new file is verified is not lost")
    func editedMeanwhile() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(5)
        for id in 0..<5 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
        try fixture.store.close()
        var version = Version.empty
        let error = #expect(throws: ListError.self) {
            try UntypedStore.compact(at: fixture.path) { share in
                // From there on the old file is closed.
                guard share > 0.6, version == .empty else { return }
                do {
                    let store = try UntypedStore.open(at: fixture.path)
                    version = try store.edit("Meanwhile") { try $0.toggle(.item(3)) }!.version
                    try store.close()
                } catch { Issue.record(error) }
            }
        }
        #expect(error?.code == "writtenElsewhere")
        let store = try UntypedStore.open(at: fixture.path)
        #expect(try store.version == version && version > .empty)
        try store.close()
        #expect(try UntypedStore.compact(at: fixture.path).version == version)
    }

    @Test("A commit that another process makes while the old file is read is not lost")
    func editedWhileRead() throws {
        let fixture = try StoreFixture {
            $0.durability = .deferred
            $0.coalescing = .never
        }
        // The rows that the other process edits, and as many commits as are read until progress is told.
        try fixture.store.edit("Begin") { list in
            try list.insertSection(NewSection(id: "rows", items: [NewRow(id: "counter", content: [])]))
        }
        for _ in 0..<8_200 { try fixture.store.edit("Toggle") { try $0.toggle(.item("counter")) } }
        let version = try fixture.store.version.rawValue
        try fixture.store.close()
        try Self.setCoarseTime(fixture.path)
        var line: String?
        let error = #expect(throws: ListError.self) {
            try UntypedStore.compact(at: fixture.path) { share in
                guard line == nil else { return }
                #expect(share < 0.6)
                do {
                    let child = try ChildProcess("StoreWriter", [fixture.path, "steps"])
                    _ = FileManager.default.createFile(atPath: "\(fixture.path)-step\(version + 1)", contents: nil)
                    line = child.firstLine()
                    child.kill()
                    // Its commit is in the journal, so that nothing else of the file tells of it.
                    try Self.setCoarseTime(fixture.path)
                } catch { Issue.record(error) }
            }
        }
        #expect(error?.code == "writtenElsewhere")
        #expect(line?.hasPrefix("\(version + 1) ") == true)
        let store = try UntypedStore.open(at: fixture.path)
        #expect(try store.version.rawValue == version + 1)
        try store.close()
    }

    @Test("A store that is open is not compacted")
    func inUse() throws {
        let fixture = try StoreFixture()
        #expect { try UntypedStore.compact(at: fixture.path) } throws: { ($0 as? ListError)?.code == "inUse" }
        try fixture.store.close()
        let child = try ChildProcess("StoreWriter", [fixture.path])
        _ = child.read()
        #expect { try UntypedStore.compact(at: fixture.path) } throws: {
            ["inUse", "writtenElsewhere"].contains(($0 as? ListError)?.code)
        }
        _ = child.kill()
        try UntypedStore.compact(at: fixture.path)
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(Set(files) == ["list.listory", "list.listory-lock", "list.listory-processes"])
        let store = try UntypedStore.open(at: fixture.path)
        #expect(try store.snapshot.itemCount > 1)
    }

    @Test("Of two compactions at once, in one process or in two, the second is refused and disturbs nothing")
    func atOnce() throws {
        let fixture = try StoreFixture()
        try fixture.fill(20)
        let hash = try fixture.store.snapshot.stateHash
        try fixture.store.close()
        let path = fixture.path
        var codes: [String?] = []
        // Called while the new file is verified: then the store itself is not open.
        try UntypedStore.compact(at: path) { _ in
            guard codes.isEmpty else { return }
            let other = Box<String?>(nil)
            let thread = Thread {
                do { try UntypedStore.compact(at: path) } catch { other.value = (error as? ListError)?.code }
                other.isDone.signal()
            }
            thread.start()
            other.isDone.wait()
            codes.append(other.value)
            codes.append(try? ChildProcess("StoreWriter", [path, "compact-once"]).lines().first)
        }
        #expect(codes == ["inUse", "inUse"])
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(Set(files) == ["list.listory", "list.listory-lock", "list.listory-processes"])
        #expect(try StoreVerification(path: path).stateHash == hash)
        // What a killed one has left does not refuse the next.
        #expect(FileManager.default.createFile(atPath: path + "~claim", contents: nil))
        #expect(try ChildProcess("StoreWriter", [path, "compact-once"]).lines() == ["compacted"])
    }

    /// What another thread has found.
    private final class Box<Value>: @unchecked Sendable {
        // @unchecked Sendable: one thread writes `value` before the signal, another one reads it after that.
        var value: Value
        let isDone = DispatchSemaphore(value: 0)
        init(_ value: Value) { self.value = value }
    }

    @Test("A store that another process has open is not replaced, though nothing is written to it")
    func openElsewhere() throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        let child = try ChildProcess("StoreWriter", [fixture.path, "steps"])
        _ = FileManager.default.createFile(atPath: fixture.path + "-step1", contents: nil)
        #expect(child.firstLine().hasPrefix("1 "))
        let file = Platform.identity(fixture.path)
        #expect { try UntypedStore.compact(at: fixture.path) } throws: { ($0 as? ListError)?.code == "inUse" }
        #expect(Platform.identity(fixture.path) == file)
        _ = child.kill()
        try UntypedStore.compact(at: fixture.path)
        #expect(Platform.identity(fixture.path) != file)
        let store = try UntypedStore.open(at: fixture.path)
        #expect(try store.version == Version(1))
    }

    @Test(
        "The newest commit is never packed, whatever number of unpacked ones is asked for",
        arguments: [Int.min, -1, 0, 1])
    func fewestUnpacked(count: Int) throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(20)
        for id in 0..<20 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
        let newest = try fixture.store.version
        try fixture.store.close()
        var compaction = Compaction()
        compaction.unpackedCount = count
        try UntypedStore.compact(at: fixture.path, compaction)
        let store = try UntypedStore.open(at: fixture.path)
        #expect(try store.statistics().lastPackedVersion == newest.previous && store.version == newest)
        try store.close()
    }

    @Test("A damaged block is detected when it is read, and has no other effect")
    func damagedBlock() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(20)
        for id in 0..<20 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
        try fixture.store.close()
        var compaction = Compaction()
        compaction.unpackedCount = 2
        try UntypedStore.compact(at: fixture.path, compaction)
        let environment = try Environment.open(path: fixture.path)
        let blocks = try environment.openDatabase(named: "blocks", of: UInt64.self, [UInt8].self)
        try environment.write { txn in
            let key = try txn.lastKey(in: blocks)!
            var bytes = try txn.get(key, in: blocks)!
            bytes[bytes.count - 1] ^= 1
            try txn.put(bytes, forKey: key, in: blocks)
        }
        try environment.close()
        expectCause(RecordError.self) { try StoreVerification(path: fixture.path) }
        let store = try UntypedStore.open(at: fixture.path)
        expectCause(RecordError.self) { try store.snapshot(at: Version(10)) }
        #expect(try store.snapshot.itemCount == 20)
        try store.edit("Toggle") { try $0.toggle(.item(3)) }
        try store.close()
    }

    @Test("A block of another log that continues another commit is refused, though it leads to the same rows")
    func otherBlock() throws {
        func compacted(_ name: String) throws -> StoreFixture {
            let fixture = try StoreFixture {
                CheckpointTests.eager(&$0)
                $0.now = { Timestamp(microseconds: 1) }
            }
            try fixture.fill(20)
            for id in 0..<20 {
                try fixture.store.edit(id == 0 ? name : "Toggle") { try $0.toggle(.item(.integer(Int64(id)))) }
            }
            try fixture.store.close()
            var compaction = Compaction(keeping: .from(Version(2)))
            compaction.unpackedCount = 2
            try UntypedStore.compact(at: fixture.path, compaction)
            return fixture
        }
        func changeBlock(_ path: String, _ change: (inout [UInt8]) -> Void) throws {
            let environment = try Environment.open(path: path)
            let blocks = try environment.openDatabase(named: "blocks", of: UInt64.self, [UInt8].self)
            try environment.write { txn in
                let key = try #require(try txn.lastKey(in: blocks))
                var bytes = try #require(try txn.get(key, in: blocks))
                change(&bytes)
                try txn.put(bytes, forKey: key, in: blocks)
            }
            try environment.close()
        }
        func replay(_ path: String) throws {
            let store = try UntypedStore.open(at: path)
            defer { try? store.close() }
            let database = try #require(store.checkpointer).database
            let (log, pool) = (store.group.log, NodePool(limits: store.options.limits, source: database))
            var state = try UntypedStore.Recovery.beginning(log, database, pool)
            _ = try log.replay(into: &state, after: log.base.checksum, through: Version(10))
            #expect(state.itemCount == 20)
        }
        let (own, other) = (try compacted("One"), try compacted("Two"))
        try replay(own.path)
        var block: [UInt8] = []
        try changeBlock(other.path) { block = $0 }
        try changeBlock(own.path) { $0 = block }
        let error = #expect(throws: ListError.self) { try replay(own.path) }
        #expect(error?.code == "headMismatch")
    }

    @Test("A block that seems to begin later than its key says is damaged, and not looked for again and again")
    func displacedBlock() throws {
        let fixture = try StoreFixture(CheckpointTests.eager)
        try fixture.fill(20)
        for id in 0..<20 { try fixture.store.edit("Toggle") { try $0.toggle(.item(.integer(Int64(id)))) } }
        try fixture.store.close()
        var compaction = Compaction()
        compaction.unpackedCount = 2
        try UntypedStore.compact(at: fixture.path, compaction)
        let environment = try Environment.open(path: fixture.path)
        let blocks = try environment.openDatabase(named: "blocks", of: UInt64.self, [UInt8].self)
        try environment.write { txn in
            var bytes = try txn.get(1, in: blocks)!
            // The first version, behind the checksum.
            #expect(bytes[8] == 1)
            bytes[8] = 3
            try txn.put(bytes, forKey: 1, in: blocks)
        }
        try environment.close()
        func isDamage(_ error: any Error) -> Bool { (error as? ListError)?.code == "headMismatch" }
        #expect { try StoreVerification(path: fixture.path) } throws: { isDamage($0) }
        let store = try UntypedStore.open(at: fixture.path)
        #expect { try store.snapshot(at: Version(10)) } throws: { isDamage($0) }
        #expect(try store.snapshot.itemCount == 20)
        try store.close()
    }
}
