// How far `earlier` and `later` go, in the syntax of Vim's commands of these names: `5`, `30s`, `5m`, `2h`, `1d`.
//
// Always holds: it is at least one step, or a time above zero.

/// A number of steps, or a length of time.
public enum HistoryDistance: Hashable, Sendable {
    /// A number of steps.
    case steps(Int)
    /// A time.
    case time(Duration)

    /// The expected form, for error messages.
    static let expected = "a number of steps like 5 or a time like 30s, 5m, 2h or 1d"

    /// Parses a distance; nil if the text is not one.
    public init?(_ text: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last else { return nil }
        let digits = units[unit] == nil ? text[...] : text.dropLast()
        // `Int` would accept a sign.
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }), let count = Int64(digits), count > 0
        else { return nil }
        guard let seconds = units[unit] else {
            self = .steps(Int(count))
            return
        }
        let (total, isOver) = count.multipliedReportingOverflow(by: seconds)
        guard !isOver else { return nil }
        self = .time(.seconds(total))
    }
}
