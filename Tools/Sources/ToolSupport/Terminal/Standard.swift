// Standard output and standard error.
//
// Always holds: bytes are written completely and in order; a failed write is an error, not a signal.

import Foundation

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
        let bytes = ContiguousArray(bytes)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                // SAFETY: `written` is less than the number of bytes.
                Foundation.write(descriptor, raw.baseAddress! + written, raw.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                let reason = errno == EPIPE ? "" : "the output cannot be written: \(String(cString: strerror(errno)))"
                throw ToolError(.inputOutput, reason)
            }
        }
    }

    /// Writes text.
    public func write(_ text: String) throws { try write(text.utf8) }

    /// Writes text whose loss would not matter.
    public func tryWrite(_ text: String) { try? write(text) }
}
