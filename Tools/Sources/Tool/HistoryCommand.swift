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

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: ReportOptions

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let id = IdentifierText(id)
        let style = output.color.style
        try output.pager.page {
            try RowHistoryReport.print(
                section ? .section(id) : .row(id), in: store, before: before, limit: limit.count, output.format.value,
                style
            ) { try Standard.output.write($0) }
        }
        try store.close()
    }
}
