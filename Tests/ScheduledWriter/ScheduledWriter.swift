// Works on stores in many processes and threads, in orders that seeds decide.
//
//     ScheduledWriter WORK FOLDER SEED COUNT [twice] [trace] [early] [blind] [deaf] [unlocked] [unkilled]
//
// Runs the schedules of COUNT seeds, from SEED on. After each one it opens what is left, and compares it with what was
// acknowledged. Prints `wrong SEED …` for each problem, with the calls that led to it, and at the end how many schedules
// there were, how many of them were wrong, and the sums of calls, acknowledgements and kills.
//
// - `twice` runs each schedule twice, and compares the order of the calls;
// - `trace` prints all calls;
// - controls, of which each must lead to problems: `early` acknowledges commits that are not durable, `blind` does not
//   look whether other processes have written, `deaf` loses signals of conditions, `unlocked` ignores locks that
//   processes share;
// - `unkilled` kills and stops no process.
//
// Always holds: the helper has one thread, so that it can fork; everything else happens in forks.

import Listory
import Scheduler
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@main
enum ScheduledWriter {
    static func main() {
        schedule_settle(CommandLine.unsafeArgv)
        let arguments = CommandLine.arguments
        guard arguments.count > 4, let work = Work(rawValue: arguments[1]), let seed = UInt64(arguments[3]),
            let count = Int(arguments[4])
        else { exit(64) }
        var trials = Trials(work, folder: arguments[2], flags: Set(arguments[5...]))
        for number in 0..<UInt64(count) { trials.run(seed &+ number) }
        trials.report()
    }
}

/// Schedules of one kind of work.
struct Trials {
    private let work: Work
    private let folder: String
    private let flags: Set<String>
    private let world = schedule_create()!
    /// The store before the work; nil if there is none.
    private var file: [UInt8]?
    private var sums = [0, 0, 0, 0, 0]

    init(_ work: Work, folder: String, flags: Set<String>) {
        (self.work, self.folder, self.flags) = (work, folder, flags)
        Files.empty(folder)
        let path = path
        // Beside many other tests, it may take long.
        let code = inFork(seconds: 180) { work.prepare(path) }
        guard code == 0 else {
            print("the preparation failed: \(code)")
            exit(1)
        }
        file = Files.contents(path)
    }

    private var path: String { folder + "/list" }

    mutating func run(_ seed: UInt64) {
        let (ending, acknowledged) = runOnce(seed)
        sums[0] += 1
        sums[2] += Int(schedule_steps(world))
        sums[3] += acknowledged
        sums[4] += Int(schedule_kills(world))
        var problems = ending
        if flags.contains("twice") {
            let hash = schedule_hash(world)
            let again = runOnce(seed).problems
            if schedule_hash(world) != hash { problems.append("another order of calls the second time") }
            if again != ending { problems.append("another result the second time: \(again)") }
        }
        if flags.contains("trace") { schedule_print(world, 1 << 17) }
        if problems.isEmpty { return }
        sums[1] += 1
        for problem in problems { print("wrong \(seed) \(problem)") }
        fflush(nil)
    }

    func report() {
        print("\(sums[0]) schedules, \(sums[1]) wrong, \(sums[2]) calls, \(sums[3]) acknowledged, \(sums[4]) kills")
    }

    /// Runs a schedule, and returns its problems and the number of acknowledgements.
    private func runOnce(_ seed: UInt64) -> (problems: [String], acknowledged: Int) {
        Files.empty(folder)
        if let file { Files.write(file, path) }
        let session = Session(work, path: path, seed: seed, flags: flags)
        var options = session.options
        options.keeps_trace = flags.contains("trace") ? 1 : 0
        let ending = withUnsafeMutablePointer(to: &options) { options in
            schedule_run(
                world, options,
                { context, process in
                    Unmanaged<Session>.fromOpaque(context!).takeUnretainedValue().run(Int(process))
                }, Unmanaged.passUnretained(session).toOpaque())
        }
        var problems = lines()
        if ending != schedule_completed && problems.isEmpty { problems = ["ended with \(ending.rawValue)"] }
        var count = 0
        let notes = schedule_notes(world, &count)!
        let found = UnsafeBufferPointer(start: notes, count: count)
        if problems.isEmpty { problems = check(session, Array(found)) }
        return (problems, found.count { $0.kind == Note.acknowledged.rawValue })
    }

    private func lines() -> [String] {
        String(cString: schedule_text(world)).split(separator: "\n").map(String.init)
    }

    /// Compares what is left with what was written down.
    private func check(_ session: Session, _ notes: [schedule_note]) -> [String] {
        let report = path + "-report"
        // Beside many other tests, it may take long.
        let code = inFork(seconds: 180) {
            var check = Check(session, notes)
            check.run()
            Files.write(Array(check.problems.joined(separator: "\n").utf8), report)
            return 0
        }
        if code != 0 { return ["checking what is left ended with \(code)"] }
        return String(decoding: Files.contents(report) ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// Files, without the buffers and threads of a larger library.
enum Files {
    static func contents(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
        return bytes
    }

    static func write(_ bytes: [UInt8], _ path: String) {
        guard let file = fopen(path, "w"), fwrite(bytes, 1, bytes.count, file) == bytes.count, fclose(file) == 0 else {
            print("\(path) cannot be written")
            exit(1)
        }
    }

    /// Removes all files of a folder.
    static func empty(_ path: String) {
        guard let folder = opendir(path) else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { unlink("\(path)/\(name)") }
        }
    }
}
