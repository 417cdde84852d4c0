// The whole comparison as Markdown.
//
// Always holds: every figure is beside that of its peers from the same run, whether the library is better or worse.

import BenchSupport

/// The report of a comparison.
struct PeerReport {
    let scale: PeerScale
    let results: Results

    /// The report.
    var markdown: String {
        let sections = [("Targets", targets)] + rowSections + sequenceSections + [("Curves", curves)]
        return
            ([PeerReport.method, ""]
            + sections.filter { !$0.1.isEmpty }.flatMap { title, lines in ["### \(title)", ""] + lines })
            .joined(separator: "\n")
    }

    private static let method = """
        Each sample is taken in a process of its own, the contenders in turn. A cell has the median, in brackets the least
        and the greatest, and then how many times ours it is: above 1 we are better, below 1 (**bold**) we are not. The
        ratio is the median of the ratios of the rounds, in each of which everybody is measured once. Whatever is on a disk
        waits for its sync, SQLite with a write-ahead log, `synchronous=FULL`, a cache of 256 MiB and a mapped file; its
        undo is the triggers of sqlite.org/undoredo.html, writing into a table of the same file. It keeps the order of rows
        as a fractional position. LMDB from C keeps records under their ids, without order, history or undo: what durability
        costs. Before the edits that count, everybody makes one of each kind. Loro and pycrdt are libraries in Rust that are
        called from Python here.
        """

    private var targets: [String] { PeerTarget.lines(PeerTarget.all(results, scale), isJudged: !scale.isQuick) }

    private var curves: [String] {
        // Two sizes make no curve.
        guard !scale.isQuick else { return [] }
        return ScalingCharts(results: results).files.flatMap { name, _ in
            ["![Time and memory by the number of rows](\(name))", ""]
        }
    }

    func table(_ contenders: [Contender], _ unit: Plot.Unit = .seconds) -> ComparisonTable {
        ComparisonTable(results: results, contenders: contenders, unit: unit)
    }
}
