// The options of commands that print many entries. Always holds: without them, 20 are printed.

import ArgumentParser

/// How many entries a command prints.
struct LimitOption: ParsableArguments {
    @Option(help: ArgumentHelp("Print at most this many.", valueName: "count"))
    var limit = 20

    @Flag(help: "Print all.")
    var all = false

    /// The limit; nil for all.
    var count: Int? { all ? nil : limit }

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit: expected at least 0, found \(limit)") }
    }
}
