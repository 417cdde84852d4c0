// Tests what can be done with damaged files: everything that is shown is right or an error, and what is not damaged is
// salvaged.

import Foundation
import LMDB
import ListModel
@testable import Listory
import TestSupport
import Testing

@Suite("Damaged files and salvage")
struct SalvageTests {
    /// What became of damaged files.
    private struct Outcome {
        var sums: [String: Int] = [:]
        /// What was wrong, and the signals that ended a process.
        var faults: [String] = []

        mutating func add(_ line: Substring) {
            let words = line.split(separator: " ")
            if words[0] == "wrong" { faults.append(String(line)) }
            guard words[0] == "sum", let sum = Int(words[words.count - 1]) else { return }
            sums[words[1..<words.count - 1].joined(separator: " "), default: 0] += sum
        }
    }

    /// Damages stores in child processes, each of which tries many images.
    private static func trial(
        seed: UInt64, _ numbers: Range<Int>, of batch: Int, _ mode: [String] = []
    ) throws -> Outcome {
        var outcome = Outcome()
        // In memory, because nothing here is about the disk.
        let memory = "/dev/shm"
        let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : nil
        var waiting = stride(from: numbers.lowerBound, to: numbers.upperBound, by: batch).map {
            $0..<min($0 + batch, numbers.upperBound)
        }
        waiting.reverse()
        while !waiting.isEmpty {
            var running: [(child: ChildProcess, folder: TemporaryFolder, numbers: Range<Int>)] = []
            while running.count < 2, let numbers = waiting.popLast() {
                let folder = try TemporaryFolder(in: parent)
                let arguments = ["damage", folder.path, "\(seed)", "\(numbers.lowerBound)", "\(numbers.count)"] + mode
                running.append((try ChildProcess("StoreWriter", arguments), folder, numbers))
            }
            for (child, _, numbers) in running {
                let (code, output) = child.finish()
                let lines = output.split(separator: "\n")
                for line in lines { outcome.add(line) }
                if code == 0 { continue }
                let last = lines.last { $0.hasPrefix("start ") }.flatMap { Int($0.dropFirst(6)) }
                outcome.faults.append("\(last ?? numbers.lowerBound) ended the process with \(code)")
                if let last, last + 1 < numbers.upperBound, mode.isEmpty {
                    waiting.append(last + 1..<numbers.upperBound)
                }
            }
        }
        return outcome
    }

