// Plots of several panels, as SVG: lines over logarithmic axes, for curves that run over many powers of ten.
//
// Colours and greys have about the same contrast on white and on black, because nobody knows what a plot is shown on;
// series also differ by their markers.
//
// Always holds: all values that are drawn are greater than zero; an axis goes from a power of ten to another.

/// A plot.
public struct Plot: Sendable {
    /// What an axis counts.
    public enum Unit: Sendable {
        case count
        case seconds
        case bytes

        func text(_ value: Double) -> String {
            switch self {
            case .count: NumberText.count(Int(value))
            case .seconds: NumberText.duration(value)
            case .bytes: Plot.bytes(value)
            }
        }
    }

    /// A line with points on it.
    public struct Series: Sendable {
        let name: String
        let points: [(x: Double, y: Double)]

        /// A line; points that a logarithmic axis has no place for are left out.
        public init(name: String, points: [(x: Double, y: Double)]) {
            self.name = name
            self.points = points.filter { $0.x > 0 && $0.y > 0 }
        }
    }

    /// Lines over the same axes.
    public struct Panel: Sendable {
        let title: String
        let xLabel: String
        let yLabel: String
        let yUnit: Unit
        let series: [Series]

        /// A panel; series without points are left out.
        public init(title: String, xLabel: String, yLabel: String, yUnit: Unit, series: [Series]) {
            self.title = title
            self.xLabel = xLabel
            self.yLabel = yLabel
            self.yUnit = yUnit
            self.series = series.filter { !$0.points.isEmpty }
        }
    }

    let panels: [Panel]
    let columnCount: Int

    /// A plot; panels without series are left out.
    public init(panels: [Panel], columnCount: Int) {
        self.panels = panels.filter { !$0.series.isEmpty }
        self.columnCount = columnCount
    }

    /// The names of all series, each once, in the order in which they first come.
    var names: [String] {
        var names: [String] = []
        for name in panels.flatMap(\.series).map(\.name) where !names.contains(name) { names.append(name) }
        return names
    }

    /// Powers of ten from below the least value to above the greatest, at least two of them.
    static func decades(_ values: [Double]) -> ClosedRange<Int> {
        var low = exponent(values.min()!)
        while power(low) > values.min()! { low -= 1 }
        var high = low
        while power(high) < values.max()! { high += 1 }
        return low...max(high, low + 1)
    }

    /// A power of ten, exact where a number can be.
    static func power(_ exponent: Int) -> Double {
        let power = (0..<abs(exponent)).reduce(1.0) { power, _ in power * 10 }
        return exponent < 0 ? 1 / power : power
    }

    private static func exponent(_ value: Double) -> Int {
        var exponent = 0
        while power(exponent) > value { exponent -= 1 }
        while power(exponent + 1) <= value { exponent += 1 }
        return exponent
    }

    /// Powers of ten of bytes read best in powers of ten.
    private static func bytes(_ value: Double) -> String {
        if value >= 1e9 { return NumberText.count(Int(value / 1e9)) + " GB" }
        if value >= 1e6 { return NumberText.count(Int(value / 1e6)) + " MB" }
        return value >= 1e3 ? NumberText.count(Int(value / 1e3)) + " kB" : NumberText.count(Int(value)) + " B"
    }
}
