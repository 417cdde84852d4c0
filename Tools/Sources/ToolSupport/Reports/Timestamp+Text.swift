// The time of a commit as text.
//
// Always holds: the text names the moment to the microsecond.

import ListModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Timestamp {
    /// The time in ISO 8601, in UTC, to the microsecond.
    public var text: String {
        let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let borrowed: Int64 = rest < 0 ? 1 : 0
        let date = Date(timeIntervalSince1970: Double(seconds - borrowed))
        let fraction = String(rest + borrowed * 1_000_000)
        let zeros = String(repeating: "0", count: 6 - fraction.count)
        return "\(date.formatted(.iso8601).dropLast()).\(zeros)\(fraction)Z"
    }
}
