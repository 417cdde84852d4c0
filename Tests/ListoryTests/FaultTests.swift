// Tests errors of the system: every call that uses the disk fails, and every allocation of LMDB; the disk is full, the
// folder may not be written, the file is cut off. No acknowledged commit is lost, no commit is partial, every error has a
// type, the process does not end, and the file can be opened afterwards.
//
// `FaultyWriter` lets the first call of a kind fail, then the second, and so on, until the work ends without a fault.

#if os(Linux)
import Foundation
import TestSupport
import Testing

@Suite("A system that fails")
struct FaultTests {
    /// The kinds of calls, and how they fail.
    private static let faults: [(kind: String, modes: [String])] = [
        ("write", ["once", "forever", "half", "torn"]), ("sync", ["once", "forever"]),
        ("read", ["once", "forever", "half"]), ("truncate", ["once", "forever"]), ("map", ["once", "forever"]),
        ("open", ["once", "forever"]), ("rename", ["once", "forever"]), ("remove", ["once", "forever"]),
    ]

    private static let works = ["edit", "recover", "create", "checkpoints", "compact", "erase", "copy", "receive"]

    @Test("Each call that uses the disk fails, once, for ever or after a half", arguments: works)
    func calls(work: String) throws {
        // Another quarter of the calls in each run.
        let every = Soak.isEnabled || work == "edit" ? 1 : 4
        for (kind, modes) in Self.faults {
            for mode in modes {
                try Self.check(["calls"], work, [kind, mode, "\(every)"], mayBeNone: true)
            }
        }
        Soak.count(1)
    }

    @Test("A hole that cannot be made in the file is no error, once or for ever", arguments: ["once", "forever"])
    func holes(mode: String) throws {
        let outcome = try Self.run(["calls"], "checkpoints", ["hole", mode])
        #expect(outcome.problems.isEmpty, "seed \(outcome.seed): \(outcome.problems)")
        // The last trial is the one in which no call fails.
        #expect(outcome.trials > 1 && outcome.throwing == 0, "seed \(outcome.seed), \(outcome.trials) trials")
    }

    @Test(
        "If a call fails once, another process that has the store open still hears of every commit",
        arguments: ["edit", "checkpoints"])
    func beside(work: String) throws {
        for (kind, modes) in Self.faults where kind != "truncate" {
            for mode in modes where mode != "forever" {
                let every = Soak.isEnabled ? 1 : work == "edit" ? 2 : 16
                try Self.check(["beside"], work, [kind, mode, "\(every)"], mayBeNone: true)
            }
        }
    }

    @Test(
        "The process is killed at each call that writes or takes a lock, and the others go on",
        arguments: ["edit", "checkpoints"], ["before", "after"])
    func kills(work: String, mode: String) throws {
        for kind in ["write", "sync", "lock", "hole"] {
            let every = Soak.isEnabled ? 1 : work == "edit" ? 4 : 32
            try Self.check(["kills"], work, [kind, mode, "\(every)"], mayBeNone: true)
        }
    }

    @Test("LMDB gets no memory, once or from then on", arguments: works)
    func memory(work: String) throws {
        for mode in ["once", "forever"] {
            try Self.check(["calls"], work, ["memory", mode])
        }
    }

    @Test(
        "The disk is full, whatever room it has",
        .enabled(if: MountedDisk.isPossible, "this process may not mount a disk"),
        arguments: works)
    func fullDisk(work: String) throws {
        let disk = try MountedDisk(megabytes: 1)
        try Self.check(["full"], work, folder: disk.path + "/stores")
    }

    @Test(
        "The folder may not be written", .enabled(if: geteuid() == 0, "only root can become another user"),
        arguments: works)
    func forbidden(work: String) throws {
        // The folders above must be readable for everybody.
        let folder = try TemporaryFolder.inMemory()
        try Self.check(["forbidden"], work, folder: folder.path)
    }

    @Test("The file is cut off while it is open", arguments: ["edit", "recover", "checkpoints"])
    func shortened(work: String) throws {
        try Self.check(["short"], work)
    }

    @Test("A file that is cut off ends the process if nothing looks at its length: the test above can fail")
    func shortenedAndTrusted() throws {
        let outcome = try Self.run(["short"], "edit", ["unchecked"])
        #expect(outcome.problems.count > 3 && outcome.problems.allSatisfy { $0.contains("ended with -7") })
    }

    @Test("Is noticed if calls say that they succeeded and did nothing: the tests above can fail", arguments: ["write"])
    func lies(kind: String) throws {
        let outcome = try Self.run(["calls"], "edit", [kind, "lie"])
        #expect(outcome.problems.count > 3, "seed \(outcome.seed): \(outcome.problems)")
    }

    @Test("Is noticed if the process ends: the tests above can fail", arguments: [("memory", 3), ("sync", 1)])
    func ends(kind: String, every: Int) throws {
        let outcome = try Self.run(["calls"], "edit", [kind, "end", "\(every)"])
        #expect(outcome.problems.count > 3 && outcome.problems.allSatisfy { $0.contains("ended with -6") })
    }

    /// What the helper has found.
    private struct Outcome {
        var seed: UInt64
        var problems: [String]
        var trials: Int
        var throwing: Int
        var acknowledged: Int
    }

    /// Runs trials, and expects no problems.
    private static func check(
        _ command: [String], _ work: String, _ arguments: [String] = [], folder: String? = nil, mayBeNone: Bool = false
    ) throws {
        let outcome = try run(command, work, arguments, folder: folder)
        let what: Comment = "seed \(outcome.seed): \(command + [work] + arguments)"
        #expect(outcome.problems.isEmpty, "\(what): \(outcome.problems.prefix(8).joined(separator: "\n"))")
        #expect(mayBeNone || outcome.throwing > 0, "\(what): nothing failed")
        #expect(outcome.trials > 0, what)
    }

    private static func run(
        _ command: [String], _ work: String, _ arguments: [String] = [], folder: String? = nil
    ) throws -> Outcome {
        let own = try TemporaryFolder.inMemory()
        let path = folder ?? own.path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let seed = Soak.seed
        let child = try ChildProcess("FaultyWriter", command + [path, "\(seed)", work] + arguments)
        let (code, output) = child.finish()
        var lines = output.split(separator: "\n").map(String.init)
        let last = lines.popLast() ?? ""
        let numbers = last.split { !$0.isNumber }.compactMap { Int($0) }
        guard code == 0, numbers.count == 3 else {
            return Outcome(
                seed: seed, problems: lines + [last, "code \(code)"], trials: 0, throwing: 0, acknowledged: 0)
        }
        return Outcome(
            seed: seed, problems: lines, trials: numbers[0], throwing: numbers[1], acknowledged: numbers[2])
    }
}
#endif
