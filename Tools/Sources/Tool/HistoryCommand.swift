// `listory history`. Always holds: it changes nothing.

import ArgumentParser
import ListModel
import ToolSupport

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Print the commits that changed a row, the newest first.",
        discussion: """
            Also of a row that is not in the list any more. A line has the version, the time, what the commit did to the row, \
            its name and who made it. As json, each commit is one line.

            Example:
              listory history todo.listory 7
              listory history todo.listory today --section --limit 5
            """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The id of the row.")
    var id: String

    @Flag(help: "The id is that of a section.")
    var section = false

    @Option(
        help: ArgumentHelp("Only commits before this version.", valueName: "version"),
        transform: { try VersionName($0) })
    var before: VersionName?

    @Option(help: ArgumentHelp("Print at most this many commits.", valueName: "count"))
    var limit: Int?

    @OptionGroup var format: FormatOption
    @OptionGroup var pager: PagerOption

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit: expected at least 0, found \(limit)") }
    }

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let id = IdentifierText(id)
        let report = try RowHistoryReport(section ? .section(id) : .row(id), in: store, before: before, limit: limit)
        try pager.page {
            try Standard.output.write(format.value == .json ? report.json() : Array(report.text().utf8))
        }
        try store.close()
    }
}
