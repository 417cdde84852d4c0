// Works on stores while calls of the system fail, for the tests of errors of the disk and of memory.
//
//     FaultyWriter calls FOLDER SEED WORK KIND MODE [EVERY]     each call of a kind fails, one after the other
//     FaultyWriter beside FOLDER SEED WORK KIND MODE [EVERY]    the same beside another process, which must hear of each commit
//     FaultyWriter kills FOLDER SEED WORK KIND MODE [EVERY]     the process is killed at each call of a kind, beside others
//     FaultyWriter full FOLDER SEED WORK                        FOLDER is on a small disk, which has less and less room
//     FaultyWriter forbidden FOLDER SEED WORK                   the folder may not be written
//     FaultyWriter short FOLDER SEED WORK [unchecked]           the file is made shorter while it is open
//     FaultyWriter shutdown FOLDER                              ends the file system, as a power cut would
//
// Each trial is a fork that works, with faults, and another one that opens what is left, without any. The helper prints a
// line for each problem: a signal, an error without a type, a commit that was acknowledged and is lost, one that was
// discarded and came back, a file that cannot be opened or verified. The last line says how many trials there were, and in
// how many of them something was thrown. `EVERY` tries only one call out of so many, at random.
//
// Always holds: the helper has one thread, so that it can fork; everything else happens in forks.

import FaultInjector
import ListModel
import Listory
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@main
enum FaultyWriter {
    static func main() {
        let arguments = CommandLine.arguments
        if arguments[1] == "shutdown" { exit(file_system_shutdown(arguments[2])) }
        var trials = Trials(folder: arguments[2], seed: UInt64(arguments[3])!, work: Work(rawValue: arguments[4])!)
        let every = arguments.count > 7 ? Int(arguments[7])! : 1
        switch arguments[1] {
        case "calls": trials.failCalls(kinds[arguments[5]]!, modes[arguments[6]]!, every: every)
        case "beside": trials.failBeside(kinds[arguments[5]]!, modes[arguments[6]]!, every: every)
        case "kills": trials.kill(kinds[arguments[5]]!, modes[arguments[6]]!, every: every)
        case "full": trials.fillDisk()
        case "forbidden": trials.forbid()
        case "short": trials.shorten(isChecked: !arguments.contains("unchecked"))
        default: exit(64)
        }
        print("\(trials.count) trials, \(trials.throwing) with errors, \(trials.acknowledged) acknowledged")
    }

    static let kinds: [String: fault_kind] = [
        "write": fault_write, "sync": fault_sync, "read": fault_read, "truncate": fault_truncate, "map": fault_map,
        "open": fault_open, "rename": fault_rename, "remove": fault_remove, "memory": fault_memory,
        "lock": fault_lock, "hole": fault_hole,
    ]
    static let modes: [String: fault_mode] = [
        "once": fault_once, "forever": fault_for_ever, "half": fault_half, "torn": fault_torn, "lie": fault_lie,
        "end": fault_end, "before": fault_kill, "after": fault_kill_after,
    ]
}

/// The trials of one kind of fault and one kind of work.
struct Trials {
    private let folder: String
    private let work: Work
    private let seed: UInt64
    private var generator: SeededGenerator
    /// The files before the work.
    private var files: [(name: String, bytes: [UInt8])] = []
    private let report = fault_report_create()!
    private(set) var count = 0
    private(set) var throwing = 0
    private(set) var acknowledged = 0

    init(folder: String, seed: UInt64, work: Work) {
        (self.folder, self.seed, self.work) = (folder, seed, work)
        generator = SeededGenerator(seed: seed)
        empty()
        let session = Session(folder, report, seed)
        let status = inFork { session.run { try work.prepare(session) } }
        guard status == 0 else {
            print("the preparation ended with \(status): \(lines())")
            exit(1)
        }
        files = names().filter { !$0.hasSuffix("-lock") }.map { ($0, contents("\(folder)/\($0)")) }
    }

    // MARK: - Kinds of trials

