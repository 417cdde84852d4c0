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

    @OptionGroup var arguments: RevertArguments

    func run() throws { try arguments.run(RevertReport.redoing) }
}
