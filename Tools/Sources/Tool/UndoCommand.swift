// `listory undo`. Always holds: when it has printed, the undo is durable.

import ArgumentParser
import ToolSupport

struct UndoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Undo the newest steps.",
        discussion: """
            A step is a commit, with those that continue it. Each is undone by a commit of its own, so nothing is lost \
            and redo takes it back. If fewer steps than asked for can be undone, none is, and the exit code is 1. It is \
            7 if rows were changed since by somebody else: that step, and those before it, are not undone then.

            Example:
              listory undo todo.listory 2
            """)

    @OptionGroup var options: ReversalOptions
    @OptionGroup var conflicts: ConflictOption
    @OptionGroup var steps: StepCount

    func run() throws { try options.run(.undo(steps.count), conflicts.policy) }
}