    mutating func failCalls(_ kind: fault_kind, _ mode: fault_mode, every: Int) {
        var number = 1 + generator.below(every)
        while true {
            reset()
            var session = Session(folder, report, seed)
            session.isPassing = kind == fault_sync && mode == fault_once
            let (folder, report, work) = (folder, report, work)
            let status = inFork {
                faults_begin(report, folder, kind, mode, number)
                return session.run { try work.run(session) }
            }
            if report.pointee.failed == 0 { return check(status, "no fault") }
            check(status, "call \(number)")
            number += 1 + generator.below(2 * every - 1)
        }
    }

    /// Kills the process at each call, while another one has the store open. Then a third one opens it, and both edit.
    mutating func kill(_ kind: fault_kind, _ mode: fault_mode, every: Int) {
        besideAnother(kind, mode, every: every, expecting: -SIGKILL) { trials, session, other in
            let third = inFork { session.run { try trials.work.stay(session) { _ in } } }
            if third != 0 { trials.problem("the third ended with \(third)") }
            other()
        }
    }

    /// Lets each call of a process fail, while another one has the store open, which must be told of every commit.
    mutating func failBeside(_ kind: fault_kind, _ mode: fault_mode, every: Int) {
        besideAnother(kind, mode, every: every, expecting: 0) { _, _, other in other() }
    }

    /// Lets a call fail, the first one, then the second, …, while another process has the store open.
    ///
    /// - Parameters:
    ///   - status: how the process ends whose call fails.
    ///   - then: is called when it has ended; calls its last argument to let the other one go on.
    private mutating func besideAnother(
        _ kind: fault_kind, _ mode: fault_mode, every: Int, expecting status: Int32,
        _ then: (Trials, Session, () -> Void) -> Void
    ) {
        var number = 1 + generator.below(every)
        while true {
            reset()
            let session = Session(folder, report, seed)
            let (folder, report, work, trials) = (folder, report, work, self)
            let (ready, proceed) = (pair(), pair())
            let other = startFork(seconds: 60) {
                close(proceed.write)
                return session.run {
                    try work.stay(session) { store in
                        close(ready.write)
                        _ = trials.waitForByte(proceed.read)
                        // A process that was killed has perhaps told nobody.
                        if status == 0 { try trials.waitForAll(store, session) }
                    }
                }
            }
            close(ready.write)
            _ = waitForByte(ready.read)
            let found = inFork {
                faults_begin(report, folder, kind, mode, number)
                return session.run { try work.run(session) }
            }
            let threwFirst = lines().count { $0.hasPrefix("threw") }
            then(self, session) { close(proceed.write) }
            let second = waitForFork(other)
            for descriptor in [ready.read, proceed.read] { close(descriptor) }
            let isLast = report.pointee.failed == 0
            let threw = lines().filter { $0.hasPrefix("threw") }.dropFirst(status == 0 ? threwFirst : 0)
            if found != (isLast ? 0 : status) || second != 0 || !threw.isEmpty {
                problem("call \(number): ended with \(found), the other with \(second): \(threw)")
            }
            check(0, "call \(number)")
            if isLast { return }
            number += 1 + generator.below(2 * every - 1)
        }
    }

    /// Waits until a store shows all commits that were acknowledged to another process.
    private func waitForAll(_ store: UntypedStore, _ session: Session) throws {
        let newest = lines().compactMap(Acknowledged.init).map(\.version).max() ?? .empty
        for _ in 0..<2_000 where try store.version < newest { usleep(1_000) }
        if try store.version < newest { session.wrong("version \(newest) is not shown to another process") }
    }

