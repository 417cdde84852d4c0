// Shows a long result a screen at a time.
//
// Always holds: without a terminal, or without a pager, the result goes to standard output; when `run` returns, the pager has
// ended, and standard output is what it was.

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

/// The program that pages.
public enum Pager {
    /// The command of the environment, or `less`; nil if there is none, or if it is empty.
    static func command(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        if let chosen = environment["PAGER"] { return chosen.isEmpty ? nil : chosen }
        let folders = environment["PATH", default: ""].split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/less") } ? "less" : nil
    }

    /// Calls `body`, whose output goes to the pager if standard output is a terminal.
    ///
    /// An interrupt is for the pager. So a `body` that may write nothing for long calls ``Standard/checkReader()`` now and then.
    ///
    /// - Throws: what `body` throws, but not that the pager has ended before it.
    public static func run(_ body: () throws -> Void) throws {
        guard Standard.output.isTerminal, let command = command() else { return try body() }
        // If the result fits the screen, less ends at once and leaves it there; it shows colours.
        setenv("LESS", "FRX", 0)
        guard let pipe = popen(command, "w") else { return try body() }
        let terminal = dup(STDOUT_FILENO)
        dup2(fileno(pipe), STDOUT_FILENO)
        // The terminal sends an interrupt to both. It is for the pager.
        let interrupt = signal(SIGINT, SIG_IGN)
        defer {
            dup2(terminal, STDOUT_FILENO)
            close(terminal)
            pclose(pipe)
            signal(SIGINT, interrupt)
        }
        do { try body() } catch let error as ToolError where error.isBrokenPipe {}
    }
}
