// `listory repair`. Always holds: the store is either unchanged, or sound with all commits that it had.

import ArgumentParser
import ToolSupport

struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Rebuild what follows from the log of a store.",
        discussion: """
            Pages, checkpoints, the index by id and lists of numbers are rebuilt from the log, in a new file that is \
            verified and then takes the place of the old one. A store without damage is not touched.

            The exit code is 0 if the store is sound now. It is 4 if commits are lost: then nothing happens, and salvage \
            saves the rest. It is 1 if the store is open anywhere, 3 if it is missing or something else, 5 if there is no \
            room for the new file.

            Example:
              listory repair todo.listory
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var format: FormatOption

    func run() throws {
        let bar = ProgressBar("repairing")
        defer { bar.finish() }
        let report = try store.file.repair { bar.update($0) }
        bar.finish()
        try format.write(text: report.text, json: report.json)
    }
}
