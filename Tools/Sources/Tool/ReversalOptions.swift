// The options of every command that steps through the history, and what each does with them.
//
// Always holds: what was printed is durable; rows that somebody else changed are all named.

import ArgumentParser
import ListModel
import Listory
import ToolSupport

/// Which store, whose history, and how the result is printed.
struct ReversalOptions: ParsableArguments {
    @OptionGroup var store: StoreArgument
    @OptionGroup var origin: OriginOption
    @OptionGroup var format: FormatOption

    /// Opens the store, carries out a request and prints what that did.
    ///
    /// - Throws: `ListError.conflicts` if rows are not as expected, after what could be done was printed.
    func run(_ request: HistoryRequest, _ onConflict: ConflictPolicy = .refuse) throws {
        let store = try store.file.open(isReadOnly: false, origin: origin.name)
        let report = try ReversalReport(
            request, in: store, origin: origin.name ?? "", onConflict: onConflict)
        switch format.value {
        case .text: try Standard.output.write(report.text())
        case .json: try Standard.output.write(report.json())
        }
        try store.close()
        if let refusal = report.refusal { throw refusal }
    }
}
