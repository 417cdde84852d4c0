// The command line of the benchmarks: selects them and their number of runs, and prints the results.
//
// Always holds: progress goes to standard error; only results go to standard output.

import BenchSupport
import ArgumentParser
import Foundation
import TestSupport

@main
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the library, beside its peers where it has any.",
        discussion: """
            Every figure is measured in several runs after one that does not count; the median, the least and the \
            greatest are shown. A peer is measured alternately with the library, in the same process. Build for \
            release: the figures of a debug build mean nothing.
            """)

    /// How the results are printed.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table
        case json
    }

    @Option(help: "How the results are printed: table or json.")
    var format = Format.table

    @Option(help: "Measure only the figures whose names contain this.")
    var filter: String?

    @Option(help: "How often each figure is measured.")
    var runs = 5

    @Flag(help: "Small sizes: shows that everything works, not how fast it is.")
    var quick = false

    @Flag(help: "Measure peers that take minutes as well, once each.")
    var patient = false

    @Flag(help: "Write the tables into the documents.")
    var write = false

    @Option(help: "The folder of the documents.")
    var docs: String?

    @Option(help: "The listory tool, whose commands are measured; without it they are left out.")
    var tool: String?

    @Option(help: ArgumentHelp("What is checked out.", visibility: .hidden))
    var commit = "unknown"

    @Option(help: "Where files are written; a folder made there is removed at the end.")
    var folder = FileManager.default.currentDirectoryPath

    func validate() throws {
        guard runs > 0 else { throw ValidationError("--runs must be at least 1") }
        guard !write || filter == nil else { throw ValidationError("--write needs all figures: leave out --filter") }
        guard !write || docs != nil else { throw ValidationError("--write --quick needs --docs") }
    }

    func run() throws {
        // Checked now, so that a missing program is not noticed only after minutes.
        let probes = try ProbeProgram.besideThisProgram()
        let runner = Runner(runs: runs, filter: filter, isPatient: patient)
        let scale = quick ? Scale.quick : Scale.full
        let temporary = try TemporaryFolder(in: folder)
        let files = FileNames(folder: temporary.path)
        try ApplyBenchmarks(runner: runner, scale: scale).run()
        try AppendBenchmarks(runner: runner, scale: scale, files: files).run()
        try ReplayBenchmarks(runner: runner, scale: scale, files: files).run()
        try ChangesetBenchmarks(runner: runner, scale: scale).run()
        try TransitionBenchmarks(runner: runner, scale: scale).run()
        try ViewBenchmarks(runner: runner, scale: scale).run()
        try ProjectionBenchmarks(runner: runner, scale: scale, files: files).run()
        try UndoBenchmarks(runner: runner, scale: scale, files: files).run()
        try LogLengthBenchmarks(runner: runner, scale: scale, files: files, probes: probes).run()
        try GroupCommitBenchmarks(runner: runner, scale: scale, files: files).run()
        try NeighbourBenchmarks(runner: runner, scale: scale, files: files, probes: probes).run()
        try StoreBenchmarks(runner: runner, scale: scale, files: files).run()
        try ReadDuringEditBenchmarks(runner: runner, scale: scale, files: files).run()
        try RowHistoryBenchmarks(runner: runner, scale: scale, files: files, probes: probes, tool: tool).run()
        try PackingBenchmarks(runner: runner, scale: scale, files: files).run()
        try StoredListBenchmarks(runner: runner, scale: scale, files: files, probes: probes).run()
        guard !runner.figures.isEmpty else { throw ValidationError("no figure's name contains \(filter ?? "")") }
        let report = Report(
            machine: .current(), runs: runs, isQuick: quick, figures: runner.figures, sink: runner.sink.word)
        print(format == .table ? report.table : try report.json)
        guard write, let docs else { return }
        try BenchmarkPage(docs: docs).write(
            BenchmarkPart(.library, commit: commit, machine: report.conditions, markdown: report.markdown))
    }
}
