// Tests the plots and tables that the benchmarks write into documents.

import BenchSupport
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

struct PlotTests {
    private func panel(_ name: String, _ points: [(x: Double, y: Double)]) -> Plot.Panel {
        Plot.Panel(
            title: "a < b & c", xLabel: "rows", yLabel: "time", yUnit: .seconds,
            series: [Plot.Series(name: name, points: points)])
    }

    /// The numbers of an attribute.
    private func numbers(_ attribute: String, _ svg: String) -> [Double] {
        svg.components(separatedBy: " \(attribute)=\"").dropFirst().compactMap { part in
            part.split(separator: "\"").first.flatMap { Double($0) }
        }
    }

    @Test func aPlotIsWellFormed() {
        let svg = Plot(panels: [panel("x > y", [(1_000, 2e-4), (1_000_000, 3e-1)])], columnCount: 2).svg
        let parser = XMLParser(data: Data(svg.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(svg.contains("a &lt; b &amp; c"))
        #expect(svg.contains("x &gt; y"))
        for tick in ["1k", "1M", "100 µs", "1 s"] { #expect(svg.contains(">\(tick)</text>"), "\(tick)") }
    }

    @Test func equalRatiosAreEqualDistances() {
        let svg = Plot(panels: [panel("line", [(1, 1), (10, 10), (100, 100)])], columnCount: 1).svg
        // The last marker is that of the legend.
        let places = zip(numbers("cx", svg), numbers("cy", svg)).prefix(3).map { ($0, $1) }
        #expect(abs((places[1].0 - places[0].0) - (places[2].0 - places[1].0)) < 0.2)
        #expect(abs((places[1].1 - places[0].1) - (places[2].1 - places[1].1)) < 0.2)
        #expect(places[2].0 > places[0].0)
        #expect(places[2].1 < places[0].1, "greater values are higher up")
    }

    @Test func everythingIsInsideThePlot() {
        let extremes = [(x: 1_000.0, y: 1e-9), (x: 999_999, y: 9.99), (x: 7, y: 1)]
        let svg = Plot(panels: [panel("a", extremes), panel("b", [(5, 5)])], columnCount: 2).svg
        for x in numbers("cx", svg) { #expect(x >= 0 && x <= 840) }
        for y in numbers("cy", svg) { #expect(y >= 0 && y <= 340) }
    }

    @Test func whatHasNoPlaceIsLeftOut() {
        let svg = Plot(panels: [panel("zero", [(0, 1), (1, 0)]), panel("one", [(1, 1)])], columnCount: 2).svg
        #expect(!svg.contains("zero"))
        #expect(svg.contains("one"))
    }

    @Test func aTableHasACellForEveryColumn() {
        var table = MarkdownTable(["a", "b"])
        #expect(table.isEmpty)
        table.add(["1"])
        #expect(table.lines == ["| a | b |", "| --- | --- |", "| 1 |  |", ""])
    }
}
