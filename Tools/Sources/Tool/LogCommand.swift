// `listory log`. Always holds: it changes nothing; commits come in order.

import ArgumentParser
import ToolSupport

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print what happened, commit by commit, the oldest first.",
        discussion: """
            A commit is an edit, or an undo, redo, go, revert or restore of another. Marks tell that it continues the \
            step before it, is in the history of its origin or in none (untracked), or does not matter to the user \
            (discardable). As json, each commit is one line. In a compacted store the log begins after the oldest version; the exit \
            code is 1 for a version before.

            Example:
              listory log todo.listory --limit 3
            """)

    @OptionGroup var store: StoreArgument

    @Option(help: ArgumentHelp("The first version to print.", valueName: "version"))
    var from: UInt64?

    @Option(help: ArgumentHelp("The last version to print.", valueName: "version"))
    var to: UInt64?

    @Option(help: ArgumentHelp("Print at most this many commits, the newest of the range.", valueName: "count"))
    var limit: Int?

    @OptionGroup var format: FormatOption

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit: expected at least 0, found \(limit)") }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        try LogReport(store).print(from: from, to: to, limit: limit, format.value, Standard.style) {
            try Standard.output.write($0)
        }
        try store.close()
    }
}
