// The option of commands that have no other format. Always holds: with it, errors are JSON, and so is the result.

import ArgumentParser
import ToolSupport

/// Whether a command prints JSON.
struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print errors as JSON, and also the result if there is one.")
    var isOn = false

    /// Prints what a command has left in a store.
    func write(_ report: SummaryReport) throws {
        try Standard.output.write(isOn ? report.json : Array(report.text.utf8))
    }
}
