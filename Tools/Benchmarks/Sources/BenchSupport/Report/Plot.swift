// Plots of several panels, as SVG: lines over logarithmic axes, for curves that run over many powers of ten.
//
// Colours and greys have about the same contrast on white and on black, because the background is unknown; series also
// differ by their markers.
//
// Always holds: all drawn values are greater than zero; an axis begins and ends at a power of ten.

/// A plot.
public struct Plot: Sendable {
    /// The unit of an axis.
    public enum Unit: Sendable {
        case count
        case seconds
        case bytes

        /// A power of ten.
        func text(power exponent: Int) -> String {
            switch self {
            case .count: NumberText.count(Int(Plot.power(exponent)))
            case .seconds: Plot.text(exponent, units: [(0, " s"), (-3, " ms"), (-6, " µs"), (-9, " ns")])
            case .bytes: Plot.text(exponent, units: [(9, " GB"), (6, " MB"), (3, " kB"), (0, " B")])
            }
        }
    }

    /// A line with points on it.
    public struct Series: Sendable {
        let name: String
        let points: [(x: Double, y: Double)]

        /// A line; points that have no place on a logarithmic axis are left out.
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

    /// The names of all series, each once, in the order of their first use.
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

    /// A power of ten in the greatest unit in which it is at least 1.
    private static func text(_ exponent: Int, units: [(exponent: Int, name: String)]) -> String {
        let unit = units.first { $0.exponent <= exponent } ?? units.last!
        // No measured value is a fraction of a nanosecond or of a byte.
        return String(Int(power(max(0, exponent - unit.exponent)))) + unit.name
    }
}
