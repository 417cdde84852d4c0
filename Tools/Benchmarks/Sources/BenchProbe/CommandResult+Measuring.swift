// Measures a program: when it begins to print, and the most memory that it has.
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
    /// Runs a program to its end, with a terminal for its errors, on which a long command shows its progress.
    ///
    /// - Throws: ``WrongResult`` if it does not start, or fails.
    init(measuring program: String, _ arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw WrongResult(what: "a pipe") }
        var (terminal, errors): (Int32, Int32) = (-1, -1)
        guard openpty(&terminal, &errors, nil, nil, nil) == 0 else { throw WrongResult(what: "a terminal") }
        let start = MonotonicClock.now
        let process = try Self.spawn(program, arguments, output: ends[1], errors: errors)
        close(ends[1])
        defer { for file in [ends[0], errors, terminal] { close(file) } }
        var files = [ends[0], terminal].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var firstByte: Double?
        while files[0].fd >= 0 {
            guard poll(&files, 2, -1) > 0 else { continue }
            for index in 0..<2 where files[index].revents != 0 {
                let count = read(files[index].fd, &bytes, bytes.count)
                if count > 0 { firstByte = firstByte ?? (MonotonicClock.now - start) }
                // Its output has ended.
                if count <= 0 { files[index].fd = -1 }
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
