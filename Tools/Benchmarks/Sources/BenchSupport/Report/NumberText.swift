// Numbers for people. Always holds: three significant digits are shown, or more.

/// Writes numbers.
public enum NumberText {
    /// A number with three or more significant digits, thousands set apart.
    public static func text(_ value: Double) -> String {
        guard value.isFinite else { return "\(value)" }
        if value < 0 { return "-" + text(-value) }
        if value >= 100 || value == value.rounded() && value >= 10 { return grouped(Int(value.rounded())) }
        let places = value >= 10 ? 1 : value >= 1 ? 2 : 3
        let factor = [1.0, 10, 100, 1_000][places]
        let scaled = Int((value * factor).rounded())
        let fraction = String(scaled % Int(factor))
        let zeros = String(repeating: "0", count: places - fraction.count)
        return "\(scaled / Int(factor)).\(zeros)\(fraction)"
    }

    /// A duration, in the unit that gives it one to three digits before the point.
    public static func duration(_ seconds: Double) -> String {
        if seconds >= 1 { return text(seconds) + " s" }
        if seconds >= 1e-3 { return text(seconds * 1e3) + " ms" }
        return seconds >= 1e-6 ? text(seconds * 1e6) + " µs" : text(seconds * 1e9) + " ns"
    }

    /// A number of bytes, in powers of 1,024.
    public static func bytes(_ count: Double) -> String {
        if count < 1_024 { return text(count) + " B" }
        if count < 1_048_576 { return text(count / 1_024) + " KiB" }
        return text(count / 1_048_576) + " MiB"
    }

    /// A number of rows in a word: "1M".
    public static func count(_ count: Int) -> String {
        if count >= 1_000_000 && count % 1_000_000 == 0 { return "\(count / 1_000_000)M" }
        if count >= 1_000 && count % 1_000 == 0 { return "\(count / 1_000)k" }
        return String(count)
    }

    private static func grouped(_ value: Int) -> String {
        var digits = String(value)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }
}
