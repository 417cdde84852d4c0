// `listory earlier`. Always holds: when it has printed, the checkout is made and durable.

import ArgumentParser
import ToolSupport

struct EarlierCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earlier",
        abstract: "Go to what the list was some steps or some time earlier.",
        discussion: """
            Other than undo it goes through all steps in the order in which they were made, whatever branch they are \
            on. A time counts from now, or from the commit whose rows are there if something was undone. If there is \
            less, it goes to the oldest. The exit code is 7 if rows were changed since by somebody else.

            Example:
              listory earlier todo.listory 5m
            """)

    @OptionGroup var options: ReversalOptions
    @OptionGroup var conflicts: ConflictOption

    @Argument(help: ArgumentHelp("How many steps, or how long: 5, 30s, 5m, 2h, 1d.", valueName: "distance"))
    var distance = HistoryDistance.steps(1)

    func run() throws { try options.run(.earlier(distance), conflicts.policy) }
}

extension HistoryDistance: ExpressibleByArgument {
    /// A distance from a command line.
    public init?(argument: String) { self.init(argument) }

    /// The default, for the help.
    public var defaultValueDescription: String { "1" }
}
