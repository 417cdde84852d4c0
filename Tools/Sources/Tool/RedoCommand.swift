// `listory redo`. Always holds: when it has printed, the redo is durable.

import ArgumentParser
import ToolSupport

struct RedoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Redo the next steps of the present branch.",
        discussion: """
            Each is redone by a commit of its own. An edit after an undo begins a branch of its own, where there is \
            nothing to redo; go leads back to the other. If there are fewer steps than asked for, none is redone, and \
            the exit code is 1. It is 7 if rows were changed since by somebody else: that step, and those after it, are \
            not redone then.

            Example:
              listory redo todo.listory 2
            """)

    @OptionGroup var options: ReversalOptions
    @OptionGroup var conflicts: ConflictOption
    @OptionGroup var steps: StepCount

    func run() throws { try options.run(.redo(steps.count), conflicts.policy) }
}
