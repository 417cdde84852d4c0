// Tests what threads and processes do to each other, in hundreds of orders that seeds decide.
//
// `ScheduledWriter` runs processes whose threads run one at a time; a seed decides who runs next at each call that locks,
// waits, or uses a file, and which processes are killed or stopped.

#if os(Linux)
import Foundation
import TestSupport
import Testing

@Suite("Schedules of threads and processes")
struct ScheduleTests {
    @Test("Threads edit, read, checkpoint and close one store: nothing acknowledged is lost, none waits for ever")
    func threads() throws { try Self.check("threads", 150) }

    @Test("Threads make deferred and immediate commits while timers ring: none waits for ever")
    func waiting() throws { try Self.check("waiting", 250) }

    @Test("Processes create, open and close one store at once, some are killed: nothing acknowledged is lost")
    func opening() throws { try Self.check("opening", 120) }

    @Test("Processes open, edit, compact and close one store, some are killed or stopped: nothing acknowledged is lost")
    func processes() throws { try Self.check("processes", 120) }

    @Test("Processes have one store open at once and edit the same rows: all show one order and one hash in the end")
    func neighbours() throws { try Self.check("neighbours", 150) }

    @Test(
        "A seed leads to the same order of calls and the same result each time", arguments: ["threads", "neighbours"])
    func repetition(work: String) throws { try Self.check(work, 20, ["twice"]) }

    @Test(
        "Too early acknowledgements, writers that do not look, ignored locks are noticed: the tests above can fail",
        arguments: [
            ("threads", "early"), ("neighbours", "early"), ("neighbours", "blind"), ("processes", "unlocked"),
            ("opening", "unlocked"),
        ])
    func control(work: String, fault: String) throws { try Self.find("", work, [fault]) }

    @Test("A wake-up that gets lost is noticed as a deadlock")
    func lostWakeUps() throws { try Self.find("deadlock", "threads", ["deaf", "unkilled"]) }

    @Test("The scheduler finds an addition without a lock, and locks in two orders; with a lock it finds nothing")
    func scheduler() throws {
        let race = try Self.run("race", 200, ["twice"])
        #expect(race.wrong > 0 && race.wrong < 200, "seed \(race.seed): \(race.summary)")
        #expect(!race.problems.contains { $0.contains("second time") }, "seed \(race.seed): \(race.problems)")
        let deadlock = try Self.run("deadlock", 200)
        #expect(deadlock.problems.contains { $0.contains("deadlock") }, "seed \(deadlock.seed): \(deadlock.summary)")
        try Self.check("lockedRace", 50, isEmpty: true)
    }

    /// What the helper has found.
    private struct Outcome {
        var seed: UInt64
        var problems: [String]
        var wrong = 0
        var acknowledged = 0
        var summary = ""
    }

    /// Runs schedules, and expects no problems.
    private static func check(_ work: String, _ count: Int, _ flags: [String] = [], isEmpty: Bool = false) throws {
        let outcome = try run(work, count, flags)
        let wrong = outcome.problems.filter { $0.hasPrefix("wrong ") }
        #expect(
            wrong.isEmpty && outcome.wrong == 0,
            "ScheduledWriter repeats the number after wrong:\n\(wrong.prefix(8).joined(separator: "\n"))")
        #expect(isEmpty || outcome.acknowledged > count, "\(outcome.summary)")
        Soak.count(count)
    }

    /// Runs schedules of a control until one of them has a problem that contains a text.
    private static func find(_ text: String, _ work: String, _ flags: [String]) throws {
        var last = ""
        let seed = Soak.seed
        for round in 0..<40 as Range<UInt64> {
            let outcome = try run(work, 50, flags, seed: seed &+ 50 &* round)
            if outcome.problems.contains(where: { $0.hasPrefix("wrong ") && ($0.contains(text) || text.isEmpty) }) {
                return
            }
            last = "seed \(outcome.seed): \(outcome.summary)"
        }
        Issue.record("nothing was found in 2,000 schedules, so nothing would be noticed; \(last)")
    }

    private static func run(
        _ work: String, _ count: Int, _ flags: [String] = [], seed: UInt64 = Soak.seed
    ) throws -> Outcome {
        let folder = try TemporaryFolder.inMemory()
        let child = try ChildProcess("ScheduledWriter", [work, folder.path, "\(seed)", "\(count)"] + flags)
        let (code, output) = child.finish()
        var lines = output.split(separator: "\n").map(String.init)
        let summary = lines.popLast() ?? ""
        let numbers = summary.split { !$0.isNumber }.compactMap { Int($0) }
        guard code == 0, numbers.count == 5 else {
            return Outcome(seed: seed, problems: lines + [summary, "wrong \(seed) code \(code)"], wrong: 1)
        }
        return Outcome(
            seed: seed, problems: lines, wrong: numbers[1], acknowledged: numbers[3], summary: summary)
    }
}
#endif
