// `listory go`. Always holds: when it has printed, the checkout is made and durable.

import ArgumentParser
import ToolSupport

struct GoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "go",
        abstract: "Go to any commit of the history, on any branch.",
        discussion: """
            That is many steps of undo and redo at once, in one commit. The version is that of an edit, a revert or a \
            restore, as log and branches print it, or 0 for the empty list. A date, head or head~3 may also be an undo, a \
            redo or a go: it goes to where the history was then. The exit code is 1 if the version is no place in the \
            history, 7 if rows were changed since by somebody else.

            Example:
              listory go todo.listory 12
            """)

    @OptionGroup var options: ReversalOptions
    @OptionGroup var conflicts: ConflictOption

    @Argument(help: "The version to go to.", transform: { try VersionName($0) })
    var version: VersionName

    func run() throws { try options.run(.go(to: version), conflicts.policy, showing: "going") }
}
