// The time and memory of a program that somebody starts on a command line.

/// A program was started, and it succeeded.
public struct CommandResult: Codable, Sendable {
    /// The seconds from starting the process until it printed its first byte, which may be its
    /// progress on a terminal, or ended without that.
    public let firstByte: Double
    /// The seconds from starting the process until it ended its output.
    public let duration: Double
    /// The most memory that it had at any time, with what it shares with other processes. A process that starts another one
    /// lends it its own memory for a moment, so this is never less than what the measuring process has.
    public let peakBytes: Int

    public init(firstByte: Double, duration: Double, peakBytes: Int) {
        self.firstByte = firstByte
        self.duration = duration
        self.peakBytes = peakBytes
    }
}
