// Measures a program: when it begins to print, and the most memory that it has. Its errors and its progress go to a terminal,
// as they do when somebody has typed the command.
//
// Always holds: what it prints is read to the end, so it never waits for its reader.

import ProbeSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension CommandResult {
    /// Runs a program to its end.
    ///
    /// - Throws: ``WrongResult`` if it does not start, or fails.
    init(measuring program: String, _ arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw WrongResult(what: "a pipe") }
        let terminal = posix_openpt(O_RDWR | O_NOCTTY)
        guard terminal >= 0, grantpt(terminal) == 0, unlockpt(terminal) == 0, let name = ptsname(terminal) else {
            throw WrongResult(what: "a terminal")
        }
        let errors = open(name, O_RDWR | O_NOCTTY)
        guard errors >= 0 else { throw WrongResult(what: "a terminal") }
        let start = MonotonicClock.now
        let process = try Self.spawn(program, arguments, output: ends[1], errors: errors)
        for end in [ends[1], errors] { close(end) }
        defer { for end in [ends[0], terminal] { close(end) } }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var firstByte: Double?
        // The terminal first: its end is no error, and does not come before that of the output.
        var sources = [terminal, ends[0]].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while sources[1].fd >= 0 {
            poll(&sources, nfds_t(sources.count), -1)
            for index in sources.indices where sources[index].fd >= 0 && sources[index].revents != 0 {
                if read(sources[index].fd, &bytes, bytes.count) > 0 {
                    firstByte = firstByte ?? (MonotonicClock.now - start)
                } else {
                    sources[index].fd = -1
                }
            }
        }
        let duration = MonotonicClock.now - start
        var (status, usage): (Int32, rusage) = (0, rusage())
        guard wait4(process, &status, 0, &usage) == process, status == 0 else {
            throw WrongResult(what: ([program] + arguments).joined(separator: " "))
        }
        #if canImport(Darwin)
        let peakBytes = usage.ru_maxrss
        #else
        let peakBytes = usage.ru_maxrss * 1_024
        #endif
        self.init(firstByte: firstByte ?? duration, duration: duration, peakBytes: peakBytes)
    }

    private static func spawn(
        _ program: String, _ arguments: [String], output: Int32, errors: Int32
    ) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        guard posix_spawn(&process, program, &actions, nil, &words, environ) == 0 else {
            throw WrongResult(what: program)
        }
        return process
    }
}