    @Test("Whatever is damaged, nothing ends the process, nothing wrong is shown, and what is undamaged is salvaged")
    func damagedFiles() throws {
        let seed = Soak.seed
        let outcome = try Self.trial(seed: seed, 0..<10_000, of: 1_000)
        #expect(outcome.faults == [], "seed \(seed)")
        Soak.count(10_000)
        let sums = outcome.sums
        for kind in ["closed", "killed", "compacted"] {
            for what in ["commits", "rows"] {
                let (all, kept) = (sums["\(what) of \(kind)"] ?? 0, sums["\(what) kept of \(kind)"] ?? 0)
                #expect(
                    all > 0 && Double(kept) >= 0.99 * Double(all), "\(what) of \(kind): \(kept)/\(all), seed \(seed)")
            }
        }
        #expect((sums["shown"] ?? 0) > 0 && (sums["refused"] ?? 0) > 0, "seed \(seed): \(sums)")
    }

    @Test("Without the checks of pages, a damaged file ends the process or shows something wrong")
    func control() throws {
        let seed = Soak.seed
        for round in 0..<10 {
            let outcome = try Self.trial(seed: seed, round * 200..<(round + 1) * 200, of: 100, ["unchecked"])
            if !outcome.faults.isEmpty { return }
        }
        Issue.record("no fault, seed \(seed)")
    }

    // MARK: - One kind of damage at a time

    @Test("Of a store without damage everything is salvaged, record by record")
    func sound() throws {
        var edited = try EditedStore(seed: 1, CheckpointTests.packing)
        try edited.edit(300)
        try edited.store.close()
        let path = edited.folder.file("new")
        let report = try UntypedStore.salvage(from: edited.path, to: path)
        #expect(report.isComplete && report.damageCount == 0 && report.lostCommitCount == 0)
        #expect(report.parts.map(\.path) == [path] && report.parts[0].version == Version(300))
        let (old, new) = (try UntypedStore.open(at: edited.path), try UntypedStore.open(at: path))
        for number in 1...300 as ClosedRange<UInt64> {
            #expect(try old.commit(Version(number)).record == new.commit(Version(number)).record)
        }
        #expect(try old.snapshot.stateHash == new.snapshot.stateHash && old.history == new.history)
        try old.close()
        try new.close()
        #expect(try UntypedStore.survey(at: edited.path).isComplete)
    }

    @Test("A part that ends with a block, and has a commit before it that no block takes, is salvaged as well")
    func endingWithBlock() throws {
        let fixture = try StoreFixture(CheckpointTests.packing)
        let large = [UInt8](repeating: 7, count: 80_000)
        try fixture.store.edit("Import") { list in
            try list.insertSection(
                NewSection(id: "a", items: [NewRow(id: 1, content: large), NewRow(id: 2, content: [1])]))
        }
        for _ in 0..<250 { try fixture.store.edit("Toggle") { try $0.toggle(.item(2)) } }
        try fixture.store.close()
        var options = fixture.store.options
        options.isReadOnly = true
        let closed = try UntypedStore.open(at: fixture.path, options: options)
        let packed = try closed.statistics().lastPackedVersion
        try closed.close()
        try Self.damage([packed.rawValue + 1], in: fixture.path)
        let path = fixture.folder.file("new")
        let report = try UntypedStore.salvage(from: fixture.path, to: path)
        #expect(report.parts.count == 2 && report.parts.last?.version == packed)
        for part in report.parts { _ = try StoreVerification(path: part.path) }
        let store = try UntypedStore.open(at: try #require(report.parts.last).path)
        #expect(try store.group.content(of: store.snapshot.sections[0].items[0].content) == large)
        try store.close()
    }

    @Test("A lost commit breaks the log into two stores, which have all other commits")
    func gap() throws {
        var edited = try EditedStore(seed: 2)
        try edited.edit(200)
        try edited.store.close()
        try Self.damage([100], in: edited.path)
        let path = edited.folder.file("new")
        let report = try UntypedStore.salvage(from: edited.path, to: path)
        #expect(report.newestVersion == Version(200) && report.lostCommitCount == 1 && report.looseCommitCount == 0)
        #expect(report.parts.map(\.path) == [path, path + "-1"])
        #expect(report.parts.map(\.oldestVersion) == [Version(100), .empty])
        #expect(report.parts.map(\.version) == [Version(200), Version(99)])
        #expect(report.leftoverCount == 0 && report.updatedCount == 0)
        for part in report.parts {
            let store = try UntypedStore.open(at: part.path)
            try Self.compare(store, part.version, edited.versions[Int(part.version.rawValue)])
            if part.path == path {
                // A last commit deletes the rows whose content was in the lost commit.
                #expect(try store.snapshot.itemCount == report.itemCount - report.unreadableCount)
                #expect(try store.version == Version(report.unreadableCount == 0 ? 200 : 201))
            }
            while try store.history.undoCount > 0 { try store.undo() }
            try store.close()
            _ = try StoreVerification(path: part.path)
        }
        let survey = try UntypedStore.survey(at: edited.path)
        #expect(survey.lostCommitCount == 1 && survey.parts.map(\.version) == report.parts.map(\.version))
    }

    @Test("Without a checkpoint, rows of commits behind a gap are added at the end of the last section")
    func leftovers() throws {
        let fixture = try StoreFixture { $0.checkpoints = .never }
        let store = fixture.store
        try store.edit("section") { try $0.insertSection(NewSection(id: "rows", title: "Rows")) }
        for number in 0..<10 {
            let item = NewRow(id: .integer(Int64(number)), content: [UInt8(number)])
            try store.edit("row") { try $0.insert(item, at: .end(ofSection: "rows")) }
        }
        try store.edit("update") { try $0.update(1, content: [100]) }
        try store.edit("delete") { try $0.delete(.items([8, 9])) }
        try store.close()
        try Self.damage([6], in: fixture.path)
        let path = fixture.folder.file("new")
        let report = try UntypedStore.salvage(from: fixture.path, to: path)
        #expect(report.lostCommitCount == 1 && report.looseCommitCount == 7 && report.parts.count == 1)
        #expect(report.parts[0].version == Version(5) && report.section == "rows")
        #expect(report.itemCount == 4 && report.leftoverCount == 3 && report.updatedCount == 1)
        let new = try UntypedStore.open(at: path)
        let rows = try ReferenceList(new.snapshot, GroupSource(base: new.source))
        #expect(rows.sections.map(\.id) == ["rows"])
        #expect(rows.sections[0].items.map(\.id) == [0, 1, 2, 3, 5, 6, 7])
        #expect(rows.sections[0].items.map(\.content) == [[0], [100], [2], [3], [5], [6], [7]])
        try new.undo()
        #expect(try new.snapshot.stateHash == new.snapshot(at: Version(5)).stateHash)
        try new.close()
    }

    @Test("Rows that only a checkpoint has are found although the pages that lead to their nodes are lost")
    func looseRuns() throws {
        let fixture = try StoreFixture { $0.limits = TreeLimits() }
        try fixture.fill(5_000)
        try fixture.store.edit("Update") { list in
            for id in 0..<5_000 as Range<Int64> {
                try list.update(.integer(id), content: Array("row \(id) of five thousand".utf8))
            }
        }
        let newest = try fixture.store.version
        try fixture.store.close()
        var compaction = Compaction(keeping: .from(newest))
        compaction.unpackedCount = 0
        try UntypedStore.compact(at: fixture.path, compaction, options: fixture.store.options)
        var leafPages: Set<Int> = []
        var pageSize = 0
        try DataFile.scan(fixture.path) { scan in
            pageSize = scan.pageSize
            try scan.forEachEntry { entry in
                if entry.database == Array("nodes".utf8) { leafPages.insert(entry.page) }
            }
        }
        let file = try #require(FileHandle(forUpdatingAtPath: fixture.path))
        for page in leafPages {
            try file.seek(toOffset: UInt64(page * pageSize))
            try file.write(contentsOf: [UInt8](repeating: 0, count: pageSize))
        }
        try file.close()
        #expect(throws: (any Error).self) { _ = try StoreVerification(path: fixture.path) }
        let path = fixture.folder.file("new")
        let report = try UntypedStore.salvage(from: fixture.path, to: path)
        // A run that is not full may be in a page that is lost.
        #expect(report.itemCount > 4_500, "\(report)")
        let new = try UntypedStore.open(at: path)
        for section in try new.snapshot.sections {
            for row in section.items {
                let content = try new.source.withContent(of: row.content) { Array($0) }
                #expect(content == Array("row \(row.id) of five thousand".utf8))
            }
        }
        try new.close()
    }

    @Test("A journal whose length goes on beyond the end of the file is searched to that end")
    func longJournal() throws {
        var edited = try EditedStore(seed: 3, CheckpointTests.packing)
        try edited.edit(20)
        let size = JournalOptions().size
        try edited.store.close()
        let whole = try UntypedStore.survey(at: edited.path)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: edited.path)))
        // LMDB's header of an entry whose value is on pages of its own: length, flags, length of the key, key.
        func header(_ size: Int) -> [UInt8] {
            withUnsafeBytes(of: UInt32(size).littleEndian, Array.init) + [1, 0, 8, 0]
        }
        var changed = 0
        for start in stride(from: 0, to: bytes.count - 8, by: 2) where Array(bytes[start..<start + 8]) == header(size) {
            bytes.replaceSubrange(start..<start + 8, with: header(bytes.count * 2))
            changed += 1
        }
        #expect(changed > 0)
        // Less than a sector of the journal.
        let path = edited.folder.file("long")
        try Data(bytes + [0]).write(to: URL(fileURLWithPath: path))
        #expect(try UntypedStore.survey(at: path).newestVersion == whole.newestVersion)
    }

    @Test("Damage to the name of a database is refused, or does no harm, and nothing is lost")
    func names() throws {
        var edited = try EditedStore(seed: 6) { options in
            CheckpointTests.eager(&options)
            options.journal.storeDelay = .seconds(3_600)
        }
        try edited.edit(100)
        // As a process leaves it that is killed: the newest commits are only in the journal.
        let sound = [UInt8](try Data(contentsOf: URL(fileURLWithPath: edited.path)))
        try edited.store.close()
        let path = edited.folder.file("damaged")
        for name in ["meta", "commits", "nodes", "checkpoints", "gone", "projections", "tail"] {
            // The pages that have the names of all databases: the newest one and the one before.
            var bytes = sound
            for page in stride(from: 0, to: bytes.count, by: 4_096) {
                let names = Self.places(of: "checkpoints", in: bytes[page..<page + 4_096])
                guard !names.isEmpty else { continue }
                for place in Self.places(of: name, in: bytes[page..<page + 4_096]) { bytes[place + 1] ^= 1 }
            }
            #expect(bytes != sound)
            for end in ["", "-lock", "-processes"] { try? FileManager.default.removeItem(atPath: path + end) }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            if ["meta", "commits", "tail"].contains(name) {
                #expect(throws: ListError.self, "\(name)") { try UntypedStore.open(at: path) }
            } else {
                let store = try UntypedStore.open(at: path) { $0.isReadOnly = true }
                try Self.compare(store, Version(100), edited.versions[100])
                try store.close()
            }
            // There are no projections.
            let isHarmless = name == "projections"
            #expect(((try? StoreVerification(path: path)) != nil) == isHarmless, "\(name)")
            let new = edited.folder.file("new-\(name)")
            let report = try UntypedStore.salvage(from: path, to: new)
            #expect(report.parts.count == 1 && report.parts[0].version == Version(100), "\(name)")
            #expect(report.damageCount > 0 || isHarmless, "\(name)")
            #expect(report.lostCommitCount == 0, "\(name): \(report)")
            let store = try UntypedStore.open(at: new)
            try Self.compare(store, Version(100), edited.versions[100])
            try store.close()
        }
    }

    /// Where a text begins in bytes.
    private static func places(of text: String, in bytes: ArraySlice<UInt8>) -> [Int] {
        let text = Array(text.utf8)
        return bytes.indices.filter { bytes[$0...].starts(with: text) }
    }

    @Test(
        "Salvage refuses a target that exists or is being made, a missing file, a file of something else and an open store"
    )
    func refusals() throws {
        let fixture = try StoreFixture()
        let (path, new) = (fixture.path, fixture.folder.file("new"))
        func code(_ from: String, _ to: String) -> String? {
            do {
                try UntypedStore.salvage(from: from, to: to)
                return nil
            } catch { return (error as? ListError)?.code }
        }
        #expect(code(path, new) == "inUse")
        try fixture.store.close()
        #expect(code(path, path) == "alreadyExists")
        // Somebody else is just making a file there.
        try DataFile.claiming(new) { #expect(code(path, new) == "inUse") }
        #expect(code(fixture.folder.file("missing"), new) == "notFound")
        let text = try fixture.folder.write(String(repeating: "no store\n", count: 2_000), to: "text")
        #expect(code(text, new) == "notAStore")
        #expect(!FileManager.default.fileExists(atPath: new))
        #expect(code(path, new) == nil)
        let store = try UntypedStore.open(at: new)
        #expect(try store.version == .empty)
        try store.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).filter {
            $0.contains("new")
        }
        #expect(files.sorted() == ["new", "new-lock", "new-processes"])
    }

    @Test(
        "What the log itself has changed or deleted since the newest checkpoint is not left over",
        arguments: [false, true])
    func nothingOlder(hasRules: Bool) throws {
        let fixture = try StoreFixture {
            $0.checkpoints.isBackground = false
            $0.checkpoints.atClose = false
        }
        try fixture.fill(5)
        let store = fixture.store
        try store.checkpoint()
        try store.edit("Update") { try $0.update(1, content: [9, 9]) }
        try store.edit("Delete") { try $0.delete(.item(2)) }
        let count = try store.snapshot.itemCount
        let last = try store.version
        try store.edit("Lost") { try $0.toggle(.item(3)) }
        try store.edit("Loose") { try $0.insert(NewRow(id: 99, content: [4, 2]), at: .end(ofSection: "today")) }
        try store.close()
        try Self.damage([last.rawValue + 1], in: fixture.path)
        var options = StoreOptions()
        if hasRules { options.rules = [.atMost(1)] }
        let path = fixture.folder.file("salvaged")
        let report = try UntypedStore.salvage(from: fixture.path, to: path, options: options)
        #expect(report.updatedCount == 0 && report.leftoverCount == 1)
        let salvaged = try UntypedStore.open(at: path)
        let rows = try salvaged.snapshot
        #expect(rows.itemCount == count + 1 && rows.indexPath(of: 2) == nil && rows.indexPath(of: 99) != nil)
        #expect(try salvaged.source.content(of: salvaged.item(1)!.content) == [9, 9])
        try salvaged.close()
    }

    /// Changes a byte in the records of versions.
    static func damage(_ versions: Set<UInt64>, in path: String) throws {
        var offsets: [Int] = []
        try DataFile.scan(path) { scan in
            try scan.forEachEntry { entry in
                let version = entry.key.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
                guard entry.database == Array("commits".utf8), versions.contains(version) else { return }
                offsets.append(entry.value.offset + entry.value.count - 1)
            }
        }
        #expect(offsets.count == versions.count)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        for offset in offsets {
            try file.seek(toOffset: UInt64(offset))
            let byte = try #require(try file.read(upToCount: 1)?.first)
            try file.seek(toOffset: UInt64(offset))
            try file.write(contentsOf: [byte ^ 1])
        }
        // The journal and free pages may still have the records.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try wipeCopies(versions, bytes, file)
        try file.close()
    }

    /// Overwrites pages that no tree needs, which may have copies of records.
    private static func wipeCopies(_ versions: Set<UInt64>, _ bytes: Data, _ file: FileHandle) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("listory-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: path) }
        try bytes.write(to: path)
        try DataFile.scan(path.path) { scan in
            var places: [PageScan.Place] = []
            try scan.forEachEntry { if $0.database == Array("tail".utf8) { places.append($0.value) } }
            try scan.forEachLooseRun { places.append($0) }
            for place in places {
                try file.seek(toOffset: UInt64(place.offset))
                try file.write(contentsOf: Data(count: place.count))
            }
        }
    }

    /// Compares the rows of a version with a reference; a content may be lost.
    private static func compare(_ store: UntypedStore, _ version: Version, _ expected: ReferenceList) throws {
        let snapshot = try store.snapshot(at: version)
        #expect(snapshot.sections.map(\.id) == expected.sections.map(\.id))
        for (section, other) in zip(snapshot.sections, expected.sections) {
            #expect(section.items.map(\.id) == other.items.map(\.id))
            for (item, row) in zip(section.items, other.items) {
                let content = try? store.source.content(of: item.content)
                #expect(item.isChecked == row.isChecked && content ?? row.content == row.content)
            }
        }
    }
}
