// `listory restore`. Always holds: when it has printed, the rows are those of the version, and that is durable.

import ArgumentParser
import ToolSupport

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make the rows those of a version.",
        discussion: """
            One commit does it, which can itself be undone; nothing that came after the version is forgotten. The exit \
            code is 1 if there is no such version.

            Example:
              listory restore todo.listory 12
            """)

    @OptionGroup var options: ReversalOptions

    @Argument(help: "The version.", transform: { try VersionName($0) })
    var version: VersionName

    func run() throws { try options.run(.restore(version)) }
}
