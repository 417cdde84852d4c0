// `listory manual`. Always holds: the page says what the help of each command says.

import ArgumentParser
import ToolSupport

struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page of the tool, for man.",
        discussion: """
            Completions are printed with --generate-completion-script bash, zsh or fish.

            Example:
              listory manual > ~/.local/share/man/man1/listory.1
              listory --generate-completion-script zsh > ~/.zfunc/_listory
            """)

    @OptionGroup var json: JSONOption

    func run() throws {
        let tool = ListoryCommand.configuration
        try Standard.output.write(
            ManualPage.heading(
                name: tool.commandName ?? "listory", version: tool.version, abstract: tool.abstract,
                discussion: tool.discussion))
        try Standard.output.write(ManualPage.commands(ListoryCommand._dumpHelp()))
    }
}
