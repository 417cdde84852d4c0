// Compares all contenders and prints the report.
//
// Always holds: progress goes to standard error; only the report goes to standard output. Documents are changed only
// with `--write`, and never with a part of the figures.

import ArgumentParser
import BenchSupport
import Foundation
import TestSupport

/// The whole comparison.
struct PeersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers",
        abstract: "Measures the library beside what people would use instead: SQLite, LMDB from C, Loro, pycrdt.",
        discussion: """
            Every sample is taken in a process of its own, the contenders in turn; the median, the least and the \
            greatest are shown. The recording that is replayed lies beside the project, or in the folder that \
            LISTORY_TRACES names; without it, what needs it is left out.
            """)

    @Flag(help: "Small sizes: shows that everything works, not how fast it is.")
    var quick = false

    @Flag(help: "Ten million rows as well.")
    var soak = false

    @Option(help: "Measure only the workloads and contenders whose names, as in rows/listory/100k, contain this.")
    var filter: String?

    @Option(help: "How often each figure is measured; where a sample takes long, less often.")
    var runs = 5

    @Flag(help: "Write the report into the documents.")
    var write = false

    @Option(help: ArgumentHelp("What is checked out.", visibility: .hidden))
    var commit = "unknown"

    @Option(help: "Where files are written; a folder made there is removed at the end.")
    var folder = FileManager.default.currentDirectoryPath

    @Option(help: "The folder of the documents.")
    var docs: String?

    @Option(help: ArgumentHelp("The Python with Loro and pycrdt.", visibility: .hidden))
    var python = ""

    @Option(help: ArgumentHelp("The script that measures them.", visibility: .hidden))
    var script = ""

    func validate() throws {
        guard runs > 0 else { throw ValidationError("--runs must be at least 1") }
        guard !write || docs != nil else { throw ValidationError("--write --quick needs --docs") }
        guard !write || filter == nil else { throw ValidationError("--write needs all figures: leave out --filter") }
    }

    func run() throws {
        let temporary = try TemporaryFolder(in: folder)
        let bench = MeasuringProcess(
            python: python, script: script, recording: RecordedTrace.automergePaper.path, folder: temporary.path)
        let scale = PeerScale(
            isQuick: quick, isSoak: soak, runs: runs, hasRecording: RecordedTrace.automergePaper.exists)
        let results = try Comparison(scale: scale, process: bench, filter: filter).run()
        guard !results.isEmpty else { throw ValidationError("no name contains \(filter ?? "")") }
        let report = PeerReport(scale: scale, results: results)
        print(report.markdown)
        guard write, let docs else { return }
        let machine =
            MachineFacts.current().lines + bench.versions()
            + (quick ? ["small sizes (--quick): these figures show that everything works, and no more"] : [])
        try BenchmarkPage(docs: docs).write(
            BenchmarkPart(.peers, commit: commit, machine: machine, markdown: report.markdown))
        for (name, svg) in ScalingCharts(results: results).files {
            try Data(svg.utf8).write(to: URL(fileURLWithPath: docs).appendingPathComponent(name))
        }
    }
}
