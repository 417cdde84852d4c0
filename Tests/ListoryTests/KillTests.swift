// Kills a writing process hundreds of times on the same store: no acknowledged commit is lost, and no commit is
// partial.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing

@Suite("A writer killed at any moment", .serialized)
struct KillTests {
    @Test("450 kills on one store lose no acknowledged commit and leave no partial one")
    func kills() throws {
        var victim = try Victim()
        var acknowledged = Version.empty
        var roundsWithProgress = 0
        for round in 0..<450 {
            let printed = try victim.runAndKill([])
            let before = acknowledged
            let comment: Comment = "seed \(victim.seed), round \(round)"
            // Opening replays the log, and compares the hash of the newest version.
            let store = try UntypedStore.open(at: victim.path)
            for (version, hash) in Victim.acknowledgements(printed) {
                try #require(try version <= store.version, comment)
                try #require(try store.commit(version).stateHash.description == hash, comment)
                acknowledged = max(acknowledged, version)
            }
            try #require(try store.version >= acknowledged, comment)
            if acknowledged > before { roundsWithProgress += 1 }
            try Self.checkWhole(store, comment)
            try store.close()
        }
        Soak.count(450)
        #expect(roundsWithProgress > 225, "seed \(victim.seed): too few rounds got as far as a commit")
        #expect(try StoreVerification(path: victim.path).version >= acknowledged)
    }

