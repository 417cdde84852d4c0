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
    /// Runs a program to its end.
    ///
    /// - Throws: ``WrongResult`` if it does not start, or fails.
    init(measuring program: String, _ arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw WrongResult(what: "a pipe") }
        let start = MonotonicClock.now
        let process = try Self.spawn(program, arguments, output: ends[1])
        close(ends[1])
        defer { close(ends[0]) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var firstByte: Double?
        while read(ends[0], &bytes, bytes.count) > 0 { firstByte = firstByte ?? (MonotonicClock.now - start) }
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

    private static func spawn(_ program: String, _ arguments: [String], output: Int32) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        guard posix_spawn(&process, program, &actions, nil, &words, environ) == 0 else {
            throw WrongResult(what: program)
        }
        return process
    }
}
