// A table of one quantity or several: a row for each size, a column for each contender.
//
// Always holds: a value that was not measured is a dash. The library is first, and each other figure is followed by its
// ratio to ours. A figure that is better than ours is bold.

import BenchSupport

/// Makes tables of times or sizes.
struct ComparisonTable {
    let results: Results
    let contenders: [Contender]
    let unit: Plot.Unit

    /// The subject of a row.
    struct Row {
        let label: String
        let workload: Workload
        let size: Int
        let quantity: Quantity
    }

    /// The table; empty if none of it was measured.
    func lines(_ head: String, _ rows: [Row]) -> [String] {
        var table = MarkdownTable([head] + contenders.map(\.title))
        for row in rows {
            let all = contenders.map { results.samples(row.workload, $0, row.size, row.quantity) }
            guard all.contains(where: { $0 != nil }) else { continue }
            let cells = zip(contenders, all).map { contender, samples -> String in
                guard let samples else { return "–" }
                let cell = Spread(samples, unit).text
                guard !contender.isOurs,
                    let ratio = results.ratio(row.workload, contender, to: .listory, row.size, row.quantity),
                    ratio.isFinite
                else { return cell }
                let text = "\(cell); \(NumberText.text(ratio)) ×"
                return ratio < 1 ? "**\(text)**" : text
            }
            table.add([row.label] + cells)
        }
        return table.isEmpty ? [] : table.lines
    }

    /// Rows of one quantity for several sizes.
    static func rows(_ results: Results, _ workload: Workload, _ quantity: Quantity, of what: String = "rows") -> [Row]
    {
        results.sizes(workload).map {
            Row(label: "\(NumberText.count($0)) \(what)", workload: workload, size: $0, quantity: quantity)
        }
    }
}
