// Tests power cuts at any moment, after which the device has any part of the writes that were not synced: no
// acknowledged commit is lost, no commit is partial, and the file is not damaged.

#if os(Linux)
import Foundation
import LMDB
import ListModel
import TestSupport
import Testing

@testable import Listory

@Suite("A power cut at any moment", .serialized)
struct PowerCutTests {
    @Test("Loses no acknowledged commit, and leaves a store that opens and verifies")
    func images() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        var fromJournal = 0
        for run in 0..<4 * Soak.factor {
            let record = try Self.record(folder, generator.next() % 1_000_000, 120)
            for number in 0..<100 {
                let image = record.image(before: record.randomMoment(&generator), &generator)
                let comment: Comment = "seed \(seed), run \(run), image \(number)"
                let outcome = try Self.open(image, folder.file("image.listory"))
                try #require(outcome.problem == nil, "\(comment): \(outcome.problem ?? "")")
                fromJournal += outcome.journalCommitCount > 0 ? 1 : 0
                if number % 10 == 0 { _ = try StoreVerification(path: folder.file("image.listory")) }
            }
        }
        #expect(fromJournal > 100, "seed \(seed): only \(fromJournal) images had anything in the journal only")
    }

    @Test("A second one, at any moment of opening and editing after the first one, loses nothing either")
    func secondCut() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        for run in 0..<12 * Soak.factor {
            let first = try Self.record(folder, generator.next() % 1_000_000, 40)
            let image = first.image(before: first.randomMoment(&generator), &generator)
            let second = try Self.record(folder, generator.next() % 1_000_000, 6, base: image.bytes)
            for number in 0..<15 {
                var next = second.image(before: number * second.entries.count / 14, &generator)
                next.acknowledged = next.acknowledged ?? image.acknowledged
                let comment: Comment = "seed \(seed), run \(run), image \(number)"
                let before = image.acknowledged?.version ?? .empty
                try #require(next.acknowledged?.version ?? .empty >= before, comment)
                let outcome = try Self.open(next, folder.file("image.listory"))
                try #require(outcome.problem == nil, "\(comment): \(outcome.problem ?? "")")
            }
        }
    }

    @Test("Loses no acknowledged commit after a failed sync, whatever writes the system has dropped")
    func failedSync() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        for run in 0..<12 * Soak.factor {
            let record = try Self.record(
                folder, generator.next() % 1_000_000, 30, failingSync: Int.random(in: 0..<30, using: &generator))
            for number in 0..<15 {
                let image = record.image(before: record.randomMoment(&generator), &generator)
                let outcome = try Self.open(image, folder.file("image.listory"))
                let comment: Comment = "seed \(seed), run \(run), image \(number): \(outcome.problem ?? "")"
                try #require(outcome.problem == nil, comment)
            }
        }
    }

    @Test("Is noticed if the journal is not read: the tests above can fail")
    func withoutJournal() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        #expect(try Self.countProblems(seed) { $0.journal.isIgnored = true } > 5, "seed \(seed)")
        #expect(try Self.countProblems(seed) { _ in } == 0, "seed \(seed)")
    }

    @Test("Is detected if the device ignores syncs: the tests above can fail")
    func withoutSyncs() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        #expect(try Self.countProblems(seed, ignoresSyncs: true) { $0.gate = .full } > 20, "seed \(seed)")
    }

    /// How many of 60 images have a problem.
    private static func countProblems(
        _ seed: UInt64, ignoresSyncs: Bool = false, _ change: (inout StoreOptions) -> Void
    ) throws -> Int {
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let record = try record(folder, seed % 1_000_000, 60)
        return try (0..<60).count { _ in
            let moment = record.randomMoment(&generator)
            let image = record.image(before: moment, ignoresSyncs: ignoresSyncs, &generator)
            return try open(image, folder.file("image.listory"), change).problem != nil
        }
    }

    /// Lets a process edit a store, and returns its writes.
    private static func record(
        _ folder: TemporaryFolder, _ seed: UInt64, _ count: Int, base: [UInt8]? = nil, failingSync: Int? = nil
    ) throws -> WriteRecord {
        let (path, record) = (folder.file("recorded.listory"), folder.file("record"))
        DataFile.remove(path)
        if let base {
            try Data(base).write(to: URL(fileURLWithPath: path))
        } else {
            try Store.create(at: path) { $0.journal.size = (8 << 10) - 16 }.close()
        }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let failing = failingSync.map { ["\($0)"] } ?? []
        let child = try ChildProcess("RecordedWriter", [path, record, "\(seed)", "\(count)"] + failing)
        try #require(child.finish().code == 0, "the writer failed, seed \(seed)")
        return try WriteRecord(path: record, base: bytes)
    }

    /// What is wrong with an image, nil if nothing is; and how many commits its journal has.
    private static func open(
        _ image: WriteRecord.Image, _ path: String, _ change: (inout StoreOptions) -> Void = { $0.gate = .full }
    ) throws -> (problem: String?, journalCommitCount: UInt64) {
        DataFile.remove(path)
        try Data(image.bytes).write(to: URL(fileURLWithPath: path))
        var options = StoreOptions()
        change(&options)
        do {
            let store = try Store.open(at: path, options: options)
            defer { try? store.close() }
            let count = store.recovery.journalCommitCount
            if let lost = store.recovery.lostVersion { return ("version \(lost) is said to be lost", count) }
            guard let (version, hash) = image.acknowledged, version > .empty else { return (nil, count) }
            if try store.version < version { return ("version \(version) was acknowledged and is lost", count) }
            if try store.commit(version).stateHash.description != hash { return ("another hash", count) }
            try store.edit("More") { try $0.insertSection(NewSection(id: "more")) }
            return (nil, count)
        } catch {
            return ("\(error)", 0)
        }
    }
}

extension Store {
    fileprivate static func create(at path: String, _ change: (inout StoreOptions) -> Void) throws -> Store {
        var options = StoreOptions()
        change(&options)
        return try create(at: path, options: options)
    }
}
#endif
