// Tests power cuts at any moment, after which the device has any part of the writes and names that were not synced: no
// acknowledged commit is lost, no commit is partial, and no file is damaged.

#if os(Linux)
import Foundation
import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("A power cut at any moment")
struct PowerCutTests {
    // In parts, which run at the same time.
    @Test("Loses no acknowledged commit, and leaves a store that opens and verifies", arguments: 0..<4 as Range<UInt64>)
    func images(part: UInt64) throws {
        let seed = Soak.seed &+ part
        var generator = SeededGenerator(seed: seed)
        var fromJournal = 0
        for run in 0..<9 {
            let record = try Self.record("edit", generator.next() % 1_000_000, 120)
            for number in 0..<400 {
                let image = record.image(before: record.randomMoment(&generator), &generator)
                let comment: Comment = "seed \(seed), run \(run), image \(number)"
                let outcome = try Self.open(image, isVerified: number % 10 == 0)
                try #require(outcome.problem == nil, "\(comment): \(outcome.problem ?? "")")
                fromJournal += outcome.journalCommitCount > 0 ? 1 : 0
            }
        }
        Soak.count(9 * 400)
        #expect(fromJournal > 900, "seed \(seed): only \(fromJournal) images had anything in the journal only")
    }

    @Test("At each moment, loses nothing that was acknowledged before, even if the device kept only what was synced")
    func leastImages() throws {
        let seed = Soak.seed
        try Self.checkAcknowledgements("edit", seed, 60, atAllMoments: true)
    }

    @Test("Threads and tasks that wait at the same time are told of no commit before it is durable")
    func together() throws {
        let seed = Soak.seed
        try Self.checkAcknowledgements("together", seed, 4)
    }

