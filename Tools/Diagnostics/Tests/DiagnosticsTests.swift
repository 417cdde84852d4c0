// Tests what a store reports to swift-log and swift-metrics.

import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Listory

@Suite("What a store reports")
struct DiagnosticsTests {
    @Test("An opening says which version it found, and what it replayed after which checkpoint")
    func openings() throws {
        let watched = try Watched("openings")
        try watched.create().close()
        let store = try UntypedStore.open(at: watched.path, options: watched.options)
        try store.checkpoint()
        try store.edit("SECRET") { try $0.toggle(.items([0, 1])) }
        try store.close()
        try UntypedStore.open(at: watched.path, options: watched.options).close()
        #expect(
            watched.events("open") == [
                ["level": "debug", "version": "0", "checkpoint": "0", "replayed.commits": "0", "replayed.events": "0"],
                ["level": "debug", "version": "1", "checkpoint": "0", "replayed.commits": "1", "replayed.events": "1"],
                ["level": "debug", "version": "2", "checkpoint": "1", "replayed.commits": "1", "replayed.events": "2"],
            ])
        #expect(try watched.times("open.duration") == 3)
        #expect(try watched.recorded("open.replayed.commits") == [0, 1, 1])
        #expect(watched.events("recovery").isEmpty)
        #expect(try watched.counter("recoveries") == 0)
        watched.expectNoSecrets()
    }

    @Test("A recovery says how many commits of a process that was killed were taken over")
    func journalIsTakenOver() throws {
        let watched = try Watched("journal")
        try watched.create().close()
        #expect(try ChildProcess("Neighbour", [watched.path, "die"]).finish().code == 0)
        let store = try UntypedStore.open(at: watched.path, options: watched.options)
        #expect(try store.version == Version(3))
        #expect(
            watched.events("recovery") == [
                ["level": "info", "journal.commits": "1", "rebuilt": "false", "lost.version": "none"]
            ])
        #expect(try watched.counter("recoveries") == 1)
        try store.close()
        watched.expectNoSecrets()
    }

    @Test("A recovery with an unusable checkpoint is a warning, and one with lost commits an error")
    func damageIsWorse() throws {
        let watched = try Watched("damage")
        let diagnostics = Diagnostics(watched.label, slowEdit: .zero)
        var opening = Diagnostics.Opening(
            version: Version(9), checkpoint: .empty, replayedCommits: 9, replayedEvents: 12, journalCommits: 0,
            isRebuilt: true, lost: nil)
        diagnostics.end(diagnostics.begin(.opening), .opened(opening))
        opening.lost = Version(12)
        diagnostics.end(diagnostics.begin(.opening), .opened(opening))
        diagnostics.wait()
        #expect(
            watched.events("recovery") == [
                ["level": "warning", "journal.commits": "0", "rebuilt": "true", "lost.version": "none"],
                ["level": "error", "journal.commits": "0", "rebuilt": "true", "lost.version": "12"],
            ])
        #expect(try watched.counter("recoveries") == 2)
    }

    @Test("A flush says how many commits and bytes it appended")
    func flushes() throws {
        let watched = try Watched("flushes")
        let store = try watched.create()
        let commits = try (0..<3).compactMap { id in
            try store.edit("SECRET", durability: .deferred) { try $0.toggle(.item(.integer(id))) }
        }
        try store.waitUntilDurable()
        let bytes = [try store.commit(Version(1)).record.count, commits.map(\.record.count).reduce(0, +)]
        try store.close()
        #expect(
            watched.events("flush") == [
                ["level": "trace", "commits": "1", "bytes": "\(bytes[0])"],
                ["level": "trace", "commits": "3", "bytes": "\(bytes[1])"],
            ])
        #expect(try watched.times("flush.duration") == 2)
        #expect(try watched.counter("flush.commits") == 4)
        #expect(try watched.counter("flush.bytes") == Int64(bytes[0] + bytes[1]))
        watched.expectNoSecrets()
    }

    @Test("A checkpoint says how much it wrote; one that fails in the background says why")
    func checkpoints() throws {
        let watched = try Watched("checkpoints")
        let store = try watched.create()
        try store.checkpoint()
        // Nothing changed, so none is taken.
        try store.checkpoint()
        try store.close()
        let events = watched.events("checkpoint")
        #expect(events.map { $0["version"] } == ["1"])
        #expect(events.map { $0["level"] } == ["debug"])
        #expect(try watched.recorded("checkpoint.nodes") == events.compactMap { Double($0["nodes"] ?? "") })
        #expect(try watched.recorded("checkpoint.bytes") == events.compactMap { Double($0["bytes"] ?? "") })
        #expect(try watched.recorded("checkpoint.bytes").first ?? 0 > 100)
        #expect(try watched.times("checkpoint.duration") == 1)
        watched.expectNoSecrets()

        let diagnostics = Diagnostics(watched.label, slowEdit: .zero)
        diagnostics.report(.checkpointFailed(reason: Diagnostics.reason(ListError.notFound(path: "SECRET"))))
        diagnostics.wait()
        #expect(watched.events("checkpoint.failed") == [["level": "warning", "reason": "notFound"]])
        #expect(try watched.counter("checkpoint.failures") == 1)
        watched.expectNoSecrets()
    }

    @Test("Packing says how much it packed; if it fails, the reason is reported")
    func packing() throws {
        let watched = try Watched("packing")
        let diagnostics = Diagnostics(watched.label, slowEdit: .zero)
        diagnostics.end(diagnostics.begin(.packing), .packed(commits: 300, bytes: 2_000))
        diagnostics.report(.packingFailed(reason: Diagnostics.reason(ListError.notFound(path: "SECRET"))))
        diagnostics.wait()
        #expect(watched.events("packing") == [["level": "debug", "commits": "300", "bytes": "2000"]])
        #expect(try watched.counter("packing.commits") == 300 && watched.counter("packing.bytes") == 2_000)
        #expect(try watched.times("packing.duration") == 1)
        #expect(watched.events("packing.failed") == [["level": "warning", "reason": "notFound"]])
        #expect(try watched.counter("packing.failures") == 1)
        watched.expectNoSecrets()
    }

    @Test("A compaction says how large the file was and is, and what became of its commits")
    func compactions() throws {
        let watched = try Watched("compactions")
        let store = try watched.create()
        for _ in 0..<20 { try store.edit("SECRET") { try $0.toggle(.item(0)) } }
        try store.close()
        var compaction = Compaction(keeping: .from(Version(5)))
        compaction.unpackedCount = 3
        let report = try UntypedStore.compact(at: watched.path, compaction, options: watched.options)
        #expect(
            watched.events("compaction") == [
                [
                    "level": "info", "before.bytes": "\(report.bytesBefore)", "after.bytes": "\(report.bytesAfter)",
                    "dropped.commits": "5", "packed.commits": "\(report.packedCount)",
                ]
            ])
        #expect(try watched.times("compaction.duration") == 1)
        #expect(try watched.recorded("compaction.before.bytes") == [Double(report.bytesBefore)])
        #expect(try watched.recorded("compaction.after.bytes") == [Double(report.bytesAfter)])
        watched.expectNoSecrets()
    }

    @Test("Closing a store says how many commits it has dropped")
    func trimmed() throws {
        let watched = try Watched("trimmed")
        let store = try watched.create()
        for _ in 0..<1_100 { try store.edit("SECRET", durability: .deferred) { try $0.toggle(.item(0)) } }
        try store.waitUntilDurable()
        try store.keep(Retention(steps: 1))
        // It is written in the background, after five seconds.
        for _ in 0..<6_000 where !FileManager.default.fileExists(atPath: watched.path + "-successor") {
            Thread.sleep(forTimeInterval: 0.01)
        }
        try store.close()
        let again = try UntypedStore.open(at: watched.path, options: watched.options)
        let droppedCount = again.oldestVersion.rawValue
        try again.close()
        #expect(droppedCount > 1_000)
        let compactions = watched.events("compaction")
        #expect(compactions.map { $0["dropped.commits"] } == ["\(droppedCount)"])
        #expect(try watched.times("compaction.duration") == 1)
        watched.expectNoSecrets()
    }

    @Test("If old history cannot be dropped in the background, the reason is reported")
    func trimming() throws {
        let watched = try Watched("trimming")
        let store = try watched.create()
        for _ in 0..<1_100 { try store.edit("SECRET", durability: .deferred) { try $0.toggle(.item(0)) } }
        try store.waitUntilDurable()
        // Nobody can claim the file.
        let claim = watched.path + "~claim"
        try FileManager.default.createDirectory(atPath: claim, withIntermediateDirectories: false)
        let isReported = DispatchSemaphore(value: 0)
        watched.answer("trimming.failed") { isReported.signal() }
        try store.keep(Retention(steps: 1))
        #expect(isReported.wait(timeout: .now() + .seconds(60)) == .success)
        try FileManager.default.removeItem(atPath: claim)
        try store.close()
        let failures = watched.events("trimming.failed")
        #expect(failures.map { $0["level"] } == ["warning"] && failures[0]["reason"]?.isEmpty == false)
        #expect(try watched.counter("trimming.failures") == 1)
        watched.expectNoSecrets()
    }

    @Test("That another file is just made beside the store is no failure to drop old history")
    func trimmingLater() throws {
        let watched = try Watched("later")
        let store = try watched.create()
        for _ in 0..<1_100 { try store.edit("SECRET", durability: .deferred) { try $0.toggle(.item(0)) } }
        try store.waitUntilDurable()
        let claim = open(watched.path + "~claim", O_CREAT | O_RDWR, 0o600)
        #expect(flock(claim, LOCK_EX) == 0)
        try store.keep(Retention(steps: 1))
        // The first look comes after five seconds.
        Thread.sleep(forTimeInterval: 8)
        // It comes as far as this one.
        let refusal = #expect(throws: ListError.self) { _ = try store.trim(Retention(steps: 1)) }
        #expect(refusal?.code == "inUse")
        close(claim)
        try store.close()
        #expect(watched.events("trimming.failed").isEmpty)
        watched.expectNoSecrets()
    }

    @Test("An edit from the threshold on is slow, and says its kind but not its name")
    func slowEdits() throws {
        let watched = try Watched("slow")
        watched.options.slowEditThreshold = .zero
        let store = try watched.create()
        try store.undo()
        try store.redo()
        try store.edit("SECRET") { _ in }
        try store.close()
        #expect(
            watched.events("edit.slow") == [
                ["level": "info", "kind": "edit", "events": "1"], ["level": "info", "kind": "undo", "events": "1"],
                ["level": "info", "kind": "redo", "events": "1"], ["level": "info", "kind": "nothing", "events": "0"],
            ])
        #expect(try watched.counter("edit.slow") == 4)
        #expect(try watched.times("edit.duration") == 4)
        watched.expectNoSecrets()
    }

    @Test("An edit below the threshold is timed and not logged")
    func quickEdits() throws {
        let watched = try Watched("quick")
        try watched.create().close()
        #expect(watched.events("edit.slow").isEmpty)
        #expect(try watched.counter("edit.slow") == 0)
        #expect(try watched.times("edit.duration") == 1)
    }

    @Test("Commits that cannot be appended are reported, and so is that they are discarded")
    func failures() throws {
        let watched = try Watched("failures")
        watched.options.maximumFileSize = 1 << 20
        watched.options.retryDelay = .seconds(3_600)
        let store = try watched.create()
        let large = [UInt8](repeating: 7, count: 2 << 20)
        try store.edit("SECRET") { try $0.update(0, content: large) }
        #expect(throws: (any Error).self) { try store.close() }
        try store.close(discardingUnappended: true)
        let failures = watched.events("append.failed")
        #expect(failures.count >= 2)
        for failure in failures { #expect(failure == ["level": "warning", "durable": "1", "reason": "mapFull"]) }
        #expect(try watched.counter("append.failures") == Int64(failures.count))
        #expect(watched.events("discard") == [["level": "warning", "commits": "1"]])
        #expect(try watched.counter("discarded.commits") == 1)
        watched.expectNoSecrets()
    }

    @Test("Appending after failures is reported")
    func successAfterFailures() throws {
        let watched = try Watched("success")
        watched.options.retryDelay = .seconds(3_600)
        let store = try watched.create()
        try store.waitUntilDurable()
        let environment = store.group.log.environment
        // A transaction of this thread is in the way of another one.
        let blocking = try environment.beginWrite()
        try store.edit("SECRET") { try $0.toggle(.item(0)) }
        #expect(store.appendFailure != nil)
        blocking.abort()
        try store.waitUntilDurable()
        try store.close()
        #expect(watched.events("append.failed") == [["level": "warning", "durable": "1", "reason": "nestedWrite"]])
        #expect(watched.events("append.succeeded") == [["level": "info", "durable": "2"]])
        watched.expectNoSecrets()
    }

    @Test("Commits that are made again after those of another process are counted, with those in conflict")
    func rebases() throws {
        let watched = try Watched("rebases")
        let store = try watched.create()
        try store.edit("SECRET", durability: .deferred) { try $0.update(1, content: Array("SECRET too".utf8)) }
        try store.edit("SECRET", durability: .deferred) { try $0.toggle(.item(2)) }
        #expect(try ChildProcess("Neighbour", [watched.path, "close"]).finish().code == 0)
        try store.waitUntilDurable()
        #expect(try store.item(1) == nil)
        try store.close()
        #expect(watched.events("rebase") == [["level": "info", "commits": "2", "others": "1", "conflicting": "1"]])
        #expect(try watched.counter("rebase.commits") == 2)
        #expect(try watched.counter("rebase.conflicting") == 1)
        watched.expectNoSecrets()
    }

    @Test("The handler of the log may use the store, and close it")
    func handlerUsesStore() throws {
        let watched = try Watched("handler")
        let store = try watched.create()
        watched.answer("checkpoint") {
            #expect(throws: Never.self) {
                _ = try store.snapshot
                try store.close()
            }
        }
        try store.checkpoint()
        store.options.diagnostics.wait()
        #expect(throws: (any Error).self) { try store.snapshot }
    }
}
