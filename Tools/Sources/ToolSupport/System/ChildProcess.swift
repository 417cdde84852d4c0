// Runs other programs.
//
// Always holds: a program has the three standard streams that it was given, and no other file of this process; a broken pipe ends it, as
// in a shell.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A program that was started.
struct ChildProcess {
    /// How it ended.
    enum Ending: Equatable {
        /// With an exit code.
        case exit(Int32)
        /// By a signal.
        case signal(Int32)
    }

    private let identifier: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program, a path or a name in the folders of PATH, and its arguments.
    ///   - variables: variables of its environment, beside those of this process.
    ///   - input: its standard input; that of this process by default, as for the others.
    /// - Throws: ``SystemError`` if it cannot be started.
    init(
        _ command: [String], variables: [String: String] = [:], input: Int32 = STDIN_FILENO,
        output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO
    ) throws(SystemError) {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (stream, number) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
            posix_spawn_file_actions_adddup2(&actions, stream, number)
        }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The tool ignores broken pipes. A program that inherited that would go on writing when nobody reads any more.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        var words = command.map { strdup($0) } + [nil]
        var settings = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var identifier: pid_t = 0
        let error = posix_spawnp(&identifier, command[0], &actions, &attributes, &words, &settings)
        if error != 0 { throw SystemError(error) }
        self.identifier = identifier
    }

    /// Ends it at once.
    func kill() { sendSignal(identifier, SIGKILL) }

    /// Waits until it has ended.
    func wait() -> Ending {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
    }
}

// The name of the function is that of a member above.
private func sendSignal(_ process: pid_t, _ signal: Int32) { kill(process, signal) }
