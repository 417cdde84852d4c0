// The options of every command that makes steps in the history, and the common part of these commands.
//
// Always holds: when a commit is printed, it is durable; all conflicts are printed.

import ArgumentParser
import ListModel
import Listory
import ToolSupport

/// The store, the origin, and the format of the result.
struct ReversalOptions: ParsableArguments {
    @OptionGroup var store: StoreArgument
    @OptionGroup var origin: OriginOption
    @OptionGroup var format: FormatOption

    /// Opens the store, carries out a request and prints the result.
    ///
    /// - Throws: `ListError.conflicts` if there are conflicts, after printing the steps that were made.
    func run(
        _ request: HistoryRequest, _ onConflict: ConflictPolicy = .refuse, showing title: String = "working"
    ) throws {
        let store = try store.file.open(isReadOnly: false, origin: origin.name)
        let bar = ProgressBar(title)
        defer { bar.finish() }
        let report = try ReversalReport(
            request, in: store, origin: origin.name ?? "", onConflict: onConflict)
        bar.finish()
        try format.write(text: report.text(), json: report.json())
        try store.close()
        if let refusal = report.refusal { throw refusal }
    }
}
