// The whole comparison as Markdown.
//
// Always holds: every figure stands beside that of its peers from the same run, the losses as plainly as the wins.

import BenchSupport

/// Everything that a comparison found out.
struct PeerReport {
    let machine: MachineFacts
    let versions: [String]
    let scale: PeerScale
    let results: Results

    /// The report.
    var markdown: String {
        let sections =
            [("", head), ("Targets", targets)] + rowSections + sequenceSections
            + [("Curves", curves)]
        return sections.filter { !$0.1.isEmpty }
            .flatMap { title, lines in (title.isEmpty ? [] : ["### \(title)", ""]) + lines }
            .joined(separator: "\n")
    }

    private var head: [String] {
        let small = "Small sizes (`--quick`): these figures show that everything works, and no more."
        return (machine.lines + versions).map { "- \($0)" } + [""] + (scale.isQuick ? [small, ""] : [])
            + [PeerReport.method, ""]
    }

    private static let method = """
        Made by `Tools/bench --peers`, in one run. Each sample is taken in a process of its own, the contenders in turn.
        A cell has the median, in brackets the least and the greatest, and then how many times ours it is: above 1 we
        are better, below 1 (**bold**) we are not. Whatever is on a disk waits for its sync, SQLite with a write-ahead
        log and `synchronous=FULL`; its undo is the triggers of sqlite.org/undoredo.html, writing into a table of the
        same file. LMDB from C keeps records under their ids, without order, history or undo: what durability costs.
        """

    private var targets: [String] { PeerTarget.lines(PeerTarget.all(results, scale), isJudged: !scale.isQuick) }

    private var curves: [String] {
        // Two sizes are no curve.
        guard !scale.isQuick else { return [] }
        return ScalingCharts(results: results).files.flatMap { name, _ in
            ["![Time and memory by the number of rows](\(name))", ""]
        }
    }

    func table(_ contenders: [Contender], _ unit: Plot.Unit = .seconds) -> ComparisonTable {
        ComparisonTable(results: results, contenders: contenders, unit: unit)
    }
}
