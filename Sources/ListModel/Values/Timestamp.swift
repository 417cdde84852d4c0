// When a commit was made. Always holds: a timestamp is frozen into its commit and never consulted for order.

/// A moment in microseconds since 1970-01-01 00:00 UTC.
///
/// Order in a log never depends on it: clocks go backwards.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01 00:00 UTC.
    public let microseconds: Int64

    /// The moment that many microseconds after 1970-01-01 00:00 UTC.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}
