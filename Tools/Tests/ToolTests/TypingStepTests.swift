// Tests recorded sessions with the default coalescing of an app: the sizes of undo steps, and that undo leads to the
// start and redo to the end.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@Suite("Steps of recorded typing", .enabled(if: RecordedTrace.isAvailable, "the recordings are not there"))
struct TypingStepTests {
    /// The long one has 260,000 commits.
    private static var traces: [RecordedTrace] {
        ProcessInfo.processInfo.environment["LISTORY_SOAK"] == nil ? [.svelteComponent] : RecordedTrace.allCases
    }

    @Test("Undo leads to the start in steps of words and lines, redo to the end, both exactly", arguments: traces)
    func steps(trace: RecordedTrace) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("trace.listory")
        let result = try ToolProcess.run("import", path, trace.path, "--format", "editing-trace", "--coalesce")
        try #require(result.status == .success, "\(result.errors)")
        var options = StoreOptions()
        options.durability = .deferred
        let store = try UntypedStore.open(at: path, options: options)
        defer { try? store.close() }
        let (commitCount, hash) = (try store.version.rawValue, try store.snapshot.stateHash)
        let steps = try store.history.undoCount

        // The length of each step, in commits, and whether it stays in one place.
        var lengths: [Int] = []
        while try store.history.undoCount > 0 { lengths.append(try store.undo().versions.count) }
        #expect(try store.snapshot.stateHash == UntypedSnapshot.empty.stateHash)
        #expect(lengths.count == steps && lengths.reduce(0, +) == Int(commitCount))
        while try store.history.redoCount > 0 { try store.redo() }
        #expect(try store.snapshot.stateHash == hash)

        lengths.sort()
        let mean = Double(commitCount) / Double(steps)
        // Most typing is in steps of several keys, but no step is the whole session.
        let inWords = lengths.filter { $0 >= 3 }.reduce(0, +)
        print(
            """
            \(trace.rawValue): \(commitCount) commits in \(steps) steps; \(mean) commits a step, median \
            \(lengths[steps / 2]), longest \(lengths[steps - 1]); \(100 * inWords / Int(commitCount)) % in steps of 3 or more
            """)
        #expect(mean > 2 && Int(mean) < 100 && lengths[steps - 1] < Int(commitCount) / 20)
        #expect(inWords * 2 > Int(commitCount))
    }
}