    @Test("A second one, at any moment of opening and editing after the first one, loses nothing either")
    func secondCut() throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        for run in 0..<60 {
            let first = try Self.record("edit", generator.next() % 1_000_000, 40)
            let image = first.image(before: first.randomMoment(&generator), &generator)
            let second = try Self.record(
                "edit", generator.next() % 1_000_000, 6, base: RecordedFolder(image.files))
            try Self.checkSecond(second, image.acknowledged, &generator, "seed \(seed), run \(run)")
        }
    }

    @Test("A power cut after a kill: what another process showed after the kill is not lost")
    func killedBefore() throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        for run in 0..<60 {
            let first = try Self.record("edit", generator.next() % 1_000_000, 30)
            // Killed while a sync was running, so its commits were not acknowledged. The next process sees the writes in
            // the system's cache, although the device has not stored them.
            let syncs = first.entries.indices.compactMap { index -> Int? in
                switch first.entries[index] {
                case .sync: index
                // LMDB's meta page.
                case .write(_, _, _, isDurable: true): index + 1
                default: nil
                }
            }
            let moment =
                generator.oneIn(4) ? first.randomMoment(&generator) : syncs.randomElement(using: &generator) ?? 0
            let (folder, acknowledged) = first.folder(before: moment, isLastCached: true, &generator)
            let second = try Self.record("edit", generator.next() % 1_000_000, 6, base: folder)
            try Self.checkSecond(second, acknowledged, &generator, "seed \(seed), run \(run)")
        }
    }

    /// Checks images of a process that opened a store after another one, whose acknowledged commits are given.
    private static func checkSecond(
        _ second: WriteRecord, _ before: [String: Acknowledgement], _ generator: inout SeededGenerator,
        _ comment: Comment
    ) throws {
        var moments = (0..<12).map { ($0 * second.entries.count / 11, RecordedFolder.Kept.anything) }
        // While its first syncs run: what is written before them must not need what the first process has not synced.
        let syncs = second.entries.indices.filter { if case .sync = second.entries[$0] { true } else { false } }
        for sync in syncs.prefix(3) { moments += [(sync, .anything), (sync, .anything), (sync, .anything)] }
        moments += second.acknowledgements.map { ($0, .nothing) }
        for (number, (moment, kept)) in moments.enumerated() {
            var image = second.image(before: moment, keeping: kept, &generator)
            image.acknowledged.merge(before) { second, _ in second }
            let (old, new) = (before[name]?.version ?? .empty, image.acknowledged[name]?.version ?? .empty)
            try #require(new >= old, comment)
            let outcome = try open(image)
            try #require(outcome.problem == nil, "\(comment), image \(number): \(outcome.problem ?? "")")
        }
        Soak.count(moments.count)
    }

    @Test(
        "Loses no acknowledged commit after failed syncs, whatever writes the system has dropped", arguments: [1, 2, 4])
    func failedSyncs(count: Int) throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        var discarded = 0
        var run = 0
        // After one failed sync, an attempt succeeds. Otherwise it depends on the seed whether the store gives up.
        while run < 40 || (count > 1 && discarded == 0 && run < 200) {
            let failing = Int.random(in: 0..<30, using: &generator)
            let record = try Self.record(
                "edit", generator.next() % 1_000_000, 30, failingSyncs: (after: failing, count))
            for number in 0..<12 {
                // The last image is that of the end, at which some commits may be discarded.
                let moment = number == 11 ? record.entries.count : record.randomMoment(&generator)
                let image = record.image(before: moment, keeping: number == 11 ? .nothing : .anything, &generator)
                let outcome = try Self.open(image)
                let comment: Comment = "seed \(seed), run \(run), image \(number): \(outcome.problem ?? "")"
                let isLast = image.acknowledged[Self.name]?.isLast == true
                try #require(outcome.problem == nil, comment)
                if isLast { discarded += 1 }
            }
            run += 1
        }
        Soak.count(12 * run)
        #expect(count == 1 || discarded > 0, "seed \(seed): nothing was ever discarded")
    }

    @Test("After a failed sync, the next group goes into the database, and closing clears what it discards durably")
    func afterFailedSyncs() throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        var (failed, cleared, run) = (0, 0, 0)
        // It depends on the seed which syncs fail, and whether the store gives up. Nearly always, 40 runs suffice; with some
        // seeds, only one of them clears an entry.
        while (failed < 8 || cleared < 2) && run < 400 {
            let record = try Self.record(
                "edit", generator.next() % 1_000_000, 30,
                // Each failed attempt syncs twice: LMDB's second descriptor as well.
                failingSyncs: (after: Int.random(in: 0..<30, using: &generator), run % 2 == 0 ? 1 : 6))
            run += 1
            for moment in record.failedJournalSyncs {
                let next = record.acknowledgements.first { $0 > moment }
                guard let next, case .acknowledged(let found) = record.entries[next - 1], !found.isLast else {
                    continue
                }
                failed += 1
                let isStored = record.entries[moment..<next].contains(where: \.isMetaPage)
                try #require(isStored, "seed \(seed), run \(run): the next group went into the journal")
            }
            // A transaction that clears an entry writes its pages before the sync.
            let clears = record.entries.indices.dropLast().filter { record.entries[$0].clearsEntry }
            let last = record.entries.last(where: \.isAcknowledgement)
            if case .acknowledged(let found) = last, found.isLast {
                cleared += clears.contains { record.entries[$0 + 1].isSync } ? 1 : 0
            }
        }
        #expect(failed >= 8 && cleared >= 2, "seed \(seed): \(failed) failed, \(cleared) were cleared")
    }

    @Test("During the creation of stores, loses no acknowledged commit, and leaves files that can become stores")
    func creation() throws {
        let seed = Soak.seed
        try Self.checkAcknowledgements("create", seed, 5)
        try Self.checkAnyMoment("create", seed) { files, path in
            // A store that was not acknowledged may be missing, or unfinished.
            for name in files where name.hasPrefix("created") {
                let store = try UntypedStore.openOrCreate(at: path(name), options: StoreOptions())
                try store.edit("More") { try $0.insertSection(NewSection(id: "more")) }
                try store.close()
            }
        }
    }

    @Test("During compactions, leaves the old file or the new one, and loses no acknowledged commit")
    func compaction() throws {
        let seed = Soak.seed
        try Self.checkAcknowledgements("compact", seed, 4)
        try Self.checkAnyMoment("compact", seed) { files, path in
            try #require(files.contains(Self.name))
            _ = try StoreVerification(path: path(Self.name))
            try UntypedStore.compact(at: path(Self.name))
            _ = try StoreVerification(path: path(Self.name))
        }
    }

    @Test("During copies, leaves the store as it is; a copy that was reported as complete is complete")
    func copies() throws {
        let seed = Soak.seed
        try Self.checkAcknowledgements("copy", seed, 4)
        try Self.checkAnyMoment("copy", seed) { files, path in
            for name in files where name.hasPrefix("copy") {
                // A backup gets its name when it is complete.
                let isBackup = Int(name.dropFirst("copy".count)).map { $0 % 2 == 1 } ?? false
                if isBackup { _ = try StoreVerification(path: path(name)) }
                // An unfinished copy is not taken for a store.
                let unfinished = try? UntypedStore.open(at: path(name))
                if let unfinished {
                    _ = try unfinished.snapshot.sections.map { $0.items.map(\.id) }
                    try unfinished.close()
                    _ = try StoreVerification(path: path(name))
                }
            }
        }
    }

    @Test("During erasures, leaves a whole store; after one, the content is in no file that is left")
    func erasure() throws {
        let seed = Soak.seed
        try Self.checkAcknowledgements("erase", seed, 4)
        try Self.checkAnyMoment("erase", seed) { files, path in
            try #require(files.contains(Self.name))
            _ = try StoreVerification(path: path(Self.name))
        }
        #expect(try Self.countErased(seed, rounds: 6).found == 0, "seed \(seed)")
    }

    @Test("Is detected if syncs are ignored during erasures: the test above can fail")
    func erasureWithoutSyncs() throws {
        let seed = Soak.seed
        // Which writes an image keeps is random, so it depends on the seed how often an erased content is found: in one run of
        // some seeds, hardly ever. So more runs are made until there are enough; without the fault, none of them would find any.
        var (found, before, run) = (0, 0, 0 as UInt64)
        while (found <= 5 || before <= 5) && run < 40 {
            let count = try Self.countErased(seed &+ 31 &* run, rounds: 6, ignoresSyncs: true)
            (found, before, run) = (found + count.found, before + count.before, run + 1)
        }
        #expect(found > 5 && before > 5, "seed \(seed): \(found) found, \(before) before")
    }

    /// In how many images a content is found that was erased, and in how many before that.
    private static func countErased(
        _ seed: UInt64, rounds: Int, ignoresSyncs: Bool = false
    ) throws -> (found: Int, before: Int) {
        var generator = SeededGenerator(seed: seed)
        let record = try record("erase", seed % 1_000_000, rounds)
        var count = (found: 0, before: 0)
        for (erased, content) in record.erasures {
            let text = Data(content.utf8)
            func isFound(_ moment: Int, _ kept: RecordedFolder.Kept) -> Bool {
                let image = record.image(before: moment, keeping: kept, ignoresSyncs: ignoresSyncs, &generator)
                return image.files.values.contains { Data($0).range(of: text) != nil }
            }
            let kept = [RecordedFolder.Kept.nothing, .everything] + Array(repeating: .anything, count: 8)
            count.found += kept.count { isFound(erased, $0) }
            let later = (0..<4).map { _ in Int.random(in: erased...record.entries.count, using: &generator) }
            count.found += later.count { isFound($0, .anything) }
            let earlier = (0..<8).map { _ in Int.random(in: 0..<erased, using: &generator) }
            count.before += earlier.count { isFound($0, .everything) }
        }
        return count
    }

    @Test("Is noticed if the journal is not read: the tests above can fail")
    func withoutJournal() throws {
        let seed = Soak.seed
        #expect(try Self.countProblems(seed) { $0.journal.isIgnored = true } > 5, "seed \(seed)")
        #expect(try Self.countProblems(seed) { _ in } == 0, "seed \(seed)")
    }

    @Test("Is detected if the device ignores syncs: the tests above can fail")
    func withoutSyncs() throws {
        let seed = Soak.seed
        #expect(try Self.countProblems(seed, ignoresSyncs: true) { $0.gate = .full } > 20, "seed \(seed)")
    }

    @Test(
        "Is detected if syncs are ignored while stores are created, copied and compacted",
        arguments: ["create", "copy", "compact"])
    func withoutSyncs(work: String) throws {
        let seed = Soak.seed
        var generator = SeededGenerator(seed: seed)
        let record = try Self.record(work, seed % 1_000_000, 3)
        let problems = try record.acknowledgements.suffix(20).count { moment in
            let image = record.image(before: moment, keeping: .nothing, ignoresSyncs: true, &generator)
            return try Self.open(image).problem != nil
        }
        #expect(problems > 0, "seed \(seed)")
    }

    /// How many of 60 images have a problem.
    private static func countProblems(
        _ seed: UInt64, ignoresSyncs: Bool = false, _ change: (inout StoreOptions) -> Void
    ) throws -> Int {
        var generator = SeededGenerator(seed: seed)
        let record = try record("edit", seed % 1_000_000, 60)
        return try (0..<60).count { _ in
            let moment = record.randomMoment(&generator)
            let image = record.image(before: moment, ignoresSyncs: ignoresSyncs, &generator)
            return try open(image, change).problem != nil
        }
    }

    /// Checks the least that the device may have after each acknowledgement: a sync that is missing is found for certain.
    private static func checkAcknowledgements(
        _ work: String, _ seed: UInt64, _ count: Int, atAllMoments: Bool = false
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let record = try record(work, seed % 1_000_000, count)
        try #require(record.acknowledgements.count >= count)
        let moments = atAllMoments ? Array(0...record.entries.count) : record.acknowledgements
        for moment in moments {
            let outcome = try open(record.image(before: moment, keeping: .nothing, &generator))
            try #require(outcome.problem == nil, "seed \(seed), entry \(moment): \(outcome.problem ?? "")")
        }
        Soak.count(moments.count)
    }

    /// Checks images of any moment of several runs.
    ///
    /// - Parameter check: called with the names of the stores, and with what makes a path of a name.
    private static func checkAnyMoment(
        _ work: String, _ seed: UInt64,
        _ check: (_ stores: [String], _ path: (String) -> String) throws -> Void
    ) throws {
        var generator = SeededGenerator(seed: seed)
        for run in 0..<10 {
            let record = try record(work, generator.next() % 1_000_000, 4)
            for number in 0..<50 {
                let image = record.image(before: record.randomMoment(&generator), &generator)
                let outcome = try open(image)
                let comment: Comment = "seed \(seed), run \(run), image \(number)"
                try #require(outcome.problem == nil, "\(comment): \(outcome.problem ?? "")")
                let folder = try TemporaryFolder.inMemory()
                try image.write(to: folder)
                // A copy that closing a store makes is no store before it has the name of one.
                let stores = image.files.keys.filter { name in
                    !["-processes", "~made"].contains { name.hasSuffix($0) }
                }.sorted()
                do { try check(stores) { folder.file($0) } } catch { Issue.record(error, comment) }
            }
        }
        Soak.count(10 * 50)
    }

    private static let name = "recorded.listory"

    /// Lets a process work on a store, and returns what it did to the folder.
    static func record(
        _ work: String, _ seed: UInt64, _ count: Int, base: RecordedFolder? = nil,
        failingSyncs: (after: Int, count: Int)? = nil
    ) throws -> WriteRecord {
        let (folder, records) = (try TemporaryFolder.inMemory(), try TemporaryFolder.inMemory())
        let path = folder.file(name)
        if let base {
            for (name, bytes) in base.cachedFiles {
                try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
            }
        } else if work != "create" {
            try UntypedStore.create(at: path) { $0.journal.size = (8 << 10) - 16 }.close()
            Platform.remove(path + "-lock")
        }
        let before = try base ?? RecordedFolder(files(in: folder))
        let failing = failingSyncs.map { ["\($0.after)", "\($0.count)"] } ?? []
        let arguments = [work, folder.path, records.file("record"), "\(seed)", "\(count)"] + failing
        let (code, output) = try ChildProcess("RecordedWriter", arguments).finish()
        try #require(code == 0, "the writer failed: \(arguments) \(output)")
        return try WriteRecord(path: records.file("record"), base: before)
    }

    private static func files(in folder: TemporaryFolder) throws -> [String: [UInt8]] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))))
            })
    }

    /// What is wrong with an image, nil if nothing is; and how many commits its journals have.
    private static func open(
        _ image: WriteRecord.Image, isVerified: Bool = false,
        _ change: (inout StoreOptions) -> Void = { $0.gate = .full }
    ) throws -> (problem: String?, journalCommitCount: UInt64) {
        let folder = try TemporaryFolder.inMemory()
        try image.write(to: folder)
        var count: UInt64 = 0
        // The store is opened even if nothing of it was acknowledged.
        var stores = image.acknowledged
        if image.files[name] != nil && stores[name] == nil { stores[name] = Acknowledgement("\(name) 0 -") }
        for (name, acknowledged) in stores {
            guard image.files[name] != nil else { return ("\(name) was acknowledged and is lost", count) }
            let path = folder.file(name)
            do {
                let problem = try problem(path, acknowledged, &count, change)
                if let problem { return ("\(name): \(problem)", count) }
                if isVerified { _ = try StoreVerification(path: path) }
            } catch {
                return ("\(name): \(error)", count)
            }
        }
        return (nil, count)
    }

    private static func problem(
        _ path: String, _ acknowledged: Acknowledgement, _ journalCommitCount: inout UInt64,
        _ change: (inout StoreOptions) -> Void
    ) throws -> String? {
        var options = StoreOptions()
        change(&options)
        let store = try UntypedStore.open(at: path, options: options)
        defer { try? store.close() }
        journalCommitCount += store.recovery.journalCommitCount
        if let lost = store.recovery.lostVersion { return "version \(lost) is said to be lost" }
        if store.recovery.wasRebuilt { return "a checkpoint could not be used" }
        let (version, newest) = (acknowledged.version, try store.version)
        if newest < version { return "version \(version) was acknowledged and is lost" }
        if acknowledged.isLast && newest > version { return "version \(newest) was discarded and came back" }
        if let hash = acknowledged.hash, version > .empty {
            let found = try store.snapshot(at: version).stateHash
            if found.description != hash { return "version \(version) has another hash" }
        }
        try store.edit("More") { try $0.insertSection(NewSection(id: "more")) }
        return nil
    }
}

extension UntypedStore {
    fileprivate static func create(at path: String, _ change: (inout StoreOptions) -> Void) throws -> UntypedStore {
        var options = StoreOptions()
        change(&options)
        return try create(at: path, options: options)
    }
}
#endif
