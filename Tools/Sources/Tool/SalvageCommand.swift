// `listory salvage`. Always holds: the damaged store is only read.

import ArgumentParser
import ToolSupport

struct SalvageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Make a new store of everything that can be read in a damaged one.",
        discussion: """
            NEW gets the newest version that can be read, with the commits that lead to it. If commits in between are \
            lost, the ones before become stores of their own, NEW-1, NEW-2 and so on. Rows of which no whole version is \
            left are added in one last commit, at the end of the last section.

            The exit code is 0 if nothing is lost, 8 if NEW was written but something is lost or in another file. It is \
            3 if nothing can be read, 1 if NEW exists, 5 if reading or writing failed; then nothing is \
            written.

            Example:
              listory salvage broken.listory todo.listory
            """)

    @Argument(help: ArgumentHelp("The damaged store. It is not changed.", valueName: "old"), completion: .file())
    var old: String

    @Argument(help: ArgumentHelp("The new store, a file that does not exist.", valueName: "new"), completion: .file())
    var new: String

    @OptionGroup var format: FormatOption

    func run() throws {
        let bar = ProgressBar("salvaging")
        defer { bar.finish() }
        let report = try StoreFile(path: old).salvage(to: new) { bar.update($0) }
        bar.finish()
        try format.write(text: report.text, json: report.json)
        if !report.isComplete { throw ToolError(.lost, "") }
    }
}
