// Tests the crash of a whole file system: ext4 is shut down while a process writes, mounted again, and recovers from its
// own journal. This is the nearest to a power cut that a running system allows.

#if os(Linux)
import Foundation
import ListModel
import Listory
import TestSupport
import Testing

@Suite(
    "A file system that crashes", .serialized,
    .enabled(if: MountedDisk.isExt4Possible, "this process may not mount ext4 from a file"))
struct FileSystemCrashTests {
    @Test("60 crashes lose no acknowledged commit, and leave a store that opens and verifies")
    func crashes() throws {
        let seed = Soak.seed
        let rounds = 60
        let outcome = try Self.crash(rounds, seed) { ["checkpoints", "compact", nil][$0 % 3] }
        Soak.count(rounds)
        #expect(outcome.lost == 0, "seed \(seed)")
        #expect(outcome.roundsWithProgress > rounds / 3, "seed \(seed): too few rounds got as far as a commit")
    }

    @Test("A writer that acknowledges too early is detected: the test above can fail")
    func control() throws {
        let seed = Soak.seed
        #expect(try Self.crash(20, seed) { _ in "early" }.lost > 0, "seed \(seed)")
    }

    /// Lets the file system crash during some work, again and again.
    ///
    /// - Returns: in how many rounds acknowledged commits were lost, and in how many there were any.
    private static func crash(
        _ rounds: Int, _ seed: UInt64, _ work: (Int) -> String?
    ) throws -> (lost: Int, roundsWithProgress: Int) {
        var generator = SeededGenerator(seed: seed)
        let disk = try MountedDisk(ext4Megabytes: 16)
        let path = disk.path + "/list.listory"
        try UntypedStore.create(at: path).close()
        var (lost, roundsWithProgress) = (0, 0)
        for round in 0..<rounds {
            let comment: Comment = "seed \(seed), round \(round)"
            let child = try ChildProcess("StoreWriter", [path] + [work(round)].compactMap { $0 })
            var printed = child.read()
            usleep(UInt32.random(in: 0...8_000, using: &generator))
            try #require(ChildProcess("FaultyWriter", ["shutdown", disk.path]).finish().code == 0)
            // What the writer prints from here on was durable before as well, or it was refused.
            printed += child.kill()
            try disk.remount()
            let store = try UntypedStore.open(at: path)
            let newest = try store.version
            var isLost = false
            let lines = printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .filter { $0 != "compacting" }
            for words in lines.map({ $0.split(separator: " ") }) {
                let version = Version(UInt64(words[0])!)
                if version > newest {
                    isLost = true
                } else if version > store.oldestVersion {
                    try #require(try store.commit(version).stateHash.description == String(words[1]), comment)
                }
            }
            lost += isLost ? 1 : 0
            roundsWithProgress += lines.isEmpty ? 0 : 1
            try store.close()
            if round % 10 == 9 { _ = try StoreVerification(path: path) }
        }
        return (lost, roundsWithProgress)
    }
}
#endif
