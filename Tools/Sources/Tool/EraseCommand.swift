// `listory erase`. Always holds: the store is either unchanged, or nothing of the contents is in it.

import ArgumentParser
import ToolSupport

struct EraseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Remove contents of rows from a store for good.",
        discussion: """
            All contents that the rows ever had, or that commits of the origins wrote, are removed: from the history, from undo, \
            and from the free pages of the file. Nobody can take that back. The commits stay, with their times and \
            hashes; those that name such a row lose their names. Rows of the list that lose their content are deleted. Ids of rows, titles \
            of sections and annotations are not erased, nor are copies of the file.

            What the text prints as unknown was kept: nobody knows who wrote it, because the commits were dropped.

            The new file is verified before it takes the place of the old one. If the store is open anywhere, or \
            written to meanwhile, nothing happens and the exit code is 1; it is 4 if the store is damaged, 3 if it is missing \
            or something else, 5 if there is no room for the new file.

            Example:
              listory erase todo.listory 7 12
              listory erase todo.listory --origin anna --dry-run
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: ArgumentHelp("The ids of rows. They need not be in the list any more.", valueName: "id"))
    var ids: [String] = []

    @Option(name: .customLong("origin"), help: ArgumentHelp("Who wrote what is to be erased.", valueName: "name"))
    var origins: [String] = []

    @Flag(help: "Change nothing, but print what would be erased. An app may have the store open.")
    var dryRun = false

    @OptionGroup var format: FormatOption

    func validate() throws {
        if ids.isEmpty && origins.isEmpty { throw ValidationError("expected ids of rows, or --origin, found neither") }
    }

    func run() throws {
        let bar = ProgressBar("erasing")
        defer { bar.finish() }
        let report = try store.file.erase(ids.map { IdentifierText($0) }, origins: origins, isDryRun: dryRun) {
            bar.update($0)
        }
        bar.finish()
        try format.write(text: report.text, json: report.json)
    }
}
