// `listory later`. Always holds: when it has printed, the checkout is made and durable.

import ArgumentParser
import ToolSupport

struct LaterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "later",
        abstract: "Go to what the list became some steps or some time later.",
        discussion: """
            Other than redo it goes through all steps in the order in which they were made, whatever branch they are \
            on. A time counts from the commit whose rows are there. If there is less, it goes to the newest. The exit \
            code is 7 if rows were changed since by somebody else.

            Example:
              listory later todo.listory 2
            """)

    @OptionGroup var options: ReversalOptions
    @OptionGroup var conflicts: ConflictOption

    @Argument(help: ArgumentHelp("How many steps, or how long: 5, 30s, 5m, 2h, 1d.", valueName: "distance"))
    var distance = HistoryDistance.steps(1)

    func run() throws { try options.run(.later(distance), conflicts.policy) }
}
