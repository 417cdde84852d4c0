// The time of a commit. The order in a log never depends on it, because clocks go backwards.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A moment in microseconds since 1970-01-01 00:00 UTC.
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

extension Timestamp {
    /// The moment of a date; the earliest or latest one if it is beyond them.
    public init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1e6).rounded()
        self.init(microseconds: Int64(exactly: microseconds) ?? (microseconds > 0 ? .max : .min))
    }

    /// The moment as a date.
    public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1e6) }
}

extension Timestamp: CustomStringConvertible {
    /// The date and time in UTC to the second: `2026-11-23T05:40:41Z`.
    public var description: String {
        // Of the years before 1 and after 9999, which ISO 8601 does not have, the number.
        let years = -62_135_596_800_000_000..<253_402_300_800_000_000 as Range<Int64>
        return years.contains(microseconds) ? date.formatted(.iso8601) : "\(microseconds) µs"
    }
}
