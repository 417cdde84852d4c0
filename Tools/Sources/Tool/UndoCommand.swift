// `listory undo`. Always holds: when it has printed, the undo is durable.

import ArgumentParser
import ToolSupport

struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo the newest commits.",
        discussion: """
            Each is undone by a commit of its own, so nothing is lost and redo takes it back. If fewer commits \
            than asked for can be undone, none is, and the exit code is 1.

            Example:
              listory undo todo.listory 2
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
        let report = try RevertReport.undoing(count, in: store)
        switch format.value {
        case .text: try Standard.output.write(report.text())
        case .json: try Standard.output.write(report.json())
        }
        try store.close()
    }
}
