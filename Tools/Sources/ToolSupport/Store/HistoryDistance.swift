// How far `earlier` and `later` go, as Vim's commands of these names read it: `5`, `30s`, `5m`, `2h`, `1d`.
//
// Always holds: it is at least one step, or longer than no time.

/// A number of steps, or a length of time.
public enum HistoryDistance: Hashable, Sendable {
    /// So many steps.
    case steps(Int)
    /// So long.
    case time(Duration)

    /// What would have been right, for error messages.
    static let expected = "a number of steps like 5 or a time like 30s, 5m, 2h or 1d"

    /// A distance from its text; nil if that is none.
    public init?(_ text: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last else { return nil }
        let digits = units[unit] == nil ? text[...] : text.dropLast()
        // `Int` would take a sign.
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
