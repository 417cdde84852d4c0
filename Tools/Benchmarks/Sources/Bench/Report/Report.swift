// The results as text: a table for people.
//
// Always holds: every figure that was measured is in the table, whether its target is met or not.

import BenchSupport

/// The results of a run of the benchmarks.
struct Report {
    let machine: MachineFacts
    let runs: Int
    let isQuick: Bool
    let figures: [Figure]
    /// A number that depends on the results of all measured work.
    let sink: UInt64

    /// The machine, the versions, and the number of runs.
    var conditions: [String] {
        machine.lines + ["\(runs) runs after one that does not count" + (isQuick ? "; small sizes (--quick)" : "")]
    }

    /// The results as an aligned table.
    var table: String {
        let header = ["figure", "median", "min", "max", "unit", "peer", "ratio", "target", ""]
        let rows = [header] + figures.map(Report.cells)
        let widths = header.indices.map { column in rows.map { $0[column].count }.max()! }
        let isNumber = [false, true, true, true, false, true, true, true, false]
        var lines = conditions + [""]
        for row in rows {
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return isNumber[column] ? padding + row[column] : row[column] + padding
            }
            lines.append(Report.trimmed(cells.joined(separator: "  ")))
        }
        let notes = Report.notes(of: figures)
        lines += notes.isEmpty ? [""] : ["", "notes"] + notes.map { "  " + $0 } + [""]
        lines.append(summary)
        return lines.joined(separator: "\n")
    }

    static func cells(_ figure: Figure) -> [String] {
        [
            figure.name, NumberText.text(figure.median), NumberText.text(figure.samples.min()!),
            NumberText.text(figure.samples.max()!), figure.unit,
            figure.peer.map { NumberText.text(Statistics.median($0.samples)) } ?? "", ratio(figure),
            target(figure), figure.isTargetMet.map { $0 ? "met" : "MISSED" } ?? "",
        ]
    }

    private static func ratio(_ figure: Figure) -> String {
        guard let ratio = figure.ratio, let peer = figure.peer else { return "" }
        return NumberText.text(ratio) + (peer.ratioKind == .cost ? " ×" : " × faster")
    }

    private static func target(_ figure: Figure) -> String {
        guard let target = figure.target else { return "" }
        let limit = NumberText.text(target.limit) + (target.subject == .ratio ? " ×" : "")
        return (target.isUpperLimit ? "≤ " : "≥ ") + limit
    }

    /// The peers, and the notes of the figures.
    static func notes(of figures: [Figure]) -> [String] {
        var figuresOfPeer: [String: [String]] = [:]
        for figure in figures {
            if let peer = figure.peer { figuresOfPeer[peer.name, default: []].append(figure.name) }
        }
        let peers = figuresOfPeer.map { name, figures in
            let others = figures.count > 1 ? " and \(figures.count - 1) more" : ""
            return "peer of \(figures[0])\(others): \(name)"
        }.sorted()
        return peers + figures.compactMap { figure in figure.note.map { "\(figure.name): \($0)" } }
    }

    var summary: String {
        let targets = figures.compactMap(\.isTargetMet)
        return "\(targets.count { $0 }) of \(targets.count) targets met"
    }

    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
