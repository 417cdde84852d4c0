// `listory branches`. Always holds: it changes nothing.

import ArgumentParser
import ToolSupport

struct BranchesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "branches",
        abstract: "Print the branches of the history.",
        discussion: """
            An edit after an undo leaves a branch behind; go leads back to it. A line for each branch has its last \
            commit, how many steps undo can go back from there, and where it parts from the present branch, which comes \
            first, with a star. The others follow, those that were left last first. As json, each branch is one line.

            Example:
              listory branches todo.listory
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var origin: OriginOption
    @OptionGroup var limit: LimitOption
    @OptionGroup var output: ReportOptions

    func run() throws {
        let store = try store.file.open(isReadOnly: true, origin: origin.name)
        let bar = ProgressBar("looking")
        defer { bar.finish() }
        let report = try BranchReport(store, origin: origin.name ?? "", limit: limit.count)
        bar.finish()
        try output.print(text: report.text, json: report.json)
        try store.close()
    }
}