    private func pair() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { exit(1) }
        return (ends[0], ends[1])
    }

    /// Waits until the other end of a pipe is closed.
    private func waitForByte(_ descriptor: Int32) -> Int {
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1)
    }

    /// Lets the disk have room for no page, for one, for two, … until the work fits.
    mutating func fillDisk() {
        var room = 0
        while true {
            reset()
            let filler = fill(leaving: room)
            let session = Session(folder, report, seed)
            let status = inFork { session.run { try work.run(session) } }
            let isDone = !lines().contains { $0.hasPrefix("threw") }
            // Also while the disk is still full, opening does not end the process.
            let full = Session(folder, report, seed)
            let second = inFork { full.run { try work.reopen(full) } }
            if second != 0 { problem("room for \(room) pages: opened on the full disk, ended with \(second)") }
            unlink(filler)
            check(status, "room for \(room) pages")
            if isDone || room > 256 { return }
            room += 1
        }
    }

    /// Lets the work run as a user who may not write the folder, or only the files in it.
    mutating func forbid() {
        guard geteuid() == 0 else { return }
        for (folderMode, fileMode) in [(0o555, 0o444), (0o555, 0o666), (0o777, 0o444)] as [(mode_t, mode_t)] {
            reset()
            for name in names() { chmod("\(folder)/\(name)", fileMode) }
            chmod(folder, folderMode)
            let before = names().map { ($0, contents("\(folder)/\($0)")) }
            defer { chmod(folder, 0o755) }
            let session = Session(folder, report, seed)
            let status = inFork {
                guard setuid(65_534) == 0 else { return 9 }
                return session.run { try work.run(session) }
            }
            let after = names().map { ($0, contents("\(folder)/\($0)")) }
            // A file in a folder that may be written can be replaced.
            if folderMode == 0o555, !before.elementsEqual(after, by: { $0 == $1 }) {
                problem("a folder that may not be written was changed")
            }
            check(status, "mode \(String(folderMode, radix: 8)), files \(String(fileMode, radix: 8))")
        }
    }

    /// Cuts the file off at several lengths, while it is open.
    ///
    /// - Parameter isChecked: whether pages are checked before they are used.
    mutating func shorten(isChecked: Bool) {
        let size = files.first { $0.name == Work.name }?.bytes.count ?? 0
        for part in 0...12 {
            reset()
            let session = Session(folder, report, seed)
            let length = part == 12 ? size - 1 : size * part / 12
            let status = inFork { session.run { try work.shorten(session, to: length, isChecked: isChecked) } }
            count += 1
            if status != 0 || lines().contains(where: { $0.hasPrefix("untyped") || $0.hasPrefix("wrong") }) {
                problem("cut off at \(length) of \(size): ended with \(status): \(lines())")
            }
            if lines().contains(where: { $0.hasPrefix("threw") }) { throwing += 1 }
        }
    }

    // MARK: - Checking

    /// Checks what the work has left.
    private mutating func check(_ status: Int32, _ where: String) {
        count += 1
        let found = lines()
        if status != 0 { problem("\(`where`): the work ended with \(status): \(found.suffix(4))") }
        if found.contains(where: { $0.hasPrefix("threw") }) { throwing += 1 }
        for line in found where line.hasPrefix("untyped") || line.hasPrefix("wrong") { problem("\(`where`): \(line)") }
        let acknowledgements = found.compactMap(Acknowledged.init)
        acknowledged += acknowledgements.count
        fault_report_clear(report)
        let session = Session(folder, report, seed)
        let (work, others) = (work, acknowledgements)
        let second = inFork(seconds: 60) { session.run { try work.check(session, others) } }
        if second != 0 || !lines().isEmpty {
            problem("\(`where`): \(lines()), ended with \(second); before: \(found.joined(separator: "; "))")
        }
    }

    private func problem(_ text: String) {
        print(text)
        fflush(nil)
    }

    private func lines() -> [String] {
        let text = UnsafeRawBufferPointer(start: fault_report_text(report), count: report.pointee.length)
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    // MARK: - Files

    private func reset() {
        empty()
        for file in files { write(file.bytes, "\(folder)/\(file.name)") }
        fault_report_clear(report)
    }

    private func names() -> [String] {
        guard let folder = opendir(folder) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private func empty() { for name in names() { unlink("\(folder)/\(name)") } }

    private func contents(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
        return bytes
    }

    private func write(_ bytes: [UInt8], _ path: String) {
        guard let file = fopen(path, "w"), fwrite(bytes, 1, bytes.count, file) == bytes.count, fclose(file) == 0 else {
            print("\(path) cannot be written")
            exit(1)
        }
    }

    /// Fills the disk but for some pages, and returns the path of the file that does it.
    private func fill(leaving pages: Int) -> String {
        let path = "\(folder)/../filler"
        unlink(path)
        guard let file = fopen(path, "w") else { exit(1) }
        setvbuf(file, nil, _IONBF, 0)
        let zeros = [UInt8](repeating: 0, count: 4_096)
        var count = 0
        while fwrite(zeros, 1, zeros.count, file) == zeros.count { count += 1 }
        ftruncate(fileno(file), off_t(max(0, count - pages) * 4_096))
        fclose(file)
        return path
    }
}
