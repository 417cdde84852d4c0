// `listory redo`. Always holds: when it has printed, the redo is durable.

import ArgumentParser
import ToolSupport

struct RedoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Take the newest undos back.",
        discussion: """
            Each is taken back by a commit of its own. Only undos that no edit followed can be taken back; if \
            there are fewer than asked for, none is, and the exit code is 1.

            Example:
              listory redo todo.listory 2
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "How many commits.")
    var count = 1

    @OptionGroup var format: FormatOption

    func validate() throws {
        if count < 1 { throw ValidationError("count: expected at least 1, found \(count)") }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: false)
        let report = try RevertReport.redoing(count, in: store)
        switch format.value {
        case .text: try Standard.output.write(report.text())
        case .json: try Standard.output.write(report.json())
        }
        try store.close()
    }
}
