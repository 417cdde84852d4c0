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

    @OptionGroup var arguments: RevertArguments

    func run() throws { try arguments.run(RevertReport.undoing) }
}
