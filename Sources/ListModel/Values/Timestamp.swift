// The time of a commit. Always holds: a timestamp never changes, and the order of commits never depends on it.

/// A moment in microseconds since 1970-01-01 00:00 UTC.
///
/// The order in a log never depends on it, because clocks go backwards.
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
