// Writes a plot as SVG. Always holds: every text is escaped, every number has at most one decimal.

import Foundation

extension Plot {
    private static let width = 420.0
    private static let height = 300.0
    private static let margin = (left: 74.0, right: 16.0, top: 34.0, bottom: 48.0)
    private static let grey = "#767676"
    private static let colors = [
        "#2f7fd1", "#d9660c", "#2b9360", "#a15fc9", "#c9404c", "#8a7a12", "#1d8c94", "#c04f96",
    ]

    /// The plot as an SVG document.
    public var svg: String {
        let columns = max(1, min(columnCount, panels.count))
        let rows = (panels.count + columns - 1) / columns
        let legend = 24 * Double((names.count + 1) / 2) + 16
        let size = (width: Plot.width * Double(columns), height: Plot.height * Double(rows) + legend)
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Plot.number(size.width)) "
                + "\(Plot.number(size.height))\" font-family=\"sans-serif\" font-size=\"12\" fill=\"\(Plot.grey)\">"
        ]
        for (index, panel) in panels.enumerated() {
            let x = Plot.width * Double(index % columns)
            let y = Plot.height * Double(index / columns)
            lines.append("<g transform=\"translate(\(Plot.number(x)) \(Plot.number(y)))\">")
            lines += drawing(of: panel) + ["</g>"]
        }
        for (index, name) in names.enumerated() {
            let x = Plot.margin.left + size.width / 2 * Double(index % 2)
            let y = Plot.height * Double(rows) + 20 + 24 * Double(index / 2)
            lines += [
                line((x, y - 4), (x + 24, y - 4), color(index), width: 2), marker(index, (x + 12, y - 4)),
                text(name, (x + 32, y)),
            ]
        }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func drawing(of panel: Panel) -> [String] {
        let points = panel.series.flatMap(\.points)
        let xs = Plot.decades(points.map(\.x))
        let ys = Plot.decades(points.map(\.y))
        let right = Plot.width - Plot.margin.right
        let bottom = Plot.height - Plot.margin.bottom
        func place(_ x: Double, _ y: Double) -> (Double, Double) {
            (
                Plot.margin.left + Plot.position(x, xs) * (right - Plot.margin.left),
                bottom - Plot.position(y, ys) * (bottom - Plot.margin.top)
            )
        }
        var lines = [text(panel.title, (Plot.margin.left, 20), bold: true)]
        for exponent in xs {
            let x = place(Plot.power(exponent), 1).0
            lines.append(line((x, Plot.margin.top), (x, bottom), Plot.grey, width: 0.3))
            lines.append(text(Unit.count.text(power: exponent), (x, bottom + 16), anchor: "middle"))
        }
        for exponent in ys {
            let y = place(1, Plot.power(exponent)).1
            lines.append(line((Plot.margin.left, y), (right, y), Plot.grey, width: 0.3))
            lines.append(text(panel.yUnit.text(power: exponent), (Plot.margin.left - 6, y + 4), anchor: "end"))
        }
        lines.append(text(panel.xLabel, ((Plot.margin.left + right) / 2, bottom + 36), anchor: "middle"))
        lines.append(text(panel.yLabel, (14, (Plot.margin.top + bottom) / 2), anchor: "middle", isUpright: true))
        for series in panel.series {
            let index = names.firstIndex(of: series.name)!
            let places = series.points.map { place($0.x, $0.y) }
            let path = places.map { "\(Plot.number($0.0)),\(Plot.number($0.1))" }.joined(separator: " ")
            lines.append("<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(color(index))\" stroke-width=\"2\"/>")
            lines += places.map { marker(index, $0) }
        }
        return lines
    }

    /// The position of a value on an axis, from 0 to 1.
    static func position(_ value: Double, _ decades: ClosedRange<Int>) -> Double {
        (log10(value) - Double(decades.lowerBound)) / Double(decades.count - 1)
    }

    private func color(_ index: Int) -> String { Plot.colors[index % Plot.colors.count] }

    private func marker(_ index: Int, _ place: (x: Double, y: Double)) -> String {
        let (x, y) = place
        let corners: [(Double, Double)]
        switch index % 4 {
        case 0: return "<circle cx=\"\(Plot.number(x))\" cy=\"\(Plot.number(y))\" r=\"4\" fill=\"\(color(index))\"/>"
        case 1: corners = [(-4, -4), (4, -4), (4, 4), (-4, 4)]
        case 2: corners = [(0, -5), (5, 4), (-5, 4)]
        default: corners = [(0, -5), (5, 0), (0, 5), (-5, 0)]
        }
        let path = corners.map { "\(Plot.number(x + $0.0)),\(Plot.number(y + $0.1))" }.joined(separator: " ")
        return "<polygon points=\"\(path)\" fill=\"\(color(index))\"/>"
    }

    private func line(
        _ start: (x: Double, y: Double), _ end: (x: Double, y: Double), _ color: String, width: Double
    ) -> String {
        "<line x1=\"\(Plot.number(start.x))\" y1=\"\(Plot.number(start.y))\" x2=\"\(Plot.number(end.x))\" "
            + "y2=\"\(Plot.number(end.y))\" stroke=\"\(color)\" stroke-width=\"\(Plot.number(width))\"/>"
    }

    private func text(
        _ text: String, _ place: (x: Double, y: Double), anchor: String = "start", bold: Bool = false,
        isUpright: Bool = false
    ) -> String {
        let (x, y) = (Plot.number(place.x), Plot.number(place.y))
        let turn = isUpright ? " transform=\"rotate(-90 \(x) \(y))\"" : ""
        let weight = bold ? " font-weight=\"bold\"" : ""
        let escaped = text.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;"][$0] ?? String($0) }.joined()
        return "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\"\(weight)\(turn)>\(escaped)</text>"
    }

    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let (whole, rest) = abs(tenths).quotientAndRemainder(dividingBy: 10)
        return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
    }
}
