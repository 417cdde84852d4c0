// Compares a run of touches that is searched while commits are added and removed with one that is sorted once.

@testable import ListModel
import TestSupport
import Testing

@Suite("Runs of touches")
struct TouchRunTests {
    /// The run of some commits, sorted once.
    private static func run(of versions: ClosedRange<UInt64>, in log: MemoryLog) throws -> TouchRun {
        var run = TouchRun()
        for version in versions.lazy.map({ Version($0) }) {
            try log.record(of: version).withUnsafeBytes { try run.add($0, of: version) }
        }
        run.sort()
        return run
    }

    @Test("A run that is sorted between additions and removals is that of the commits that are left, sorted once")
    func steps() throws {
        var (sorts, removals) = (0, 0)
        for seed in UInt64(0)..<20 {
            var generator = SeededGenerator(seed: seed)
            var list = MemoryList()
            var reference = ReferenceList()
            var edits = RandomEdits(seed: seed, targetCount: 30)
            var (run, first) = (TouchRun(), UInt64(1))
            for _ in 0..<200 {
                let operation = edits.next(reference)
                var next = reference
                guard (try? next.apply(operation)) != nil else { continue }
                guard let commit = try list.commit("edit", { try $0.apply(operation) }) else { continue }
                reference = next
                try commit.record.withUnsafeBytes { try run.add($0, of: commit.version) }
                let last = commit.version.rawValue
                if generator.oneIn(20) {
                    first = UInt64.random(in: first...last, using: &generator)
                    run.removeAll(through: Version(first - 1))
                    removals += 1
                } else if generator.oneIn(3) {
                    run.sort()
                    sorts += 1
                } else {
                    continue
                }
                let expected = try Self.run(of: first...last, in: list.log)
                try #require(run.touches == expected.touches, "seed \(seed), versions \(first) to \(last)")
                try #require(run.landmarks == expected.landmarks, "seed \(seed), versions \(first) to \(last)")
            }
        }
        #expect(sorts > 200 && removals > 40)
    }
}