    @Test("After 230 kills during checkpoints, the store opens and verifies, and old versions can be read")
    func killsInCheckpoints() throws {
        var victim = try Victim()
        var acknowledged = Version.empty
        for round in 0..<230 {
            let printed = try victim.runAndKill(["checkpoints"])
            let comment: Comment = "seed \(victim.seed), round \(round)"
            let store = try UntypedStore.open(at: victim.path)
            try #require(!store.recovery.wasRebuilt, comment)
            for (version, _) in Victim.acknowledgements(printed) { acknowledged = max(acknowledged, version) }
            try #require(try store.version >= acknowledged, comment)
            try Self.checkWhole(store, comment)
            if acknowledged > .empty {
                let version = Version(UInt64.random(in: 1...acknowledged.rawValue, using: &victim.generator))
                let snapshot = try store.snapshot(at: version)
                try #require(try snapshot.stateHash == store.commit(version).stateHash, comment)
            }
            // Closing takes no checkpoint, because nothing was edited.
            try store.checkpoint()
            try store.close()
            if round % 30 == 29 { #expect(try StoreVerification(path: victim.path).checkpointCount > 0, comment) }
        }
        Soak.count(230)
    }

    @Test(
        "110 kills during compactions, while rows are erased, or while old history goes, lose no acknowledged commit",
        arguments: ["compact", "erase", "trim"])
    func killsInCompactions(work: String) throws {
        var victim = try Victim()
        var acknowledged = Version.empty
        var roundsWithRemains = 0
        for round in 0..<110 {
            let printed = try victim.runAndKill([work], afterLines: 1...12)
            let comment: Comment = "seed \(victim.seed), round \(round)"
            let remains = try FileManager.default.contentsOfDirectory(atPath: victim.folder.path)
            let rest = ["~making", "~made", "successor"]
            if remains.contains(where: { name in rest.contains { name.contains($0) } }) { roundsWithRemains += 1 }
            let store = try UntypedStore.open(at: victim.path)
            for (version, hash) in Victim.acknowledgements(printed) where version > store.oldestVersion {
                try #require(try store.commit(version).stateHash.description == hash, comment)
                acknowledged = max(acknowledged, version)
            }
            try #require(try store.version >= acknowledged, comment)
            try Self.checkWhole(store, losesRows: work == "erase", comment)
            try store.close()
            if round % 10 == 9 {
                try UntypedStore.compact(at: victim.path)
                let files = try FileManager.default.contentsOfDirectory(atPath: victim.folder.path)
                #expect(Set(files) == ["list.listory", "list.listory-lock", "list.listory-processes"], comment)
                #expect(try StoreVerification(path: victim.path).version >= acknowledged, comment)
            }
        }
        Soak.count(110)
        #expect(roundsWithRemains > 5, "seed \(victim.seed): too few rounds got as far as a compaction")
    }

    @Test(
        "110 kills while versions are named and old history goes leave each acknowledged name, and none without its rows"
    )
    func killsWhileNaming() throws {
        var victim = try Victim()
        var acknowledged: [Version: String] = [:]
        var roundsWithOld = 0
        for round in 0..<110 {
            let printed = try victim.runAndKill(["names"], afterLines: 1...24)
            let comment: Comment = "seed \(victim.seed), round \(round)"
            for line in printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                let words = line.split(separator: " ").map(String.init)
                acknowledged[Version(UInt64(words[1])!)] = words[0] == "named" ? words[2] : nil
            }
            let store = try UntypedStore.open(at: victim.path)
            let names = try store.namedVersions
            for (version, hash) in acknowledged {
                try #require(names.contains { $0.version == version && $0.stateHash.description == hash }, comment)
            }
            for named in names {
                try #require(try store.snapshot(at: named.version).stateHash == named.stateHash, comment)
            }
            if let first = names.first, try first.version < store.oldestVersion { roundsWithOld += 1 }
            try Self.checkWhole(store, comment)
            try store.close()
            if round % 10 == 9 { #expect(try StoreVerification(path: victim.path).nameCount == names.count, comment) }
        }
        Soak.count(110)
        #expect(roundsWithOld > 27, "seed \(victim.seed): too few rounds had names of versions before the log")
    }

    @Test("100 kills during copies lose no acknowledged commit; copies that were reported as complete are complete")
    func killsInCopies() throws {
        var victim = try Victim()
        var copyCount = 0
        for round in 0..<100 {
            let printed = try victim.runAndKill(["copy"], afterLines: 1...16)
            let comment: Comment = "seed \(victim.seed), round \(round)"
            let store = try UntypedStore.open(at: victim.path)
            for (version, hash) in Victim.acknowledgements(printed) {
                try #require(try store.commit(version).stateHash.description == hash, comment)
            }
            try Self.checkWhole(store, comment)
            try store.close()
            let lines = printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            for line in lines where line.hasPrefix("copy") {
                let words = line.split(separator: " ").map(String.init)
                let copy = try UntypedStore.open(at: "\(victim.path)-copy\(words[1])")
                try #require(try copy.snapshot.stateHash.description == words[3], comment)
                try Self.checkWhole(copy, comment)
                try copy.close()
                copyCount += 1
            }
            for name in try FileManager.default.contentsOfDirectory(atPath: victim.folder.path)
            where name.contains("-copy") {
                // One that was not finished is not taken for a store.
                if let unfinished = try? UntypedStore.open(at: victim.folder.file(name)) { try unfinished.close() }
                try FileManager.default.removeItem(atPath: victim.folder.file(name))
            }
        }
        Soak.count(100)
        #expect(copyCount > 33, "seed \(victim.seed): too few copies")
    }

    @Test("A writer that acknowledges too early is detected: the test above can fail")
    func control() throws {
        var victim = try Victim()
        for _ in 0..<100 {
            let printed = try victim.runAndKill(["early"])
            let store = try UntypedStore.open(at: victim.path)
            defer { try? store.close() }
            let newest = try store.version
            if Victim.acknowledgements(printed).contains(where: { $0.version > newest }) { return }
        }
        Issue.record("seed \(victim.seed): no commit was lost in 100 rounds, so losses would not be noticed")
    }

    /// Checks that no commit is partial: its events belong together, and so do the rows after it.
    ///
    /// - Parameter losesRows: whether rows were erased.
    private static func checkWhole(_ store: UntypedStore, losesRows: Bool = false, _ comment: Comment) throws {
        let snapshot = try store.snapshot
        guard snapshot.itemCount > 0 else { return }
        let counter = try #require(snapshot.item(at: ListIndexPath(section: 0, item: 0)))
        let items = snapshot.sections[0].items
        let last = try #require(items.last)
        let count = String(decoding: try store.source.content(of: counter.content), as: UTF8.self)
        try #require(last.id.description == count, comment)
        try #require(last.isChecked, comment)
        let most = min(Int(snapshot.version.rawValue) + 1, 40)
        try #require(losesRows ? items.count <= most : items.count == most, comment)
    }
}

/// A new store, and a process that writes to it and is killed at random moments.
private struct Victim {
    let folder: TemporaryFolder
    let path: String
    let seed = Soak.seed
    var generator: SeededGenerator

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("list.listory")
        generator = SeededGenerator(seed: seed)
        try UntypedStore.create(at: path).close()
    }

    /// Lets the writer write for a random time, kills it, and returns all it printed.
    mutating func runAndKill(_ arguments: [String], afterLines lines: ClosedRange<Int> = 1...1) throws -> String {
        let child = try ChildProcess("StoreWriter", [path] + arguments)
        var printed = ""
        // Usually while it writes; sometimes while it still starts and recovers.
        if !generator.oneIn(6) {
            let count = Int.random(in: lines, using: &generator)
            while printed.count(where: { $0 == "\n" }) < count {
                let more = child.read()
                if more.isEmpty { break }
                printed += more
            }
        }
        usleep(UInt32.random(in: 0...8_000, using: &generator))
        return printed + child.kill()
    }

    /// The complete lines of the writer's output.
    static func acknowledgements(_ printed: String) -> [(version: Version, hash: String)] {
        printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let number = UInt64(words[0]) else { return nil }
            return (Version(number), String(words[1]))
        }
    }
}
