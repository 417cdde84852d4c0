// Kills a writing process hundreds of times on the same store: no acknowledged commit is lost, and no commit is
// partial.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing

@Suite("A writer killed at any moment", .serialized)
struct KillTests {
    @Test("300 kills on one store lose no acknowledged commit and leave no partial one")
    func kills() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try Store.create(at: path).close()
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        var acknowledged = Version.empty
        var roundsWithProgress = 0
        for round in 0..<300 {
            let printed = try Self.runAndKill(path, [], &generator)
            let before = acknowledged
            let comment: Comment = "seed \(seed), round \(round)"
            // Opening replays the log, and compares the hash of the newest version.
            let store = try Store.open(at: path)
            for (version, hash) in Self.acknowledgements(printed) {
                try #require(try version <= store.version, comment)
                try #require(try store.commit(version).stateHash.description == hash, comment)
                acknowledged = max(acknowledged, version)
            }
            try #require(try store.version >= acknowledged, comment)
            if acknowledged > before { roundsWithProgress += 1 }
            try Self.checkWhole(store, comment)
            try store.close()
        }
        #expect(roundsWithProgress > 150, "seed \(seed): too few rounds got as far as a commit")
        #expect(try StoreVerification(path: path).version >= acknowledged)
    }

    @Test("After 150 kills during checkpoints, the store opens and verifies, and old versions can be read")
    func killsInCheckpoints() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try Store.create(at: path).close()
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        var acknowledged = Version.empty
        for round in 0..<150 {
            let printed = try Self.runAndKill(path, ["checkpoints"], &generator)
            let comment: Comment = "seed \(seed), round \(round)"
            let store = try Store.open(at: path)
            try #require(!store.recovery.wasRebuilt, comment)
            for (version, _) in Self.acknowledgements(printed) { acknowledged = max(acknowledged, version) }
            try #require(try store.version >= acknowledged, comment)
            try Self.checkWhole(store, comment)
            if acknowledged > .empty {
                let version = Version(UInt64.random(in: 1...acknowledged.rawValue, using: &generator))
                let snapshot = try store.snapshot(at: version)
                try #require(try snapshot.stateHash == store.commit(version).stateHash, comment)
            }
            // Closing takes no checkpoint, because nothing was edited.
            try store.checkpoint()
            try store.close()
            if round % 30 == 29 { #expect(try StoreVerification(path: path).checkpointCount > 0, comment) }
        }
    }

    @Test("A writer that acknowledges too early is detected: the test above can fail")
    func control() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.file("list.listory")
        try Store.create(at: path).close()
        for _ in 0..<100 {
            let printed = try Self.runAndKill(path, ["early"], &generator)
            let store = try Store.open(at: path)
            defer { try? store.close() }
            let newest = try store.version
            if Self.acknowledgements(printed).contains(where: { $0.version > newest }) { return }
        }
        Issue.record("seed \(seed): no commit was lost in 100 rounds, so losses would not be noticed")
    }

    /// Lets the writer write for a random time, kills it, and returns all it printed.
    private static func runAndKill(
        _ path: String, _ arguments: [String], _ generator: inout SeededGenerator
    ) throws -> String {
        let child = try ChildProcess("StoreWriter", [path] + arguments)
        var printed = ""
        // Usually while it writes; sometimes while it still starts and recovers.
        if !generator.oneIn(6) { printed = child.read() }
        usleep(UInt32.random(in: 0...8_000, using: &generator))
        return printed + child.kill()
    }

    /// The complete lines of the writer's output.
    private static func acknowledgements(_ printed: String) -> [(version: Version, hash: String)] {
        printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let number = UInt64(words[0]) else { return nil }
            return (Version(number), String(words[1]))
        }
    }

    /// Checks that no commit is partial: its events belong together, and so do the rows after it.
    private static func checkWhole(_ store: Store, _ comment: Comment) throws {
        let snapshot = try store.snapshot
        guard snapshot.itemCount > 0 else { return }
        let counter = try #require(snapshot.item(at: ListIndexPath(section: 0, item: 0)))
        let items = snapshot.sections[0].items
        let last = try #require(items.last)
        let count = String(decoding: try store.source.content(of: counter.content), as: UTF8.self)
        try #require(last.id.description == count, comment)
        try #require(last.isChecked, comment)
        try #require(items.count == min(Int(snapshot.version.rawValue) + 1, 40), comment)
    }
}
