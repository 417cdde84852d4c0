// `listory checkpoints`. Always holds: it changes nothing.

import ArgumentParser
import ToolSupport

struct CheckpointsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoints",
        abstract: "Print the versions whose rows are stored.",
        discussion: """
            A store opens from the newest checkpoint, and an older version is read from the nearest; the events between \
            are replayed. As json, each checkpoint is one line.

            Example:
              listory checkpoints todo.listory
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var output: ReportOptions

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let report = try CheckpointReport(store)
        try output.print(text: report.text, json: report.json)
        try store.close()
    }
}
