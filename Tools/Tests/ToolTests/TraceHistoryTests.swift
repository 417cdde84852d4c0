// Tests recorded sessions with their whole history: every version, undo across processes, the text at the end.

import Foundation
import ListModel
import Listory
import TestSupport
import Testing
import ToolSupport

@Suite("The recorded editing sessions", .enabled(if: RecordedTrace.isAvailable, "the recordings are not there"))
struct TraceHistoryTests {
    /// Imports a recording with the built tool.
    private static func importTrace(_ trace: RecordedTrace, _ folder: TemporaryFolder) throws -> String {
        let path = folder.file("trace.listory")
        let result = try ToolProcess.run("import", path, trace.path, "--format", "editing-trace", "--timing")
        try #require(result.status == .success, "\(result.errors)")
        for part in ["parse", "apply", "commit"] { #expect(result.errors.contains(part)) }
        return path
    }

    @Test("An imported session has the text at the end of the recording", arguments: RecordedTrace.allCases)
    func endContent(trace: RecordedTrace) throws {
        let folder = try TemporaryFolder()
        let path = try Self.importTrace(trace, folder)
        let shown = try ToolProcess.run("show", path, "--format", "raw")
        #expect(try shown.output == trace.endContent())
    }

    @Test("The file of a long imported session is packed and has few free pages")
    func fileSize() throws {
        let folder = try TemporaryFolder()
        let store = try UntypedStore.open(at: Self.importTrace(.automergePaper, folder))
        defer { try? store.close() }
        let statistics = try store.statistics()
        #expect(statistics.fileBytes < 40 * Int(statistics.commitCount), "\(statistics)")
    }

    @Test("In a replay from the start, every version has its recorded hash", arguments: RecordedTrace.allCases)
    func everyVersion(trace: RecordedTrace) throws {
        let folder = try TemporaryFolder()
        let path = try Self.importTrace(trace, folder)
        // Verifying replays the log from its first commit, and compares the state hash of each.
        let verification = try StoreVerification(path: path)
        let result = try ToolProcess.run("verify", path, "--format", "json")
        #expect(result.status == .success)
        let store = try UntypedStore.open(at: path)
        defer { try? store.close() }
        #expect(try verification.version == store.version)
        #expect(try verification.stateHash == store.snapshot.stateHash)
        // Some versions are also read as snapshots, each with its own replay.
        let newest = try store.version.rawValue
        for part in 1...3 {
            let version = Version(newest * UInt64(part) / 4)
            #expect(try store.snapshot(at: version).stateHash == store.commit(version).stateHash)
        }
    }

    @Test("1,000 undos and 1,000 redos restore the rows, also across processes", arguments: RecordedTrace.allCases)
    func undoAndRedo(trace: RecordedTrace) throws {
        let folder = try TemporaryFolder()
        let path = try Self.importTrace(trace, folder)
        var store = try UntypedStore.open(at: path)
        let newest = try store.version
        let hash = try store.snapshot.stateHash
        try store.undo(600, durability: .deferred)
        #expect(try store.snapshot.stateHash == store.commit(Version(newest.rawValue - 600)).stateHash)
        try store.close()

        // Another process continues from here.
        let undone = try ToolProcess.run("undo", path, "400", "--format", "json")
        let answer = try #require(undone.json().first)
        #expect(answer["version"] == .integer(Int64(newest.rawValue) + 1_000))
        store = try UntypedStore.open(at: path)
        let past = try store.commit(Version(newest.rawValue - 1_000)).stateHash
        #expect(try store.snapshot.stateHash == past)
        #expect(answer["hash"] == .string(past.description))
        #expect(try store.history.redoCount == 1_000)
        try store.redo(300, durability: .deferred)
        try store.close()
        let redone = try ToolProcess.run("redo", path, "700", "--format", "json")
        #expect(try redone.json().first?["hash"] == .string(hash.description))
        let shown = try ToolProcess.run("show", path, "--format", "raw")
        #expect(try shown.output == trace.endContent())
    }
}
