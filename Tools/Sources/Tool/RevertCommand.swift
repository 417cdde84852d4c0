// `listory revert`. Always holds: when it has printed, the revert is durable; all other commits stay.

import ArgumentParser
import ToolSupport

struct RevertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revert",
        abstract: "Take one commit back, whatever came after it.",
        discussion: """
            The revert is a commit that can itself be undone. Rows that were changed after the commit are conflicts: \
            nothing happens, all of them are printed, and the exit code is 7. With --skip-conflicts they stay as they \
            are and are printed, and the rest is taken back. The exit code is 1 if there is no such commit.

            Example:
              listory revert todo.listory 12 --skip-conflicts
            """)

    @OptionGroup var options: ReversalOptions
    @OptionGroup var conflicts: ConflictOption

    @Argument(help: "The version that the commit made.", transform: { try VersionName($0) })
    var version: VersionName

    func run() throws { try options.run(.revert(version), conflicts.policy) }
}
