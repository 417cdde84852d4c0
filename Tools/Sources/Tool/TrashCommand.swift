// `listory trash`. Always holds: it changes nothing.

import ArgumentParser
import ListModel
import ToolSupport

struct TrashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash",
        abstract: "Print the rows that were deleted, the last deleted first.",
        discussion: """
            A line has the version of the commit that took the row out of the list, its time, name and origin, then the \
            row as it was last, with its id and its section. As json, each row is one line. Rows that came back are not there. \
            restore brings one back.

            Example:
              listory trash todo.listory
              listory trash todo.listory --text milk --all
              listory restore todo.listory --row 7
            """)

    @OptionGroup var store: StoreArgument

    @Option(help: ArgumentHelp("Only rows whose content has these words.", valueName: "words"))
    var text: String?

    @Option(
        help: ArgumentHelp("Only rows that commits before this version took away.", valueName: "version"),
        transform: { try VersionName($0) })
    var before: VersionName?

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: ReportOptions

    func run() throws {
        let store = try store.file.open(isReadOnly: true)
        let bar = ProgressBar("searching")
        defer { bar.finish() }
        let words = text.map { SearchWords($0) } ?? SearchWords()
        let style = output.color.style
        try output.pager.page {
            try TrashReport.print(
                store, before: before, limit: limit.count, containing: words, output.format.value, style
            ) {
                bar.update($0)
                try Standard.output.checkReader()
            } send: {
                bar.finish()
                try Standard.output.write($0)
            }
        }
        try store.close()
    }
}
