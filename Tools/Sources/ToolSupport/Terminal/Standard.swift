// Standard output and standard error.
//
// Always holds: bytes are written completely and in order; a failed write is an error, not a signal.

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An output of the process.
public struct Standard: Sendable {
    private let descriptor: Int32

    /// For results.
    public static let output = Standard(descriptor: STDOUT_FILENO)
    /// For diagnostics and progress.
    public static let error = Standard(descriptor: STDERR_FILENO)

    /// Whether somebody sees it.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The style of results.
    public static func style(_ choice: TerminalStyle.Choice = .auto) -> TerminalStyle {
        TerminalStyle(choice, descriptor: STDOUT_FILENO)
    }

    /// A write to a closed pipe then fails instead of ending the process.
    public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Writes bytes.
    ///
    /// - Throws: ``ToolError``. If the reader has closed the pipe, the error has no text.
    public func write(_ bytes: some Collection<UInt8>) throws {
        do throws(SystemError) { try OpenFile.write(bytes, to: descriptor) } catch {
            throw ToolError(.inputOutput, error.saysBrokenPipe ? "" : "the output cannot be written: \(error)")
        }
    }

    /// Checks, without writing, that somebody reads what is written. A search that seldom finds something would otherwise go on when
    /// nobody waits for it any more: the user has left the pager, or interrupted it.
    ///
    /// - Throws: a ``ToolError`` without a text if the reader has closed the pipe, as writing does.
    public func checkReader() throws {
        var output = pollfd(fd: descriptor, events: 0, revents: 0)
        // Linux reports the closed pipe as an error, Darwin as a hangup.
        if poll(&output, 1, 0) > 0, output.revents & Int16(POLLERR | POLLHUP) != 0 { throw ToolError(.inputOutput, "") }
    }

    /// Writes text.
    public func write(_ text: String) throws { try write(text.utf8) }

    /// Writes text whose loss would not matter.
    public func tryWrite(_ text: String) { try? write(text) }
}
