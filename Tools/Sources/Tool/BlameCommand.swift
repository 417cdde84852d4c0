// `listory blame`. Always holds: it changes nothing.

import ArgumentParser
import ListModel
import ToolSupport

struct BlameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blame",
        abstract: "Print, for each row, the commits that made it as it is.",
        discussion: """
            Below each row stand the commit with which it came into the list, and the last ones since then that changed its \
            content, checkmark or depth, and that moved it. With --at, they are the rows and the commits of an earlier version. As \
            json, each row is one line.

            Example:
              listory blame todo.listory --section today --limit 10
            """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var at: AtOption

    @Option(help: ArgumentHelp("Only the rows of this section.", valueName: "id"))
    var section: String?

    @Option(help: ArgumentHelp("Skip this many rows.", valueName: "count"))
    var skip = 0

    @Option(help: ArgumentHelp("Print at most this many rows.", valueName: "count"))
    var limit = 50

    @OptionGroup var output: ReportOptions

    func validate() throws {
        if skip < 0 { throw ValidationError("--skip: expected at least 0, found \(skip)") }
        if limit < 0 { throw ValidationError("--limit: expected at least 0, found \(limit)") }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let bar = ProgressBar("looking")
        defer { bar.finish() }
        let report = try BlameReport(
            store, at: at.version, section: section.map { IdentifierText($0) }, skip, limit)
        bar.finish()
        try output.print(text: report.text, json: report.json)
        try store.close()
    }
}
