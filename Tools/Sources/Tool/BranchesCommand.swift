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

    @Option(help: ArgumentHelp("Print at most this many branches.", valueName: "count"))
    var limit = 20

    @Flag(help: "Print all branches.")
    var all = false

    @OptionGroup var format: FormatOption
    @OptionGroup var color: ColorOption
    @OptionGroup var pager: PagerOption

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit: expected at least 0, found \(limit)") }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: true, origin: origin.name)
        let bar = ProgressBar("looking")
        defer { bar.finish() }
        let report = try BranchReport(store, origin: origin.name ?? "", limit: all ? nil : limit)
        bar.finish()
        let style = color.style
        try pager.page {
            try Standard.output.write(format.value == .json ? report.json() : Array(report.text(style).utf8))
        }
        try store.close()
    }
}
